// Places the judged documents of queries whose rows are scattered, or too many to keep. Each row is
// seen once, by any thread and in any order: it is counted against the judged documents, which are
// known already. Of a row only two words are kept: a hash of its document, to find repetitions, and
// its score at its written rank. Repetitions are seldom; their rows have to be shown again.
#pragma once

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "doc_samples.hpp"
#include "large_pages.hpp"
#include "parallel.hpp"

namespace rankstone {

class Tally {
  public:
    // `rows` counts the rows of each query; `matches` are the judged documents in them.
    Tally(const Index& index, std::vector<std::uint32_t> queries, std::vector<std::uint32_t> rows,
          std::vector<Match> matches, int workers, bool repeats)
        : index_(index), repeats_(repeats), queries_(std::move(queries)), rows_(std::move(rows)),
          matches_(std::move(matches)), workers_(static_cast<std::size_t>(workers)),
          sampled_(queries_.size()) {
        number_of_.assign(index.query_count(), none);
        first_slot_.push_back(0);
        for (std::size_t u = 0; u < queries_.size(); ++u) {
            number_of_[queries_[u]] = static_cast<std::uint32_t>(u);
            first_slot_.push_back(first_slot_.back() + rows_[u] + 1);
        }
        sort_matches();
        set_targets();
        // The last block of each part may be empty but for a key.
        const std::size_t total = first_slot_.back() - queries_.size();
        keys_.resize((total / block + workers_.size() * parts) * block);
        slots_ = LargeVector<WrittenRanks::Slot>(first_slot_.back());
        for (Worker& own : workers_) own.unranked.resize(queries_.size());
    }

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // The number of a query here, or none.
    std::uint32_t number_of(std::int64_t query) const {
        return query == Index::absent ? none : number_of_[static_cast<std::size_t>(query)];
    }

    std::vector<Match>& matches() { return matches_; }

    void sample(std::size_t query) { sampled_[number_of_[query]] = 1; }

    void add(std::size_t worker, std::uint32_t number, const Row& row, std::uint64_t at) {
        Worker& own = workers_[worker];
        targets_.count(targets_.ties(number, row.score), row.id(), at, 1, own.counts.data());
        keep_key(own, key_of(number, row.hash));
        if (row.rank == no_rank)
            own.unranked[number] = 1;
        else
            add_rank(own, number, row);
        if (sampled_[number]) add_sample(own, number, row, at);
    }

    // Whether documents may be repeated; if so, show_again() needs all rows again.
    bool has_repetitions() {
        std::atomic<std::size_t> next{0};
        in_parallel(static_cast<int>(workers_.size()), [&](int worker) {
            Worker& own = workers_[static_cast<std::size_t>(worker)];
            for (std::size_t part = next++; part < parts; part = next++) find_repeated(own, part);
        });
        for (Worker& own : workers_)
            repeated_.insert(repeated_.end(), own.repeated.begin(), own.repeated.end());
        std::sort(repeated_.begin(), repeated_.end());
        keys_ = {};
        return !repeated_.empty();
    }

    void show_again(std::size_t worker, std::uint32_t number, const Row& row, std::uint64_t at) {
        if (std::binary_search(repeated_.begin(), repeated_.end(), key_of(number, row.hash)))
            workers_[worker].again.push_back({number, std::string(row.id()), row.score, at});
    }

