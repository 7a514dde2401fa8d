// The first documents of each query of a run, whatever the order of its rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "docs_by_query.hpp"
#include "place.hpp"

namespace rankstone {

// Keeps the documents with the highest scores, each once with its best row. Of equal scores the
// greater id is first if `ids_fall` is 1, the smaller if it is -1, the earlier row if it is 0. Rows
// may come in any order and more than once.
class TopRows {
  public:
    TopRows(std::size_t queries, std::size_t most, int ids_fall)
        : queries_(most ? queries : 0), most_(most), ids_fall_(ids_fall) {}

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
    };

    // Whether a row, of which the id is given apart, comes before one that is kept.
    bool before(const Kept& row, std::string_view id, const Kept& other) const {
        if (row.score != other.score) return row.score > other.score;
        const int order = ids_fall_ ? ids_fall_ * id.compare(other.id) : 0;
        return order ? order > 0 : row.at < other.at;
    }

    void add(std::size_t query, const Kept& row, std::string_view id) {
        std::vector<Kept>& kept = queries_[query];
        if (kept.size() == most_ && !before(row, id, kept.back())) return;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i].hash != row.hash || kept[i].id != id) continue;
            if (!before(row, id, kept[i])) return;
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
        if (kept.size() == most_) kept.pop_back();
        std::size_t place = kept.size();
        while (place && before(row, id, kept[place - 1])) --place;
        kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(place),
                    {row.score, row.at, row.hash, std::string(id)});
    }

    std::vector<std::vector<Kept>> queries_;
    std::size_t most_;
    int ids_fall_;
};

}  // namespace rankstone
