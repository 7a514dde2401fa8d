// Ids of documents of some queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "index.hpp"

namespace rankstone {

// The documents of queries[i] are those from bounds[i] to bounds[i + 1].
struct DocsByQuery {
    std::vector<std::int64_t> queries, bounds{0};
    IdColumn docs;

    // Adds the first documents of a query, at most `most`.
    template <typename Ids>
    void add(std::size_t query, const Ids& ids, std::size_t most) {
        for (std::size_t i = 0; i < std::min(ids.size(), most); ++i)
            docs.push(ids[i].data(), ids[i].size());
        queries.push_back(static_cast<std::int64_t>(query));
        bounds.push_back(static_cast<std::int64_t>(docs.size()));
    }
};

}  // namespace rankstone