    // Writes what became of the queries, and the matches' counts.
    void finish(Outcomes& outcomes) {
        std::vector<Placement> placements(queries_.size());
        note_repetitions(placements);
        for (std::size_t w = 1; w < workers_.size(); ++w)
            for (std::size_t t = 0; t < targets_.size(); ++t) {
                Targets::Counts& sum = workers_[0].counts[t];
                const Targets::Counts& more = workers_[w].counts[t];
                sum.above += more.above;
                sum.tied += more.tied;
                sum.greater += more.greater;
                sum.earlier += more.earlier;
            }
        targets_.finish(workers_[0].counts.data());
        std::vector<WrittenRanks::Aside> asides(queries_.size());
        for (Worker& own : workers_) {
            for (const Ranked& ranked : own.pending) write_rank(own, ranked);
            for (const auto& [number, rank, score] : own.aside)
                asides[number].push_back({rank, score});
        }
        std::atomic<std::size_t> next{0};
        in_parallel(static_cast<int>(workers_.size()), [&](int) {
            for (std::size_t u = next++; u < queries_.size(); u = next++) {
                const bool unranked = std::any_of(workers_.begin(), workers_.end(),
                                                  [u](const Worker& own) { return own.unranked[u]; });
                placements[u].rank_disagrees =
                    !unranked && WrittenRanks::disagree(slots_.data() + first_slot_[u], rows_[u] + 1,
                                                        asides[u]);
            }
        });
        for (std::size_t u = 0; u < queries_.size(); ++u) {
            placements[u].retrieved = rows_[u] - (repeats_ ? 0 : placements[u].duplicates);
            outcomes.set(queries_[u], placements[u]);
            if (placements[u].duplicates)
                outcomes.duplicate[queries_[u]] = placements[u].duplicate;
        }
        outcomes.parts.push_back(std::move(matches_));
    }

    // The first unjudged documents of a query that was to be sampled.
    std::vector<std::string> sample_of(std::size_t query) {
        std::vector<std::pair<std::uint64_t, std::string>> rows;
        for (Worker& own : workers_)
            for (const auto& [number, at, id] : own.samples)
                if (number == number_of_[query]) rows.push_back({at, id});
        std::sort(rows.begin(), rows.end());
        std::vector<std::string> ids;
        for (auto& [at, id] : rows) ids.push_back(std::move(id));
        return ids;
    }

    // A worker starts on another stretch of rows, which are shown in the order of the input.
    void start_stretch(std::size_t worker) { workers_[worker].stretch_counts.clear(); }

  private:
    static constexpr std::size_t block = 64, parts = 256;

    struct Again {
        std::uint32_t number;
        std::string id;
        double score;
        std::uint64_t at;
    };

    struct Ranked {
        std::uint32_t number, rank;
        std::uint64_t score;  // its key; 0 for none
    };

    // Keys with the same highest bits.
    struct Part {
        std::vector<std::uint64_t*> blocks;  // full but for the last
        std::size_t size = 0;
        std::uint64_t* next = nullptr;
    };

    struct Worker {
        std::vector<Targets::Counts> counts;
        std::array<Part, parts> keys;
        std::size_t ranked_rows = 0;
        std::array<Ranked, 64> pending{};  // ranks to write
        std::vector<Ranked> aside;
        std::vector<std::uint8_t> unranked;
        std::vector<std::uint64_t> table, repeated;
        std::vector<Again> again;
        std::vector<std::tuple<std::uint32_t, std::uint64_t, std::string>> samples;
        std::map<std::uint32_t, std::size_t> stretch_counts;  // of samples
    };

    // Of several rows for one document the one with the best score counts, the earliest of equals,
    // unless repetitions are kept.
    void sort_matches() {
        std::sort(matches_.begin(), matches_.end());
        if (repeats_) return;
        const auto same = [](const Match& a, const Match& b) { return a.judgment == b.judgment; };
        matches_.erase(std::unique(matches_.begin(), matches_.end(), same), matches_.end());
    }

    // Matches are in the order of the judgments, so those of a query are together, and the queries
    // are in the order of their numbers.
    void set_targets() {
        std::vector<Targets::Target> targets;
        auto match = matches_.begin();
        for (const std::uint32_t query : queries_) {
            for (; match != matches_.end() && match->query == query; ++match)
                targets.push_back({index_.doc(match->judgment), &*match});
            targets_.add_query(targets);
        }
        for (Worker& own : workers_) own.counts.resize(targets_.size());
    }

    static std::uint64_t key_of(std::uint32_t number, std::uint64_t hash) {
        const std::uint64_t key = mix(hash + number);
        return key ? key : 1;  // 0 marks an empty place of a table
    }

