// Exact look-up of query and document ids. A hash only proposes; the bytes decide.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace rankstone {

// Ids laid end to end; id i is bytes[offsets[i], offsets[i+1]).
struct IdColumn {
    std::string bytes;  // padded
    std::vector<std::int64_t> offsets{0};

    std::size_t size() const { return offsets.size() - 1; }
    const char* begin(std::size_t i) const { return bytes.data() + offsets[i]; }
    std::size_t length(std::size_t i) const {
        return static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    }
    std::string_view view(std::size_t i) const { return {begin(i), length(i)}; }
    void push(const char* p, std::size_t n) {
        bytes.append(p, n);
        offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
};

// Ids laid end to end in memory of somebody else, or of a column that is kept.
class IdView {
  public:
    IdView(const char* bytes, const std::int64_t* offsets, std::size_t size,
           std::shared_ptr<const void> owner)
        : bytes_(bytes), offsets_(offsets), size_(size), owner_(std::move(owner)) {}

    IdView(IdColumn column) : IdView(std::make_shared<const IdColumn>(std::move(column))) {}

    std::size_t size() const { return size_; }
    std::string_view operator[](std::size_t i) const {
        return {bytes_ + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
    }

    void fetch_bounds(std::size_t i) const { touch(offsets_ + i); }

  private:
    explicit IdView(std::shared_ptr<const IdColumn> column)
        : IdView(column->bytes.data(), column->offsets.data(), column->size(), column) {}

    const char* bytes_;
    const std::int64_t* offsets_;
    std::size_t size_;
    std::shared_ptr<const void> owner_;
};

struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t row = 0;  // row + 1, so that 0 is empty
};

inline std::size_t table_size(std::size_t n) { return std::bit_ceil(2 * n + 1); }

inline std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

// The documents of each query have a table of their own: look-ups of a run that comes query by query
// stay in the cache.
class Index {
  public:
    static constexpr std::int64_t absent = -1;

    Index(IdView queries, std::vector<std::int64_t> groups, IdView docs)
        : queries_(std::move(queries)), groups_(std::move(groups)), docs_(std::move(docs)),
          query_slots_(table_size(queries_.size())), tables_(queries_.size() + 1) {
        std::size_t total = 0;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            insert(query_slots_.data(), query_slots_.size(), hash_of(queries_[q]), q);
            tables_[q].begin = total;
            total += table_size(judged_count(q));
        }
        tables_[queries_.size()].begin = total;
        doc_slots_.resize(total);
        for (std::size_t q = 0; q < queries_.size(); ++q)
            for (auto d = groups_[q]; d < groups_[q + 1]; ++d) {
                const auto row = static_cast<std::size_t>(d);
                const std::uint64_t hash = hash_of(docs_[row]);
                tables_[q].filter.add(hash);
                insert(doc_slots_.data() + tables_[q].begin, size(q), hash,
                       static_cast<std::size_t>(d - groups_[q]));
            }
    }

    std::size_t query_count() const { return queries_.size(); }
    std::size_t judged_count(std::size_t query) const {
        return static_cast<std::size_t>(groups_[query + 1] - groups_[query]);
    }

    const std::vector<std::int64_t>& groups() const { return groups_; }
    std::string_view doc(std::size_t row) const { return docs_[row]; }

    std::int64_t find_query(const char* p, std::size_t n) const {
        return find_query(hash_id(p, n), p, n);
    }

    std::int64_t find_query(std::uint64_t hash, const char* p, std::size_t n) const {
        return find(query_slots_.data(), query_slots_.size(), hash, queries_, 0, p, n);
    }

    // Which values the top six bits of the hashes of a query's documents take: most documents of
    // a run are not judged, and this tells for most of those at once.
    struct Filter {
        std::uint64_t bits = 0;
        void add(std::uint64_t hash) { bits |= std::uint64_t{1} << (hash >> 58); }
        bool may_hold(std::uint64_t hash) const { return bits >> (hash >> 58) & 1; }
    };

