// Reads judgments: groups rows by query and settles repeated ones.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fault.hpp"
#include "index.hpp"

namespace rankstone {

struct JudgmentScan {
    FaultReport fault;
    IdColumn queries;
    std::vector<std::int64_t> groups{0};
    IdColumn docs;
    std::vector<double> grades;
    std::int64_t commented = 0;      // comments that would be rows
    std::int64_t repeated = 0;       // rows that say again what another row said
    std::int64_t contradicting = 0;  // rows that differ from the highest grade of their pair
    std::pair<std::string, std::string> repeated_example, contradicting_example;
    std::vector<std::string> iterations;  // different values of the field, as far as they are kept
};

inline constexpr std::size_t most_iterations = 3;

inline std::string_view without_zeros(std::string_view digits) {
    const auto first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

// Query ids in numeric order where all of them are whole numbers, else in byte order.
inline void sort_ids(std::vector<std::pair<std::string_view, std::size_t>>& ids) {
    const bool numeric = std::all_of(ids.begin(), ids.end(), [](const auto& id) {
        return std::all_of(id.first.begin(), id.first.end(), is_digit);
    });
    if (!numeric) return std::sort(ids.begin(), ids.end());
    // Numbers are compared by how many digits they have, then by the first eight of them.
    struct Key {
        std::size_t digits;
        std::uint64_t first;
        std::pair<std::string_view, std::size_t> id;
    };
    std::vector<Key> keys;
    keys.reserve(ids.size());
    for (const auto& id : ids) {
        const std::string_view digits = without_zeros(id.first);
        std::uint64_t first = 0;
        for (const char digit : digits.substr(0, 8))
            first = first * 256 + static_cast<unsigned char>(digit);
        keys.push_back({digits.size(), first, id});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
        if (a.digits != b.digits) return a.digits < b.digits;
        if (a.first != b.first) return a.first < b.first;
        const auto x = without_zeros(a.id.first), y = without_zeros(b.id.first);
        return x != y ? x < y : a.id.first < b.id.first;
    });
    std::transform(keys.begin(), keys.end(), ids.begin(), [](const Key& key) { return key.id; });
}

class JudgmentScanner {
  public:
    // The rows start at `first`. Only the last lines are copied, to be padded as text.hpp asks.
    JudgmentScanner(std::string_view text, RowLayout layout, std::size_t first = 0)
        : text_(text), layout_(layout), first_(std::min(first, text.size())) {}

