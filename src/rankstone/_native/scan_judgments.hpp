// Reads judgments: groups rows by query and settles repeated ones.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fault.hpp"
#include "index.hpp"
#include "parallel.hpp"
#include "source.hpp"

namespace rankstone {

// How many rows have a pair of query and document that another row has, and the smallest pair.
struct Repetitions {
    std::int64_t count = 0;
    std::pair<std::string, std::string> example;

    void note(std::string_view query, std::string_view doc) {
        if (count++ == 0 || std::pair(query, doc) < std::pair<std::string_view, std::string_view>(example))
            example = {std::string(query), std::string(doc)};
    }

    void add(const Repetitions& other) {
        if (other.count && (!count || other.example < example)) example = other.example;
        count += other.count;
    }
};

struct JudgmentScan {
    FaultReport fault;
    IdColumn queries;
    std::vector<std::int64_t> groups{0};
    IdColumn docs;
    Values<double> grades;
    DocTables tables;
    std::int64_t commented = 0;  // comments that would be rows
    Repetitions repeated;        // rows that say again what another row said
    Repetitions contradicting;   // rows that differ from the highest grade of their pair
    std::vector<std::string> iterations;  // different values of the field, as far as they are kept
};

inline constexpr std::size_t most_iterations = 3;

inline std::string_view without_zeros(std::string_view digits) {
    const auto first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

inline void copy_id(char* to, const char* from, std::size_t n) {
    const auto copy = [&](auto word) {  // by words that overlap
        std::memcpy(&word, from + n - sizeof word, sizeof word);
        std::memcpy(to, from, sizeof word);
        std::memcpy(to + n - sizeof word, &word, sizeof word);
    };
    if (n > 16 || n < 4)
        std::memcpy(to, from, n);
    else if (n < 8)
        copy(std::uint32_t{});
    else
        copy(std::uint64_t{});
}

// Rows of judgments in the order of the input, with their ids. What is there is never moved.
class JudgedRows {
  public:
    // Consecutive rows of a query. The id of the query follows, and the rows.
    struct Block {
        Block* next = nullptr;  // of the query: a ring
        std::uint32_t hash, query_size;
        std::uint32_t rows = 0, bytes = 0;  // how many, and of their documents

        const char* begin() const { return reinterpret_cast<const char*>(this + 1) + query_size; }
        char* end() { return const_cast<char*>(begin()) + rows * row_size + bytes; }
        std::string_view query() const { return {begin() - query_size, query_size}; }

        // Calls f(document, grade) for the rows.
        template <typename F>
        void each_row(F&& f) const {
            const char* p = begin();
            for (std::uint32_t i = 0; i < rows; ++i) {
                double grade;
                std::uint32_t size;
                std::memcpy(&grade, p, sizeof grade);
                std::memcpy(&size, p + sizeof grade, sizeof size);
                f(std::string_view(p + row_size, size), grade);
                p += row_size + size;
            }
        }
    };

    void add(std::string_view query, std::string_view doc, double grade) {
        const std::string_view last = block_ ? block_->query() : std::string_view{};
        if (!block_ || !same_bytes(query.data(), query.size(), last.data(), last.size())) start(query);
        if (room() < row_size + doc.size()) add_block(query, block_->hash, row_size + doc.size());
        const auto size = static_cast<std::uint32_t>(doc.size());
        std::memcpy(at_, &grade, sizeof grade);
        std::memcpy(at_ + sizeof grade, &size, sizeof size);
        copy_id(at_ + row_size, doc.data(), size);
        at_ += row_size + size;
        ++block_->rows;
        block_->bytes += size;
    }

    // Starts the rows of a query, even if the last ones are of the same.
    void start(std::string_view query) {
        add_block(query, static_cast<std::uint32_t>(hash_exact(query.data(), query.size())), 0);
        ++starts_;
    }

    std::size_t starts() const { return starts_; }

    // Adds the blocks to others.
    void append_to(Values<Block*>& blocks) {
        for (Chunk& chunk : chunks_)
            for (char* p = chunk.bytes.data(); p < (&chunk == &chunks_.back() ? at_ : chunk.end);) {
                blocks.push_back(reinterpret_cast<Block*>(p));
                p = aligned(blocks.back()->end());
            }
    }

  private:
    static constexpr std::size_t row_size = sizeof(double) + sizeof(std::uint32_t);  // without the id
    static constexpr std::size_t least_chunk = std::size_t{1} << 14, most_chunk = std::size_t{1} << 21;

    struct Chunk {
        Values<char> bytes;
        char* end;  // of what is used
    };

    static char* aligned(char* p) {
        return p + (alignof(Block) - reinterpret_cast<std::uintptr_t>(p) % alignof(Block)) % alignof(Block);
    }

    std::size_t room() const { return static_cast<std::size_t>(limit_ - at_); }

    // Adds a block, with room for its first row.
    void add_block(std::string_view query, std::uint32_t hash, std::size_t row) {
        const std::size_t size = sizeof(Block) + query.size() + row;
        if (room() < size + alignof(Block)) {
            if (!chunks_.empty()) chunks_.back().end = at_;
            const std::size_t all = std::max(size, chunk_);
            chunk_ = std::min(2 * chunk_, most_chunk);
            chunks_.push_back({Values<char>(all), nullptr});
            at_ = chunks_.back().bytes.data();
            limit_ = at_ + all;
        }
        block_ = new (aligned(at_)) Block{nullptr, hash, static_cast<std::uint32_t>(query.size())};
        at_ = block_->end();
        copy_id(at_ - query.size(), query.data(), query.size());
    }

    std::vector<Chunk> chunks_;
    Block* block_ = nullptr;  // the last one
    char *at_ = nullptr, *limit_ = nullptr;
    std::size_t chunk_ = least_chunk;  // size of the next one
    std::size_t starts_ = 0;
};

// Joins the rows of consecutive parts of the input, one worker for each.
class JudgmentGroups {
  public:
    explicit JudgmentGroups(std::vector<JudgedRows> parts) : parts_(std::move(parts)) {}

    // One row for each document: the highest grade given to it, so the order of lines is moot.
    void collect(JudgmentScan& scan) {
        find_queries();
        sort_queries();
        std::vector<Piece> pieces(8 * parts_.size());
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            pieces[i].first_query = queries_.size() * i / pieces.size();
            pieces[i].last_query = queries_.size() * (i + 1) / pieces.size();
        }
        each(pieces, [&](Piece& own) { count(own); });
        make_room(pieces, scan);
        each(pieces, [&](Piece& own) {
            for (std::size_t q = own.first_query; q < own.last_query; ++q) settle(q, own, scan);
        });
        close_gaps(pieces, scan);
    }

  private:
    using Block = JudgedRows::Block;

    struct Query {
        Block* last;  // of its blocks
        std::size_t rows, bytes;  // how many, and of their documents
        std::size_t id_size;
    };

    // Some queries, and where their rows, documents and slots are.
    struct Piece {
        std::size_t first_query, last_query;
        std::size_t first_row = 0, first_byte = 0;
        std::size_t row = 0, byte = 0, slot = 0, id_byte = 0;  // how many there are, then the next ones
        Repetitions repeated{}, contradicting{};
        std::vector<std::pair<std::size_t, double>> extra{};  // row, grade it had again
    };

    // Calls f for each piece, on as many threads as there are parts.
    template <typename F>
    void each(std::vector<Piece>& pieces, F&& f) const {
        std::atomic<std::size_t> next{0};
        in_parallel(static_cast<int>(parts_.size()), [&](int) {
            for (std::size_t i = next++; i < pieces.size(); i = next++) f(pieces[i]);
        });
    }

    // Links the blocks of each query.
    void find_queries() {
        Values<Block*> blocks;
        for (JudgedRows& part : parts_) part.append_to(blocks);
        queries_.reserve(blocks.size());
        Values<std::uint32_t> slots(table_size(blocks.size() / 8 + 1), 0);
        const auto slot_at = [&](std::uint32_t hash, auto&& same) -> std::uint32_t& {
            return slots[find_slot(slots.data(), slots.size(), hash, same)];
        };
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (2 * queries_.size() >= slots.size()) {
                slots.assign(8 * slots.size(), 0);
                for (std::size_t q = 0; q < queries_.size(); ++q) {
                    const std::uint32_t hash = queries_[q].last->hash;
                    slot_at(hash, [](std::size_t) { return false; }) = slot_of(slots.size(), hash, q);
                }
            }
            touch(&slots[blocks[std::min(i + 8, blocks.size() - 1)]->hash & (slots.size() - 1)]);
            Block* const own = blocks[i];
            std::uint32_t& slot = slot_at(own->hash, [&](std::size_t q) {
                return queries_[q].last->query() == own->query();
            });
            if (!slot) {
                slot = slot_of(slots.size(), own->hash, queries_.size());
                own->next = own;
                queries_.push_back({own, 0, 0, own->query_size});
            }
            Query& query = queries_[(slot & (slots.size() - 1)) - 1];
            own->next = std::exchange(query.last->next, own);
            query.last = own;
            query.rows += own->rows;
            query.bytes += own->bytes;
        }
    }

