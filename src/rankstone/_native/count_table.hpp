// Ranks by counting: how many scores of a list are above those of a few of its documents, and how
// many are equal. Nothing is put in order.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "equals.hpp"
#include "numpy_arrays.hpp"

namespace rankstone {

namespace nb = nanobind;

// Counts in one list at a time. A score of -inf is that of a document that is not in the list.
template <typename T>
class ListCounter {
  public:
    struct Counts {
        std::int64_t *above, *tied, *earlier;
    };

    // Whether scores are -inf, or finite and so small that whole numbers are not rounded.
    bool has_plain_scores(const T* scores, std::size_t n) {
        constexpr T beyond = T(9007199254740992.0), absent = -std::numeric_limits<T>::infinity();
        std::uint32_t odd = 0, missing = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const T score = scores[i];
            const std::uint32_t out = score == absent;
            odd |= std::uint32_t(!(score < beyond)) | (std::uint32_t(!(score > -beyond)) & ~out & 1u);
            missing += out;
        }
        missing_ = missing;
        return !odd;
    }

    std::int64_t retrieved(std::size_t n) const { return static_cast<std::int64_t>(n) - missing_; }

    // How many documents share their score with another.
    std::int64_t tied(const T* scores, std::size_t n) {
        const std::int64_t equal = equals_.count(scores, n);
        return missing_ > 1 ? equal - missing_ : equal;
    }

    void count(const T* scores, std::size_t n, const std::int64_t* columns, std::size_t judged,
               Counts out) {
        if (judged <= few)
            compare(scores, n, columns, judged, out);
        else
            search(scores, n, columns, judged, out);
    }

  private:
    static constexpr std::size_t few = 48, chunk = 4096, at_once = 4, at_a_time = 256;

    // Compares each of a few scores with all.
    static void compare(const T* scores, std::size_t n, const std::int64_t* columns,
                        std::size_t judged, Counts out) {
        for (std::size_t j = 0; j < judged; ++j) out.above[j] = out.tied[j] = 0;
        for (std::size_t begin = 0; begin < n; begin += chunk) {
            const std::size_t size = std::min(chunk, n - begin);
            for (std::size_t j = 0; j < judged; j += at_once) {
                T own[at_once];
                for (std::size_t i = 0; i < at_once; ++i)
                    own[i] = scores[columns[std::min(j + i, judged - 1)]];
                const std::size_t these = std::min(at_once, judged - j);
                std::int32_t higher[at_once] = {}, lower[at_once] = {};
                if (these == 1)
                    tally<1>(scores + begin, size, own, higher, lower);
                else
                    tally<at_once>(scores + begin, size, own, higher, lower);
                for (std::size_t i = 0; i < these; ++i) {
                    out.above[j + i] += higher[i];
                    out.tied[j + i] += static_cast<std::int64_t>(size) - higher[i] - lower[i];
                }
            }
        }
        for (std::size_t j = 0; j < judged; ++j)
            out.earlier[j] = out.tied[j] > 1 ? equal_before(scores, columns[j]) : 0;
    }

    template <std::size_t Some>
    static void tally(const T* scores, std::size_t n, const T* own, std::int32_t* higher,
                      std::int32_t* lower) {
        std::int32_t above[Some] = {}, below[Some] = {};
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < Some; ++i) {
                above[i] += scores[k] > own[i];
                below[i] += scores[k] < own[i];
            }
        for (std::size_t i = 0; i < Some; ++i) {
            higher[i] = above[i];
            lower[i] = below[i];
        }
    }

    static std::int64_t equal_before(const T* scores, std::int64_t column) {
        std::int32_t equal = 0;
        for (std::int64_t k = 0; k < column; ++k) equal += scores[k] == scores[column];
        return equal;
    }

    // Looks each score up among many in rising order.
    void search(const T* scores, std::size_t n, const std::int64_t* columns, std::size_t judged,
                Counts out) {
        by_score_.resize(judged);
        std::iota(by_score_.begin(), by_score_.end(), std::size_t{0});
        std::sort(by_score_.begin(), by_score_.end(), [&](std::size_t a, std::size_t b) {
            return scores[columns[a]] < scores[columns[b]];
        });
        levels_.clear();
        level_of_.resize(judged);
        for (const std::size_t j : by_score_) {
            const T score = scores[columns[j]];
            if (levels_.empty() || levels_.back() != score) levels_.push_back(score);
            level_of_[j] = levels_.size() - 1;
        }
        // By the number of levels at or below a score: how many scores there are, and how many equal
        // the highest of these levels.
        const std::size_t levels = levels_.size();
        reach_.assign(levels + 1, 0);
        equal_.assign(levels + 1, 0);
        std::size_t next = 0;  // the judged documents come in order of their columns
        std::uint32_t place[at_a_time];
        for (std::size_t begin = 0; begin < n; begin += at_a_time) {
            const std::size_t size = std::min(at_a_time, n - begin);
            look_up(scores + begin, size, place);
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t at = place[i];
                if (next < judged && columns[next] == static_cast<std::int64_t>(begin + i))
                    out.earlier[next++] = equal_[at];
                ++reach_[at];
                equal_[at] += at && levels_[at - 1] == scores[begin + i];
            }
        }
        std::int64_t above = 0;
        for (std::size_t at = levels; at > 0; --at) {
            above += reach_[at];
            reach_[at] = above - equal_[at];
        }
        for (std::size_t j = 0; j < judged; ++j) {
            out.above[j] = reach_[level_of_[j] + 1];
            out.tied[j] = equal_[level_of_[j] + 1];
        }
    }

    // How many levels are at or below each score, all of them halved together: no step of one search
    // waits for that of another.
    void look_up(const T* __restrict scores, std::size_t n, std::uint32_t* __restrict place) const {
        const T* __restrict const levels = levels_.data();
        std::fill_n(place, n, 0u);
        for (auto left = static_cast<std::uint32_t>(levels_.size()); left > 1;) {
            const std::uint32_t half = left / 2;
            for (std::size_t i = 0; i < n; ++i)
                place[i] += levels[place[i] + half - 1] <= scores[i] ? half : 0;
            left -= half;
        }
        for (std::size_t i = 0; i < n; ++i) place[i] += levels[place[i]] <= scores[i];
    }

    std::int64_t missing_ = 0;
    Equals<T> equals_;
    std::vector<std::size_t> by_score_, level_of_;
    std::vector<T> levels_;
    std::vector<std::int64_t> reach_, equal_;
};

