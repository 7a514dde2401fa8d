// How many numbers equal another among them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace rankstone {

// A mark for each hash is 0 if no number had it, 1 if one had, and more if several had. Few numbers
// share a hash, and only these are counted one by one.
template <typename T>
class Equals {
  public:
    std::int64_t count(const T* values, std::size_t n) {
        const int bits = std::bit_width(64 + marks_per_number * n);
        marks_.assign(std::size_t{1} << bits, 0);
        hashes_.resize(n);
        alike_.resize(n + 1);
        std::uint8_t* __restrict const marks = marks_.data();
        std::uint32_t* __restrict const hashes = hashes_.data();
        T* __restrict const alike = alike_.data();
        for (std::size_t i = 0; i < n; ++i)
            hashes[i] = static_cast<std::uint32_t>(hash(values[i]) >> (width - bits));
        for (std::size_t i = 0; i < n; ++i)
            marks[hashes[i]] = static_cast<std::uint8_t>(2 * marks[hashes[i]] + 1);
        std::size_t found = 0;
        for (std::size_t i = 0; i < n; ++i) {
            alike[found] = values[i];
            found += marks[hashes[i]] > 1;
        }
        return equal_among(alike, found);
    }

  private:
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    struct Group {
        T value;
        std::int64_t size;
    };
    static constexpr int width = 8 * sizeof(T);
    static constexpr std::size_t marks_per_number = 6;

    static Bits hash(T value) {
        const auto bits = std::bit_cast<Bits>(value + T{0});  // -0 is 0
        return bits * static_cast<Bits>(0x9E3779B97F4A7C15u >> (64 - width) | 1);
    }

    std::int64_t equal_among(const T* values, std::size_t n) {
        const int bits = std::bit_width(2 * n + 1);
        const std::size_t mask = (std::size_t{1} << bits) - 1;
        slots_.assign(mask + 1, 0);
        groups_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            const T value = values[i];
            if (value != value) continue;
            // Numbers here have a hash in common, so that other bits of it have to tell them apart.
            const Bits own = hash(value);
            std::size_t at = (own ^ (own >> (width / 2))) & mask;
            while (slots_[at] && groups_[slots_[at] - 1].value != value) at = (at + 1) & mask;
            if (!slots_[at]) {
                groups_.push_back({value, 0});
                slots_[at] = static_cast<std::uint32_t>(groups_.size());
            }
            ++groups_[slots_[at] - 1].size;
        }
        std::int64_t equal = 0;
        for (const Group& group : groups_) equal += group.size > 1 ? group.size : 0;
        return equal;
    }

    std::vector<std::uint8_t> marks_;
    std::vector<std::uint32_t> hashes_;
    std::vector<T> alike_;
    std::vector<std::uint32_t> slots_;
    std::vector<Group> groups_;
};

}  // namespace rankstone
