// How many documents of a query beat each of its judged documents. Only judged documents need a
// rank, and a rank is a count: rows may come in any order, and be counted by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rankstone {

inline constexpr std::uint32_t no_rank = ~std::uint32_t{0};

// A judged document that was retrieved. Any rule for ties follows from these counts.
struct Match {
    double score;
    std::uint64_t at;        // position of its row in the input
    std::uint32_t judgment;  // row in the judgments
    std::uint32_t query;
    std::uint32_t above;     // documents with a higher score
    std::uint32_t tied;      // documents with the same score, itself included
    std::uint32_t greater;   // tied documents whose id is greater
    std::uint32_t earlier;   // tied documents that came earlier in the input

    // Matches are in the order of the judgments; those of one judgment, if repetitions are kept, by
    // falling score and in input order.
    bool operator<(const Match& other) const {
        return std::tuple(judgment, -score, at) < std::tuple(other.judgment, -other.score, other.at);
    }
};

// The judged documents of several queries, in the order in which rows are compared with them.
class Targets {
  public:
    struct Target {
        std::string_view id;
        Match* match;
    };

    // Rows counted so far, as differences: the count of a target is a sum over its neighbours.
    struct Counts {
        std::int32_t above = 0, tied = 0, greater = 0, earlier = 0;
    };

    // The targets that tie with a score, and the end of the query's.
    struct Ties {
        std::size_t begin, end, last;
    };

    void clear() {
        targets_.clear();
        scores_.clear();
        by_position_.clear();
        bounds_.assign(1, 0);
    }

    std::size_t size() const { return targets_.size(); }
    std::size_t query_count() const { return bounds_.size() - 1; }

    // Adds the targets of the next query, in any order, and empties the vector.
    void add_query(std::vector<Target>& targets) {
        std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) {
            return a.match->score != b.match->score ? a.match->score > b.match->score : a.id < b.id;
        });
        const std::size_t first = targets_.size();
        for (const Target& target : targets) {
            by_position_.push_back({target.match->at, static_cast<std::uint32_t>(targets_.size())});
            targets_.push_back(target);
            scores_.push_back(target.match->score);
        }
        for (std::size_t i = first, end; i < targets_.size(); i = end) {
            for (end = i + 1; end < targets_.size() && scores_[end] == scores_[i];) ++end;
            std::sort(by_position_.data() + i, by_position_.data() + end);
        }
        bounds_.push_back(targets_.size());
        targets.clear();
    }

    Ties ties(std::size_t query, double score) const {
        const std::size_t first = bounds_[query], last = bounds_[query + 1];
        if (first == last || score < scores_[last - 1]) return {last, last, last};
        const double* const scores = scores_.data();
        const double* const end = std::partition_point(
            scores + first, scores + last, [score](double other) { return other >= score; });
        const double* const begin = std::partition_point(
            scores + first, end, [score](double other) { return other > score; });
        return {static_cast<std::size_t>(begin - scores), static_cast<std::size_t>(end - scores),
                last};
    }

    // Counts a row, or with -1 takes it out again.
    void count(const Ties& ties, std::string_view id, std::uint64_t position, std::int32_t rows,
               Counts* counts) const {
        if (ties.end < ties.last) counts[ties.end].above += rows;
        if (ties.begin == ties.end) return;
        counts[ties.begin].tied += rows;
        const Target* const targets = targets_.data();
        const auto i = static_cast<std::size_t>(
            std::partition_point(targets + ties.begin, targets + ties.end,
                                 [id](const Target& target) { return target.id < id; }) -
            targets);
        if (i > ties.begin) counts[i - 1].greater += rows;
        const auto* const positions = by_position_.data();
        const auto j = static_cast<std::size_t>(
            std::partition_point(positions + ties.begin, positions + ties.end,
                                 [position](const auto& own) { return own.first <= position; }) -
            positions);
        if (j < ties.end) counts[j].earlier += rows;
    }

    // Writes the counts to the matches.
    void finish(const Counts* counts) const {
        for (std::size_t query = 0; query < query_count(); ++query) {
            std::int32_t above = 0;
            for (std::size_t i = bounds_[query], end; i < bounds_[query + 1]; i = end) {
                for (end = i + 1; end < bounds_[query + 1] && scores_[end] == scores_[i];) ++end;
                above += counts[i].above;
                std::int32_t greater = 0, earlier = 0;
                for (std::size_t t = end; t-- > i;) {
                    Match& match = *targets_[t].match;
                    greater += counts[t].greater;
                    match.above = static_cast<std::uint32_t>(above);
                    match.tied = static_cast<std::uint32_t>(counts[i].tied);
                    match.greater = static_cast<std::uint32_t>(greater);
                }
                for (std::size_t t = i; t < end; ++t) {
                    earlier += counts[t].earlier;
                    targets_[by_position_[t].second].match->earlier =
                        static_cast<std::uint32_t>(earlier);
                }
            }
        }
    }

  private:
    std::vector<Target> targets_;  // of each query by falling score, then by id
    std::vector<double> scores_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_position_;  // within ties
    std::vector<std::size_t> bounds_{0};
};

// The scores at each written rank of a query, from rows in any order: whether a row is ranked
// better than another one that has a higher score. Nearly always ranks are 1, 2, 3 ... and have a
// slot each; what has none, or shares one, is set aside.
class WrittenRanks {
  public:
    using Slot = std::atomic<std::uint64_t>;  // 0 or the key of a score
    using Aside = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

    // A whole number that has the order of the scores and is never 0.
    static std::uint64_t key(double score) {
        const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // one zero
        const std::uint64_t sign = std::uint64_t{1} << 63;
        return bits & sign ? ~bits : bits | sign;
    }

    // Whether a row got a slot, or shares one with an equal score. There is one more slot than rows.
    static bool add(Slot* slots, std::size_t count, std::uint32_t rank, std::uint64_t score) {
        std::uint64_t other = 0;
        return rank < count &&
               (slots[rank].compare_exchange_strong(other, score, std::memory_order_relaxed) ||
                other == score);
    }

    static bool disagree(const Slot* slots, std::size_t count, Aside& aside) {
        std::sort(aside.begin(), aside.end());
        std::uint64_t lowest = ~std::uint64_t{0};  // among strictly better ranks
        auto next = aside.begin();
        for (std::size_t rank = 0; rank < count || next != aside.end(); ++rank) {
            if (rank >= count) rank = next->first;
            std::uint64_t low = ~std::uint64_t{0}, high = 0;
            if (rank < count && slots[rank]) low = high = slots[rank];
            for (; next != aside.end() && next->first == rank; ++next) {
                low = std::min(low, next->second);
                high = std::max(high, next->second);
            }
            if (high > lowest) return true;
            lowest = std::min(lowest, low);
        }
        return false;
    }
};

}  // namespace rankstone
