// Where the judged documents of one query landed among all its retrieved documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index.hpp"
#include "rank_counts.hpp"

namespace rankstone {

struct Row {
    const char* doc;
    std::uint32_t length;
    std::uint32_t rank;  // as written in the file; no_rank where it is not a whole number
    std::uint64_t hash;
    double score;

    std::string_view id() const { return {doc, length}; }
};

struct Placement {
    std::uint32_t retrieved = 0;   // documents; repetitions too, if they are kept
    std::uint32_t duplicates = 0;  // rows whose document is in another row already
    bool rank_disagrees = false;
    std::string duplicate;         // the smallest id that occurs more than once

    void note_duplicate(std::string_view id) {
        if (duplicates++ == 0 || id < duplicate) duplicate = id;
    }
};

class Placer {
  public:
    explicit Placer(const Index& index, bool repeats = false) : index_(index), repeats_(repeats) {}

    std::vector<Row> rows;

    // Places rows (in input order) of one query and appends to `matches`, in their order. The
    // positions are those in the rows, from which repetitions of a document are taken out unless they
    // are kept.
    Placement place(std::size_t query, std::span<Row>& rows, std::vector<Match>& matches) {
        rows_ = rows;
        Placement placement;
        placement.rank_disagrees = rank_disagrees();
        look_over(index_.filter(query));
        if (!shared_.empty()) note_duplicates(query, placement);
        placement.retrieved = static_cast<std::uint32_t>(rows_.size());
        const std::size_t first = matches.size();
        match_near(query, matches);
        if (!falling_) count_above(matches, first);
        if (repeats_)
            std::sort(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end());
        else
            order_matches(query, matches, first);
        rows = rows_;
        return placement;
    }

    // Whether rows hold a document more than once, whatever their query.
    bool has_repetitions(std::span<Row> rows) {
        rows_ = rows;
        look_over(Index::Filter{});
        Placement placement;
        if (!shared_.empty()) note_repetitions(placement);
        return placement.duplicates > 0;
    }

    // Appends the judged documents among rows, without a place.
    void match(std::size_t query, std::span<Row> rows, std::vector<Match>& matches) {
        rows_ = rows;
        look_for_near(query);
        match_near(query, matches);
    }

  private:
    // True where one row is ranked better than another by the file but has a lower score.
    bool rank_disagrees() {
        bool by_rank = true, descending = true;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (rows_[i].rank == no_rank) return false;
            if (i == 0) continue;
            by_rank = by_rank && rows_[i].rank > rows_[i - 1].rank;
            descending = descending && rows_[i].score <= rows_[i - 1].score;
        }
        if (by_rank) return !descending;
        const std::size_t count = rows_.size() + 1;
        if (rank_slots_.size() < count) rank_slots_ = std::vector<WrittenRanks::Slot>(2 * count);
        for (std::size_t i = 0; i < count; ++i) rank_slots_[i] = 0;
        aside_.clear();
        for (const Row& row : rows_) {
            const std::uint64_t score = WrittenRanks::key(row.score);
            if (!WrittenRanks::add(rank_slots_.data(), count, row.rank, score))
                aside_.push_back({row.rank, score});
        }
        return WrittenRanks::disagree(rank_slots_.data(), count, aside_);
    }

    // Looks at each row once, for what most rows do not have: a document that may be judged, one
    // that may stand in another row too (whose three bits in a word are set already), a score
    // that is not lower than the one before.
    void look_over(const Index::Filter filter) {
        near_.clear();
        shared_.clear();
        bits_.assign(std::bit_ceil(rows_.size() + 1), 0);
        std::uint64_t* const words = bits_.data();
        const std::size_t mask = bits_.size() - 1;
        bool falling = true;
        double last = std::numeric_limits<double>::infinity();
        std::uint32_t at = 0;
        for (const Row& row : rows_) {
            const std::uint64_t hash = row.hash, bits = bits_of(hash), word = words[hash & mask];
            if (filter.may_hold(hash)) near_.push_back(at);
            if ((word & bits) == bits) shared_.push_back(hash);
            words[hash & mask] = word | bits;
            falling &= last > row.score;
            last = row.score;
            ++at;
        }
        falling_ = falling;
    }

    void look_for_near(std::size_t query) {
        near_.clear();
        const Index::Filter filter = index_.filter(query);
        for (std::size_t at = 0; at < rows_.size(); ++at)
            if (filter.may_hold(rows_[at].hash)) near_.push_back(static_cast<std::uint32_t>(at));
    }

