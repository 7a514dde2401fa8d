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

#include "numpy_arrays.hpp"
#include "order_rows.hpp"

#ifdef RANKSTONE_HAS_CLONES
#include <immintrin.h>
#endif

namespace rankstone {

namespace nb = nanobind;

// How many of n scores are above each of some high numbers, and below each of as many low ones.
template <typename T, std::size_t Some>
inline void tally(const T* scores, std::size_t n, const T* high, const T* low, std::int32_t* higher,
                  std::int32_t* lower) {
    std::int32_t above[Some] = {}, below[Some] = {};
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < Some; ++i) {
            above[i] += scores[k] > high[i];
            below[i] += scores[k] < low[i];
        }
    for (std::size_t i = 0; i < Some; ++i) {
        higher[i] = above[i];
        lower[i] = below[i];
    }
}

// The same by its name, since a template has no clones.
#define RANKSTONE_TALLY(T, Some)                                                                   \
    RANKSTONE_CLONES inline void tally_##Some(const T* scores, std::size_t n, const T* high,       \
                                              const T* low, std::int32_t* higher,                  \
                                              std::int32_t* lower) {                               \
        tally<T, Some>(scores, n, high, low, higher, lower);                                       \
    }
RANKSTONE_TALLY(float, 1)
RANKSTONE_TALLY(float, 2)
RANKSTONE_TALLY(float, 5)
RANKSTONE_TALLY(double, 1)
RANKSTONE_TALLY(double, 2)
RANKSTONE_TALLY(double, 5)
#undef RANKSTONE_TALLY

template <typename T>
using Counting = void (*)(const T*, std::size_t, const T*, const T*, std::int32_t*, std::int32_t*);

template <typename T>
Counting<T> tally_of(std::size_t some) {
    return some == 1 ? Counting<T>{tally_1} : some == 2 ? Counting<T>{tally_2} : Counting<T>{tally_5};
}

#ifdef RANKSTONE_HAS_CLONES
// By adding under a mask, which compilers do not find: a third faster, and most of the time of a
// catalogue goes here.
template <std::size_t Some>
__attribute__((target("avx512f"))) void tally_wide(const float* scores, std::size_t n, const float* high,
                                                   const float* low, std::int32_t* higher,
                                                   std::int32_t* lower) {
    const __m512i one = _mm512_set1_epi32(1);
    __m512i above[Some], below[Some];
    __m512 top[Some], bottom[Some];
    for (std::size_t i = 0; i < Some; ++i) {
        above[i] = below[i] = _mm512_setzero_si512();
        top[i] = _mm512_set1_ps(high[i]);
        bottom[i] = _mm512_set1_ps(low[i]);
    }
    const std::size_t whole = n - n % 16;
    for (std::size_t k = 0; k < whole; k += 16) {
        const __m512 some = _mm512_loadu_ps(scores + k);
        for (std::size_t i = 0; i < Some; ++i) {
            above[i] = _mm512_mask_add_epi32(above[i], _mm512_cmp_ps_mask(some, top[i], _CMP_GT_OQ),
                                             above[i], one);
            below[i] = _mm512_mask_add_epi32(
                below[i], _mm512_cmp_ps_mask(some, bottom[i], _CMP_LT_OQ), below[i], one);
        }
    }
    tally<float, Some>(scores + whole, n - whole, high, low, higher, lower);
    for (std::size_t i = 0; i < Some; ++i) {
        std::int32_t lanes[2][16];
        _mm512_storeu_si512(lanes[0], above[i]);
        _mm512_storeu_si512(lanes[1], below[i]);
        higher[i] += std::accumulate(lanes[0], lanes[0] + 16, 0);
        lower[i] += std::accumulate(lanes[1], lanes[1] + 16, 0);
    }
}

template <>
inline Counting<float> tally_of(std::size_t some) {
    static const bool wide = __builtin_cpu_supports("avx512f");
    if (wide) return some == 1 ? tally_wide<1> : some == 2 ? tally_wide<2> : tally_wide<5>;
    return some == 1 ? Counting<float>{tally_1} : some == 2 ? Counting<float>{tally_2} : Counting<float>{tally_5};
}
#endif

// Counts in one list at a time. A score of -inf is that of a document that is not in the list.
template <typename T>
class ListCounter {
  public:
    struct Counts {
        std::int64_t *above, *tied, *earlier;
        std::int64_t* near = nullptr;  // documents whose score is within a tolerance
    };

