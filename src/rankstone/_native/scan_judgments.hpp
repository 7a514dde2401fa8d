// Reads judgments: groups rows by query and settles repeated ones.
#pragma once

#include <algorithm>
#include <deque>
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
    std::sort(ids.begin(), ids.end(), [numeric](const auto& a, const auto& b) {
        if (numeric) {
            const auto x = without_zeros(a.first), y = without_zeros(b.first);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        }
        return a.first < b.first;
    });
}

class JudgmentScanner {
  public:
    // The rows start at `first`; `text` is padded as text.hpp asks.
    JudgmentScanner(std::string_view text, RowLayout layout, std::size_t first = 0)
        : text_(text), layout_(layout), first_(std::min(first, text.size())) {}

    JudgmentScan scan() {
        JudgmentScan scan;
        const char* const begin = text_.data();
        const char* const end = begin + text_.size();
        const char* p = begin + first_;
        if (!first_ && text_.substr(0, 3) == "\xef\xbb\xbf") p += 3;
        Line line;
        for (; p < end; p = line.next) {
            if (!read_row(p, end, layout_, line, scan.fault)) {
                scan.fault.line_begin = static_cast<std::uint64_t>(p - begin);
                return scan;
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
        collect(scan);
        return scan;
    }

  protected:
    JudgmentScanner() = default;

    static void note_iteration(const Field& field, JudgmentScan& scan) {
        const std::string_view value{field.begin, field.size()};
        auto& known = scan.iterations;
        if (known.size() < most_iterations && std::find(known.begin(), known.end(), value) == known.end())
            known.emplace_back(value);
    }

    // The ids are not copied; they have to last.
    void add(std::string_view query, std::string_view doc, std::uint64_t doc_hash, double grade) {
        if (groups_.empty() || groups_[current_].id != query) current_ = group_of(query);
        groups_[current_].rows.push_back({doc, doc_hash, grade});
    }

    void collect(JudgmentScan& scan) {
        std::vector<std::pair<std::string_view, std::size_t>> ids;
        for (std::size_t g = 0; g < groups_.size(); ++g) ids.push_back({groups_[g].id, g});
        sort_ids(ids);
        std::vector<Slot> seen;
        for (const auto& [id, g] : ids) {
            settle(groups_[g], seen, scan);
            scan.queries.push(id.data(), id.size());
            for (const JudgedRow& row : groups_[g].rows) {
                scan.docs.push(row.doc.data(), row.doc.size());
                scan.grades.push_back(row.grade);
            }
            scan.groups.push_back(static_cast<std::int64_t>(scan.grades.size()));
        }
    }

  private:
    struct JudgedRow {
        std::string_view doc;
        std::uint64_t hash;
        double grade;
    };

    struct Group {
        std::string_view id;
        std::uint64_t hash;
        std::vector<JudgedRow> rows;
    };

    std::size_t group_of(std::string_view id) {
        const std::uint64_t hash = hash_exact(id.data(), id.size());
        if (2 * (groups_.size() + 1) > slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (; slots_[at].row; at = (at + 1) & mask) {
            const std::size_t g = slots_[at].row - 1;
            if (slots_[at].tag == tag_of(hash) && groups_[g].id == id) return g;
        }
        groups_.push_back({id, hash, {}});
        slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(groups_.size())};
        return groups_.size() - 1;
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), Slot{});
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            std::size_t at = groups_[g].hash & mask;
            while (slots_[at].row) at = (at + 1) & mask;
            slots_[at] = {tag_of(groups_[g].hash), static_cast<std::uint32_t>(g + 1)};
        }
    }

    static void note(std::int64_t& count, std::pair<std::string, std::string>& example,
                     std::string_view query, std::string_view doc) {
        if (count++ == 0 || std::pair(query, doc) < std::pair<std::string_view, std::string_view>(example))
            example = {std::string(query), std::string(doc)};
    }

    // One row for each document: the highest grade given to it, so the order of lines is moot.
    static void settle(Group& group, std::vector<Slot>& seen, JudgmentScan& scan) {
        auto& rows = group.rows;
        const std::size_t size = table_size(rows.size());
        seen.assign(size, Slot{});
        std::vector<JudgedRow> kept;
        kept.reserve(rows.size());
        std::vector<std::pair<std::size_t, double>> extra;  // kept row, grade it was given again
        for (const JudgedRow& row : rows) {
            std::size_t at = row.hash & (size - 1);
            for (;; at = (at + 1) & (size - 1)) {
                if (!seen[at].row) {
                    kept.push_back(row);
                    seen[at] = {tag_of(row.hash), static_cast<std::uint32_t>(kept.size())};
                    break;
                }
                const std::size_t k = seen[at].row - 1;
                if (seen[at].tag != tag_of(row.hash) || kept[k].doc != row.doc) continue;
                extra.push_back({k, std::min(kept[k].grade, row.grade)});
                kept[k].grade = std::max(kept[k].grade, row.grade);  // the first of 0 and -0
                break;
            }
        }
        for (const auto& [k, grade] : extra) {
            if (grade == kept[k].grade)
                note(scan.repeated, scan.repeated_example, group.id, kept[k].doc);
            else
                note(scan.contradicting, scan.contradicting_example, group.id, kept[k].doc);
        }
        rows = std::move(kept);
    }

    std::string_view text_;
    RowLayout layout_{};
    std::size_t first_ = 0;
    std::deque<Group> groups_;
    std::vector<Slot> slots_;
    std::size_t current_ = 0;
};

}  // namespace rankstone