    // Puts the queries in numeric order where all their ids are whole numbers, else in byte order.
    void sort_queries() {
        const auto id_of = [](const Query& query) { return query.last->query(); };
        bool are_numbers = true, are_short = true;
        for (const Query& query : queries_) {
            const std::string_view id = id_of(query);
            are_numbers = are_numbers && std::all_of(id.begin(), id.end(), is_digit);
            are_short = are_short && !id.empty() && id.size() < 20 && (id.front() != '0' || id.size() == 1);
        }
        if (are_numbers && are_short) return sort_by_number();
        std::sort(queries_.begin(), queries_.end(), [&](const Query& a, const Query& b) {
            const std::string_view x = without_zeros(id_of(a)), y = without_zeros(id_of(b));
            if (are_numbers && x.size() != y.size()) return x.size() < y.size();
            return are_numbers && x != y ? x < y : id_of(a) < id_of(b);
        });
    }

    // Puts queries of which the ids are numbers of at most 19 digits in order, by 11 bits at a time.
    void sort_by_number() {
        struct Key {
            std::uint64_t number;
            std::size_t query;
        };
        Values<Key> keys, sorted(queries_.size());
        keys.reserve(queries_.size());
        std::uint64_t highest = 0;
        for (const Query& query : queries_) {
            std::uint64_t number = 0;
            for (const char digit : query.last->query())
                number = number * 10 + static_cast<std::uint64_t>(digit - '0');
            keys.push_back({number, keys.size()});
            highest = std::max(highest, number);
        }
        for (int shift = 0; shift < static_cast<int>(std::bit_width(highest)); shift += 11) {
            std::array<std::size_t, 2049> ends{};
            for (const Key& key : keys) ++ends[(key.number >> shift & 2047) + 1];
            std::partial_sum(ends.begin(), ends.end(), ends.begin());
            for (const Key& key : keys) sorted[ends[key.number >> shift & 2047]++] = key;
            keys.swap(sorted);
        }
        Values<Query> ordered(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) ordered[i] = queries_[keys[i].query];
        queries_.swap(ordered);
    }

