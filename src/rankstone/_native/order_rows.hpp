// Orders the numbers of each segment of an array, highest first; equal ones keep their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
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
#define RANKSTONE_HAS_CLONES
#define RANKSTONE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RANKSTONE_CLONES
#endif

struct Span {
    double low, high, sum;
    bool finite;

    // Whether most values are close to 0, beside which a few others are large.
    bool crowds_at_zero(std::size_t width) const {
        const double near = (high - low) / 16, mean = sum / static_cast<double>(width);
        return (low > 0 && mean - low < near) || (high < 0 && high - mean < near);
    }
};

RANKSTONE_CLONES inline Span span_of(const double* values, std::size_t width) {
    constexpr std::size_t lanes = 8;  // each its own, as a vector has them
    double low[lanes], high[lanes], odd[lanes] = {}, sum[lanes] = {};
    std::fill_n(low, lanes, values[0]);
    std::fill_n(high, lanes, values[0]);
    const auto take = [&](double value, std::size_t lane) {
        low[lane] = value < low[lane] ? value : low[lane];
        high[lane] = value > high[lane] ? value : high[lane];
        odd[lane] += value - value;
        sum[lane] += value;
    };
    std::size_t i = 0;
    for (; i + lanes <= width; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) take(values[i + lane], lane);
    for (; i < width; ++i) take(values[i], 0);
    for (std::size_t lane = 1; lane < lanes; ++lane) {
        low[0] = std::min(low[0], low[lane]);
        high[0] = std::max(high[0], high[lane]);
        odd[0] += odd[lane];
        sum[0] += sum[lane];
    }
    return {low[0], high[0], sum[0], odd[0] == 0};
}

// Packs into each key how far the value is below the highest, in steps, and below that the
// column in so many bits. A lower value is never fewer steps down.
RANKSTONE_CLONES inline void pack_row(const double* values, std::uint32_t* packed,
                                      std::size_t width, double high, double steps, int bits) {
    for (std::size_t i = 0; i < width; ++i)
        packed[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>((high - values[i]) * steps))
                        << bits |
                    static_cast<std::uint32_t>(i);
}

// The same with steps that are as fine near 0 as floats are.
RANKSTONE_CLONES inline void pack_crowded_row(const double* values, std::uint32_t* packed,
                                              std::size_t width, double low, double high, int bits) {
    const std::int64_t top = falling_key(high);
    const int shift = std::max(
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(falling_key(low) - top))) + bits - 32, 0);
    for (std::size_t i = 0; i < width; ++i)
        packed[i] = static_cast<std::uint32_t>((falling_key(values[i]) - top) >> shift) << bits |
                    static_cast<std::uint32_t>(i);
}

// Unpacks the columns of a sorted row; true where some are equally many steps down.
RANKSTONE_CLONES inline bool unpack_row(const std::uint32_t* packed, std::int64_t* order,
                                        std::size_t width, std::uint32_t mask,
                                        std::int64_t begin) {
    std::uint32_t close = 0;
    order[0] = begin + (packed[0] & mask);
    for (std::size_t i = 1; i < width; ++i) {
        order[i] = begin + (packed[i] & mask);
        close |= static_cast<std::uint32_t>((packed[i] ^ packed[i - 1]) <= mask);
    }
    return close != 0;
}

// Puts what stands beside a sorted row into its order; true as above.
RANKSTONE_CLONES inline bool carry_row(const std::uint32_t* packed, const double* beside,
                                       double* carried, std::size_t width, std::uint32_t mask) {
    std::uint32_t close = 0;
    carried[0] = beside[packed[0] & mask];
    for (std::size_t i = 1; i < width; ++i) {
        carried[i] = beside[packed[i] & mask];
        close |= static_cast<std::uint32_t>((packed[i] ^ packed[i - 1]) <= mask);
    }
    return close != 0;
}

struct Nearness {
    bool equal, mixed;  // neighbours are equal; some that are equally many steps down are not
};

// Compares neighbours of a sorted row whose values stand in the order of their keys.
RANKSTONE_CLONES inline Nearness compare(const std::uint32_t* packed, const double* ordered,
                                         std::size_t width, std::uint32_t mask) {
    std::uint32_t equal = 0, mixed = 0;
    for (std::size_t i = 1; i < width; ++i) {
        const auto close = static_cast<std::uint32_t>((packed[i] ^ packed[i - 1]) <= mask);
        const auto same = static_cast<std::uint32_t>(ordered[i] == ordered[i - 1]);
        equal |= same;
        mixed |= close & ~same;
    }
    return {equal != 0, mixed != 0};
}

RANKSTONE_CLONES inline void carry(const double* from, const std::int64_t* order, double* to,
                                   std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[order[i]];
}

// Marks the values that equal the one before them in the order.
RANKSTONE_CLONES inline void mark_same(const double* values, const std::int64_t* order,
                                       std::uint8_t* same, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) same[i] = values[order[i]] == values[order[i - 1]];
}

// Puts small whole numbers in falling order by counting them; false if there are others.
class Counter {
  public:
    bool order(const double* values, std::size_t n, double* falling) {
        if (n <= few) return insert(values, n, falling);
        small_.resize(std::max(small_.size(), n));
        if (!shrink(values, small_.data(), n)) return false;
        std::uint32_t counts[lanes][256] = {};  // several, for equal numbers follow each other
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane) ++counts[lane][small_[i + lane]];
        for (; i < n; ++i) ++counts[0][small_[i]];
        double* const end = falling + n;
        for (int value = 255; falling < end; --value) {
            std::size_t count = 0;
            for (const auto& lane : counts) count += lane[value];
            falling = std::fill_n(falling, count, static_cast<double>(value));
        }
        return true;
    }

  private:
    static constexpr std::size_t lanes = 4, few = 32;

    static bool insert(const double* values, std::size_t n, double* falling) {
        for (std::size_t i = 0; i < n; ++i) {
            const double moving = values[i];
            if (!(moving >= 0 && moving < 256) || std::signbit(moving) || moving != std::floor(moving))
                return false;
            std::size_t at = i;
            for (; at > 0 && falling[at - 1] < moving; --at) falling[at] = falling[at - 1];
            falling[at] = moving;
        }
        return true;
    }

    RANKSTONE_CLONES static bool shrink(const double* values, std::uint8_t* small, std::size_t n) {
        constexpr double large = 0x1p52;  // added to a whole number, it leaves it in the last bits
        std::uint64_t odd = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double moved = values[i] + large;
            const auto whole = std::bit_cast<std::uint64_t>(moved) ^ std::bit_cast<std::uint64_t>(large);
            odd |= whole >> 8 | (std::bit_cast<std::uint64_t>(moved - large) ^
                                 std::bit_cast<std::uint64_t>(values[i]));
            small[i] = static_cast<std::uint8_t>(whole);
        }
        return odd == 0;
    }

    std::vector<std::uint8_t> small_;
};

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