    void keep_key(Worker& own, std::uint64_t key) {
        Part& part = own.keys[static_cast<std::size_t>(key >> 56)];
        if (part.size++ % block == 0) {
            const std::size_t first = next_block_.fetch_add(block, std::memory_order_relaxed);
            if (first >= keys_.size()) throw std::runtime_error("the file changed while it was read");
            part.blocks.push_back(part.next = keys_.data() + first);
        }
        *part.next++ = key;
    }

    // Slots of scattered rows are far apart, so each is fetched some rows before it is written; and a
    // write holds up what comes after it, so several are made at once.
    void add_rank(Worker& own, std::uint32_t number, const Row& row) {
        const std::size_t at = own.ranked_rows++ % own.pending.size(), half = own.pending.size() / 2;
        if (at % half == 0)
            for (std::size_t i = at; i < at + half; ++i) write_rank(own, own.pending[i]);
        own.pending[at] = {number, row.rank, WrittenRanks::key(row.score)};
        if (row.rank <= rows_[number]) prefetch(slots_.data() + first_slot_[number] + row.rank);
    }

    // To write a rank twice changes nothing.
    void write_rank(Worker& own, const Ranked& ranked) {
        const auto [number, rank, score] = ranked;
        if (score && !WrittenRanks::add(slots_.data() + first_slot_[number], rows_[number] + 1, rank,
                                        score))
            own.aside.push_back(ranked);
    }

    void add_sample(Worker& own, std::uint32_t number, const Row& row, std::uint64_t at) {
        std::size_t& count = own.stretch_counts[number];
        if (count == most_sampled_docs) return;
        const std::size_t query = queries_[number];
        if (index_.find_doc(query, row.hash, row.doc, row.length) != Index::absent) return;
        own.samples.push_back({number, at, std::string(row.id())});
        ++count;
    }

    void find_repeated(Worker& own, std::size_t part) {
        std::size_t count = 0;
        for (const Worker& other : workers_) count += other.keys[part].size;
        const std::size_t size = table_size(count);
        own.table.assign(size, 0);
        for (const Worker& other : workers_) {
            std::size_t left = other.keys[part].size;
            for (const std::uint64_t* const keys : other.keys[part].blocks)
                for (std::size_t i = 0; i < block && left; ++i, --left) {
                    std::size_t at = keys[i] & (size - 1);
                    while (own.table[at] && own.table[at] != keys[i]) at = (at + 1) & (size - 1);
                    if (own.table[at]) own.repeated.push_back(keys[i]);
                    own.table[at] = keys[i];
                }
        }
    }

    void note_repetitions(std::vector<Placement>& placements) {
        std::vector<Again> rows;
        for (Worker& own : workers_)
            rows.insert(rows.end(), std::make_move_iterator(own.again.begin()),
                        std::make_move_iterator(own.again.end()));
        std::sort(rows.begin(), rows.end(), [](const Again& a, const Again& b) {
            return std::tuple(a.number, std::string_view(a.id), -a.score, a.at) <
                   std::tuple(b.number, std::string_view(b.id), -b.score, b.at);
        });
        for (std::size_t i = 1; i < rows.size(); ++i) {
            if (rows[i].number != rows[i - 1].number || rows[i].id != rows[i - 1].id) continue;
            placements[rows[i].number].note_duplicate(rows[i].id);
            if (repeats_) continue;
            targets_.count(targets_.ties(rows[i].number, rows[i].score), rows[i].id, rows[i].at, -1,
                           workers_[0].counts.data());
        }
    }

    const Index& index_;
    bool repeats_;
    std::vector<std::uint32_t> queries_;    // by number
    std::vector<std::uint32_t> rows_;       // of each
    std::vector<std::uint32_t> number_of_;  // each judged query
    std::vector<Match> matches_;
    Targets targets_;
    std::vector<Worker> workers_;
    std::vector<std::uint8_t> sampled_;
    LargeVector<std::uint64_t> keys_;
    std::atomic<std::size_t> next_block_{0};
    std::vector<std::uint64_t> repeated_;
    std::vector<std::size_t> first_slot_;
    LargeVector<WrittenRanks::Slot> slots_;
};

}  // namespace rankstone