    // Counts the rows of each query, documents there more than once included.
    void count(Piece& own) const {
        for (std::size_t q = own.first_query; q < own.last_query; ++q) {
            const Query& query = queries_[q];
            own.row += query.rows;
            own.byte += query.bytes;
            own.slot += DocTables::slots_for(query.rows);
            own.id_byte += query.id_size;
                    }
    }

    template <typename F>
    void each_block(std::size_t query, F&& f) const {
        const Block* const last = queries_[query].last;
        for (const Block* block = last->next;; block = block->next) {
            f(*block);
            if (block == last) return;
        }
    }

    void make_room(std::vector<Piece>& pieces, JudgmentScan& scan) const {
        std::size_t row = 0, byte = 0, slot = 0, id_byte = 0;
        for (Piece& own : pieces) {
            own.first_row = row;
            own.first_byte = byte;
            row += std::exchange(own.row, row);
            byte += std::exchange(own.byte, byte);
            slot += std::exchange(own.slot, slot);
            id_byte += std::exchange(own.id_byte, id_byte);
        }
        scan.queries.bytes.resize(id_byte);
        scan.queries.offsets.resize(queries_.size() + 1);
        scan.queries.offsets.back() = static_cast<std::int64_t>(id_byte);
        scan.groups.resize(queries_.size() + 1);
        scan.docs.bytes.resize(byte);
        scan.docs.offsets.resize(row + 1);
        scan.grades.resize(row);
        scan.tables = DocTables(queries_.size(), slot);
    }

