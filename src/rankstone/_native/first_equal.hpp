// Which texts of each segment of a list are equal.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "falling_order.hpp"

namespace rankstone {

// The place of the first text that equals one, of a segment: a hash table with open addresses.
class FirstPlaces {
  public:
    void clear(std::size_t size) {
        mask_ = std::bit_ceil(2 * size + 1) - 1;
        if (slots_.size() <= mask_) slots_.resize(mask_ + 1);
        std::fill_n(slots_.begin(), mask_ + 1, Slot{});
    }

    // The texts are exactly of type str, so that neither hash nor comparison runs other code.
    std::uint32_t find_or_add(PyObject* const* texts, std::uint32_t place) {
        const auto hash = static_cast<std::uint64_t>(PyObject_Hash(texts[place]));
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (!slot.after) {
                slot = {tag, place + 1};
                return place;
            }
            if (slot.tag == tag && PyUnicode_Compare(texts[slot.after - 1], texts[place]) == 0)
                return slot.after - 1;
        }
    }

  private:
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t after = 0;  // one more than the place, 0 if there is none
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

inline nb::object first_equal(nb::list texts, Offsets offsets) {
    const std::size_t size = texts.size();
    const std::size_t segments = segments_in(size, offsets);
    const std::int64_t* bounds = offsets.data();
    std::vector<PyObject*> held(size);
    for (std::size_t i = 0; i < size; ++i) {
        held[i] = texts[i].ptr();
        if (!PyUnicode_CheckExact(held[i])) throw nb::type_error("the list must hold texts only");
    }
    std::vector<std::int64_t> first(size);
    FirstPlaces places;
    for (std::size_t s = 0; s < segments; ++s) {
        const std::int64_t begin = bounds[s];
        const auto length = static_cast<std::uint32_t>(bounds[s + 1] - begin);
        places.clear(length);
        for (std::uint32_t i = 0; i < length; ++i)
            first[begin + i] = begin + places.find_or_add(held.data() + begin, i);
    }
    return array_of(std::move(first));
}

}  // namespace rankstone
