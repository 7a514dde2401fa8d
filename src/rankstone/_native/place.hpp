// Where the judged documents of one query landed among all its retrieved documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "index.hpp"

namespace rankstone {

struct Row {
    const char* doc;
    std::uint32_t length;
    std::uint32_t rank;  // as written in the file; no_rank where it is not a whole number
    std::uint64_t hash;
    double score;

    std::string_view id() const { return {doc, length}; }
};

inline constexpr std::uint32_t no_rank = ~std::uint32_t{0};

// A judged document that was retrieved. Any rule for ties follows from these counts.
struct Match {
    std::int64_t judgment;  // row in the judgments
    double score;
    std::int64_t above;     // documents with a higher score
    std::int64_t tied;      // documents with the same score, itself included
    std::int64_t greater;   // tied documents whose id is greater
    std::int64_t earlier;   // tied documents that came earlier in the input
};

struct Placement {
    std::int64_t retrieved = 0;   // distinct documents
    std::int64_t duplicates = 0;  // rows dropped because their document stood there already
    bool rank_disagrees = false;
    std::string duplicate;        // the smallest id that occurs more than once
};

struct QueryOutcome {
    bool present = false;
    Placement placement;
    std::vector<Match> matches;
};

class Placer {
  public:
    explicit Placer(const Index& index) : index_(index) {}

    std::vector<Row> rows;

    // Places `rows` (in input order) of one query, appends to `matches`, and empties `rows`.
    Placement place(std::size_t query, std::vector<Match>& matches) {
        Placement placement;
        placement.rank_disagrees = rank_disagrees();
        look_over(query);
        if (!sorted_) sort_by_score();
        if (!shared_.empty()) drop_duplicates(placement);
        placement.retrieved = static_cast<std::int64_t>(rows.size());
        ties_.clear();
        if (tied_) find_ties();
        const std::size_t first = matches.size();
        for (const std::uint32_t at : near_) {
            const Row& row = rows[at];
            const auto judgment = index_.find_doc(query, row.hash, row.doc, row.length);
            if (judgment == Index::absent) continue;
            Match match{judgment, row.score, at, 1, 0, 0};
            if (!ties_.empty()) set_tie(match, at);
            matches.push_back(match);
        }
        if (!ties_.empty()) count_greater_ids(matches, first);
        rows.clear();
        return placement;
    }

  private:
    struct Tie {
        std::size_t begin, end;  // rows
    };

