// The falling order of the numbers in each segment of an array, and what follows from it.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <memory>
#include <vector>

#include "numpy_arrays.hpp"
#include "order_rows.hpp"

namespace rankstone {

namespace nb = nanobind;
using namespace nb::literals;

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;

inline std::size_t segments_in(std::size_t size, const Offsets& offsets) {
    const std::size_t segments = offsets.shape(0) ? offsets.shape(0) - 1 : 0;
    const std::int64_t* bounds = offsets.data();
    bool rise = segments ? bounds[0] == 0 : !size;
    if (segments) rise &= bounds[segments] == static_cast<std::int64_t>(size);
    for (std::size_t s = 0; rise && s < segments; ++s)
        rise = bounds[s] <= bounds[s + 1] && bounds[s + 1] - bounds[s] <= UINT32_MAX;
    if (!rise) throw nb::value_error("offsets must rise from 0 to the number of values");
    return segments;
}

// Orders the numbers of each segment, highest first, and either keeps the order or puts what
// stands beside the numbers into it.
class Ordering {
  public:
    Ordering(const Numbers& values, const Offsets& offsets, const double* beside)
        : data_(values.data()), bounds_(offsets.data()), segments_(segments_in(values.shape(0), offsets)),
          size_(values.shape(0)), beside_(beside), tied_(segments_) {
        std::size_t longest = 0;
        for (std::size_t s = 0; s < segments_; ++s) longest = std::max(longest, length(s));
        if (beside_) {
            carried_.reset(new double[size_]);
            same_.reset(new std::uint8_t[size_]());
        }
        order_.reset(new std::int64_t[beside_ ? longest : size_]);
        const std::size_t width = segments_ ? length(0) : 0;
        table_ = width >= narrow && width <= wide && width * segments_ == size_ && width == longest;
    }

    nb::tuple order() {
        if (table_) {
            order_table(length(0));
        } else {
            nb::gil_scoped_release release;
            for (std::size_t s = 0; s < segments_; ++s) {
                order_segment(s);
                carry_segment(s);
            }
        }
        if (!beside_) return nb::make_tuple(array_of(std::move(order_), size_), array_of(std::move(tied_)));
        return nb::make_tuple(array_of(std::move(carried_), size_), array_of(std::move(tied_)),
                              array_of(std::move(same_), size_));
    }

  private:
    static constexpr std::size_t narrow = 12, wide = 4096, few = 16;

    std::size_t length(std::size_t s) const {
        return static_cast<std::size_t>(bounds_[s + 1] - bounds_[s]);
    }

    std::int64_t* order_of(std::size_t s) const {
        return beside_ ? order_.get() : order_.get() + bounds_[s];
    }

    void order_segment(std::size_t s) {
        const std::size_t n = length(s);
        const std::int64_t begin = bounds_[s];
        const RowSorter::Entry* entries = sorter_.sort(data_ + begin, n);
        std::int64_t* order = order_of(s);
        for (std::size_t i = 0; i < n; ++i) order[i] = begin + entries[i].at;
        for (std::size_t i = 1; i < n && !tied_[s]; ++i)
            tied_[s] = entries[i - 1].key == entries[i].key;
    }

    void carry_segment(std::size_t s) {
        if (!beside_) return;
        const std::int64_t* order = order_of(s);
        carry(beside_, order, carried_.get() + bounds_[s], length(s));
        if (tied_[s]) mark_same(data_, order, same_.get() + bounds_[s], length(s));
    }

