// Reads judgments: groups rows by query and settles repeated ones.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fault.hpp"
#include "index.hpp"
#include "parallel.hpp"

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
    std::vector<double> grades;
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

using NumberedId = std::pair<std::string_view, std::size_t>;

// Puts ids in the order of numbers that are below 2^(8 * bytes), those of one number in their order.
inline void sort_by_number(std::vector<NumberedId>& ids, int bytes) {
    struct Key {
        std::uint64_t number;
        std::size_t place;
    };
    std::vector<Key> keys, sorted(ids.size());
    keys.reserve(ids.size());
    for (const auto& [id, _] : ids) {
        std::uint64_t number = 0;
        for (const char digit : id) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
        keys.push_back({number, keys.size()});
    }
    for (int shift = 0; shift < 8 * bytes; shift += 8) {
        std::array<std::size_t, 257> ends{};
        for (const Key& key : keys) ++ends[(key.number >> shift & 255) + 1];
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        for (const Key& key : keys) sorted[ends[key.number >> shift & 255]++] = key;
        keys.swap(sorted);
    }
    const std::vector<NumberedId> before = ids;
    for (std::size_t i = 0; i < keys.size(); ++i) ids[i] = before[keys[i].place];
}

// Query ids in numeric order where all of them are whole numbers, else in byte order.
inline void sort_ids(std::vector<NumberedId>& ids) {
    std::size_t digits = 0;
    bool numeric = true, padded = false;
    for (const auto& [id, _] : ids) {
        numeric = numeric && std::all_of(id.begin(), id.end(), is_digit);
        padded = padded || id.empty() || id.front() == '0';
        digits = std::max(digits, id.size());
    }
    if (!numeric) return std::sort(ids.begin(), ids.end());
    if (!padded && digits < 20) return sort_by_number(ids, digits < 8 ? 3 : 8);
    std::sort(ids.begin(), ids.end(), [](const NumberedId& a, const NumberedId& b) {
        const auto x = without_zeros(a.first), y = without_zeros(b.first);
        if (x.size() != y.size()) return x.size() < y.size();
        return x != y ? x < y : a.first < b.first;
    });
}

// Rows of judgments, by query. The ids are not copied; they have to last.
class JudgedRows {
  public:
    struct Row {
        const char* doc;
        double grade;
        std::uint32_t length;
        std::uint32_t query;

        std::string_view id() const { return {doc, length}; }
    };

    struct Query {
        std::string_view id;
        std::uint64_t hash;
        std::size_t first = 0, rows = 0, bytes = 0;  // the first one, how many, and of their documents
    };

    void reserve(std::size_t rows) { rows_.reserve(rows); }

    // Adds a query without rows; false if it is known.
    bool add_query(std::string_view query) {
        const std::size_t known = queries_.size();
        current_ = number_of(query);
        return queries_.size() > known;
    }

    void add(std::string_view query, std::string_view doc, double grade) {
        if (queries_.empty() || queries_[current_].id != query) {
            current_ = number_of(query);
            are_together_ = are_together_ && !queries_[current_].rows;
        }
        if (!queries_[current_].rows++) queries_[current_].first = rows_.size();
        queries_[current_].bytes += doc.size();
        rows_.push_back({doc.data(), grade, static_cast<std::uint32_t>(doc.size()),
                         static_cast<std::uint32_t>(current_)});
    }

    const std::vector<Query>& queries() const { return queries_; }

    // The number of a query, which is added if it is new.
    std::size_t number_of(std::string_view id) {
        return number_of(id, hash_exact(id.data(), id.size()));
    }

