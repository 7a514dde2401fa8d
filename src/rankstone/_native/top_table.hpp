// The first documents of each list of a table of labels and scores. The others are only counted.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numpy_arrays.hpp"
#include "order_rows.hpp"

namespace rankstone {

namespace nb = nanobind;

inline constexpr double rounded_from = 0x1p53;  // beyond it whole numbers are rounded

// How many of some labels are above 0, and how many are 1 and more; whether some are not numbers from 0
// up.
struct LabelCounts {
    std::uint32_t positive, relevant, odd;
};

template <typename T>
inline LabelCounts count_labels(const T* labels, std::size_t n) {
    std::uint32_t positive = 0, relevant = 0, fit = 0;
    for (std::size_t i = 0; i < n; ++i) {
        positive += labels[i] > 0;
        relevant += labels[i] >= 1;
        fit += (labels[i] >= 0) & (labels[i] < std::numeric_limits<T>::infinity());
    }
    return {positive, relevant, static_cast<std::uint32_t>(n) - fit};
}

// Whether some scores are not finite, or so large that whole numbers are rounded.
template <typename T>
inline bool has_odd_scores(const T* scores, std::size_t n) {
    std::uint32_t fit = 0;
    for (std::size_t i = 0; i < n; ++i)
        fit += (scores[i] < T(rounded_from)) & (scores[i] > T(-rounded_from));
    return fit < n;
}

template <typename T>
struct Placed {
    T value;
    std::uint32_t at;

    bool operator<(const Placed& other) const {  // is ranked before it
        return value > other.value || (value == other.value && at < other.at);
    }
};

// Appends the next values above a limit, from some position on. Returns where it stopped.
template <typename T>
inline std::size_t gather_above(const T* values, std::size_t begin, std::size_t n, T limit,
                                Placed<T>* kept, std::size_t& count) {
    constexpr std::size_t together = 16;
    for (const std::size_t known = count; begin < n && count == known;) {
        const std::size_t size = std::min(together, n - begin);
        std::uint32_t any = size < together;
        if (!any)
            for (std::size_t i = 0; i < together; ++i) any |= values[begin + i] > limit;
        if (any)
            for (std::size_t i = begin; i < begin + size; ++i) {
                kept[count] = {values[i], static_cast<std::uint32_t>(i)};
                count += values[i] > limit;
            }
        begin += size;
    }
    return begin;
}

// The same by name, since a template has no clones.
#define RANKSTONE_TOP(T)                                                                           \
    RANKSTONE_CLONES inline LabelCounts labels_of(const T* labels, std::size_t n) {                \
        return count_labels(labels, n);                                                            \
    }                                                                                              \
    RANKSTONE_CLONES inline bool are_odd(const T* scores, std::size_t n) {                         \
        return has_odd_scores(scores, n);                                                          \
    }                                                                                              \
    RANKSTONE_CLONES inline std::size_t gather_high(const T* values, std::size_t begin,            \
                                                    std::size_t n, T limit, Placed<T>* kept,       \
                                                    std::size_t& count) {                          \
        return gather_above(values, begin, n, limit, kept, count);                                 \
    }
RANKSTONE_TOP(float)
RANKSTONE_TOP(double)
#undef RANKSTONE_TOP

// Selects the highest k of many values, for a small k.
template <typename T>
class Highest {
  public:
    // The highest k values in falling order, and with `ties` all that equal the last of them.
    std::span<const Placed<T>> select(const T* values, std::size_t n, std::size_t k, bool ties) {
        if (kept_.size() <= n) kept_.resize(n + 1);
        count_ = 0;
        T limit = lowest;
        for (std::size_t at = 0; at < n;) {
            std::size_t end = count_;
            at = gather_high(values, at, n, limit, kept_.data(), end);
            insert(end, k, ties);
            if (count_ >= k) {
                const T last = kept_[k - 1].value;
                limit = ties ? std::nextafter(last, lowest) : last;
            }
        }
        return {kept_.data(), count_};
    }

  private:
    static constexpr T lowest = -std::numeric_limits<T>::infinity();

