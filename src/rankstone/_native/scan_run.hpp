// Scans a run in parallel and places its judged documents, in memory that grows with the
// judgments, with the largest query, and with how often the lines of judged queries alternate.
//
// The text is cut into ranges of whole lines. Within a range, consecutive lines of one query
// make a block. A block strictly inside a range is placed at once; the bytes of a block at a
// range's edge are noted. A query that turns out to have several blocks, or one at an edge,
// is read again, all its blocks together. So the outcome is that of reading each query whole,
// however the ranges fall and however the lines are mixed.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "doc_samples.hpp"
#include "fault.hpp"
#include "place.hpp"
#include "source.hpp"
#include "unjudged.hpp"

namespace rankstone {

struct RunScan {
    FaultReport fault;
    std::vector<QueryOutcome> queries;
    std::uint64_t rows = 0;
    std::int64_t commented = 0;  // comments that would be rows
    Unjudged unjudged;
    DocSamples samples;
};

inline std::uint32_t parse_rank(Field field) {
    std::uint64_t rank = 0;
    if (field.size() == 0 || field.size() > 9) return no_rank;
    for (const char* p = field.begin; p < field.end; ++p) {
        if (!is_digit(*p)) return no_rank;
        rank = rank * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    return static_cast<std::uint32_t>(rank);
}

// Calls work(worker) on up to `workers` threads, this one among them, and passes on the first
// exception.
template <typename Work>
void in_parallel(int workers, Work work) {
    std::exception_ptr failure;
    std::mutex guard;
    const auto guarded = [&](int worker) {
        try {
            work(worker);
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(workers));
    try {
        for (int worker = 1; worker < workers; ++worker) threads.emplace_back(guarded, worker);
    } catch (const std::exception&) {
        // The system gives no more threads; those there are share the work.
    }
    guarded(0);
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

class RunScanner {
  public:
    // The rows start at `first`.
    RunScanner(const Source& source, std::uint64_t size, RowLayout layout, const Index& index,
               bool float32, int threads, std::size_t range_size, std::atomic<std::int64_t>* done,
               std::uint64_t first = 0)
        : source_(source), size_(size), text_begin_(std::min(first, size)), layout_(layout),
          index_(index), float32_(float32),
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
        for (int i = 0; i < workers; ++i) state.emplace_back(index_);
        std::atomic<std::uint64_t> next{0};
        std::atomic<std::uint64_t> first_fault{ranges};
        in_parallel(workers, [&](int worker) {
            Worker& own = state[static_cast<std::size_t>(worker)];
            for (std::uint64_t r = next++; r < ranges && r <= first_fault; r = next++) {
                scan_range(own, r);
                if (own.fault.fault == Fault::none) continue;
                std::uint64_t known = first_fault;
                while (r < known && !first_fault.compare_exchange_weak(known, r)) {
                }
                return;
            }
        });
        RunScan scan;
        for (Worker& worker : state)
            if (worker.fault.fault != Fault::none &&
                (scan.fault.fault == Fault::none ||
                 worker.fault.line_begin < scan.fault.line_begin))
                scan.fault = std::move(worker.fault);
        if (scan.fault.fault == Fault::none) merge(state, scan);
        return scan;
    }

  private:
    struct Block {
        std::uint32_t query;
        bool edge;
        std::uint64_t begin, end;
        std::size_t first_match, match_count;
        Placement placement;
    };

    struct Worker {
        explicit Worker(const Index& index) : placer(index) {}
        Placer placer;
        std::vector<char> buffer;
        std::vector<Block> blocks;
        std::vector<Match> matches;
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

    void scan_range(Worker& own, std::uint64_t r) {
        const char *begin, *end;
        const std::uint64_t base = load_range(own, r, begin, end);
        const char* block = begin;
        Field query{nullptr, nullptr};
        std::int64_t judged = Index::absent;
        const bool first = r == 0, last = text_begin_ + (r + 1) * range_size_ >= size_;
        const auto close = [&](const char* stop, bool at_end) {
            if (judged == Index::absent) return;
            const bool edge = (at_end && !last) || (block == begin && !first);
            Block made{static_cast<std::uint32_t>(judged), edge,
                       base + static_cast<std::uint64_t>(block - begin),
                       base + static_cast<std::uint64_t>(stop - begin),
                       own.matches.size(), 0, {}};
            if (edge) {
                own.placer.rows.clear();
            } else {
                made.placement = own.placer.place(made.query, own.matches);
                made.match_count = own.matches.size() - made.first_match;
            }
            own.blocks.push_back(std::move(made));
        };
        Line line;
        for (const char* p = begin; p < end; p = line.next) {
            if (!read_row(p, end, layout_, line, own.fault)) {
                own.fault.line_begin = base + static_cast<std::uint64_t>(p - begin);
                own.placer.rows.clear();
                return;
            }
            if (line.count == 0) {
                own.commented += line.commented;
                continue;
            }
            ++own.rows;
            const Field& id = line.field[layout_.query];
            if (!query.begin || !same_bytes(query.begin, query.size(), id.begin, id.size())) {
                if (query.begin) close(p, false);
                block = query.begin ? p : begin;
                query = id;
                judged = index_.find_query(id.begin, id.size());
                if (judged == Index::absent)
                    own.unjudged.note(hash_id(id.begin, id.size()), {id.begin, id.size()});
            }
            if (judged != Index::absent) own.placer.rows.push_back(row_of(line));
        }
        if (query.begin) close(end, true);
        if (done_) done_->fetch_add(static_cast<std::int64_t>(end - begin));
    }

    Row row_of(const Line& line) const {
        const Field& doc = line.field[layout_.doc];
        return {doc.begin, static_cast<std::uint32_t>(doc.size()),
                layout_.rank < 0 ? no_rank : parse_rank(line.field[layout_.rank]),
                hash_id(doc.begin, doc.size()),
                float32_ ? static_cast<double>(static_cast<float>(line.value)) : line.value};
    }

    struct Ref {
        const Block* block;
        const Worker* worker;
    };
    using BlocksOfQueries = std::vector<std::vector<Ref>>;  // of each judged query

    void merge(std::vector<Worker>& state, RunScan& scan) {
        BlocksOfQueries blocks(index_.query_count());
        for (const Worker& worker : state) {
            for (const Block& block : worker.blocks) blocks[block.query].push_back({&block, &worker});
            scan.unjudged.add(worker.unjudged);
            scan.rows += worker.rows;
            scan.commented += worker.commented;
        }
        scan.queries.resize(index_.query_count());
        const std::vector<std::size_t> again = take_outcomes(blocks, scan.queries);
        std::atomic<std::size_t> next{0};
        const int workers = static_cast<int>(
            std::min<std::size_t>(state.size(), std::max<std::size_t>(1, again.size() / 4)));
        in_parallel(workers, [&](int worker) {
            Worker& own = state[static_cast<std::size_t>(worker)];
            for (std::size_t i = next++; i < again.size(); i = next++) {
                QueryOutcome& outcome = scan.queries[again[i]];
                reread(own, blocks[again[i]]);
                outcome.placement = own.placer.place(again[i], outcome.matches);
            }
        });
        for (const std::size_t q : queries_to_sample(scan.queries, index_)) {
            reread(state[0], blocks[q]);
            scan.samples.add(index_, q, state[0].placer.rows);
            state[0].placer.rows.clear();
        }
    }

    // Takes what became of each query that was placed whole; returns the others, whose blocks are
    // now in the order of the file.
    static std::vector<std::size_t> take_outcomes(BlocksOfQueries& blocks,
                                                  std::vector<QueryOutcome>& outcomes) {
        std::vector<std::size_t> again;
        for (std::size_t q = 0; q < blocks.size(); ++q) {
            if (blocks[q].empty()) continue;
            QueryOutcome& outcome = outcomes[q];
            outcome.present = true;
            if (blocks[q].size() > 1 || blocks[q][0].block->edge) {
                std::sort(blocks[q].begin(), blocks[q].end(), [](const Ref& a, const Ref& b) {
                    return a.block->begin < b.block->begin;
                });
                again.push_back(q);
                continue;
            }
            const auto [block, worker] = blocks[q][0];
            const auto first =
                worker->matches.begin() + static_cast<std::ptrdiff_t>(block->first_match);
            outcome.placement = block->placement;
            outcome.matches.assign(first, first + static_cast<std::ptrdiff_t>(block->match_count));
        }
        return again;
    }

    // Fills the worker's placer with all rows of one query.
    void reread(Worker& own, const std::vector<Ref>& blocks) const {
        std::size_t total = 0;
        for (const Ref& ref : blocks)
            total += static_cast<std::size_t>(ref.block->end - ref.block->begin) + 1;
        own.buffer.resize(total + padding);
        std::size_t have = 0;
        for (const Ref& ref : blocks) {
            const auto n = static_cast<std::size_t>(ref.block->end - ref.block->begin);
            source_.read_all(ref.block->begin, own.buffer.data() + have, n);
            have += n;
            own.buffer[have++] = '\n';  // the last line of a file may lack its own
        }
        std::memset(own.buffer.data() + have, '\n', padding);
        const char* const end = own.buffer.data() + have;
        Line line;
        FaultReport changed;
        for (const char* p = own.buffer.data(); p < end; p = line.next) {
            if (!read_row(p, end, layout_, line, changed))
                throw std::runtime_error("the file changed while it was read");
            if (line.count) own.placer.rows.push_back(row_of(line));
        }
    }

    const Source& source_;
    std::uint64_t size_;
    std::uint64_t text_begin_;  // after a header or a byte order mark
    RowLayout layout_;
    const Index& index_;
    bool float32_;
    int threads_;
    std::size_t range_size_;
    std::atomic<std::int64_t>* done_;
};

}  // namespace rankstone
