// Scans a run in parallel and places its judged documents, in memory that grows with the
// judgments and with the queries whose rows are scattered, by two words for each of their rows.
//
// The text is cut into ranges of whole lines. Within a range, consecutive lines of one query
// make a block. A block strictly inside a range is placed at once, and that settles its query,
// unless the query has another block. Of queries with several blocks, or one at a range's edge,
// only the judged documents are noted; a second pass over the bytes counts what beats them. So
// the outcome is that of reading each query whole, however the ranges fall and however the lines
// are mixed.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "doc_samples.hpp"
#include "fault.hpp"
#include "outcomes.hpp"
#include "parallel.hpp"
#include "source.hpp"
#include "tally.hpp"
#include "top_rows.hpp"
#include "unjudged.hpp"

namespace rankstone {

struct RunScan {
    FaultReport fault;
    Outcomes outcomes;
    std::uint64_t rows = 0;
    std::int64_t commented = 0;  // comments that would be rows
    Unjudged unjudged;
    DocsByQuery samples;
    DocsByQuery tops;
};

inline std::uint32_t parse_rank(const Field& field) {
    const auto size = static_cast<std::ptrdiff_t>(field.size());
    std::uint64_t rank;
    if (size == 0 || size > 9) return no_rank;
    if (!parse_digits(load_digits(field.begin, std::min<std::ptrdiff_t>(size, 8)), rank)) return no_rank;
    if (size < 9) return static_cast<std::uint32_t>(rank);
    const std::uint32_t last = static_cast<unsigned char>(field.begin[8]) - std::uint32_t{48};
    return last < 10 ? static_cast<std::uint32_t>(10 * rank) + last : no_rank;
}

class RunScanner {
  public:
    // The rows start at `first`; with `repeats` every row of a document counts; the first `kept`
    // documents of each query are kept, of equal scores as `ids_fall` says (top_rows.hpp).
    RunScanner(const Source& source, std::uint64_t size, RowLayout layout, const Index& index,
               bool float32, int threads, std::size_t range_size, std::atomic<std::int64_t>* done,
               std::uint64_t first = 0, bool repeats = false, std::size_t kept = 0,
               int ids_fall = 0)
        : source_(source), size_(size), text_begin_(std::min(first, size)), layout_(layout),
          index_(index), float32_(float32), repeats_(repeats), kept_(kept), ids_fall_(ids_fall),
          threads_(std::max(1, threads)),
          // at most what can be added to an offset
          range_size_(std::clamp<std::size_t>(range_size, 1, ~std::size_t{0} / 4)), done_(done) {}

