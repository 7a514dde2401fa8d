// Ids in a text: which of each segment are equal, and some of them laid end to end.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "falling_order.hpp"
#include "text.hpp"

namespace rankstone {

// Ids in a text, each from its begin up to its end.
class IdsInText {
  public:
    IdsInText(std::string_view text, const Offsets& begins, const Offsets& ends)
        : text_(text), begins_(begins.data()), ends_(ends.data()), size_(begins.shape(0)) {
        bool inside = ends.shape(0) == size_;
        for (std::size_t i = 0; inside && i < size_; ++i)
            inside = 0 <= begins_[i] && begins_[i] <= ends_[i] &&
                     ends_[i] <= static_cast<std::int64_t>(text.size());
        if (!inside) throw nb::value_error("begins and ends must be inside the text");
    }

    std::size_t size() const { return size_; }
    std::string_view operator[](std::size_t i) const {
        return {text_.data() + begins_[i], static_cast<std::size_t>(ends_[i] - begins_[i])};
    }

  private:
    std::string_view text_;
    const std::int64_t* begins_;
    const std::int64_t* ends_;
    std::size_t size_;
};

// The place of the first id that equals one, of a segment: a hash table with open addresses.
class FirstPlaces {
  public:
    void clear(std::size_t size) {
        mask_ = std::bit_ceil(2 * size + 1) - 1;
        if (slots_.size() <= mask_) slots_.resize(mask_ + 1);
        std::fill_n(slots_.begin(), mask_ + 1, Slot{});
    }

    // Places count from the begin of the segment.
    std::uint32_t find_or_add(const IdsInText& ids, std::size_t begin, std::uint32_t place) {
        const std::string_view id = ids[begin + place];
        const std::uint64_t hash = hash_exact(id.data(), id.size());
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (!slot.place_plus_one) {
                slot = {tag, place + 1};
                return place;
            }
            if (slot.tag == tag && ids[begin + slot.place_plus_one - 1] == id)
                return slot.place_plus_one - 1;
        }
    }

  private:
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t place_plus_one = 0;  // 0 if there is none
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

inline nb::object first_equal(nb::bytes text, Offsets begins, Offsets ends, Offsets offsets) {
    const IdsInText ids({text.c_str(), text.size()}, begins, ends);
    const std::size_t segments = segments_in(ids.size(), offsets);
    const std::int64_t* bounds = offsets.data();
    std::vector<std::int64_t> first(ids.size());
    {
        nb::gil_scoped_release release;
        FirstPlaces places;
        for (std::size_t s = 0; s < segments; ++s) {
            const auto begin = static_cast<std::size_t>(bounds[s]);
            const auto length = static_cast<std::uint32_t>(bounds[s + 1] - bounds[s]);
            places.clear(length);
            for (std::uint32_t i = 0; i < length; ++i)
                first[begin + i] = bounds[s] + places.find_or_add(ids, begin, i);
        }
    }
    return array_of(std::move(first));
}

inline nb::bytes gather(nb::bytes text, Offsets begins, Offsets ends) {
    const IdsInText ids({text.c_str(), text.size()}, begins, ends);
    std::string together;
    {
        nb::gil_scoped_release release;
        std::size_t size = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) size += ids[i].size();
        together.reserve(size);
        for (std::size_t i = 0; i < ids.size(); ++i) together.append(ids[i]);
    }
    return nb::bytes(together.data(), together.size());
}

}  // namespace rankstone