    void settle(std::size_t q, Piece& own, JudgmentScan& scan) const {
        if (q + 16 < queries_.size()) prefetch(queries_[q + 16].last);
        const std::size_t size = DocTables::slots_for(queries_[q].rows), first = own.row;
        scan.tables.start(q, own.slot, size);
        own.slot += size;
        own.extra.clear();
        const std::string_view id = queries_[q].last->query();
        copy_id(scan.queries.bytes.data() + own.id_byte, id.data(), id.size());
        scan.queries.offsets[q] = static_cast<std::int64_t>(own.id_byte);
        own.id_byte += id.size();
        each_block(q, [&](const Block& block) {
            block.each_row([&](std::string_view doc, double grade) {
                const std::uint64_t hash = hash_exact(doc.data(), doc.size());
                const auto same = [&](std::size_t i) {
                    const std::string_view other = doc_of(first + i, own, scan);
                    return same_bytes(other.data(), other.size(), doc.data(), doc.size());
                };
                const std::size_t k = first + scan.tables.insert(q, size, hash, own.row - first, same);
                if (k == own.row) return append(doc, grade, own, scan);
                double& known = scan.grades[k];
                own.extra.push_back({k, std::min(known, grade)});
                known = std::max(known, grade);  // the first of 0 and -0
            });
        });
        scan.groups[q + 1] = static_cast<std::int64_t>(own.row - first);
        for (const auto& [row, grade] : own.extra)
            (grade == scan.grades[row] ? own.repeated : own.contradicting)
                .note(id, doc_of(row, own, scan));
    }

    static void append(std::string_view doc, double grade, Piece& own, JudgmentScan& scan) {
        scan.grades[own.row] = grade;
        scan.docs.offsets[own.row++] = static_cast<std::int64_t>(own.byte);
        copy_id(scan.docs.bytes.data() + own.byte, doc.data(), doc.size());
        own.byte += doc.size();
    }

    // The document of a row of a piece.
    static std::string_view doc_of(std::size_t row, const Piece& own, const JudgmentScan& scan) {
        const auto begin = static_cast<std::size_t>(scan.docs.offsets[row]);
        const auto end =
            row + 1 == own.row ? own.byte : static_cast<std::size_t>(scan.docs.offsets[row + 1]);
        return {scan.docs.bytes.data() + begin, end - begin};
    }

    // Moves each piece to where the one before it ended.
    static void close_gaps(const std::vector<Piece>& pieces, JudgmentScan& scan) {
        std::size_t row = 0, byte = 0;
        auto& [bytes, offsets] = scan.docs;
        for (const Piece& own : pieces) {
            const std::size_t rows = own.row - own.first_row, gap = own.first_byte - byte;
            if (row != own.first_row) {
                std::copy_n(scan.grades.begin() + static_cast<std::ptrdiff_t>(own.first_row), rows,
                            scan.grades.begin() + static_cast<std::ptrdiff_t>(row));
                std::memmove(bytes.data() + byte, bytes.data() + own.first_byte, own.byte - own.first_byte);
                for (std::size_t i = 0; i < rows; ++i)
                    offsets[row + i] = offsets[own.first_row + i] - static_cast<std::int64_t>(gap);
            }
            row += rows;
            byte += own.byte - own.first_byte;
            scan.repeated.add(own.repeated);
            scan.contradicting.add(own.contradicting);
        }
        bytes.resize(byte);
        offsets.resize(row);
        offsets.push_back(static_cast<std::int64_t>(byte));
        scan.grades.resize(row);
        std::partial_sum(scan.groups.begin(), scan.groups.end(), scan.groups.begin());
    }

    std::vector<JudgedRows> parts_;
    Values<Query> queries_;
};

// Reads judgments from text: a part of it for each worker.
class JudgmentScanner {
  public:
    // The rows start at `first`. Only the last lines are copied, to be padded as text.hpp asks.
    JudgmentScanner(std::string_view text, RowLayout layout, std::size_t first = 0, int threads = 1)
        : text_(text), layout_(layout), first_(std::min(first, text.size())), threads_(threads) {}