    // Whether scores are -inf, or finite and below a bound: by default one up to which whole numbers
    // are not rounded.
    bool has_plain_scores(const T* scores, std::size_t n, T beyond = T(9007199254740992.0)) {
        constexpr T absent = -std::numeric_limits<T>::infinity();
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

    void count(const T* scores, std::size_t n, const std::int64_t* columns, std::size_t judged,
               Counts out) {
        if (judged <= few)
            compare(scores, n, columns, judged, T{0}, out);
        else
            search(scores, n, columns, judged, out);
    }

    // The same, and how many scores are near: most are alone, and are counted once all the same.
    void count_near(const T* scores, std::size_t n, const std::int64_t* columns, std::size_t judged,
                    T tolerance, Counts out) {
        if (judged <= few) return compare(scores, n, columns, judged, tolerance, out);
        search(scores, n, columns, judged, out);
        levels_.assign(scores, scores + n);
        std::sort(levels_.begin(), levels_.end());
        for (std::size_t j = 0; j < judged; ++j) {
            const T own = scores[columns[j]];
            out.near[j] = std::upper_bound(levels_.begin(), levels_.end(), own + tolerance) -
                          std::lower_bound(levels_.begin(), levels_.end(), own - tolerance);
        }
    }

  private:
    static constexpr std::size_t few = 48, chunk = 4096, at_once = 5, at_a_time = 256;

    // Compares each of a few scores with all.
    static void compare(const T* scores, std::size_t n, const std::int64_t* columns,
                        std::size_t judged, T tolerance, Counts out) {
        for (std::size_t j = 0; j < judged; ++j) out.above[j] = out.tied[j] = 0;
        for (std::size_t begin = 0; begin < n; begin += chunk)
            for (std::size_t j = 0; j < judged; j += at_once)
                add_chunk(scores, begin, std::min(chunk, n - begin), columns + j,
                          std::min(at_once, judged - j), tolerance, out.above + j, out.tied + j);
        for (std::size_t j = 0; j < judged; ++j) {
            if (out.near) out.near[j] = out.tied[j];
            if (out.tied[j] > 1 && tolerance > 0) {
                out.above[j] = out.tied[j] = 0;
                add_chunk(scores, 0, n, columns + j, 1, T{0}, out.above + j, out.tied + j);
            }
            out.earlier[j] = out.tied[j] > 1 ? equal_before(scores, columns[j]) : 0;
        }
    }

    // Adds how many of the next scores are above those of up to five documents, and how many near.
    static void add_chunk(const T* scores, std::size_t begin, std::size_t size,
                          const std::int64_t* columns, std::size_t some, T tolerance,
                          std::int64_t* above, std::int64_t* near) {
        T high[at_once], low[at_once];
        for (std::size_t i = 0; i < at_once; ++i) {
            const T own = scores[columns[std::min(i, some - 1)]];
            high[i] = own + tolerance;
            low[i] = own - tolerance;
        }
        std::int32_t higher[at_once] = {}, lower[at_once] = {};
        tally_of<T>(some)(scores + begin, size, high, low, higher, lower);
        for (std::size_t i = 0; i < some; ++i) {
            above[i] += higher[i];
            near[i] += static_cast<std::int64_t>(size) - higher[i] - lower[i];
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
    std::vector<std::size_t> by_score_, level_of_;
    std::vector<T> levels_;
    std::vector<std::int64_t> reach_, equal_;
};

template <typename T>
nb::object count_lists(const T* scores, std::size_t rows, std::size_t width,
                       const std::int64_t* offsets, const std::int64_t* columns) {
    const auto judged = static_cast<std::size_t>(offsets[rows]);
    std::unique_ptr<std::int64_t[]> above(new std::int64_t[judged]), tied(new std::int64_t[judged]),
        earlier(new std::int64_t[judged]);
    std::vector<std::int64_t> retrieved(rows);
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
        }
    }
    if (!plain) return nb::none();
    return nb::make_tuple(array_of(std::move(above), judged), array_of(std::move(tied), judged),
                          array_of(std::move(earlier), judged), array_of(std::move(retrieved)));
}

// Counts above, equal, equal and before, and near; how many documents of each row are absent; and the
// first row with a score that is NaN or +inf. Rows are looked through for these if `check`.
template <typename T>
nb::object count_near_lists(const T* scores, std::size_t rows, std::size_t width,
                            const std::int64_t* offsets, const std::int64_t* columns,
                            const double* tolerance, bool check) {
    const auto judged = static_cast<std::size_t>(offsets[rows]);
    std::vector<std::int64_t> above(judged), tied(judged), earlier(judged), near(judged), absent(rows);
    std::int64_t fault = -1;
    {
        nb::gil_scoped_release release;
        ListCounter<T> counter;
        for (std::size_t row = 0; row < rows; ++row) {
            const T* own = scores + row * width;
            const std::int64_t begin = offsets[row];
            if (check) {
                if (!counter.has_plain_scores(own, width, std::numeric_limits<T>::infinity())) {
                    fault = static_cast<std::int64_t>(row);
                    break;
                }
                absent[row] = static_cast<std::int64_t>(width) - counter.retrieved(width);
            }
            counter.count_near(own, width, columns + begin,
                               static_cast<std::size_t>(offsets[row + 1] - begin),
                               static_cast<T>(tolerance[row]),
                               {above.data() + begin, tied.data() + begin, earlier.data() + begin,
                                near.data() + begin});
        }
    }
    return nb::make_tuple(array_of(std::move(above)), array_of(std::move(tied)),
                          array_of(std::move(earlier)), array_of(std::move(near)),
                          array_of(std::move(absent)), fault);
}

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;
using Scores = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Refuses columns that are outside the rows of a table, or in another order.
inline void check_columns(const Scores& scores, const Whole& offsets, const Whole& columns) {
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
}

// Calls a function with the scores in their type.
template <typename Count>
nb::object with_scores(const Scores& scores, Count&& count) {
    if (scores.dtype() == nb::dtype<float>()) return count(static_cast<const float*>(scores.data()));
    if (scores.dtype() == nb::dtype<double>()) return count(static_cast<const double*>(scores.data()));
    throw nb::type_error("scores must be float32 or float64");
}

inline nb::object count_table(Scores scores, Whole offsets, Whole columns) {
    check_columns(scores, offsets, columns);
    return with_scores(scores, [&](const auto* data) {
        return count_lists(data, scores.shape(0), scores.shape(1), offsets.data(), columns.data());
    });
}

inline nb::object count_near(Scores scores, Whole offsets, Whole columns,
                             nb::ndarray<const double, nb::ndim<1>, nb::c_contig> tolerance, bool check) {
    check_columns(scores, offsets, columns);
    if (tolerance.shape(0) != scores.shape(0)) throw nb::value_error("a tolerance for each row");
    return with_scores(scores, [&](const auto* data) {
        return count_near_lists(data, scores.shape(0), scores.shape(1), offsets.data(),
                                columns.data(), tolerance.data(), check);
    });
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