template <typename T>
nb::object count_lists(const T* scores, std::size_t rows, std::size_t width,
                       const std::int64_t* offsets, const std::int64_t* columns,
                       bool count_ties) {
    const auto judged = static_cast<std::size_t>(offsets[rows]);
    std::unique_ptr<std::int64_t[]> above(new std::int64_t[judged]), tied(new std::int64_t[judged]),
        earlier(new std::int64_t[judged]);
    std::vector<std::int64_t> retrieved(rows), ties(rows);
    bool plain = true;
    {
        nb::gil_scoped_release release;
        ListCounter<T> counter;
        for (std::size_t row = 0; plain && row < rows; ++row) {
            const T* own = scores + row * width;
            const std::int64_t begin = offsets[row];
            plain = counter.has_plain_scores(own, width);
            if (!plain) break;
            retrieved[row] = counter.retrieved(width);
            counter.count(own, width, columns + begin, static_cast<std::size_t>(offsets[row + 1] - begin),
                          {above.get() + begin, tied.get() + begin, earlier.get() + begin});
            if (count_ties) ties[row] = counter.tied(own, width);
        }
    }
    if (!plain) return nb::none();
    return nb::make_tuple(array_of(std::move(above), judged), array_of(std::move(tied), judged),
                          array_of(std::move(earlier), judged), array_of(std::move(retrieved)),
                          array_of(std::move(ties)));
}

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;

inline nb::object count_table(nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu> scores,
                              Whole offsets, Whole columns, bool count_ties) {
    const std::size_t rows = scores.shape(0), width = scores.shape(1);
    bool fit = offsets.shape(0) == rows + 1 && offsets(0) == 0 &&
               offsets(rows) == static_cast<std::int64_t>(columns.shape(0)) && width <= INT32_MAX;
    for (std::size_t row = 0; fit && row < rows; ++row) {
        fit = offsets(row) <= offsets(row + 1) && offsets(row + 1) <= offsets(rows);
        std::int64_t last = -1;
        for (std::int64_t i = offsets(row); fit && i < offsets(row + 1); ++i) {
            fit = columns(i) > last && columns(i) < static_cast<std::int64_t>(width);
            last = columns(i);
        }
    }
    if (!fit) throw nb::value_error("columns must rise within each row, and offsets divide them by row");
    if (scores.dtype() == nb::dtype<float>())
        return count_lists(static_cast<const float*>(scores.data()), rows, width, offsets.data(),
                           columns.data(), count_ties);
    if (scores.dtype() == nb::dtype<double>())
        return count_lists(static_cast<const double*>(scores.data()), rows, width, offsets.data(),
                           columns.data(), count_ties);
    throw nb::type_error("scores must be float32 or float64");
}

// The columns of elements that are not 0, up to some number of them. Only the bits of `mask` count.
template <typename T>
bool find_nonzero(const T* values, std::size_t rows, std::size_t width, T mask, std::size_t most,
                  std::vector<std::int64_t>& offsets, std::vector<std::int64_t>& columns) {
    constexpr std::size_t some = 64 / sizeof(T);
    for (std::size_t row = 0; row < rows; ++row) {
        const T* own = values + row * width;
        for (std::size_t begin = 0; begin < width; begin += some) {
            const std::size_t end = std::min(begin + some, width);
            T any = 0;
            if (end - begin == some)
                for (std::size_t i = 0; i < some; ++i) any |= own[begin + i];
            else
                any = mask;
            if (!(any & mask)) continue;
            for (std::size_t i = begin; i < end; ++i)
                if (own[i] & mask) columns.push_back(static_cast<std::int64_t>(i));
        }
        if (columns.size() > most) return false;
        offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    return true;
}

inline nb::object nonzero(nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu> bits,
                          bool signed_zero, std::size_t most) {
    const std::size_t rows = bits.shape(0), width = bits.shape(1);
    std::vector<std::int64_t> offsets{0}, columns;
    bool few = false, known = false;
    const auto find = [&]<typename T>(T) {
        if (known || bits.dtype() != nb::dtype<T>()) return;
        known = true;
        nb::gil_scoped_release release;
        const T mask = static_cast<T>(signed_zero ? std::numeric_limits<T>::max() >> 1
                                                  : std::numeric_limits<T>::max());
        few = find_nonzero(static_cast<const T*>(bits.data()), rows, width, mask, most, offsets, columns);
    };
    find(std::uint8_t{});
    find(std::uint16_t{});
    find(std::uint32_t{});
    find(std::uint64_t{});
    if (!known) throw nb::type_error("bits must be whole numbers without a sign");
    if (!few) return nb::none();
    return nb::make_tuple(array_of(std::move(offsets)), array_of(std::move(columns)));
}

}  // namespace rankstone