    JudgmentScan scan() {
        if (!first_ && text_.substr(0, 3) == "\xef\xbb\xbf") first_ = 3;
        std::vector<Part> parts(static_cast<std::size_t>(std::clamp<std::size_t>(
            (text_.size() - first_) / least_part, 1, static_cast<std::size_t>(std::max(threads_, 1)))));
        split(parts);
        const std::size_t cut = parts.back().end;
        tail_.assign(text_.substr(cut)).append(padding, '\n');
        in_parallel(static_cast<int>(parts.size()), [&](int worker) {
            Part& own = parts[static_cast<std::size_t>(worker)];
            const char* const text = text_.data();
            if (read(text + own.begin, text + own.end, own.begin, own) && &own == &parts.back())
                read(tail_.data(), tail_.data() + tail_.size() - padding, cut, own);
        });
        return join(parts);
    }

  private:
    static constexpr std::size_t least_part = std::size_t{1} << 20;

    struct Part {
        std::size_t begin = 0, end = 0;
        JudgedRows rows;
        FaultReport fault;
        std::int64_t commented = 0;
        std::vector<std::string> iterations;
    };

    // Cuts the text where lines end; its last lines are in no part.
    void split(std::vector<Part>& parts) const {
        const std::size_t padded = text_.size() - std::min(padding, text_.size());
        std::size_t begin = first_;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const std::size_t most = first_ + (padded - std::min(first_, padded)) / parts.size() * (p + 1);
            const std::size_t newline = text_.substr(0, p + 1 < parts.size() ? most : padded).rfind('\n');
            parts[p].begin = begin;
            begin = newline == std::string_view::npos ? begin : std::max(begin, newline + 1);
            parts[p].end = begin;
        }
    }

    // Reads the lines from begin, which is at an offset of the text; false if one is at fault.
    bool read(const char* begin, const char* end, std::size_t offset, Part& own) const {
        Line line;
        PlainLines lines;
        for (const char* p = begin; p < end; p = line.next) {
            const bool is_plain = !layout_.record && lines.read(p, end, layout_.columns, line) &&
                                  *line.field[0].begin != '#';
            const Field& grade = line.field[layout_.value];
            if (is_plain && grade.size() == 1 && is_digit(*grade.begin) &&
                layout_.reading != Reading::rank) {
                line.value = *grade.begin - '0';
            } else if (!(is_plain ? read_value(p, layout_, line, own.fault)
                                  : read_row(p, end, layout_, line, own.fault))) {
                own.fault.line_begin = offset + static_cast<std::uint64_t>(p - begin);
                return false;
            }
            if (line.count == 0) {
                own.commented += line.commented;
                continue;
            }
            const Field& query = line.field[layout_.query];
            const Field& doc = line.field[layout_.doc];
            if (layout_.iteration >= 0) {
                const Field& iteration = line.field[layout_.iteration];
                note_iteration({iteration.begin, iteration.size()}, own.iterations);
            }
            own.rows.add({query.begin, query.size()}, {doc.begin, doc.size()}, line.value);
        }
        return true;
    }

    static void note_iteration(std::string_view value, std::vector<std::string>& known) {
        if (!known.empty() && same_bytes(value.data(), value.size(), known[0].data(), known[0].size()))
            return;
        if (known.size() < most_iterations && std::find(known.begin(), known.end(), value) == known.end())
            known.emplace_back(value);
    }

    static JudgmentScan join(std::vector<Part>& parts) {
        JudgmentScan scan;
        std::vector<JudgedRows> rows;
        for (Part& part : parts) {
            scan.commented += part.commented;
            for (const std::string& value : part.iterations) note_iteration(value, scan.iterations);
            scan.fault = std::move(part.fault);
            if (scan.fault.fault != Fault::none) return scan;
            rows.push_back(std::move(part.rows));
        }
        JudgmentGroups(std::move(rows)).collect(scan);
        return scan;
    }

    std::string_view text_;
    std::string tail_;
    RowLayout layout_;
    std::size_t first_;
    int threads_;
};

}  // namespace rankstone
