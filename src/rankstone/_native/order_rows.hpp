// Orders the numbers of each segment of an array, highest first; equal ones keep their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankstone {

// A whole number that rises as the value falls; equal for equal values.
inline std::int64_t falling_key(double value) {
    const auto bits = std::bit_cast<std::int64_t>(0.0 - value);  // makes one zero of two
    return bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1);
}

// Compiled for several generations of processors, of which the best fits itself when loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__)
#define RANKSTONE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RANKSTONE_CLONES
#endif

// Packs the leading bits of each key and the column, in the bits of the mask.
RANKSTONE_CLONES inline void pack_row(const double* values, std::int64_t* packed, std::size_t width,
                                      std::int64_t mask) {
    for (std::size_t i = 0; i < width; ++i)
        packed[i] = (falling_key(values[i]) & ~mask) | static_cast<std::int64_t>(i);
}

// Unpacks the columns of a sorted row; true where keys differ in the bits left out at most.
RANKSTONE_CLONES inline bool unpack_row(const std::int64_t* packed, std::int64_t* order,
                                        std::size_t width, std::int64_t mask, std::int64_t begin) {
    std::uint64_t close = 0;
    order[0] = begin + (packed[0] & mask);
    for (std::size_t i = 1; i < width; ++i) {
        order[i] = begin + (packed[i] & mask);
        close |= static_cast<std::uint64_t>((packed[i] ^ packed[i - 1]) <= mask);
    }
    return close != 0;
}

class RowSorter {
  public:
    struct Entry {
        std::uint64_t key;  // falling_key, from 0 up
        std::uint32_t at;   // position in the segment
    };

    // The numbers in falling order. The entries stay valid until the next call.
    const Entry* sort(const double* values, std::size_t n) {
        if (entries_.size() < n) {
            entries_.resize(n);
            spare_.resize(n);
        }
        std::uint64_t low = ~std::uint64_t{0}, high = 0, last = 0;
        bool risen = true;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t key =
                static_cast<std::uint64_t>(falling_key(values[i])) ^ std::uint64_t{1} << 63;
            spare_[i] = {key, static_cast<std::uint32_t>(i)};
            low = std::min(low, key);
            high = std::max(high, key);
            risen &= last <= key;
            last = key;
        }
        if (risen) return spare_.data();
        if (n <= few) {
            insert(spare_.data(), n);
            return spare_.data();
        }
        spread(spare_.data(), entries_.data(), n, low, high, 0);
        return entries_.data();
    }

  private:
    static constexpr std::size_t few = 16, most_buckets = 4096;
    static constexpr int deepest = 6;

    // Spreads entries over buckets by the leading bits in which their keys differ, which leaves
    // little to do where keys are spread evenly, and orders what fell together.
    void spread(const Entry* from, Entry* to, std::size_t n, std::uint64_t low, std::uint64_t high,
                int depth) {
        const int wanted = static_cast<int>(std::bit_width(std::min(n, most_buckets - 1)));
        const int shift = std::max(static_cast<int>(std::bit_width(high - low)) - wanted, 0);
        const std::size_t buckets = ((high - low) >> shift) + 1;
        std::vector<std::uint32_t>& ends = ends_[depth];
        ends.assign(buckets + 1, 0);
        for (std::size_t i = 0; i < n; ++i) ++ends[((from[i].key - low) >> shift) + 1];
        std::uint32_t fullest = 0;
        for (std::size_t b = 1; b <= buckets; ++b) {
            fullest = std::max(fullest, ends[b]);
            ends[b] += ends[b - 1];
        }
        for (std::size_t i = 0; i < n; ++i) to[ends[(from[i].key - low) >> shift]++] = from[i];
        if (fullest > few && shift > 0) {
            std::size_t begin = 0;
            for (std::size_t b = 0; b < buckets; begin = ends[b++])
                if (ends[b] - begin > few) gather(to + begin, ends[b] - begin, depth + 1);
        }
        insert(to, n);
    }

    // Orders the entries of one full bucket.
    void gather(Entry* entries, std::size_t n, int depth) {
        if (depth == deepest)
            return std::sort(entries, entries + n, [](const Entry& a, const Entry& b) {
                return a.key < b.key || (a.key == b.key && a.at < b.at);
            });
        std::uint64_t low = entries[0].key, high = low;
        for (std::size_t i = 0; i < n; ++i) {
            low = std::min(low, entries[i].key);
            high = std::max(high, entries[i].key);
        }
        if (low == high) return;
        std::copy(entries, entries + n, spare_.data());
        spread(spare_.data(), entries, n, low, high, depth);
    }

    static void insert(Entry* entries, std::size_t n) {
        for (std::size_t i = 1; i < n; ++i) {
            if (entries[i - 1].key <= entries[i].key) continue;
            const Entry moving = entries[i];
            std::size_t at = i;
            for (; at > 0 && entries[at - 1].key > moving.key; --at) entries[at] = entries[at - 1];
            entries[at] = moving;
        }
    }

    std::vector<Entry> entries_, spare_;
    std::vector<std::uint32_t> ends_[deepest];
};

}  // namespace rankstone
