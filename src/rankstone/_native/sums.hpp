// Counts and sums of the elements of each segment of an array.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>

#include "falling_order.hpp"

namespace rankstone {

using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig>;

inline nb::object count(Mask mask, Offsets offsets) {
    const std::size_t segments = segments_in(mask.shape(0), offsets);
    const bool* marks = mask.data();
    const std::int64_t* bounds = offsets.data();
    std::unique_ptr<std::int64_t[]> counts(new std::int64_t[segments]);
    {
        nb::gil_scoped_release release;
        for (std::size_t s = 0; s < segments; ++s) {
            std::int64_t sum = 0;
            for (std::int64_t i = bounds[s]; i < bounds[s + 1]; ++i) sum += marks[i];
            counts[s] = sum;
        }
    }
    return array_of(std::move(counts), segments);
}

inline nb::object running_count(Mask mask, Offsets offsets) {
    const std::size_t segments = segments_in(mask.shape(0), offsets);
    const bool* marks = mask.data();
    const std::int64_t* bounds = offsets.data();
    std::unique_ptr<std::int64_t[]> counts(new std::int64_t[mask.shape(0)]);
    {
        nb::gil_scoped_release release;
        for (std::size_t s = 0; s < segments; ++s) {
            std::int64_t sum = 0;
            for (std::int64_t i = bounds[s]; i < bounds[s + 1]; ++i) counts[i] = sum += marks[i];
        }
    }
    return array_of(std::move(counts), mask.shape(0));
}

// The sum of each segment in two parts. What is left of a value once a power of two beyond its
// segment's sum was added and taken away again adds up without rounding; the rest is so small that
// rounding it does not matter.
inline nb::tuple totals(Numbers values, Offsets offsets, Numbers low) {
    const std::size_t size = values.shape(0), segments = segments_in(size, offsets);
    if (low.is_valid() && low.shape(0) != size)
        throw nb::value_error("as many numbers as there are values are needed");
    const double* highs = values.data();
    const double* lows = low.is_valid() ? low.data() : nullptr;
    const std::int64_t* bounds = offsets.data();
    std::unique_ptr<double[]> sums(new double[segments]), rests(new double[segments]);
    {
        nb::gil_scoped_release release;
        for (std::size_t s = 0; s < segments; ++s) {
            const std::int64_t begin = bounds[s], end = bounds[s + 1];
            double top = 0, sum = 0, rest = 0;
            for (std::int64_t i = begin; i < end; ++i) top = std::max(top, std::abs(highs[i]));
            const double most = top * static_cast<double>(end - begin);
            const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(most) >> 52) + 2;
            const auto beyond = std::bit_cast<double>(std::min<std::uint64_t>(exponent, 2047) << 52);
            for (std::int64_t i = begin; i < end; ++i) {
                const double first = (highs[i] + beyond) - beyond;
                sum += first;
                rest += lows ? (highs[i] - first) + lows[i] : highs[i] - first;
            }
            sums[s] = sum;
            rests[s] = rest;
        }
    }
    return nb::make_tuple(array_of(std::move(sums), segments), array_of(std::move(rests), segments));
}

}  // namespace rankstone