    // True where one row is ranked better than another by the file but has a lower score.
    bool rank_disagrees() {
        bool by_rank = true, descending = true;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].rank == no_rank) return false;
            if (i == 0) continue;
            by_rank = by_rank && rows[i].rank > rows[i - 1].rank;
            descending = descending && rows[i].score <= rows[i - 1].score;
        }
        if (descending && by_rank) return false;
        if (by_rank) return true;
        order_.resize(rows.size());
        std::iota(order_.begin(), order_.end(), 0u);
        std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
            if (rows[a].rank != rows[b].rank) return rows[a].rank < rows[b].rank;
            return rows[a].score > rows[b].score;
        });
        double lowest = std::numeric_limits<double>::infinity();  // among strictly better ranks
        for (std::size_t i = 0; i < order_.size();) {
            const std::uint32_t rank = rows[order_[i]].rank;
            if (rows[order_[i]].score > lowest) return true;
            while (i < order_.size() && rows[order_[i]].rank == rank) ++i;
            lowest = std::min(lowest, rows[order_[i - 1]].score);
        }
        return false;
    }

    // Looks at each row once, for what most rows do not have: a document that may be judged, one
    // that may stand in another row too (whose three bits in a word are set already), a score
    // that is no lower than the one before.
    void look_over(std::size_t query) {
        near_.clear();
        shared_.clear();
        bits_.assign(std::bit_ceil(rows.size() + 1), 0);
        std::uint64_t* const words = bits_.data();
        const std::size_t mask = bits_.size() - 1;
        const Index::Filter filter = index_.filter(query);
        bool sorted = true, tied = false;
        double last = std::numeric_limits<double>::infinity();
        std::uint32_t at = 0;
        for (const Row& row : rows) {
            const std::uint64_t hash = row.hash, bits = bits_of(hash), word = words[hash & mask];
            if (filter.may_hold(hash)) near_.push_back(at);
            if ((word & bits) == bits) shared_.push_back(hash);
            words[hash & mask] = word | bits;
            sorted &= last >= row.score;
            tied |= last == row.score;
            last = row.score;
            ++at;
        }
        sorted_ = sorted;
        tied_ = tied || !sorted;
    }

    // Equals stay in the order of the input.
    void sort_by_score() {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const Row& a, const Row& b) { return a.score > b.score; });
        all_near();
    }

    void all_near() {
        near_.resize(rows.size());
        std::iota(near_.begin(), near_.end(), 0u);
    }

    std::uint64_t& word_of(std::uint64_t hash) { return bits_[hash & (bits_.size() - 1)]; }

    static std::uint64_t bits_of(std::uint64_t hash) {
        constexpr std::uint64_t one = 1;
        return one << (hash >> 58) | one << (hash >> 52 & 63) | one << (hash >> 46 & 63);
    }

    // Of several rows for one document the one with the best score stays (the earliest of
    // equals), so the outcome does not depend on the order of lines.
    void drop_duplicates(Placement& placement) {
        std::fill(bits_.begin(), bits_.end(), 0);
        for (const std::uint64_t hash : shared_) word_of(hash) |= bits_of(hash);
        suspects_.clear();
        for (std::size_t i = 0; i < rows.size(); ++i)
            if ((~word_of(rows[i].hash) & bits_of(rows[i].hash)) == 0)
                suspects_.push_back(static_cast<std::uint32_t>(i));
        const std::size_t size = 2 * table_size(suspects_.size());  // sparse: probes are short
        seen_.assign(size, Slot{});
        for (const std::uint32_t i : suspects_) {
            Row& row = rows[i];
            const Slot slot{tag_of(row.hash), i + 1};
            std::size_t at = row.hash & (size - 1);
            const auto differs = [&](const Slot& other) {
                return other.tag != slot.tag || rows[other.row - 1].id() != row.id();
            };
            while (seen_[at].row && differs(seen_[at])) at = (at + 1) & (size - 1);
            if (!seen_[at].row) {
                seen_[at] = slot;
                continue;
            }
            if (placement.duplicates++ == 0 || row.id() < placement.duplicate)
                placement.duplicate = row.id();
            row.doc = nullptr;
        }
        if (!placement.duplicates) return;
        std::erase_if(rows, [](const Row& row) { return !row.doc; });
        all_near();
    }

    void find_ties() {
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            if (rows[i].score != rows[i + 1].score) continue;
            const std::size_t begin = i;
            while (i + 1 < rows.size() && rows[i].score == rows[i + 1].score) ++i;
            ties_.push_back({begin, i + 1});
        }
    }

    void set_tie(Match& match, std::size_t at) const {
        auto tie = std::upper_bound(ties_.begin(), ties_.end(), at,
                                    [](std::size_t p, const Tie& t) { return p < t.begin; });
        if (tie == ties_.begin() || at >= (--tie)->end) return;
        match.above = static_cast<std::int64_t>(tie->begin);
        match.tied = static_cast<std::int64_t>(tie->end - tie->begin);
        match.earlier = static_cast<std::int64_t>(at - tie->begin);
    }

    // Matches come in score order, so those of one tie stand together.
    void count_greater_ids(std::vector<Match>& matches, std::size_t first) {
        for (std::size_t i = first; i < matches.size();) {
            const auto begin = static_cast<std::size_t>(matches[i].above);
            const auto size = static_cast<std::size_t>(matches[i].tied);
            std::size_t next = i;
            while (next < matches.size() && matches[next].above == matches[i].above) ++next;
            if (size > 1) {
                ids_.clear();
                for (std::size_t at = begin; at < begin + size; ++at)
                    ids_.push_back(rows[at].id());
                // Read before sorting: the position in ids_ is the one among the tied.
                const auto id_of = [&](const Match& m) {
                    return ids_[static_cast<std::size_t>(m.earlier)];
                };
                if (size * (next - i) <= 4096) {
                    for (std::size_t m = i; m < next; ++m)
                        matches[m].greater = std::count_if(
                            ids_.begin(), ids_.end(),
                            [id = id_of(matches[m])](std::string_view other) { return other > id; });
                } else {
                    std::vector<std::string_view> sorted = ids_;
                    std::sort(sorted.begin(), sorted.end());
                    for (std::size_t m = i; m < next; ++m)
                        matches[m].greater =
                            sorted.end() -
                            std::upper_bound(sorted.begin(), sorted.end(), id_of(matches[m]));
                }
            }
            i = next;
        }
    }

    const Index& index_;
    std::vector<std::uint32_t> order_;  // of ranks
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint64_t> shared_;  // hashes whose bits were set already
    std::vector<std::uint32_t> suspects_;
    std::vector<Slot> seen_;
    std::vector<std::uint32_t> near_;  // rows whose document may be judged
    bool sorted_ = false, tied_ = false;
    std::vector<Tie> ties_;
    std::vector<std::string_view> ids_;
};

}  // namespace rankstone
