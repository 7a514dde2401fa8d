// How many numbers of each segment of an array equal another of it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "equals.hpp"
#include "falling_order.hpp"

namespace rankstone {

inline nb::object count_equals(Numbers values, Offsets offsets) {
    const std::size_t segments = segments_in(values.shape(0), offsets);
    const std::int64_t* bounds = offsets.data();
    std::vector<std::int64_t> counts(segments);
    {
        nb::gil_scoped_release release;
        Equals<double> equals;
        for (std::size_t s = 0; s < segments; ++s)
            counts[s] = equals.count(values.data() + bounds[s],
                                     static_cast<std::size_t>(bounds[s + 1] - bounds[s]));
    }
    return array_of(std::move(counts));
}

}  // namespace rankstone
