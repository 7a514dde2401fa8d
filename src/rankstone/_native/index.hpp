// Exact look-up of query and document ids. A hash only proposes; the bytes decide.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "large_pages.hpp"
#include "text.hpp"

namespace rankstone {

// Ids laid end to end; id i is bytes[offsets[i], offsets[i+1]).
struct IdColumn {
    Values<char> bytes;
    Values<std::int64_t> offsets{0};

    std::size_t size() const { return offsets.size() - 1; }
    const char* begin(std::size_t i) const { return bytes.data() + offsets[i]; }
    std::size_t length(std::size_t i) const {
        return static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    }
    std::string_view view(std::size_t i) const { return {begin(i), length(i)}; }
    std::string_view all() const { return {bytes.data(), bytes.size()}; }
    void push(const char* p, std::size_t n) {
        bytes.resize(bytes.size() + n);
        std::copy_n(p, n, bytes.end() - static_cast<std::ptrdiff_t>(n));
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

// A slot of a table of ids holds the number of an id, from 1, which is below the number of slots, a
// power of 2; above it are as many bits of the hash as there is room for. 0 is empty.
inline std::uint32_t slot_of(std::size_t size, std::uint64_t hash, std::size_t number) {
    return (static_cast<std::uint32_t>(hash) & ~static_cast<std::uint32_t>(size - 1)) |
           static_cast<std::uint32_t>(number + 1);
}

// The slot of the id with a hash for which same(number) holds, or the empty one where it would be.
template <typename Same>
std::size_t find_slot(const std::uint32_t* slots, std::size_t size, std::uint64_t hash, Same&& same) {
    const auto low = static_cast<std::uint32_t>(size - 1), tag = static_cast<std::uint32_t>(hash) & ~low;
    std::size_t at = hash & low;
    while (slots[at] && ((slots[at] & ~low) != tag || !same((slots[at] & low) - 1))) at = (at + 1) & low;
    return at;
}

// The documents of each query have a table of their own: look-ups of a run that comes query by query
// stay in the cache. A few documents have no slots: they are compared one by one.
class DocTables {
  public:
    // Which values the top six bits of the hashes of a query's documents take: most documents of
    // a run are not judged, and this tells for most of those at once.
    struct Filter {
        std::uint64_t bits;
        void add(std::uint64_t hash) { bits |= std::uint64_t{1} << (hash >> 58); }
        bool may_hold(std::uint64_t hash) const { return bits >> (hash >> 58) & 1; }
    };

    DocTables() = default;
    DocTables(std::size_t queries, std::size_t slots) : tables_(queries + 1), slots_(slots) {
        tables_[queries].begin = slots;
    }

    static std::size_t slots_for(std::size_t docs) { return docs > few ? table_size(docs) : 0; }

    // Starts the table of a query, of slots that begin at a place.
    void start(std::size_t query, std::size_t begin, std::size_t size) {
        tables_[query] = {begin, {0}};
        std::fill_n(slots_.data() + begin, size, 0);
    }

    // The number of the document with a hash for which same(number) holds; `count` if it is added.
    template <typename Same>
    std::size_t insert(std::size_t query, std::size_t size, std::uint64_t hash, std::size_t count,
                       Same&& same) {
        auto& [begin, filter] = tables_[query];
        if (!size) {
            const std::size_t number = filter.may_hold(hash) ? find_among(count, same) : count;
            filter.add(hash);
            return number;
        }
        filter.add(hash);
        std::uint32_t* const slots = slots_.data() + begin;
        const std::size_t at = find_slot(slots, size, hash, same);
        if (slots[at]) return (slots[at] & (size - 1)) - 1;
        slots[at] = slot_of(size, hash, count);
        return count;
    }

    // The number of the document with a hash for which same(number) holds; `count` if there is none.
    template <typename Same>
    std::size_t find(std::size_t query, std::uint64_t hash, std::size_t count, Same&& same) const {
        const std::size_t size = tables_[query + 1].begin - tables_[query].begin;
        if (!size) return find_among(count, same);
        const std::uint32_t* const slots = slots_.data() + tables_[query].begin;
        const std::uint32_t slot = slots[find_slot(slots, size, hash, same)];
        return slot ? (slot & (size - 1)) - 1 : count;
    }

    Filter filter(std::size_t query) const { return tables_[query].filter; }

    void fetch(std::size_t query) const { prefetch(&tables_[query]); }

    void fetch_slots(std::size_t query) const {
        if (tables_[query].begin < slots_.size()) touch(&slots_[tables_[query].begin]);
    }

  private:
    static constexpr std::size_t few = 4;

    struct Table {
        std::size_t begin;  // its slots end where those of the next query begin
        Filter filter;
    };

    template <typename Same>
    static std::size_t find_among(std::size_t count, Same&& same) {
        std::size_t number = 0;
        while (number < count && !same(number)) ++number;
        return number;
    }

    Values<Table> tables_;  // of the queries, and an end
    Values<std::uint32_t> slots_;
};

class Index {
  public:
    using Filter = DocTables::Filter;
    static constexpr std::int64_t absent = -1;

    Index(IdView queries, const std::vector<std::int64_t>& groups, IdView docs)
        : Index(std::move(queries), groups, std::move(docs), {}) {
        std::size_t slots = 0;
        for (std::size_t q = 0; q < queries_.size(); ++q) slots += DocTables::slots_for(judged_count(q));
        tables_ = DocTables(queries_.size(), std::exchange(slots, 0));
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            const std::size_t count = judged_count(q), size = DocTables::slots_for(count);
            tables_.start(q, slots, size);
            slots += size;
            for (std::size_t i = 0; i < count; ++i)
                tables_.insert(q, size, hash_of(docs_[static_cast<std::size_t>(groups_[q]) + i]), i,
                               [](std::size_t) { return false; });
        }
    }

    // Of documents that have their tables.
    Index(IdView queries, const std::vector<std::int64_t>& groups, IdView docs, DocTables tables)
        : queries_(std::move(queries)), groups_(groups.begin(), groups.end()), docs_(std::move(docs)),
          tables_(std::move(tables)), query_slots_(table_size(queries_.size())) {
        constexpr std::size_t ahead = 8;  // slots are anywhere
        std::uint64_t hashes[ahead];
        std::uint32_t* const slots = query_slots_.data();
        for (std::size_t q = 0; q < queries_.size() + ahead; ++q) {
            std::uint64_t& hash = hashes[q % ahead];
            if (q >= ahead)
                slots[find_slot(slots, query_slots_.size(), hash, [](std::size_t) { return false; })] =
                    slot_of(query_slots_.size(), hash, q - ahead);
            if (q >= queries_.size()) continue;
            hash = hash_of(queries_[q]);
            fetch_slot(hash);
        }
    }

    std::size_t query_count() const { return queries_.size(); }
    std::size_t judged_count(std::size_t query) const {
        return static_cast<std::size_t>(groups_[query + 1] - groups_[query]);
    }

    const LargeVector<std::int64_t>& groups() const { return groups_; }
    std::string_view doc(std::size_t row) const { return docs_[row]; }

    std::int64_t find_query(const char* p, std::size_t n) const {
        return find_query(hash_id(p, n), p, n);
    }

    std::int64_t find_query(std::uint64_t hash, const char* p, std::size_t n) const {
        const std::size_t size = query_slots_.size();
        const std::uint32_t slot = query_slots_[find_slot(
            query_slots_.data(), size, hash, [&](std::size_t q) { return is_same(queries_[q], p, n); })];
        return static_cast<std::int64_t>(slot & (size - 1)) - 1;
    }

    Filter filter(std::size_t query) const { return tables_.filter(query); }

    // Whether it is too large for a cache. Then look-ups of many queries wait for memory several times
    // each, and these fetch what they read, step by step: the slot of a query's id, ...
    bool is_large() const { return 2 * docs_.size() + query_slots_.size() > std::size_t{1} << 16; }

    void fetch_slot(std::uint64_t hash) const {
        prefetch(&query_slots_[hash & (query_slots_.size() - 1)]);
    }

    // ... the id that is likely to be that of the slot, of which the bounds come first, ...
    void fetch_id(std::uint64_t hash, bool bounds) const {
        const std::size_t low = query_slots_.size() - 1, number = query_slots_[hash & low] & low;
        if (number) bounds ? queries_.fetch_bounds(number - 1) : touch(queries_[number - 1].data());
    }

    // ... the table of the query, ...
    void fetch_table(std::size_t query) const {
        tables_.fetch(query);
        prefetch(&groups_[query]);
    }

    // ... and its slots and documents, of which the bounds come first.
    void fetch_docs(std::size_t query, bool bounds) const {
        const auto first = static_cast<std::size_t>(groups_[query]);
        if (groups_[query] == groups_[query + 1]) return;
        if (!bounds) return touch(docs_[first].data());
        tables_.fetch_slots(query);
        docs_.fetch_bounds(first);
    }

    std::int64_t find_doc(std::size_t query, std::uint64_t hash, const char* p,
                          std::size_t n) const {
        if (!filter(query).may_hold(hash)) return absent;
        const auto first = static_cast<std::size_t>(groups_[query]);
        const std::size_t count = judged_count(query);
        const std::size_t number = tables_.find(query, hash, count, [&](std::size_t i) {
            return is_same(docs_[first + i], p, n);
        });
        return number < count ? static_cast<std::int64_t>(first + number) : absent;
    }

  private:
    static std::uint64_t hash_of(std::string_view id) { return hash_exact(id.data(), id.size()); }

    static bool is_same(std::string_view id, const char* p, std::size_t n) {
        return same_bytes(id.data(), id.size(), p, n);
    }

    IdView queries_;
    LargeVector<std::int64_t> groups_;
    IdView docs_;
    DocTables tables_;
    LargeVector<std::uint32_t> query_slots_;
};

}  // namespace rankstone
