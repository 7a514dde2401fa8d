// What became of each judged query in a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "place.hpp"

namespace rankstone {

struct Outcomes {
    // Of one query: its fields are together, for queries come in any order.
    struct OfQuery {
        std::uint32_t retrieved = 0, duplicates = 0;
        bool present = false, rank_disagrees = false;
    };

    std::vector<OfQuery> queries;
    std::map<std::size_t, std::string> duplicate;  // the smallest repeated id of a query
    std::vector<std::vector<Match>> parts;         // matches as workers found them
    std::vector<const Match*> matches;             // once arranged, in the order of the judgments
    std::vector<std::int64_t> offsets;             // of the matches of each query
    bool has_ties = false;                         // among the matches

    explicit Outcomes(std::size_t count = 0) : queries(count) {}
    Outcomes(Outcomes&&) = default;
    Outcomes& operator=(Outcomes&&) = default;

    // Different queries may be set by different threads, but for `duplicate`.
    void set(std::size_t query, const Placement& placement) {
        queries[query] = {placement.retrieved, placement.duplicates, true, placement.rank_disagrees};
    }

    // Puts the matches in the order of the judgments; those of one judgment, if repetitions were
    // kept, by falling score and in input order. The parts stay where they are.
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
        for (const auto& part : parts) {
            for (const Match& match : part) {
                matches.push_back(&match);
                has_ties |= match.tied != 1;
            }
        }
        std::sort(matches.begin(), matches.end(),
                  [](const Match* a, const Match* b) { return comes_before(*a, *b); });
        offsets.assign(1, 0);
        std::size_t m = 0;
        for (std::size_t q = 0; q < queries.size(); ++q) {
            while (m < matches.size() && static_cast<std::int64_t>(matches[m]->judgment) < groups[q + 1]) ++m;
            offsets.push_back(static_cast<std::int64_t>(m));
        }
    }

    // Each judgment has one match at most.
    void arrange_single(const std::vector<std::int64_t>& groups) {
        matches.assign(static_cast<std::size_t>(groups[queries.size()]), nullptr);
        for (const auto& part : parts) {
            for (const Match& match : part) {
                matches[match.judgment] = &match;
                has_ties |= match.tied != 1;
            }
        }
        offsets.assign(1, 0);
        offsets.reserve(queries.size() + 1);
        std::size_t end = 0;
        for (std::size_t q = 0; q < queries.size(); ++q) {
            for (auto d = groups[q]; d < groups[q + 1]; ++d)
                if (const Match* match = matches[static_cast<std::size_t>(d)]) matches[end++] = match;
            offsets.push_back(static_cast<std::int64_t>(end));
        }
        matches.resize(end);
    }
};

}  // namespace rankstone
