// The first documents of each query of a run, whatever the order of its rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "docs_by_query.hpp"
#include "place.hpp"

namespace rankstone {

// Keeps the documents with the highest scores, the earlier of equal ones, each once with its best
// row. Rows may come in any order and more than once.
class TopRows {
  public:
    TopRows(std::size_t queries, std::size_t most) : queries_(most ? queries : 0), most_(most) {}

    // `at` is where the row lies in the file.
    void add(std::size_t query, const Row& row, std::uint64_t at) {
        if (most_) add(query, {row.score, at, row.hash, {}}, row.id());
    }

    void add(const TopRows& other) {
        for (std::size_t q = 0; q < queries_.size(); ++q)
            for (const Kept& kept : other.queries_[q]) add(q, kept, kept.id);
    }

    DocsByQuery documents() const {
        DocsByQuery documents;
        std::vector<std::string_view> ids;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            if (queries_[q].empty()) continue;
            ids.clear();
            for (const Kept& kept : queries_[q]) ids.push_back(kept.id);
            documents.add(q, ids, most_);
        }
        return documents;
    }

  private:
    struct Kept {
        double score;
        std::uint64_t at, hash;
        std::string id;

        bool before(const Kept& other) const {
            return score > other.score || (score == other.score && at < other.at);
        }
    };

    void add(std::size_t query, const Kept& row, std::string_view id) {
        std::vector<Kept>& kept = queries_[query];
        if (kept.size() == most_ && !row.before(kept.back())) return;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i].hash != row.hash || kept[i].id != id) continue;
            if (!row.before(kept[i])) return;
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
        if (kept.size() == most_) kept.pop_back();
        std::size_t place = kept.size();
        while (place && row.before(kept[place - 1])) --place;
        kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(place),
                    {row.score, row.at, row.hash, std::string(id)});
    }

    std::vector<std::vector<Kept>> queries_;
    std::size_t most_;
};

}  // namespace rankstone
