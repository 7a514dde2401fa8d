// What became of each judged query in a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "place.hpp"

namespace rankstone {

struct Outcomes {
    std::vector<std::uint8_t> present, rank_disagrees;
    std::vector<std::int64_t> retrieved, duplicates;
    std::map<std::size_t, std::string> duplicate;  // the smallest repeated id of a query
    std::vector<Match> matches;                    // once arranged, in the order of the judgments
    std::vector<std::int64_t> offsets;             // of the matches of each query

    explicit Outcomes(std::size_t queries = 0)
        : present(queries), rank_disagrees(queries), retrieved(queries), duplicates(queries) {}

    // Different queries may be set by different threads, but for `duplicate`.
    void set(std::size_t query, const Placement& placement) {
        present[query] = 1;
        rank_disagrees[query] = placement.rank_disagrees;
        retrieved[query] = placement.retrieved;
        duplicates[query] = placement.duplicates;
    }

    // Puts the matches in the order of the judgments; those of one judgment, if repetitions were
    // kept, by falling score and in input order.
    void arrange(const std::vector<std::int64_t>& groups, bool repeats) {
        if (repeats)
            arrange_repeats(groups);
        else
            arrange_single(groups);
    }

    static bool comes_before(const Match& a, const Match& b) {
        return std::tuple(a.judgment, -a.score, a.at) < std::tuple(b.judgment, -b.score, b.at);
    }

  private:
    void arrange_repeats(const std::vector<std::int64_t>& groups) {
        std::sort(matches.begin(), matches.end(), comes_before);
        offsets.assign(1, 0);
        std::size_t m = 0;
        for (std::size_t q = 0; q < present.size(); ++q) {
            while (m < matches.size() && static_cast<std::int64_t>(matches[m].judgment) < groups[q + 1]) ++m;
            offsets.push_back(static_cast<std::int64_t>(m));
        }
    }

    // Each judgment has one match at most.
    void arrange_single(const std::vector<std::int64_t>& groups) {
        const std::size_t queries = present.size();
        std::vector<std::uint32_t> match_of(static_cast<std::size_t>(groups[queries]));
        for (std::size_t m = 0; m < matches.size(); ++m)
            match_of[matches[m].judgment] = static_cast<std::uint32_t>(m + 1);
        std::vector<Match> arranged;
        arranged.reserve(matches.size());
        offsets.assign(1, 0);
        offsets.reserve(queries + 1);
        for (std::size_t q = 0; q < queries; ++q) {
            for (auto d = groups[q]; d < groups[q + 1]; ++d)
                if (const auto m = match_of[static_cast<std::size_t>(d)])
                    arranged.push_back(matches[m - 1]);
            offsets.push_back(static_cast<std::int64_t>(arranged.size()));
        }
        matches = std::move(arranged);
    }
};

}  // namespace rankstone