    // Puts the values up to `end` into the order of those that are known.
    void insert(std::size_t end, std::size_t k, bool ties) {
        for (std::size_t i = count_; i < end; ++i) {
            const Placed<T> next = kept_[i];
            if (count_ >= k && (next.value < kept_[k - 1].value || (!ties && next.value == kept_[k - 1].value)))
                continue;
            std::size_t at = count_++;
            for (; at > 0 && kept_[at - 1].value < next.value; --at) kept_[at] = kept_[at - 1];
            kept_[at] = next;
            while (count_ > k && !(ties && kept_[count_ - 1].value == kept_[k - 1].value)) --count_;
        }
    }

    std::vector<Placed<T>> kept_;
    std::size_t count_ = 0;
};

// Counts the values that equal another one, in lists of one length, up to `longest`.
template <typename T>
class EqualCounter {
  public:
    static constexpr std::size_t longest = 30000;

    // How many values are equal to others, and how many of these have a label above 0.
    template <typename L>
    std::pair<std::size_t, std::size_t> count(const T* values, const L* labels, std::size_t n) {
        start(n);
        bool any = false;
        Slot* const slots = slots_.data();
        const auto base = static_cast<std::uint32_t>(base_);
        const int shift = shift_;
        for (std::uint32_t i = 0; i < n; ++i) {
            Slot& slot = slots[slot_of(values[i], shift)];
            const std::uint32_t known = slot;
            if (known < base) {
                slot = static_cast<Slot>(base + i);
            } else if (values[known - base] == values[i]) {
                equal_[known - base] = equal_[i] = 1;
                any = true;
            } else {  // all that equal it come here, too: a slot keeps its owner
                others_.push_back({values[i], i});
            }
        }
        std::sort(others_.begin(), others_.end());
        for (std::size_t i = 1; i < others_.size(); ++i)
            if (others_[i].value == others_[i - 1].value) {
                equal_[others_[i].at] = equal_[others_[i - 1].at] = 1;
                any = true;
            }
        std::size_t all = 0, positive = 0;
        for (std::size_t i = 0; any && i < n; ++i) {
            all += equal_[i];
            positive += equal_[i] & static_cast<std::uint8_t>(labels[i] > 0);
            equal_[i] = 0;
        }
        return {all, positive};
    }

  private:
    using Slot = std::uint16_t;  // so short that the slots of a list stay in the nearest cache
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

    // Leaves all slots empty: those that are in use hold numbers below the base.
    void start(std::size_t n) {
        const std::size_t wanted = std::bit_ceil(n) * 32;
        if (slots_.size() != wanted || base_ + 2 * n > std::numeric_limits<Slot>::max()) {
            slots_.assign(wanted, 0);
            base_ = 1;
            shift_ = static_cast<int>(8 * sizeof(T)) - std::countr_zero(wanted);
            equal_.assign(n, 0);
        } else {
            base_ += n;
        }
        others_.clear();
    }

    static std::size_t slot_of(T value, int shift) {
        constexpr auto spread = static_cast<Bits>(0x9E3779B97F4A7C15u >> (64 - 8 * sizeof(T)));
        return static_cast<std::size_t>((std::bit_cast<Bits>(value + T{0}) * spread) >> shift);
    }

    std::vector<Slot> slots_;  // the first value that came here, as base + position
    std::size_t base_ = 0;
    int shift_ = 0;
    std::vector<Placed<T>> others_;
    std::vector<std::uint8_t> equal_;
};

// The rows of a table of numbers, as floats that hold them.
template <typename Number, typename Float>
class FloatRows {
  public:
    FloatRows(const Number* numbers, std::size_t width) : numbers_(numbers), width_(width) {}

    const Float* row(std::size_t row) {
        const Number* own = numbers_ + row * width_;
        if constexpr (std::is_same_v<Number, Float>) {
            return own;
        } else {
            floats_.resize(width_);
            for (std::size_t i = 0; i < width_; ++i) floats_[i] = static_cast<Float>(own[i]);
            return floats_.data();
        }
    }