    Filter filter(std::size_t query) const { return tables_[query].filter; }

    // Whether it is too large for a cache. Then look-ups of many queries wait for memory several times
    // each, and these fetch what they read, step by step: the slot of a query's id, ...
    bool is_large() const { return doc_slots_.size() + query_slots_.size() > std::size_t{1} << 16; }

    void fetch_slot(std::uint64_t hash) const {
        touch(&query_slots_[hash & (query_slots_.size() - 1)]);
    }

    // ... the id that is likely to be that of the slot, of which the bounds come first, ...
    void fetch_id(std::uint64_t hash, bool bounds) const {
        const std::size_t low = query_slots_.size() - 1, number = query_slots_[hash & low] & low;
        if (number) bounds ? queries_.fetch_bounds(number - 1) : touch(queries_[number - 1].data());
    }

    // ... the table of the query, ...
    void fetch_table(std::size_t query) const {
        touch(&tables_[query]);
        touch(&groups_[query]);
    }

    // ... and its slots and documents, of which the bounds come first.
    void fetch_docs(std::size_t query, bool bounds) const {
        const auto first = static_cast<std::size_t>(groups_[query]);
        if (groups_[query] == groups_[query + 1]) return;
        if (!bounds) return touch(docs_[first].data());
        touch(doc_slots_.data() + tables_[query].begin);
        docs_.fetch_bounds(first);
    }

    std::int64_t find_doc(std::size_t query, std::uint64_t hash, const char* p,
                          std::size_t n) const {
        const Table& table = tables_[query];
        if (!table.filter.may_hold(hash)) return absent;
        const auto first = static_cast<std::size_t>(groups_[query]);
        return find(doc_slots_.data() + table.begin, size(query), hash, docs_, first, p, n);
    }

  private:
    struct Table {
        std::size_t begin = 0;  // its slots end where those of the next query begin
        Filter filter;
    };

    static std::uint64_t hash_of(std::string_view id) { return hash_exact(id.data(), id.size()); }

    // The number of slots of a query's table.
    std::size_t size(std::size_t query) const {
        return tables_[query + 1].begin - tables_[query].begin;
    }

    // A slot holds the number of an id in the table, from 1, which is below the number of slots; above
    // it are as many bits of the hash as there is room for. 0 is empty.
    static std::uint32_t tag_above(std::size_t size, std::uint64_t hash) {
        return tag_of(hash) & ~static_cast<std::uint32_t>(size - 1);
    }

    static void insert(std::uint32_t* slots, std::size_t size, std::uint64_t hash, std::size_t number) {
        std::size_t at = hash & (size - 1);
        while (slots[at]) at = (at + 1) & (size - 1);
        slots[at] = tag_above(size, hash) | static_cast<std::uint32_t>(number + 1);
    }

    // Looks an id up; the first one of the table is `first`.
    static std::int64_t find(const std::uint32_t* slots, std::size_t size, std::uint64_t hash,
                             const IdView& ids, std::size_t first, const char* p, std::size_t n) {
        const std::uint32_t tag = tag_above(size, hash), low = static_cast<std::uint32_t>(size - 1);
        for (std::size_t at = hash & (size - 1); slots[at]; at = (at + 1) & (size - 1)) {
            if ((slots[at] & ~low) != tag) continue;
            const std::size_t row = first + (slots[at] & low) - 1;
            const std::string_view id = ids[row];
            if (same_bytes(id.data(), id.size(), p, n)) return static_cast<std::int64_t>(row);
        }
        return absent;
    }

    IdView queries_;
    std::vector<std::int64_t> groups_;
    IdView docs_;
    std::vector<std::uint32_t> query_slots_;
    std::vector<Table> tables_;  // of the queries, and an end
    std::vector<std::uint32_t> doc_slots_;
};

}  // namespace rankstone
