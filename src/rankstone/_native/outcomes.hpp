// What became of each judged query in a run.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
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

    LargeVector<OfQuery> queries;
    std::map<std::size_t, std::string> duplicate;  // the smallest repeated id of a query
    std::vector<std::vector<Match>> parts;         // those of a query together, as Placer::place leaves them
    std::vector<std::int64_t> offsets;             // of the matches of each query
    bool has_ties = false;                         // among the matches

    explicit Outcomes(std::size_t count = 0) : queries(count) {}
    Outcomes(Outcomes&&) = default;
    Outcomes& operator=(Outcomes&&) = default;

    // Different queries may be set by different threads, but for `duplicate`.
    void set(std::size_t query, const Placement& placement) {
        queries[query] = {placement.retrieved, placement.duplicates, true, placement.rank_disagrees};
    }

    // Counts the matches of each query, now that all are there.
    void count_matches() {
        offsets.assign(queries.size() + 1, 0);
        for (const auto& part : parts)
            for (const Match& match : part) {
                ++offsets[match.query + 1];
                has_ties |= match.tied != 1;
            }
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    }
};

}  // namespace rankstone