    JudgmentScan scan() {
        JudgmentScan scan;
        if (!first_ && text_.substr(0, 3) == "\xef\xbb\xbf") first_ = 3;
        rows_.reserve(static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n')) + 1);
        const std::size_t padded = text_.size() - std::min(padding, text_.size());
        const std::size_t newline = text_.substr(0, padded).rfind('\n');
        const std::size_t cut =
            newline == std::string_view::npos ? first_ : std::max(first_, newline + 1);
        tail_.assign(text_.substr(cut)).append(padding, '\n');
        if (read(text_.data() + first_, text_.data() + cut, first_, scan) &&
            read(tail_.data(), tail_.data() + tail_.size() - padding, cut, scan))
            collect(scan);
        return scan;
    }

  protected:
    JudgmentScanner() = default;

    // Reads the lines from begin, which is at an offset of the text; false if one is at fault.
    bool read(const char* begin, const char* end, std::size_t offset, JudgmentScan& scan) {
        Line line;
        for (const char* p = begin; p < end; p = line.next) {
            if (!read_row(p, end, layout_, line, scan.fault)) {
                scan.fault.line_begin = offset + static_cast<std::uint64_t>(p - begin);
                return false;
            }
            if (line.count == 0) {
                scan.commented += line.commented;
                continue;
            }
            const Field& query = line.field[layout_.query];
            const Field& doc = line.field[layout_.doc];
            if (layout_.iteration >= 0) note_iteration(line.field[layout_.iteration], scan);
            add({query.begin, query.size()}, {doc.begin, doc.size()},
                hash_id(doc.begin, doc.size()), line.value);
        }
        return true;
    }

    static void note_iteration(const Field& field, JudgmentScan& scan) {
        const std::string_view value{field.begin, field.size()};
        auto& known = scan.iterations;
        if (!known.empty() && value == known.front()) return;
        if (known.size() < most_iterations && std::find(known.begin(), known.end(), value) == known.end())
            known.emplace_back(value);
    }

    // Adds a query without rows; false if it is known.
    bool add_query(std::string_view query) {
        const std::size_t known = queries_.size();
        current_ = number_of(query);
        return queries_.size() > known;
    }

    // The ids are not copied; they have to last.
    void add(std::string_view query, std::string_view doc, std::uint64_t doc_hash, double grade) {
        if (queries_.empty() || queries_[current_].id != query) current_ = number_of(query);
        ++queries_[current_].rows;
        rows_.push_back({doc.data(), static_cast<std::uint32_t>(doc.size()),
                         static_cast<std::uint32_t>(current_), doc_hash, grade});
    }

    void collect(JudgmentScan& scan) {
        std::vector<std::pair<std::string_view, std::size_t>> ids;
        ids.reserve(queries_.size());
        for (std::size_t q = 0; q < queries_.size(); ++q) ids.push_back({queries_[q].id, q});
        sort_ids(ids);
        const std::vector<std::uint32_t> order = grouped(ids);
        reserve(scan);
        const std::uint32_t* row = order.data();
        for (const auto& [id, q] : ids) {
            settle(id, row, queries_[q].rows, scan);
            row += queries_[q].rows;
            scan.queries.push(id.data(), id.size());
            scan.groups.push_back(static_cast<std::int64_t>(scan.grades.size()));
        }
    }

  private:
    struct JudgedRow {
        const char* doc;
        std::uint32_t length;
        std::uint32_t query;
        std::uint64_t hash;
        double grade;

        std::string_view id() const { return {doc, length}; }
    };

    struct Query {
        std::string_view id;
        std::uint64_t hash;
        std::size_t rows;
    };

    std::size_t number_of(std::string_view id) {
        const std::uint64_t hash = hash_exact(id.data(), id.size());
        if (2 * (queries_.size() + 1) > slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (; slots_[at].row; at = (at + 1) & mask) {
            const std::size_t q = slots_[at].row - 1;
            if (slots_[at].tag == tag_of(hash) && queries_[q].id == id) return q;
        }
        queries_.push_back({id, hash, 0});
        slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(queries_.size())};
        return queries_.size() - 1;
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), Slot{});
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            std::size_t at = queries_[q].hash & mask;
            while (slots_[at].row) at = (at + 1) & mask;
            slots_[at] = {tag_of(queries_[q].hash), static_cast<std::uint32_t>(q + 1)};
        }
    }

    // The rows in the order of their queries; those of one query stay in the order of the input.
    std::vector<std::uint32_t> grouped(
        const std::vector<std::pair<std::string_view, std::size_t>>& ids) const {
        std::vector<std::size_t> next(queries_.size());
        std::size_t begin = 0;
        for (const auto& [id, q] : ids) {
            next[q] = begin;
            begin += queries_[q].rows;
        }
        std::vector<std::uint32_t> order(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i)
            order[next[rows_[i].query]++] = static_cast<std::uint32_t>(i);
        return order;
    }

    void reserve(JudgmentScan& scan) const {
        std::size_t bytes = 0;
        for (const JudgedRow& row : rows_) bytes += row.length;
        scan.docs.bytes.reserve(bytes);
        scan.docs.offsets.reserve(rows_.size() + 1);
        scan.grades.reserve(rows_.size());
        scan.groups.reserve(queries_.size() + 1);
    }

    static void note(std::int64_t& count, std::pair<std::string, std::string>& example,
                     std::string_view query, std::string_view doc) {
        if (count++ == 0 || std::pair(query, doc) < std::pair<std::string_view, std::string_view>(example))
            example = {std::string(query), std::string(doc)};
    }

    // One row for each document: the highest grade given to it, so the order of lines is moot.
    void settle(std::string_view query, const std::uint32_t* order, std::size_t count,
                JudgmentScan& scan) {
        const std::size_t size = table_size(count), first = scan.grades.size();
        seen_.assign(size, Slot{});
        extra_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const JudgedRow& row = rows_[order[i]];
            std::size_t at = row.hash & (size - 1);
            for (;; at = (at + 1) & (size - 1)) {
                if (!seen_[at].row) {
                    scan.docs.push(row.doc, row.length);
                    scan.grades.push_back(row.grade);
                    seen_[at] = {tag_of(row.hash),
                                 static_cast<std::uint32_t>(scan.grades.size() - first)};
                    break;
                }
                const std::size_t k = first + seen_[at].row - 1;
                if (seen_[at].tag != tag_of(row.hash) || scan.docs.view(k) != row.id()) continue;
                double& grade = scan.grades[k];
                extra_.push_back({k, std::min(grade, row.grade)});
                grade = std::max(grade, row.grade);  // the first of 0 and -0
                break;
            }
        }
        for (const auto& [k, grade] : extra_) {
            if (grade == scan.grades[k])
                note(scan.repeated, scan.repeated_example, query, scan.docs.view(k));
            else
                note(scan.contradicting, scan.contradicting_example, query, scan.docs.view(k));
        }
    }

    std::string_view text_;
    std::string tail_;
    RowLayout layout_{};
    std::size_t first_ = 0;
    std::vector<Query> queries_;
    std::vector<JudgedRow> rows_;
    std::vector<Slot> slots_;
    std::size_t current_ = 0;
    std::vector<Slot> seen_;                             // documents of one query
    std::vector<std::pair<std::size_t, double>> extra_;  // row of the scan, grade it had again
};

}  // namespace rankstone