    std::size_t number_of(std::string_view id, std::uint64_t hash) {
        reserve_queries(queries_.size() + 1);
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (; slots_[at].row; at = (at + 1) & mask) {
            const std::size_t q = slots_[at].row - 1;
            if (slots_[at].tag == tag_of(hash) && queries_[q].id == id) return q;
        }
        queries_.push_back({id, hash});
        slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(queries_.size())};
        return queries_.size() - 1;
    }

    // Puts the rows of each query together, those of one query in the order of the input; `place_of`
    // says which place each query has among `places`.
    void arrange(const std::vector<std::uint32_t>& place_of, std::size_t places) {
        bounds_.assign(places + 1, 0);
        for (std::size_t q = 0; q < queries_.size(); ++q)
            bounds_[place_of[q]] = static_cast<std::uint32_t>(queries_[q].rows);
        std::exclusive_scan(bounds_.begin(), bounds_.end(), bounds_.begin(), 0u);
        if (are_together_) {
            first_.resize(places);
            for (std::size_t q = 0; q < queries_.size(); ++q)
                first_[place_of[q]] = static_cast<std::uint32_t>(queries_[q].first);
            return;
        }
        std::vector<std::uint32_t> next(bounds_);
        order_.resize(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i)
            order_[next[place_of[rows_[i].query]]++] = static_cast<std::uint32_t>(i);
    }

    // The number of rows at the places before one.
    std::size_t rows_before(std::size_t place) const { return bounds_[place]; }

    // Calls f(row) for the rows at a place.
    template <typename F>
    void each_row(std::size_t place, F&& f) const {
        if (are_together_) {
            const std::size_t count = bounds_[place + 1] - bounds_[place];
            if (place + 16 < first_.size() && !rows_.empty()) {  // queries are anywhere
                touch(&rows_[first_[place + 16]]);
                touch(rows_[first_[place + 8]].doc);
            }
            for (std::size_t i = first_[place]; i < first_[place] + count; ++i) f(rows_[i]);
            return;
        }
        for (std::size_t i = bounds_[place]; i < bounds_[place + 1]; ++i) {
            if (i + 16 < order_.size()) touch(&rows_[order_[i + 16]]);  // rows are anywhere
            if (i + 8 < order_.size()) touch(rows_[order_[i + 8]].doc);
            f(rows_[order_[i]]);
        }
    }

    // Makes room for so many queries.
    void reserve_queries(std::size_t count) {
        if (2 * count > slots_.size()) grow(std::max<std::size_t>(64, 2 * table_size(count)));
    }

    // Fetches what number_of() reads first.
    void fetch(std::uint64_t hash) const { touch(&slots_[hash & (slots_.size() - 1)]); }

  private:
    void grow(std::size_t size) {
        slots_.assign(size, Slot{});
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            std::size_t at = queries_[q].hash & mask;
            while (slots_[at].row) at = (at + 1) & mask;
            slots_[at] = {tag_of(queries_[q].hash), static_cast<std::uint32_t>(q + 1)};
        }
    }

    std::vector<Query> queries_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> order_, bounds_;  // of the rows by place
    std::vector<std::uint32_t> first_;           // row at each place, if those of a query are together
    std::vector<Slot> slots_;
    std::size_t current_ = 0;
    bool are_together_ = true;
};

// Joins the rows of consecutive parts of the input, one worker for each.
class JudgmentGroups {
  public:
    explicit JudgmentGroups(std::vector<JudgedRows> parts)
        : parts_(std::move(parts)), place_of_(parts_.size()) {}

    // One row for each document: the highest grade given to it, so the order of lines is moot.
    void collect(JudgmentScan& scan) {
        const auto workers = static_cast<int>(parts_.size());
        order_queries();
        in_parallel(workers, [&](int worker) {
            const auto part = static_cast<std::size_t>(worker);
            parts_[part].arrange(place_of_[part], queries_.size());
        });
        std::vector<Settler> settlers = shares(scan);
        in_parallel(workers, [&](int worker) {
            Settler& own = settlers[static_cast<std::size_t>(worker)];
            for (std::size_t q = own.first_query; q < own.last_query; ++q) settle(q, own, scan);
        });
        close_gaps(settlers, scan);
        for (const auto& [id, q] : queries_) scan.queries.push(id.data(), id.size());
    }

  private:
    // Settles some queries. It writes from where they would begin if nothing were repeated.
    struct Settler {
        std::size_t first_query, last_query;
        std::size_t first_row, first_byte = 0;
        std::size_t row = first_row, byte = 0;  // the next ones
        Repetitions repeated{}, contradicting{};
        std::vector<Slot> seen{};                              // documents of one query
        std::vector<std::pair<std::size_t, double>> extra{};  // row, grade it had again
    };

    // Puts the queries of all parts in order: by their numbers in the first part, to which those of
    // the others are added.
    void order_queries() {
        for (std::size_t p = 1; p < parts_.size(); ++p) {
            const auto& own = parts_[p].queries();
            parts_[0].reserve_queries(parts_[0].queries().size() + own.size());
            place_of_[p].reserve(own.size());
            for (std::size_t q = 0; q < own.size(); ++q) {
                parts_[0].fetch(own[std::min(q + 8, own.size() - 1)].hash);
                place_of_[p].push_back(
                    static_cast<std::uint32_t>(parts_[0].number_of(own[q].id, own[q].hash)));
            }
        }
        const auto& all = parts_[0].queries();
        queries_.reserve(all.size());
        for (std::size_t q = 0; q < all.size(); ++q) queries_.push_back({all[q].id, q});
        sort_ids(queries_);
        std::vector<std::uint32_t> places(all.size());
        for (std::size_t place = 0; place < all.size(); ++place)
            places[queries_[place].second] = static_cast<std::uint32_t>(place);
        for (std::size_t p = 1; p < parts_.size(); ++p)
            for (std::uint32_t& number : place_of_[p]) number = places[number];
        place_of_[0] = std::move(places);
    }

    // How many rows the queries before a place have.
    std::size_t rows_before(std::size_t place) const {
        std::size_t rows = 0;
        for (const JudgedRows& part : parts_) rows += part.rows_before(place);
        return rows;
    }

