// How many numbers equal another among them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace rankstone {

// A hash marks numbers that may equal another; few do, and only these are sorted.
class Equals {
  public:
    std::int64_t count(const double* values, std::size_t n) {
        const int bits = std::bit_width(64 + marks_per_number * n);
        const auto mark_of = [bits](double value) {
            const auto key = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
            return (key * 0x9E3779B97F4A7C15u) >> (64 - bits);
        };
        seen_.assign(std::size_t{1} << (bits - 6), 0);
        shared_.assign(seen_.size(), 0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t mark = mark_of(values[i]), bit = std::uint64_t{1} << (mark & 63);
            std::uint64_t& seen = seen_[mark >> 6];
            shared_[mark >> 6] |= seen & bit;
            seen |= bit;
        }
        alike_.resize(n + 1);
        std::size_t found = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t mark = mark_of(values[i]);
            alike_[found] = values[i];
            found += (shared_[mark >> 6] >> (mark & 63)) & 1;
        }
        return equal_among(alike_.data(), alike_.data() + found);
    }

  private:
    static constexpr std::size_t marks_per_number = 16;

    static std::int64_t equal_among(double* begin, double* end) {
        end = std::remove_if(begin, end, [](double value) { return value != value; });
        std::sort(begin, end);
        std::int64_t equal = 0;
        for (double* next = begin; begin < end; begin = next) {
            while (next < end && *next == *begin) ++next;
            if (next - begin > 1) equal += next - begin;
        }
        return equal;
    }

    std::vector<std::uint64_t> seen_, shared_;
    std::vector<double> alike_;
};

}  // namespace rankstone
