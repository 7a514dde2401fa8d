// Places the judged documents of a run held in columns, and groups judgments held in columns.
//
// The rows are cut into ranges. Within a range, consecutive rows of one query make a block, so
// the first pass reads the query column alone. The second takes the judged queries one by one,
// each with all its blocks in the order of the rows, however they were mixed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "columns.hpp"
#include "doc_samples.hpp"
#include "outcomes.hpp"
#include "parallel.hpp"
#include "scan_judgments.hpp"
#include "unjudged.hpp"

namespace rankstone {

struct RunColumns {
    const Column& query;
    const Column& doc;
    const Column* score;  // none: the order of the rows decides
    const Column* rank;   // as written beside the scores, if it is
    bool ascending = false;  // whether the lowest number is the best
};

struct ColumnRun {
    ColumnFault fault;
    Outcomes outcomes;
    Unjudged unjudged;
    DocsByQuery samples;
};

class ColumnMatcher {
  public:
    ColumnMatcher(const RunColumns& run, const Index& index, bool float32, int threads,
                  std::int64_t range_size, bool repeats = false)
        : run_(run), index_(index), float32_(float32), repeats_(repeats), threads_(std::max(1, threads)),
          range_size_(std::max<std::int64_t>(1, range_size)) {}

    ColumnRun match() {
        ColumnRun found;
        const std::int64_t rows = run_.query.length;
        const auto ranges = static_cast<std::size_t>((rows + range_size_ - 1) / range_size_);
        std::vector<std::vector<Block>> blocks(ranges);
        const auto workers = static_cast<int>(
            std::min<std::size_t>(static_cast<std::size_t>(threads_), std::max<std::size_t>(1, ranges)));
        std::vector<Worker> state;
        for (int i = 0; i < workers; ++i) state.emplace_back(index_, repeats_);
        std::atomic<std::size_t> next{0};
        in_parallel(workers, [&](int worker) {
            Worker& own = state[static_cast<std::size_t>(worker)];
            for (std::size_t r = next++; r < ranges; r = next++) {
                const std::int64_t begin = static_cast<std::int64_t>(r) * range_size_;
                find_blocks(own, begin, std::min(begin + range_size_, rows), blocks[r]);
            }
        });
        if (at_fault(state)) return first_fault();
        for (const Worker& worker : state) found.unjudged.add(worker.unjudged);
        group(blocks);
        Outcomes& outcomes = found.outcomes = Outcomes(index_.query_count());
        next = 0;
        in_parallel(workers, [&](int worker) {
            Worker& own = state[static_cast<std::size_t>(worker)];
            for (std::size_t q = next++; q < index_.query_count(); q = next++) {
                if (first_[q] == first_[q + 1]) continue;
                if (!gather(own, q)) return;
                std::span<Row> rows = own.placer.rows;
                const Placement placement = own.placer.place(q, rows, own.matches);
                outcomes.set(q, placement);
                if (placement.duplicates) own.duplicate[q] = placement.duplicate;
            }
        });
        if (at_fault(state)) return first_fault();
        RetrievedCounts counts(index_, repeats_);
        for (Worker& own : state) {
            outcomes.duplicate.merge(own.duplicate);
            counts.add(own.matches);
            outcomes.parts.push_back(std::move(own.matches));
        }
        for (const std::size_t q : queries_to_sample(outcomes, counts)) {
            gather(state[0], q);
            std::vector<std::string_view> ids;
            for (const Row& row : state[0].placer.rows)
                if (index_.find_doc(q, row.hash, row.doc, row.length) == Index::absent)
                    ids.push_back(row.id());
            found.samples.add(q, ids, most_sampled_docs);
        }
        outcomes.count_matches();
        return found;
    }

  private:
    struct Block {
        std::int64_t query;
        std::int64_t begin, end;
    };

    struct Worker {
        Worker(const Index& index, bool repeats) : placer(index, repeats) {}
        Placer placer;
        std::vector<char> keys;
        std::vector<double> scores;
        std::vector<Match> matches;
        std::map<std::size_t, std::string> duplicate;
        Unjudged unjudged;
        bool at_fault = false;
    };

    static bool at_fault(const std::vector<Worker>& state) {
        return std::any_of(state.begin(), state.end(), [](const Worker& w) { return w.at_fault; });
    }

    // What is wrong is looked for once something is known to be: on the way each value is
    // looked at where it is used, in an order that is not that of the rows.
    ColumnRun first_fault() const {
        ColumnRun found;
        check_ids(run_.query, 0, 0, run_.query.length, found.fault);
        check_ids(run_.doc, 1, 0, run_.query.length, found.fault);
        if (run_.score) check_numbers(*run_.score, 2, 0, run_.query.length, found.fault);
        return found;
    }

    void find_blocks(Worker& own, std::int64_t begin, std::int64_t end, std::vector<Block>& blocks) {
        if (first_null(run_.query, begin, end) < end) own.at_fault = true;
        if (own.at_fault) return;
        if (run_.query.writes_keys())
            own.keys.resize(static_cast<std::size_t>(end - begin) * key_size);
        char* keys = own.keys.data();
        std::string_view last;
        run_.query.changes(begin, end, keys, [&](std::int64_t row, std::string_view id) {
            if (row > begin && same_bytes(last.data(), last.size(), id.data(), id.size())) return;
            if (!blocks.empty()) blocks.back().end = row;
            last = id;
            const auto hash = hash_exact(id.data(), id.size());
            const auto query = index_.find_query(hash, id.data(), id.size());
            blocks.push_back({query, row, end});
            if (query == Index::absent) own.unjudged.note(hash, id);
            if (id.empty()) own.at_fault = true;
        });
        for (const Block& block : blocks)
            if (block.query == Index::absent && !sound(block)) own.at_fault = true;
    }