    // Makes room for all rows, and gives each worker about as many of them.
    std::vector<Settler> shares(JudgmentScan& scan) const {
        const std::size_t all = rows_before(queries_.size());
        std::vector<Settler> settlers;
        for (std::size_t q = 0; q < queries_.size() && settlers.size() < parts_.size(); ++q) {
            const std::size_t row = rows_before(q);
            if (row * parts_.size() < all * settlers.size()) continue;
            if (!settlers.empty()) settlers.back().last_query = q;
            settlers.push_back({q, queries_.size(), row});
        }
        while (settlers.size() < parts_.size()) settlers.push_back({queries_.size(), queries_.size(), all});
        std::size_t bytes = 0;
        for (std::size_t p = 0; p < parts_.size(); ++p)
            for (std::size_t q = 0; q < parts_[p].queries().size(); ++q) {
                bytes += parts_[p].queries()[q].bytes;
                for (Settler& own : settlers)
                    if (place_of_[p][q] < own.first_query) own.first_byte += parts_[p].queries()[q].bytes;
            }
        for (Settler& own : settlers) own.byte = own.first_byte;
        scan.docs.bytes.resize(bytes);
        scan.docs.offsets.resize(all + 1);
        scan.grades.resize(all);
        scan.groups.resize(queries_.size() + 1);
        return settlers;
    }

    void settle(std::size_t place, Settler& own, JudgmentScan& scan) const {
        const std::size_t rows = rows_before(place + 1) - rows_before(place), first = own.row;
        if (rows > 1) own.seen.assign(table_size(rows), Slot{});
        own.extra.clear();
        for (const JudgedRows& part : parts_)
            part.each_row(place, [&](const JudgedRows::Row& row) {
                rows == 1 ? append(row, own, scan) : add(row, first, own, scan);
            });
        scan.groups[place + 1] = static_cast<std::int64_t>(own.row - first);
        for (const auto& [row, grade] : own.extra)
            (grade == scan.grades[row] ? own.repeated : own.contradicting)
                .note(queries_[place].first, doc(row, own, scan));
    }

    // Adds a row of a query whose rows begin at `first`, unless its document is there.
    static void add(const JudgedRows::Row& row, std::size_t first, Settler& own, JudgmentScan& scan) {
        const std::uint64_t hash = hash_exact(row.doc, row.length);
        const std::size_t mask = own.seen.size() - 1;
        std::size_t at = hash & mask;
        for (; own.seen[at].row; at = (at + 1) & mask) {
            const std::size_t k = first + own.seen[at].row - 1;
            if (own.seen[at].tag != tag_of(hash) || doc(k, own, scan) != row.id()) continue;
            double& grade = scan.grades[k];
            own.extra.push_back({k, std::min(grade, row.grade)});
            grade = std::max(grade, row.grade);  // the first of 0 and -0
            return;
        }
        append(row, own, scan);
        own.seen[at] = {tag_of(hash), static_cast<std::uint32_t>(own.row - first)};
    }

    static void append(const JudgedRows::Row& row, Settler& own, JudgmentScan& scan) {
        scan.grades[own.row] = row.grade;
        scan.docs.offsets[own.row++] = static_cast<std::int64_t>(own.byte);
        std::memcpy(scan.docs.bytes.data() + own.byte, row.doc, row.length);
        own.byte += row.length;
    }

    // The document of a row that a worker wrote.
    static std::string_view doc(std::size_t row, const Settler& own, const JudgmentScan& scan) {
        const auto begin = static_cast<std::size_t>(scan.docs.offsets[row]);
        const auto end =
            row + 1 == own.row ? own.byte : static_cast<std::size_t>(scan.docs.offsets[row + 1]);
        return std::string_view(scan.docs.bytes).substr(begin, end - begin);
    }

    // Moves what each worker wrote to where that of the one before it ended.
    static void close_gaps(const std::vector<Settler>& settlers, JudgmentScan& scan) {
        std::size_t row = 0, byte = 0;
        auto& [bytes, offsets] = scan.docs;
        for (const Settler& own : settlers) {
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
    std::vector<std::vector<std::uint32_t>> place_of_;               // the queries of each part
    std::vector<std::pair<std::string_view, std::size_t>> queries_;  // by place: id, number
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
            own.rows.reserve(lines_in(own));
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

    std::size_t lines_in(const Part& part) const {
        const char* const text = text_.data();
        return static_cast<std::size_t>(std::count(text + part.begin, text + part.end, '\n')) + 1;
    }

    // Reads the lines from begin, which is at an offset of the text; false if one is at fault.
    bool read(const char* begin, const char* end, std::size_t offset, Part& own) const {
        Line line;
        for (const char* p = begin; p < end; p = line.next) {
            if (!read_row(p, end, layout_, line, own.fault)) {
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
        if (!known.empty() && value == known.front()) return;
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
