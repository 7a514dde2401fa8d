// Reading fields and numbers out of text. All text handed to these functions is
// followed by at least `padding` readable bytes, the first of them a newline.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>

#include "read_double.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define RANKSTONE_SSE2 1
#endif

namespace rankstone {

// Has memory fetched that will be used soon.
inline void prefetch([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p, 1);
#endif
}

// As prefetch, of memory that nobody writes meanwhile: processors drop the prefetch of a page whose
// address they have to look up, but not a read.
inline void touch(const void* p) { static_cast<void>(*static_cast<const volatile char*>(p)); }

inline constexpr std::size_t padding = 64;
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

// Drawn anew in each process, so that no file can be made whose ids all collide.
inline const std::uint64_t hash_seed = [] {
    std::random_device draw;
    return (static_cast<std::uint64_t>(draw()) << 32) ^ draw();
}();

inline std::uint64_t hash_id(const char* p, std::size_t n) {
    std::uint64_t h = hash_seed ^ n;
    for (; n > 8; p += 8, n -= 8) h = mix(h ^ load8(p));
    const std::uint64_t tail = n ? load8(p) & (~std::uint64_t{0} >> (64 - 8 * n)) : 0;
    return mix(h ^ tail);
}

inline std::uint64_t load4(const char* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    if constexpr (std::endian::native == std::endian::big)
        word = (word >> 24) | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | (word << 24);
    return word;
}

// As hash_id, but reads no byte beyond the id: not all text is padded. The last bytes are read
// by loads that overlap, since the same bits twice are the same bits.
inline std::uint64_t hash_exact(const char* p, std::size_t n) {
    std::uint64_t h = hash_seed ^ n;
    if (n >= 8) {
        for (; n > 8; p += 8, n -= 8) h = mix(h ^ load8(p));
        return mix(h ^ (load8(p + n - 8) >> (64 - 8 * n)));
    }
    if (n >= 4) return mix(h ^ (load4(p) | load4(p + n - 4) << (8 * (n - 4))));
    if (n == 0) return mix(h);
    const auto byte = [p](std::size_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
    };
    return mix(h ^ (byte(0) | byte(n / 2) | byte(n - 1)));
}

inline bool same_bytes(const char* a, std::size_t n, const char* b, std::size_t m) {
    if (n != m) return false;
    if (n > 16) return std::memcmp(a, b, n) == 0;
    if (n < 4) return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
    const auto differ = [&](auto load, std::size_t width) {
        return (load(a) ^ load(b)) | (load(a + n - width) ^ load(b + n - width));
    };
    return (n < 8 ? differ(load4, 4) : differ(load8, 8)) == 0;  // by loads that overlap
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

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Digits in the bytes of a word as a number, the last in the highest byte; false if others are there.
inline bool parse_digits(std::uint64_t word, std::uint64_t& value) {
    constexpr std::uint64_t ones = ~std::uint64_t{0} / 255;
    const bool sound = (((word + ones * 0x76) | word) & ones * 0x80) == 0;
    word = word * (10 * 256 + 1) >> 8 & 0x00ff00ff00ff00ff;
    word = word * (100 * 65536 + 1) >> 16 & 0x0000ffff0000ffff;
    value = word * ((std::uint64_t{10000} << 32) + 1) >> 32;
    return sound;
}

// 1 to 8 digits, as parse_digits takes them.
inline std::uint64_t load_digits(const char* p, std::ptrdiff_t count) {
    constexpr std::uint64_t zeros = ~std::uint64_t{0} / 255 * '0';
    return (load8(p) ^ zeros) << (64 - 8 * count);
}

// The common case, at most 15 digits, of which some come before the end or a point, and 8 at most: one
// exact division. False where the number needs a closer look.
inline bool parse_short_number(const char* p, const char* end, double& value) {
    constexpr std::uint64_t ones = ~std::uint64_t{0} / 255;
    const bool negative = *p == '-';
    p += negative;
    const std::uint64_t other = load8(p) ^ ones * '.', points = (other - ones) & ~other & ones * 0x80;
    const std::ptrdiff_t size = end - p, whole = std::countr_zero(points) / 8;
    std::ptrdiff_t decimals = size - whole - 1;
    std::uint64_t digits, last;
    if (points && decimals > 0) {
        const std::ptrdiff_t more = size > 9 ? size - 9 : 0;  // than 8 digits
        const std::ptrdiff_t few = decimals - more;
        if (whole == 0 || size > 16) return false;
        const std::uint64_t word = load_digits(p, whole) >> 8 * few | load_digits(p + whole + 1, few);
        if (!parse_digits(word, digits)) return false;
        if (more) {
            if (!parse_digits(load_digits(end - more, more), last)) return false;
            digits = digits * static_cast<std::uint64_t>(powers_of_ten[more]) + last;
        }
    } else {
        decimals = 0;
        if (size < 1 || size > 8 || !parse_digits(load_digits(p, size), digits)) return false;
    }
    const auto whole_number = static_cast<std::int64_t>(digits);  // signed: becomes a double at once
    const double magnitude = static_cast<double>(whole_number) / powers_of_ten[decimals];
    value = negative ? -magnitude : magnitude;
    return true;
}

// A decimal number: sign, digits with an optional point, optional exponent. The result is
// the double nearest to the decimal, by one exact multiplication or division where that is
// possible and by the library otherwise.
inline Number parse_number(const char* begin, const char* end, double& value) {
    if (parse_short_number(begin, end, value)) return Number::fine;
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
        result = power < 0 ? result / powers_of_ten[-power] : result * powers_of_ten[power];
    } else {
        const auto read = read_decimal(unsigned_begin, end, result);
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

inline bool is_hex_digit(char c) {
    return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 6;
}

// Whether a text starts with a word of three letters, in lower case, whatever its own case.
inline bool starts_with(const char* p, const char* end, const char* word) {
    return end - p >= 3 && (p[0] | 0x20) == word[0] && (p[1] | 0x20) == word[1] &&
           (p[2] | 0x20) == word[2];
}

// A hexadecimal number after its 0x, up to what is none any more. Where that is, is not left to the
// library: libstdc++ takes two signs of an exponent for one.
inline Number parse_hexadecimal(const char* begin, const char* end, double& value) {
    std::int64_t magnitude = 0;  // of the first digit that is not 0, in powers of 16
    bool point = false, nonzero = false;
    const char* p = begin;
    for (; p < end && (is_hex_digit(*p) || (*p == '.' && !point)); ++p) {
        if (*p == '.') {
            point = true;
            continue;
        }
        nonzero = nonzero || *p != '0';
        if (nonzero && !point) ++magnitude;
        if (!nonzero && point) --magnitude;
    }
    std::int64_t exponent = 0;
    if (p < end && (*p | 0x20) == 'p') {
        const char* q = p + 1;
        const bool down = q < end && *q == '-';
        if (q < end && (*q == '-' || *q == '+')) ++q;
        if (q < end && is_digit(*q)) {
            for (p = q; p < end && is_digit(*p); ++p)
                if (exponent < 1'000'000'000) exponent = exponent * 10 + (*p - '0');
            if (down) exponent = -exponent;
        }
    }
    if (read_hexadecimal(begin, p, value).ec != std::errc::result_out_of_range) return Number::fine;
    if (4 * magnitude + exponent > 0) return Number::not_finite;
    value = 0.0;
    return Number::fine;
}

// As C's atof: the number a text starts with, infinity where it is too large, 0 where the text
// starts with none. What is refused is NaN, which has no place in an order.
inline Number parse_atof(const char* begin, const char* end, double& value) {
    const char* p = begin;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    const double infinity = std::numeric_limits<double>::infinity();
    if (starts_with(p, end, "nan")) return Number::not_finite;
    if (starts_with(p, end, "inf")) {
        value = negative ? -infinity : infinity;
        return Number::fine;
    }
    if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' &&
        (is_hex_digit(p[2]) || (end - p > 3 && p[2] == '.' && is_hex_digit(p[3])))) {
        if (parse_hexadecimal(p + 2, end, value) == Number::not_finite) value = infinity;
        if (negative) value = -value;
        return Number::fine;
    }
    const char* const digits = p;
    while (p < end && is_digit(*p)) ++p;
    std::ptrdiff_t count = p - digits;
    if (p < end && *p == '.') {
        const char* const point = ++p;
        while (p < end && is_digit(*p)) ++p;
        count += p - point;
    }
    value = 0.0;
    if (count == 0) return Number::fine;
    if (p < end && (*p | 0x20) == 'e') {
        const char* q = p + 1;
        if (q < end && (*q == '-' || *q == '+')) ++q;
        if (q < end && is_digit(*q)) {
            while (q < end && is_digit(*q)) ++q;
            p = q;
        }
    }
    if (parse_number(begin, p, value) == Number::not_finite) value = negative ? -infinity : infinity;
    return Number::fine;
}

// As C's atol: the whole number a text starts with, at most what 64 bits hold, 0 where it
// starts with none.
inline Number parse_atol(const char* begin, const char* end, double& value) {
    if (names_non_finite({begin, static_cast<std::size_t>(end - begin)})) return Number::not_finite;
    const char* p = begin;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    const std::uint64_t most = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
    std::uint64_t whole = 0;
    for (; p < end && is_digit(*p); ++p) {
        const auto digit = static_cast<std::uint64_t>(*p - '0');
        whole = whole > (most - digit) / 10 ? most : whole * 10 + digit;
    }
    const double magnitude = static_cast<double>(whole);
    value = negative && whole ? -magnitude : magnitude;
    return Number::fine;
}

// How the number of a line is written: as a decimal number, as a rank, of which the lowest is
// the best, or as C's atof or atol take it.
enum class Reading : int { number = 0, rank = 1, atof = 2, atol = 3 };

inline Number read_number(Reading reading, const char* begin, const char* end, double& value) {
    if (reading == Reading::number) return parse_number(begin, end, value);
    if (reading == Reading::atof) return parse_atof(begin, end, value);
    if (reading == Reading::atol) return parse_atol(begin, end, value);
    const Number found = parse_number(begin, end, value);
    value = 0.0 - value;
    return found;
}

struct Record;  // json_text.hpp

// Which fields of a line hold what; `rank` is -1 if none holds a rank. With `more` a line may have
// further fields. `iteration` is a field of judgments of which a few values are noted. If lines hold
// objects, of a `record`, the query and the document are the fields of a line.
struct RowLayout {
    int columns;
    int query;
    int doc;
    int value;
    int rank;
    Reading reading = Reading::number;
    bool more = false;
    int iteration = -1;
    std::shared_ptr<const Record> record{};

    bool fits(int count) const { return count == columns || (more && count > columns); }
};

enum class Fault : int {
    none = 0,
    field_count = 1,
    not_a_number = 2,
    not_finite = 3,
    control_character = 4,
    long_line = 5,
    unusual = 6,  // JSON that the strict reader has to look at
};

struct Field {
    const char* begin;
    const char* end;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

// Whether fields of text that is padded are equal.
inline bool same_fields(const Field& a, const Field& b) {
    if (a.size() > 8) return same_bytes(a.begin, a.size(), b.begin, b.size());
    return ((a.size() ^ b.size()) | (load8(a.begin) ^ load8(b.begin)) << (64 - 8 * a.size())) == 0;
}

inline constexpr int most_columns = 8;

struct Line {
    Field field[most_columns];
    int count = 0;
    bool commented = false;  // a comment that would be a row without its #
    const char* next = nullptr;
    double value = 0.0;
    Fault fault = Fault::none;
    const char* where = nullptr;
};

#ifdef RANKSTONE_SSE2
// Splits the line that starts at p if it is short and plain and has that many fields with a blank
// after each, which nearly every line does; false where read_line has to look closer.
inline bool read_plain_line(const char* p, const char* end, int columns, Line& line) {
    std::uint64_t separators = 0, blanks = 0;  // bits for bytes
    const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t');
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        const auto bits = [i](__m128i equal) {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal)))
                   << (16 * i);
        };
        separators |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes));
        blanks |= bits(_mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(bytes, tab)));
        if (i == 2 && separators != blanks) break;
    }
    const std::uint64_t others = separators & ~blanks;
    separators &= others ^ (others - 1);  // up to the first that is not a blank
    if (!others || (separators & (separators << 1 | 1))) return false;
    const char* begin = p;
    for (int i = 0; i < columns; ++i) {
        if (!separators) return false;
        line.field[i].begin = begin;
        line.field[i].end = p + static_cast<unsigned>(std::countr_zero(separators));
        begin = line.field[i].end + 1;
        separators &= separators - 1;
    }
    if (separators || begin[-1] != '\n') return false;
    line.count = columns;
    line.fault = Fault::none;
    line.next = std::min(begin, end);
    return true;
}
#else
// Without vector instructions read_line is as quick.
inline bool read_plain_line(const char*, const char*, int, Line&) { return false; }
#endif

// Splits the line that starts at p; `end` is the end of the text.
inline void read_line(const char* p, const char* end, Line& line) {
    line.count = 0;
    line.commented = false;
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
