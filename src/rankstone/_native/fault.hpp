// What is wrong with a line, and the check that every line of either kind of file goes through.
#pragma once

#include <algorithm>
#include <string>

#include "json_text.hpp"

namespace rankstone {

struct FaultReport {
    Fault fault = Fault::none;
    std::uint64_t line_begin = 0;  // offset of the faulty line
    std::size_t column = 0;        // bytes into the line
    int field = 0;                 // which field, how many there were, or which byte
    std::string text;              // what was found
};

inline std::string excerpt(const char* begin, const char* end) {
    return {begin, std::min<std::size_t>(static_cast<std::size_t>(end - begin), 64)};
}

// Reads the number of a line that has been split.
inline bool read_value(const char* p, const RowLayout& layout, Line& line, FaultReport& report) {
    const Field& field = line.field[layout.value];
    const Number number = read_number(layout.reading, field.begin, field.end, line.value);
    if (number == Number::fine) return true;
    report = {number == Number::not_finite ? Fault::not_finite : Fault::not_a_number, 0,
              static_cast<std::size_t>(field.begin - p), layout.value,
              excerpt(field.begin, field.end)};
    return false;
}

#ifdef RANKSTONE_SSE2
// The 64 bytes at a position, as one bit for each byte.
struct Window {
    std::uint64_t separator;  // space or control character
    std::uint64_t newline;
    std::uint64_t odd;  // a separator that is neither blank nor newline
};

inline Window look(const char* p) {
    Window seen{0, 0, 0};
    std::uint64_t blank = 0;
    const __m128i space = _mm_set1_epi8(' ');
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        const auto bits = [i](__m128i equal) {
            return static_cast<std::uint64_t>(
                       static_cast<std::uint32_t>(_mm_movemask_epi8(equal)))
                   << (16 * i);
        };
        seen.separator |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes));
        seen.newline |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
        blank |= bits(_mm_or_si128(_mm_cmpeq_epi8(bytes, space),
                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'))));
    }
    seen.odd = seen.separator & ~(blank | seen.newline);
    return seen;
}

// Splits lines that follow each other; text is looked at once for all lines in it that are short.
class PlainLines {
  public:
    // As read_plain_line.
    bool read(const char* p, const char* end, int columns, Line& line) {
        if (p != next_ || !seen_.newline) {
            base_ = p;
            seen_ = look(p);
            starts_ = ~seen_.separator & ((seen_.separator << 1) | 1);
            stops_ = seen_.separator & (~seen_.separator << 1);
        }
        const std::uint64_t within = seen_.newline ^ (seen_.newline - 1);  // up to the first newline
        next_ = nullptr;
        if (!seen_.newline || (seen_.odd & within)) return false;
        std::uint64_t last = 0;
        for (int i = 0; i < columns; ++i) {
            last = starts_;
            line.field[i] = {base_ + std::countr_zero(starts_), base_ + std::countr_zero(stops_)};
            starts_ &= starts_ - 1;
            stops_ &= stops_ - 1;
        }
        if (!(last & within) || (starts_ & within)) return false;
        line.count = columns;
        line.fault = Fault::none;
        next_ = base_ + std::countr_zero(seen_.newline) + 1;
        seen_.newline &= seen_.newline - 1;
        line.next = std::min(next_, end);
        return true;
    }

  private:
    Window seen_{0, 0, 0};
    std::uint64_t starts_ = 0, stops_ = 0;
    const char *base_ = nullptr, *next_ = nullptr;
};
#else
// Without vector instructions read_line is as quick.
struct PlainLines {
    bool read(const char*, const char*, int, Line&) { return false; }
};
#endif

// As read_row, of a line that is not plain.
inline bool read_unusual_row(const char* p, const char* end, const RowLayout& layout, Line& line,
                             FaultReport& report) {
    if (layout.record) {
        if (read_record(p, end, *layout.record, layout.reading, line)) return true;
        report = {Fault::unusual, 0, 0, 0, {}};
        return false;
    }
    read_line(p, end, line);
    if (line.fault != Fault::none &&
        static_cast<std::size_t>(line.where - p) < longest_line) {
        report = {line.fault, 0, static_cast<std::size_t>(line.where - p),
                  static_cast<unsigned char>(*line.where), std::string(1, *line.where)};
        return false;
    }
    if (line.fault != Fault::none || static_cast<std::size_t>(line.next - p) > longest_line) {
        report = {Fault::long_line, 0, 0, 0, {}};
        return false;
    }
    if (line.count == 0) return true;
    if (*line.field[0].begin == '#') {
        FaultReport ignored;
        line.commented = layout.fits(line.count) && read_value(p, layout, line, ignored);
        line.count = 0;
        return true;
    }
    if (!layout.fits(line.count)) {
        report = {Fault::field_count, 0, 0, line.count, excerpt(p, line_end(p, end))};
        return false;
    }
    return read_value(p, layout, line, report);
}

// Splits and checks one line and reads its number; false with a report where it is at fault.
// A line that starts with # is a comment and, like a blank one, has no fields.
inline bool read_row(const char* p, const char* end, const RowLayout& layout, Line& line,
                     FaultReport& report) {
    if (layout.record || !read_plain_line(p, end, layout.columns, line) || *line.field[0].begin == '#')
        return read_unusual_row(p, end, layout, line, report);
    const Field& number = line.field[layout.value];
    return (layout.reading == Reading::number && parse_short_number(number.begin, number.end, line.value)) ||
           read_value(p, layout, line, report);
}

}  // namespace rankstone
