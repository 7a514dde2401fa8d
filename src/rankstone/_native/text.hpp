// Reading fields and numbers out of text. All text handed to these functions is
// followed by at least `padding` readable bytes, the first of them a newline.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace rankstone {

inline constexpr std::size_t padding = 16;
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

inline std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        std::uint64_t swapped = 0;
        for (int i = 0; i < 8; ++i) swapped |= ((word >> (8 * i)) & 0xff) << (56 - 8 * i);
        word = swapped;
    }
    return word;
}

// The first byte at or after p that is a space or a control character.
inline const char* field_end(const char* p) {
    constexpr std::uint64_t ones = ~std::uint64_t{0} / 255;
    for (;; p += 8) {
        const std::uint64_t word = load8(p);
        const std::uint64_t below = (word - ones * 0x21) & ~word & (ones * 0x80);
        if (below) return p + std::countr_zero(below) / 8;
    }
}

inline const char* skip_blanks(const char* p) {
    while (*p == ' ' || *p == '\t') ++p;
    return p;
}

inline const char* line_end(const char* p, const char* end) {
    const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    return found ? static_cast<const char*>(found) : end;
}

// Two rounds, since after one the last byte of a word still shows in two bytes only, and the
// digits of the next word could cancel it.
inline std::uint64_t mix(std::uint64_t h) {
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 29);
}

inline std::uint64_t hash_id(const char* p, std::size_t n) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ n;
    for (; n > 8; p += 8, n -= 8) h = mix(h ^ load8(p));
    const std::uint64_t tail = n ? load8(p) & (~std::uint64_t{0} >> (64 - 8 * n)) : 0;
    return mix(h ^ tail);
}

inline bool same_bytes(const char* a, std::size_t n, const char* b, std::size_t m) {
    return n == m && std::memcmp(a, b, n) == 0;
}

enum class Number { fine, not_a_number, not_finite };

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// "nan", "inf" and "infinity", whatever the case, as they stand in logs of broken models.
inline bool names_non_finite(std::string_view text) {
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
    for (std::string_view word : {std::string_view("nan"), std::string_view("inf"),
                                  std::string_view("infinity")}) {
        if (text.size() != word.size()) continue;
        bool same = true;
        for (std::size_t i = 0; i < word.size(); ++i)
            same = same && (text[i] | 0x20) == word[i];
        if (same) return true;
    }
    return false;
}

// A decimal number: sign, digits with an optional point, optional exponent. The result is
// the double nearest to the decimal, by one exact multiplication or division where that is
// possible and by std::from_chars otherwise.
inline Number parse_number(const char* begin, const char* end, double& value) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* p = begin;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    const char* const unsigned_begin = p;
    std::uint64_t digits = 0;
    std::int64_t scale = 0;       // power of ten that the digits read so far still need
    std::int64_t magnitude = 0;   // number of digits before the point, leading zeros left out
    int kept = 0;                 // digits held in `digits`
    bool seen = false, point = false, nonzero = false;
    for (; p < end; ++p) {
        if (is_digit(*p)) {
            seen = true;
            nonzero = nonzero || *p != '0';
            if (nonzero) {
                if (kept < 19) {
                    digits = digits * 10 + static_cast<std::uint64_t>(*p - '0');
                    ++kept;
                    if (point) --scale;
                } else {
                    kept = 20;
                    if (!point) ++scale;
                }
                if (!point) ++magnitude;
            } else if (point) {
                --scale;
                --magnitude;
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!seen) return names_non_finite({begin, static_cast<std::size_t>(end - begin)})
                          ? Number::not_finite : Number::not_a_number;
    std::int64_t exponent = 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        const bool down = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        if (p == end || !is_digit(*p)) return Number::not_a_number;
        for (; p < end && is_digit(*p); ++p)
            if (exponent < 1'000'000'000) exponent = exponent * 10 + (*p - '0');
        if (down) exponent = -exponent;
    }
    if (p != end) return Number::not_a_number;
    const std::int64_t power = scale + exponent;
    double result;
    if (!nonzero) {
        result = 0.0;
    } else if (kept <= 19 && digits <= (std::uint64_t{1} << 53) && power >= -22 && power <= 22) {
        result = static_cast<double>(digits);
        result = power < 0 ? result / powers[-power] : result * powers[power];
    } else {
        const auto read = std::from_chars(unsigned_begin, end, result);
        if (read.ec == std::errc::result_out_of_range) {
            if (magnitude + exponent > 0) return Number::not_finite;
            result = 0.0;
        } else if (read.ec != std::errc()) {
            return Number::not_a_number;
        }
        if (!std::isfinite(result)) return Number::not_finite;
    }
    value = negative ? -result : result;
    return Number::fine;
}

// Where the fields of interest stand in a line; `rank` is -1 where there is none.
struct Layout {
    int columns;
    int query;
    int doc;
    int value;
    int rank;
};

enum class Fault : int {
    none = 0,
    field_count = 1,
    not_a_number = 2,
    not_finite = 3,
    control_character = 4,
    long_line = 5,
};

struct Field {
    const char* begin;
    const char* end;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

inline constexpr int most_columns = 8;

struct Line {
    Field field[most_columns];
    int count = 0;
    const char* next = nullptr;
    double value = 0.0;
    Fault fault = Fault::none;
    const char* where = nullptr;
};

// Splits the line that starts at p; `end` is the end of the text.
inline void read_line(const char* p, const char* end, Line& line) {
    line.count = 0;
    line.fault = Fault::none;
    for (;;) {
        p = skip_blanks(p);
        if (*p == '\n') break;
        if (*p == '\r' && (p + 1 >= end || p[1] == '\n')) {
            ++p;
            break;
        }
        const char* stop = field_end(p);
        if (stop == p) {
            line.fault = Fault::control_character;
            line.where = p;
            return;
        }
        if (line.count < most_columns) line.field[line.count] = {p, stop};
        ++line.count;
        p = stop;
    }
    line.next = p < end ? p + 1 : end;
}

}  // namespace rankstone