    // Whether every row of a block that will not be placed has a document and a score.
    bool sound(const Block& block) const {
        ColumnFault fault;
        check_ids(run_.doc, 1, block.begin, block.end, fault);
        if (run_.score) check_numbers(*run_.score, 2, block.begin, block.end, fault);
        return fault.kind == ColumnFault::none;
    }

    // Sorts the blocks by query; those of one query stay in the order of their rows.
    void group(std::vector<std::vector<Block>>& blocks) {
        first_.assign(index_.query_count() + 1, 0);
        for (const auto& range : blocks)
            for (const Block& block : range)
                if (block.query != Index::absent) ++first_[static_cast<std::size_t>(block.query) + 1];
        for (std::size_t q = 0; q < index_.query_count(); ++q) first_[q + 1] += first_[q];
        std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
        blocks_.resize(first_.back());
        for (auto& range : blocks) {
            for (const Block& block : range)
                if (block.query != Index::absent)
                    blocks_[at[static_cast<std::size_t>(block.query)]++] = block;
            range = {};
        }
    }

    // Fills the placer with the rows of a query; false where one has no document or no score.
    bool gather(Worker& own, std::size_t q) {
        auto& rows = own.placer.rows;
        std::int64_t total = 0;
        for (std::size_t b = first_[q]; b < first_[q + 1]; ++b) total += blocks_[b].end - blocks_[b].begin;
        rows.resize(static_cast<std::size_t>(total));
        Row* row = rows.data();
        if (run_.doc.writes_keys()) own.keys.resize(static_cast<std::size_t>(total) * key_size);
        char* keys = own.keys.data();
        for (std::size_t b = first_[q]; b < first_[q + 1]; ++b) {
            const std::int64_t begin = blocks_[b].begin, end = blocks_[b].end;
            Row* const first = row;
            if (first_null(run_.doc, begin, end) < end ||
                (run_.score && first_null(*run_.score, begin, end) < end))
                own.at_fault = true;
            if (own.at_fault) return false;
            const double* scores =
                run_.score ? run_.score->as_doubles(begin, end, own.scores) : nullptr;
            bool whole = true;
            run_.doc.ids(begin, end, keys, [&](std::string_view id) {
                double score = scores ? *scores++ : -static_cast<double>(row - rows.data());
                if (scores && run_.ascending) score = 0.0 - score;
                whole = whole && !id.empty() && std::isfinite(score);
                if (float32_) score = static_cast<double>(static_cast<float>(score));
                *row++ = {id.data(), static_cast<std::uint32_t>(id.size()), no_rank,
                          hash_exact(id.data(), id.size()), score};
            });
            if (run_.rank)
                run_.rank->parts(begin, end, [&](const Chunk& c, std::int64_t a, std::int64_t e) {
                    const auto use = [&](std::int64_t i, double value) {
                        if (value >= 0 && value < 1e9)
                            first[c.begin + i - begin].rank = static_cast<std::uint32_t>(value);
                    };
                    if (!c.may_have_nulls()) return c.doubles(a, e, use);
                    for (; a < e; ++a)  // the code of a null may stand for nothing
                        if (c.valid(a)) c.doubles(a, a + 1, use);
                });
            if (!whole) own.at_fault = true;
        }
        return !own.at_fault;
    }

    const RunColumns& run_;
    const Index& index_;
    bool float32_;
    bool repeats_;
    int threads_;
    std::int64_t range_size_;
    std::vector<std::size_t> first_;  // block of each query; one more at the end
    std::vector<Block> blocks_;
};

struct ColumnJudgments {
    ColumnFault fault;
    JudgmentScan scan;
};

// Groups judgments as a scan of text does. `grade` may be absent: then every row counts 1.
class ColumnJudge {
  public:
    ColumnJudgments judge(const Column& query, const Column& doc, const Column* grade) {
        ColumnJudgments judged;
        const std::int64_t rows = query.length;
        check_ids(query, 0, 0, rows, judged.fault);
        check_ids(doc, 1, 0, rows, judged.fault);
        if (grade) check_numbers(*grade, 2, 0, rows, judged.fault);
        if (judged.fault.kind != ColumnFault::none) return judged;
        const auto room = [rows](const Column& column) {
            return std::vector<char>(
                column.writes_keys() ? static_cast<std::size_t>(rows) * key_size : 0);
        };
        std::vector<char> query_keys = room(query), doc_keys = room(doc);
        char *query_out = query_keys.data(), *doc_out = doc_keys.data();
        std::vector<std::string_view> queries, docs;
        std::vector<double> grades;
        std::vector<JudgedRows> parts(1);
        constexpr std::int64_t step = 4096;
        for (std::int64_t begin = 0; begin < rows; begin += step) {
            const std::int64_t end = std::min(begin + step, rows);
            queries.clear();
            docs.clear();
            grades.assign(static_cast<std::size_t>(end - begin), 1.0);
            query.ids(begin, end, query_out, [&](std::string_view id) { queries.push_back(id); });
            doc.ids(begin, end, doc_out, [&](std::string_view id) { docs.push_back(id); });
            if (grade)
                grade->doubles(begin, end, [&](std::int64_t i, double value) {
                    grades[static_cast<std::size_t>(i)] = value;
                });
            for (std::size_t i = 0; i < docs.size(); ++i) parts[0].add(queries[i], docs[i], grades[i]);
        }
        JudgmentGroups(std::move(parts)).collect(judged.scan);
        return judged;
    }
};

}  // namespace rankstone
