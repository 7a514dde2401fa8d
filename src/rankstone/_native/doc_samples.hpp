// Ids of unjudged documents, for a few queries in which judged documents are missing: whether
// they are those documents, written differently, is decided elsewhere.
#pragma once

#include <vector>

#include "place.hpp"

namespace rankstone {

inline constexpr std::size_t most_sampled_queries = 32, most_sampled_docs = 256;

// The documents of query i of the sample are those from bounds[i] to bounds[i + 1].
struct DocSamples {
    std::vector<std::int64_t> queries, bounds{0};
    IdColumn docs;

    // Adds the first unjudged documents among the rows of a query.
    void add(const Index& index, std::size_t query, const std::vector<Row>& rows) {
        std::size_t count = 0;
        for (const Row& row : rows) {
            if (count == most_sampled_docs) break;
            if (index.find_doc(query, row.hash, row.doc, row.length) != Index::absent) continue;
            docs.push(row.doc, row.length);
            ++count;
        }
        queries.push_back(static_cast<std::int64_t>(query));
        bounds.push_back(static_cast<std::int64_t>(docs.size()));
    }
};

// The queries to sample, spread evenly over those that qualify.
inline std::vector<std::size_t> queries_to_sample(const std::vector<QueryOutcome>& outcomes,
                                                  const Index& index) {
    std::vector<std::size_t> missing, chosen;
    for (std::size_t q = 0; q < outcomes.size(); ++q)
        if (outcomes[q].present && outcomes[q].matches.size() < index.judged_count(q))
            missing.push_back(q);
    const std::size_t step = (missing.size() + most_sampled_queries - 1) / most_sampled_queries;
    for (std::size_t i = 0; i < missing.size(); i += step) chosen.push_back(missing[i]);
    return chosen;
}

}  // namespace rankstone