    void match_near(std::size_t query, std::vector<Match>& matches) const {
        for (const std::uint32_t at : near_) {
            const Row& row = rows_[at];
            const auto judgment = index_.find_doc(query, row.hash, row.doc, row.length);
            if (judgment == Index::absent) continue;
            matches.push_back({row.score, at, static_cast<std::uint32_t>(judgment),
                               static_cast<std::uint32_t>(query), at, 1, 0, 0});
        }
    }

    // Puts matches in order; each judgment has one at most.
    void order_matches(std::size_t query, std::vector<Match>& matches, std::size_t first) {
        if (matches.size() < first + 2) return;
        const auto begin = static_cast<std::uint32_t>(index_.groups()[query]);
        by_judgment_.assign(index_.judged_count(query), 0);
        unordered_.assign(matches.begin() + static_cast<std::ptrdiff_t>(first), matches.end());
        for (std::size_t i = 0; i < unordered_.size(); ++i)
            by_judgment_[unordered_[i].judgment - begin] = static_cast<std::uint32_t>(i + 1);
        for (const std::uint32_t i : by_judgment_)
            if (i) matches[first++] = unordered_[i - 1];
    }

    std::uint64_t& word_of(std::uint64_t hash) { return bits_[hash & (bits_.size() - 1)]; }

    static std::uint64_t bits_of(std::uint64_t hash) {
        constexpr std::uint64_t one = 1;
        return one << (hash >> 58) | one << (hash >> 52 & 63) | one << (hash >> 46 & 63);
    }

    // Counts repetitions and drops them unless they are kept: of several rows for one document the
    // one with the best score stays (the earliest of equals), so the outcome does not depend on the
    // order of lines.
    void note_duplicates(std::size_t query, Placement& placement) {
        note_repetitions(placement);
        if (!placement.duplicates || repeats_) return;
        const auto end = std::remove_if(rows_.begin(), rows_.end(),
                                        [](const Row& row) { return row.length == dropped; });
        rows_ = rows_.first(static_cast<std::size_t>(end - rows_.begin()));
        look_for_near(query);
    }

    // Counts repetitions and marks those that are dropped.
    void note_repetitions(Placement& placement) {
        std::fill(bits_.begin(), bits_.end(), 0);
        for (const std::uint64_t hash : shared_) word_of(hash) |= bits_of(hash);
        suspects_.clear();
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if ((~word_of(rows_[i].hash) & bits_of(rows_[i].hash)) == 0)
                suspects_.push_back(static_cast<std::uint32_t>(i));
        const std::size_t size = 2 * table_size(suspects_.size());  // sparse: probes are short
        seen_.assign(size, Slot{});
        for (const std::uint32_t i : suspects_) {
            Row& row = rows_[i];
            const Slot slot{tag_of(row.hash), i + 1};
            std::size_t at = row.hash & (size - 1);
            const auto differs = [&](const Slot& other) {
                return other.tag != slot.tag || rows_[other.row - 1].id() != row.id();
            };
            while (seen_[at].row && differs(seen_[at])) at = (at + 1) & (size - 1);
            if (!seen_[at].row) {
                seen_[at] = slot;
                continue;
            }
            placement.note_duplicate(row.id());
            if (repeats_) continue;
            Row& kept = rows_[seen_[at].row - 1];
            if (row.score > kept.score) {
                kept.length = dropped;
                seen_[at] = slot;
            } else {
                row.length = dropped;
            }
        }
    }

    void count_above(std::vector<Match>& matches, std::size_t first) {
        for (std::size_t m = first; m < matches.size(); ++m)
            scratch_.push_back({rows_[matches[m].at].id(), &matches[m]});
        targets_.clear();
        targets_.add_query(scratch_);
        counts_.assign(targets_.size(), {});
        Targets::Ties ties{0, 0, 0};
        double last = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (rows_[i].score != last) ties = targets_.ties(0, rows_[i].score);
            last = rows_[i].score;
            targets_.count(ties, rows_[i].id(), i, 1, counts_.data());
        }
        targets_.finish(counts_.data());
    }

    static constexpr std::uint32_t dropped = ~std::uint32_t{0};  // as the length of an id

    const Index& index_;
    bool repeats_;
    std::span<Row> rows_;  // in hand
    std::vector<WrittenRanks::Slot> rank_slots_;
    WrittenRanks::Aside aside_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint64_t> shared_;  // hashes whose bits were set already
    std::vector<std::uint32_t> suspects_;
    std::vector<Slot> seen_;
    std::vector<std::uint32_t> near_;  // rows whose document may be judged
    bool falling_ = false;             // whether each score is lower than the one before
    Targets targets_;
    std::vector<Targets::Target> scratch_;
    std::vector<Targets::Counts> counts_;
    std::vector<std::uint32_t> by_judgment_;  // the match of each judgment of a query, from 1
    std::vector<Match> unordered_;
};

}  // namespace rankstone