    RunScan scan() {
        char head[3];
        if (!text_begin_ && size_ >= 3 && source_.read(0, head, 3) == 3 && std::memcmp(head, "\xef\xbb\xbf", 3) == 0)
            text_begin_ = 3;
        const std::uint64_t ranges = (size_ - text_begin_ + range_size_ - 1) / range_size_;
        const int workers =
            static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads_),
                                                     std::max<std::uint64_t>(ranges, 1)));
        std::vector<Worker> state;
        state.reserve(static_cast<std::size_t>(workers));
        for (int i = 0; i < workers; ++i) state.emplace_back(index_, repeats_, kept_, ids_fall_);
        RunScan scan;
        scan.outcomes = Outcomes(index_.query_count());
        queries_ = LargeVector<Query>(index_.query_count());
        ranges_.resize(static_cast<std::size_t>(ranges));
        std::atomic<std::uint64_t> next{0};
        std::atomic<std::uint64_t> first_fault{ranges};
        in_parallel(workers, [&](int worker) {
            Worker& own = state[static_cast<std::size_t>(worker)];
            for (std::uint64_t r = next++; r < ranges && r <= first_fault; r = next++) {
                scan_range(own, r, scan.outcomes);
                if (own.fault.fault == Fault::none) continue;
                std::uint64_t known = first_fault;
                while (r < known && !first_fault.compare_exchange_weak(known, r)) {
                }
                return;
            }
        });
        for (Worker& worker : state)
            if (worker.fault.fault != Fault::none &&
                (scan.fault.fault == Fault::none ||
                 worker.fault.line_begin < scan.fault.line_begin))
                scan.fault = std::move(worker.fault);
        if (scan.fault.fault == Fault::none) merge(state, scan);
        return scan;
    }

  private:
    static constexpr std::size_t many_matches = 1 << 14, many_blocks = 64, many_rows = 512;
    static constexpr std::uint32_t some_rows = 16;  // by now the query of a block is looked up

    // A stretch of whole lines.
    struct Piece {
        std::uint64_t begin, end;
        bool empty() const { return begin == end; }
    };

    // Which of a query's blocks have been seen. The rows of a block that is placed are those of its
    // placement; the others are counted here.
    struct Query {
        enum State : std::uint8_t { unseen, placed, scattered };
        std::atomic<State> state{unseen};
        std::atomic<std::uint32_t> rows{0};
        Piece block{0, 0};  // that was placed
    };

    // What has to be read again of a range: blocks at its edges, or all of it.
    struct Range {
        Piece all{0, 0}, first{0, 0}, last{0, 0};
        bool mixed = false;
    };

    // Where the lines of a range lie in the file, and whether they are the first or last of it.
    struct Text {
        const char *begin, *end;
        std::uint64_t base;
        bool is_first, is_last;

        std::uint64_t offset(const char* p) const { return base + static_cast<std::uint64_t>(p - begin); }
        Piece piece(const char* first, const char* last) const { return {offset(first), offset(last)}; }
    };

    // Consecutive rows of one query.
    struct Block {
        static constexpr std::int64_t unknown = Index::absent - 1;

        Field id;
        std::uint64_t hash;
        const char* begin;
        std::size_t first_row;  // of those in hand
        std::int64_t query = unknown;
    };

    struct Worker {
        Worker(const Index& index, bool repeats, std::size_t kept, int ids_fall)
            : placer(index, repeats), tops(index.query_count(), kept, ids_fall) {}
        Placer placer;
        TopRows tops;
        std::vector<char> buffer;
        std::vector<Block> blocks;
        std::vector<Match> matches;
        std::vector<std::vector<Match>> full;  // of matches; one vector would be moved as it grows
        std::vector<Match> unplaced;           // of blocks that were not placed
        std::map<std::size_t, std::string> duplicate;  // of queries placed
        Unjudged unjudged;
        std::uint64_t rows = 0;
        std::int64_t commented = 0;
        FaultReport fault;
    };

    // The lines that start in range r: its bytes, less the tail of a line begun before it, plus
    // the rest of the last line. Returns their offset; the text ends at `end`.
    std::uint64_t load_range(Worker& own, std::uint64_t r, const char*& begin, const char*& end) {
        const std::uint64_t from = text_begin_ + r * range_size_;
        const std::uint64_t to = std::min(size_, from + range_size_);
        const std::uint64_t start = r ? from - 1 : from;  // the byte before tells a line's start
        std::size_t have = static_cast<std::size_t>(to - start);
        own.buffer.resize(have + padding);
        source_.read_all(start, own.buffer.data(), have);
        std::size_t skip = 0;
        if (r) {
            const char* newline = line_end(own.buffer.data(), own.buffer.data() + have);
            skip = static_cast<std::size_t>(newline - own.buffer.data()) + 1;
            if (skip > have) skip = have;
        }
        const bool starts_here = skip < have;
        while (starts_here && own.buffer[have - 1] != '\n' && start + have < size_) {
            const std::size_t more = std::min<std::uint64_t>(4096, size_ - start - have);
            own.buffer.resize(have + more + padding);
            source_.read_all(start + have, own.buffer.data() + have, more);
            const char* fresh = own.buffer.data() + have;
            const char* newline = line_end(fresh, fresh + more);
            have += newline == fresh + more ? more : static_cast<std::size_t>(newline - fresh) + 1;
            if (have - skip > range_size_ + longest_line) break;
        }
        std::memset(own.buffer.data() + have, '\n', padding);
        begin = own.buffer.data() + skip;
        end = own.buffer.data() + have;
        return start + skip;
    }

    void scan_range(Worker& own, std::uint64_t r, Outcomes& outcomes) {
        const char *begin, *end;
        const std::uint64_t base = load_range(own, r, begin, end);
        const Text text{begin, end, base, r == 0, text_begin_ + (r + 1) * range_size_ >= size_};
        Range& range = ranges_[static_cast<std::size_t>(r)];
        range.all = text.piece(begin, end);
        std::vector<Block>& blocks = own.blocks;
        std::vector<Row>& rows = own.placer.rows;
        blocks.clear();
        rows.clear();
        Field last{nullptr, nullptr};  // the query of the block
        std::uint32_t count = 0;
        bool is_kept = true;
        Line line;
        for (const char* p = begin; p < end; p = line.next) {
            if (!read_row(p, end, layout_, line, own.fault)) {
                own.fault.line_begin = text.offset(p);
                return;
            }
            if (line.count == 0) {
                own.commented += line.commented;
                continue;
            }
            ++own.rows;
            const Field& id = line.field[layout_.query];
            if (!last.begin || !same_fields(id, last)) {
                const char* const first = last.begin ? p : begin;
                if (blocks.size() == many_blocks || rows.size() >= many_rows)
                    close_blocks(own, p, text, range, outcomes);
                blocks.push_back({id, hash_id(id.begin, id.size()), first, rows.size()});
                index_.fetch_slot(blocks.back().hash);
                last = id;
                count = 0;
                is_kept = true;
            }
            if (++count == some_rows) {
                Block& block = blocks.back();
                find_query(own, block, outcomes);
                is_kept = block.query != Index::absent;
                if (!is_kept) rows.resize(block.first_row);
            }
            if (is_kept) rows.push_back(row_of(line));
        }
        close_blocks(own, end, text, range, outcomes);
        if (done_) done_->fetch_add(static_cast<std::int64_t>(end - begin));
    }

    // Finds the query of a block, and fetches what is known of it.
    void find_query(Worker& own, Block& block, const Outcomes& outcomes) {
        block.query = index_.find_query(block.hash, block.id.begin, block.id.size());
        if (block.query == Index::absent)
            return own.unjudged.note(block.hash, {block.id.begin, block.id.size()});
        const auto query = static_cast<std::size_t>(block.query);
        index_.fetch_table(query);
        prefetch(&queries_[query]);
        prefetch(&outcomes.queries[query]);
    }

    // Closes the blocks in hand, the last of which ends at `stop`. What short ones need of the index is
    // fetched for all of them at once.
    void close_blocks(Worker& own, const char* stop, const Text& text, Range& range, Outcomes& outcomes) {
        std::vector<Block>& blocks = own.blocks;
        const auto fetch = [&](auto&& step) {
            if (!index_.is_large()) return;
            for (const bool bounds : {true, false})
                for (const Block& block : blocks) step(block, bounds);
        };
        fetch([&](const Block& block, bool bounds) {
            if (block.query == Block::unknown) index_.fetch_id(block.hash, bounds);
        });
        for (Block& block : blocks)
            if (block.query == Block::unknown) find_query(own, block, outcomes);
        fetch([&](const Block& block, bool bounds) {
            if (block.query != Index::absent)
                index_.fetch_docs(static_cast<std::size_t>(block.query), bounds);
        });
        std::span<Row> rows = own.placer.rows;
        for (std::size_t b = blocks.size(); b-- > 0; stop = blocks[b].begin) {
            const Block& block = blocks[b];
            if (block.query != Index::absent)
                close_block(own, block, rows.subspan(block.first_row), stop, text, range, outcomes);
            rows = rows.first(block.first_row);
        }
        blocks.clear();
        own.placer.rows.clear();
        if (own.matches.size() < many_matches) return;
        own.full.push_back(std::move(own.matches));
        own.matches = {};
        own.matches.reserve(many_matches + many_matches / 8);
    }

    // Places a block, or notes the judged documents in it if it is not the only one of its query.
    void close_block(Worker& own, const Block& block, std::span<Row> rows, const char* stop,
                     const Text& text, Range& range, Outcomes& outcomes) {
        const auto q = static_cast<std::size_t>(block.query);
        const Piece piece = text.piece(block.begin, stop);
        const bool at_begin = block.begin == text.begin && !text.is_first;
        const bool at_end = stop == text.end && !text.is_last;
        if (at_begin) range.first = piece;
        if (at_end) range.last = piece;
        Query& query = queries_[q];
        auto seen = Query::unseen;
        if (at_begin || at_end) {
            query.state = Query::scattered;
        } else if (query.state.load(std::memory_order_relaxed) == Query::unseen &&
                   query.state.compare_exchange_strong(seen, Query::placed)) {
            const std::size_t before = own.matches.size();
            query.block = piece;
            const Placement placement = own.placer.place(q, rows, own.matches);
            outcomes.set(q, placement);
            if (placement.duplicates) own.duplicate[q] = placement.duplicate;
            if (kept_)
                for (const Row& row : rows) own.tops.add(q, row, text.offset(row.doc));
            return to_positions(own.matches, before, rows, text);
        } else {
            if (query.state.load(std::memory_order_relaxed) != Query::scattered) query.state = Query::scattered;
            range.mixed = true;
        }
        query.rows.fetch_add(static_cast<std::uint32_t>(rows.size()), std::memory_order_relaxed);
        const std::size_t before = own.unplaced.size();
        own.placer.match(q, rows, own.unplaced);
        to_positions(own.unplaced, before, rows, text);
    }

    // Positions of matches become those in the file: of the line's document, which serve as well as
    // the line's own.
    static void to_positions(std::vector<Match>& matches, std::size_t first, std::span<const Row> rows,
                             const Text& text) {
        for (std::size_t m = first; m < matches.size(); ++m) matches[m].at = text.offset(rows[matches[m].at].doc);
    }

    Row row_of(const Line& line) const {
        const Field& doc = line.field[layout_.doc];
        return {doc.begin, static_cast<std::uint32_t>(doc.size()),
                layout_.rank < 0 ? no_rank : parse_rank(line.field[layout_.rank]),
                hash_id(doc.begin, doc.size()),
                float32_ ? static_cast<double>(static_cast<float>(line.value)) : line.value};
    }

    // Joins what the workers saw, and counts what beats the judged documents of scattered queries.
    void merge(std::vector<Worker>& state, RunScan& scan) {
        Outcomes& outcomes = scan.outcomes;
        std::vector<std::uint32_t> scattered, rows;
        scattered_.resize(queries_.size());
        bool displaced = false;  // whether a query was placed, and then another block of it seen
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            const Query& query = queries_[q];
            if (query.state != Query::scattered) continue;
            scattered_[q] = true;
            if (!query.block.empty()) displaced = range_of(query.block).mixed = true;
            scattered.push_back(static_cast<std::uint32_t>(q));
            Outcomes::OfQuery& placed = outcomes.queries[q];
            rows.push_back(query.rows + placed.retrieved + (repeats_ ? 0 : placed.duplicates));
            placed.present = true;
        }
        RetrievedCounts counts(index_, repeats_);
        std::vector<Match> unplaced;
        for (Worker& own : state) {
            scan.unjudged.add(own.unjudged);
            scan.rows += own.rows;
            scan.commented += own.commented;
            own.full.push_back(std::move(own.matches));
            unplaced.insert(unplaced.end(), own.unplaced.begin(), own.unplaced.end());
            own.unplaced = {};
            for (std::vector<Match>& matches : own.full) {
                if (displaced)
                    std::erase_if(matches, [&](const Match& match) {
                        const bool scattered_too = is_scattered(match.query);
                        if (scattered_too) unplaced.push_back(match);
                        return scattered_too;
                    });
                counts.add(matches);
                outcomes.parts.push_back(std::move(matches));
            }
            for (auto& [q, id] : own.duplicate)
                if (!is_scattered(q)) outcomes.duplicate[q] = std::move(id);
        }
        Tally tally(index_, std::move(scattered), std::move(rows), std::move(unplaced),
                    static_cast<int>(state.size()), repeats_);
        counts.add(tally.matches());
        const std::vector<std::size_t> sampled = queries_to_sample(outcomes, counts);
        for (const std::size_t q : sampled)
            if (is_scattered(q)) tally.sample(q);
        count_rows(state, tally);
        tally.finish(outcomes);
        for (std::size_t w = 1; w < state.size(); ++w) state[0].tops.add(state[w].tops);
        scan.tops = state[0].tops.documents();
        for (const std::size_t q : sampled)
            scan.samples.add(q, is_scattered(q) ? tally.sample_of(q) : sample_of(state[0], q),
                             most_sampled_docs);
        outcomes.count_matches();
    }

    bool is_scattered(std::size_t query) const {
        return scattered_[query];
    }

    Range& range_of(const Piece& piece) {
        return ranges_[static_cast<std::size_t>((piece.begin - text_begin_) / range_size_)];
    }

    void count_rows(std::vector<Worker>& state, Tally& tally) {
        std::vector<Piece> pieces;
        for (const Range& range : ranges_) {
            if (range.mixed) {
                pieces.push_back(range.all);
                continue;
            }
            if (!range.first.empty()) pieces.push_back(range.first);
            const bool same = !range.first.empty() && range.first.begin == range.last.begin;
            if (!range.last.empty() && !same) pieces.push_back(range.last);
        }
        if (pieces.empty()) return;
        const auto each = [&](auto use) {
            std::atomic<std::size_t> next{0};
            in_parallel(static_cast<int>(std::min(state.size(), pieces.size())), [&](int worker) {
                const auto w = static_cast<std::size_t>(worker);
                for (std::size_t i = next++; i < pieces.size(); i = next++) {
                    tally.start_stretch(w);
                    each_row(state[w], pieces[i], [&](std::int64_t query, const Row& row, std::uint64_t at) {
                        const std::uint32_t number = tally.number_of(query);
                        if (number == Tally::none) return;
                        state[w].tops.add(static_cast<std::size_t>(query), row, at);
                        use(w, number, row, at);
                    });
                }
            });
        };
        each([&](const auto&... row) { tally.add(row...); });
        if (tally.has_repetitions()) each([&](const auto&... row) { tally.show_again(row...); });
    }

    // Calls f(query, row, position) for the rows of a piece.
    template <typename F>
    void each_row(Worker& own, const Piece& piece, F&& f) const {
        const auto size = static_cast<std::size_t>(piece.end - piece.begin);
        own.buffer.resize(size + padding);
        source_.read_all(piece.begin, own.buffer.data(), size);
        std::memset(own.buffer.data() + size, '\n', padding);
        const char* const begin = own.buffer.data();
        Line line;
        FaultReport changed;
        Field id{nullptr, nullptr};
        std::int64_t query = Index::absent;
        for (const char* p = begin; p < begin + size; p = line.next) {
            if (!read_row(p, begin + size, layout_, line, changed))
                throw std::runtime_error("the file changed while it was read");
            if (!line.count) continue;
            const Field& next = line.field[layout_.query];
            if (!id.begin || !same_fields(next, id)) {
                id = next;
                query = index_.find_query(id.begin, id.size());
            }
            const Row row = row_of(line);
            f(query, row, piece.begin + static_cast<std::uint64_t>(row.doc - begin));
        }
    }

    // The first unjudged documents of a query that was placed.
    std::vector<std::string> sample_of(Worker& own, std::size_t query) const {
        std::vector<std::string> ids;
        each_row(own, queries_[query].block, [&](std::int64_t, const Row& row, std::uint64_t) {
            if (ids.size() < most_sampled_docs &&
                index_.find_doc(query, row.hash, row.doc, row.length) == Index::absent)
                ids.emplace_back(row.id());
        });
        return ids;
    }

    const Source& source_;
    std::uint64_t size_;
    std::uint64_t text_begin_;  // after a header or a byte order mark
    RowLayout layout_;
    const Index& index_;
    bool float32_;
    bool repeats_;
    std::size_t kept_;
    int ids_fall_;
    int threads_;
    std::size_t range_size_;
    std::atomic<std::int64_t>* done_;
    LargeVector<Query> queries_;
    std::vector<Range> ranges_;
    std::vector<bool> scattered_;  // queries
};

}  // namespace rankstone