    // NumPy sorts whole numbers with the widest instructions of the machine, so rows of one
    // length are packed into such.
    void order_table(std::size_t width) {
        const int bits = std::bit_width(width - 1);
        const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
        static thread_local std::vector<std::uint32_t> packed;  // kept: fresh memory is slow
        if (packed.size() < segments_ * width) packed.resize(segments_ * width);
        std::vector<std::uint8_t> fits(segments_);
        {
            nb::gil_scoped_release release;
            for (std::size_t s = 0; s < segments_; ++s) {
                const double* row = data_ + s * width;
                const Span span = span_of(row, width);
                const double range = span.high - span.low;
                const double steps = range > 0 ? ((UINT32_MAX >> bits) - 1) / range : 0.0;
                fits[s] = span.finite && std::isfinite(range) && std::isfinite(steps);
                if (!fits[s]) continue;
                std::uint32_t* own = packed.data() + s * width;
                if (span.crowds_at_zero(width))
                    pack_crowded_row(row, own, width, span.low, span.high, bits);
                else
                    pack_row(row, own, width, span.high, steps, bits);
            }
        }
        nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>> keys(packed.data(), {segments_, width},
                                                                nb::handle());
        nb::cast(keys, nb::rv_policy::reference).attr("sort")("axis"_a = 1);
        nb::gil_scoped_release release;
        for (std::size_t s = 0; s < segments_; ++s) {
            const std::uint32_t* row = packed.data() + s * width;
            const std::size_t at = s * width;
            if (beside_ && fits[s] && !carry_row(row, beside_ + at, carried_.get() + at, width, mask))
                continue;
            std::int64_t* order = order_of(s);
            if (!fits[s] ||
                (unpack_row(row, order, width, mask, bounds_[s]) && !settle(s, row, order, width, mask)))
                order_segment(s);
            carry_segment(s);
        }
    }

    // Orders what is equally many steps down; false where that is too many for it.
    bool settle(std::size_t s, const std::uint32_t* packed, std::int64_t* order, std::size_t width,
                std::uint32_t mask) {
        ordered_.resize(width);
        carry(data_, order, ordered_.data(), width);
        const Nearness near = compare(packed, ordered_.data(), width, mask);
        tied_[s] |= near.equal;
        if (!near.mixed) return true;
        for (std::size_t begin = 0, end; begin < width; begin = end) {
            bool equal = true;
            for (end = begin + 1; end < width && (packed[end] ^ packed[begin]) <= mask; ++end)
                equal &= data_[order[end]] == data_[order[begin]];
            if (end == begin + 1) continue;
            if (!equal && end - begin > few) return false;
            if (!equal) insert(order + begin, end - begin);
            for (std::size_t i = begin + 1; i < end && !tied_[s]; ++i)
                tied_[s] = data_[order[i]] == data_[order[i - 1]];
        }
        return true;
    }

    void insert(std::int64_t* order, std::size_t n) const {
        for (std::size_t i = 1; i < n; ++i) {
            const std::int64_t moving = order[i];
            std::size_t at = i;
            for (; at > 0 && data_[order[at - 1]] < data_[moving]; --at) order[at] = order[at - 1];
            order[at] = moving;
        }
    }

    const double* data_;
    const std::int64_t* bounds_;
    std::size_t segments_, size_;
    const double* beside_;
    std::unique_ptr<double[]> carried_;
    std::unique_ptr<std::uint8_t[]> same_;  // whether a number equals the one before it in the order
    std::unique_ptr<std::int64_t[]> order_;  // of one segment at a time where it is not kept
    std::vector<double> ordered_;
    std::vector<std::uint8_t> tied_;  // whether a segment holds equal numbers
    RowSorter sorter_;
    bool table_ = false;
};

inline nb::tuple falling_order(Numbers values, Offsets offsets) {
    return Ordering(values, offsets, nullptr).order();
}

inline nb::tuple falling_beside(Numbers values, Offsets offsets, Numbers beside) {
    if (beside.shape(0) != values.shape(0))
        throw nb::value_error("as many numbers beside the values as there are values are needed");
    return Ordering(values, offsets, beside.data()).order();
}

inline nb::object falling_small(Numbers values, Offsets offsets) {
    const std::size_t segments = segments_in(values.shape(0), offsets);
    const std::int64_t* bounds = offsets.data();
    std::unique_ptr<double[]> falling(new double[values.shape(0)]);
    bool small = true;
    {
        nb::gil_scoped_release release;
        Counter counter;
        for (std::size_t s = 0; small && s < segments; ++s)
            small = counter.order(values.data() + bounds[s],
                                  static_cast<std::size_t>(bounds[s + 1] - bounds[s]),
                                  falling.get() + bounds[s]);
    }
    return small ? array_of(std::move(falling), values.shape(0)) : nb::none();
}

}  // namespace rankstone
