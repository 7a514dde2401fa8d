// Ids of unjudged documents, for a few queries in which judged documents are missing: whether
// they are those documents, written differently, is decided elsewhere.
#pragma once

#include <vector>

#include "docs_by_query.hpp"
#include "outcomes.hpp"

namespace rankstone {

inline constexpr std::size_t most_sampled_queries = 32, most_sampled_docs = 256;

// How many judged documents of each query were retrieved.
class RetrievedCounts {
  public:
    // With `repeats` a judgment may have several matches.
    RetrievedCounts(const Index& index, bool repeats)
        : index_(index), counts_(index.query_count()),
          seen_(repeats ? static_cast<std::size_t>(index.groups().back()) : 0) {}

    void add(const std::vector<Match>& matches) {
        for (const Match& match : matches) {
            if (!seen_.empty() && seen_[match.judgment]) continue;
            if (!seen_.empty()) seen_[match.judgment] = true;
            ++counts_[match.query];
        }
    }

    bool missing(std::size_t query) const { return counts_[query] < index_.judged_count(query); }

  private:
    const Index& index_;
    std::vector<std::uint32_t> counts_;
    std::vector<bool> seen_;  // of each judgment
};

// The queries to sample, spread evenly over those in which judged documents are missing.
inline std::vector<std::size_t> queries_to_sample(const Outcomes& outcomes,
                                                  const RetrievedCounts& counts) {
    std::vector<std::size_t> missing, chosen;
    for (std::size_t q = 0; q < outcomes.queries.size(); ++q)
        if (outcomes.queries[q].present && counts.missing(q)) missing.push_back(q);
    const std::size_t step = (missing.size() + most_sampled_queries - 1) / most_sampled_queries;
    for (std::size_t i = 0; i < missing.size(); i += step) chosen.push_back(missing[i]);
    return chosen;
}

}  // namespace rankstone