  private:
    const Number* numbers_;
    std::size_t width_;
    std::vector<Float> floats_;
};

using Cells = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Calls a function with the rows of a table, whatever the type of its numbers.
template <typename Use>
nb::object with_rows(const Cells& cells, Use&& use) {
    const auto as = [&]<typename Number, typename Float>(Number, Float) {
        return use(FloatRows<Number, Float>(static_cast<const Number*>(cells.data()), cells.shape(1)));
    };
    const nb::dlpack::dtype kind = cells.dtype();
    if (kind == nb::dtype<float>()) return as(float{}, float{});
    if (kind == nb::dtype<double>()) return as(double{}, double{});
    if (kind == nb::dtype<bool>() || kind == nb::dtype<std::uint8_t>()) return as(std::uint8_t{}, float{});
    if (kind == nb::dtype<std::int8_t>()) return as(std::int8_t{}, float{});
    if (kind == nb::dtype<std::uint16_t>()) return as(std::uint16_t{}, float{});
    if (kind == nb::dtype<std::int16_t>()) return as(std::int16_t{}, float{});
    if (kind == nb::dtype<std::uint32_t>()) return as(std::uint32_t{}, double{});
    if (kind == nb::dtype<std::int32_t>()) return as(std::int32_t{}, double{});
    if (kind == nb::dtype<std::uint64_t>()) return as(std::uint64_t{}, double{});
    if (kind == nb::dtype<std::int64_t>()) return as(std::int64_t{}, double{});
    throw nb::type_error("numbers must be whole, float32 or float64");
}

struct TopLists {
    std::vector<std::int64_t> sizes, above, relevant;
    std::vector<double> grades, best;
    std::size_t positive = 0, equal = 0, equal_positive = 0;
};

// Takes the first k documents of each row and those that tie with the last of them; false if there is an
// odd number somewhere.
template <typename Labels, typename Scores>
bool take_top(Labels labels, Scores scores, std::size_t rows, std::size_t width, std::size_t k,
              bool count_equals, TopLists& out) {
    Highest<std::remove_cvref_t<decltype(*labels.row(0))>> best;
    Highest<std::remove_cvref_t<decltype(*scores.row(0))>> first;
    EqualCounter<std::remove_cvref_t<decltype(*scores.row(0))>> equals;
    out.best.reserve(rows * k);
    out.grades.reserve(rows * k);
    out.above.reserve(rows * k);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto* label = labels.row(row);
        const auto* score = scores.row(row);
        const LabelCounts counts = labels_of(label, width);
        if (counts.odd || are_odd(score, width)) return false;
        out.positive += counts.positive;
        out.relevant.push_back(counts.relevant);
        for (const auto& placed : best.select(label, width, k, false))
            out.best.push_back(static_cast<double>(placed.value));
        const auto top = first.select(score, width, k, true);
        out.sizes.push_back(static_cast<std::int64_t>(top.size()));
        for (std::size_t i = 0; i < top.size(); ++i) {
            const bool tied = i && top[i].value == top[i - 1].value;
            out.grades.push_back(static_cast<double>(label[top[i].at]));
            out.above.push_back(tied ? out.above.back() : static_cast<std::int64_t>(i));
        }
        if (!count_equals) continue;
        const auto [equal, positive] = equals.count(score, label, width);
        out.equal += equal;
        out.equal_positive += positive;
    }
    return true;
}

inline nb::object top_table(Cells labels, Cells scores, std::size_t k, bool count_equals) {
    const std::size_t rows = labels.shape(0), width = labels.shape(1);
    if (scores.shape(0) != rows || scores.shape(1) != width || !k || k > width ||
        width > EqualCounter<double>::longest)
        throw nb::value_error("labels and scores must have one shape, with at least k columns, and at most 30,000");
    TopLists top;
    return with_rows(labels, [&](auto label) {
        return with_rows(scores, [&](auto score) -> nb::object {
            bool plain;
            {
                nb::gil_scoped_release release;
                plain = take_top(std::move(label), std::move(score), rows, width, k, count_equals, top);
            }
            if (!plain) return nb::none();
            return nb::make_tuple(array_of(std::move(top.sizes)), array_of(std::move(top.grades)),
                                  array_of(std::move(top.above)), array_of(std::move(top.best)),
                                  array_of(std::move(top.relevant)), top.positive, top.equal,
                                  top.equal_positive);
        });
    });
}

}  // namespace rankstone
