// Reading JSON as far as it is plain. What is not (escapes in ids, values within values, numbers of
// very many digits) is refused here and left to the strict reader, which also says what is wrong.
// All text handed to these functions is followed by `padding` readable bytes, which end any string
// and any number: control characters.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "text.hpp"

namespace rankstone {

inline constexpr std::ptrdiff_t longest_json_number = 300;

// The first byte at or after p that is a quote, a backslash, a control character or not ASCII.
inline const char* plain_string_end(const char* p) {
    constexpr std::uint64_t ones = ~std::uint64_t{0} / 255, high = ones * 0x80;
    const auto zeros = [](std::uint64_t word) { return (word - ones) & ~word; };
    for (;; p += 8) {
        const std::uint64_t word = load8(p);
        const std::uint64_t control = (word - ones * 0x20) & ~word;
        const std::uint64_t marks = zeros(word ^ ones * '"') | zeros(word ^ ones * '\\');
        if (const std::uint64_t found = (control | marks | word) & high)
            return p + std::countr_zero(found) / 8;
    }
}

// The length of the character of several bytes at p in UTF-8; 0 if there is none.
inline int character_size(const char* p) {
    const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
    const auto within = [&](int i, int low, int top) { return byte(i) >= low && byte(i) <= top; };
    const int first = byte(0);
    if (first >= 0xc2 && first <= 0xdf) return within(1, 0x80, 0xbf) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {  // neither longer than needed nor a surrogate
        const int low = first == 0xe0 ? 0xa0 : 0x80, top = first == 0xed ? 0x9f : 0xbf;
        return within(1, low, top) && within(2, 0x80, 0xbf) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const int low = first == 0xf0 ? 0x90 : 0x80, top = first == 0xf4 ? 0x8f : 0xbf;
        return within(1, low, top) && within(2, 0x80, 0xbf) && within(3, 0x80, 0xbf) ? 4 : 0;
    }
    return 0;
}

// The length of the escape at p; 0 if it is none.
inline int escape_size(const char* p) {
    if (p[1] == 'u') {
        for (int i = 2; i < 6; ++i)
            if (!is_hex_digit(p[i])) return 0;
        return 6;
    }
    return p[1] && std::strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
}

// The closing quote of a string that starts at p, after the opening one; null if it is unusual.
inline const char* string_end(const char* p, bool escapes) {
    for (;;) {
        p = plain_string_end(p);
        if (*p == '"') return p;
        const int size = *p == '\\' ? (escapes ? escape_size(p) : 0) : character_size(p);
        if (!size) return nullptr;
        p += size;
    }
}

// The end of the number that starts at p; null if it is none, or unusual. -0 is: as a whole number
// it has no sign.
inline const char* number_end(const char* p, bool& whole) {
    const char* const begin = p;
    p += *p == '-';
    const char* const digits = p;
    while (is_digit(*p)) ++p;
    if (p == digits || (*digits == '0' && p != digits + 1)) return nullptr;
    whole = true;
    if (*p == '.') {
        whole = false;
        const char* const decimals = ++p;
        while (is_digit(*p)) ++p;
        if (p == decimals) return nullptr;
    }
    if ((*p | 0x20) == 'e') {
        whole = false;
        ++p;
        p += *p == '-' || *p == '+';
        const char* const exponent = p;
        while (is_digit(*p)) ++p;
        if (p == exponent) return nullptr;
    }
    if (p - begin > longest_json_number || (whole && *begin == '-' && *digits == '0')) return nullptr;
    return p;
}

// Reads an id, text or a whole number; the end of its value, null if it is unusual.
inline const char* read_json_id(const char* p, Field& id) {
    if (*p == '"') {
        id = {p + 1, string_end(p + 1, false)};
        return id.end && id.size() ? id.end + 1 : nullptr;
    }
    bool whole;
    id = {p, number_end(p, whole)};
    return id.end && whole ? id.end : nullptr;
}

// Reads a number, of which the lowest is the best if it is read as a rank.
inline const char* read_json_number(const char* p, Reading reading, double& value) {
    bool whole;
    const char* const end = number_end(p, whole);
    return end && read_number(reading, p, end, value) == Number::fine ? end : nullptr;
}

// The end of a text, number, true, false or null that is not read.
inline const char* skip_json_value(const char* p) {
    if (*p == '"') {
        const char* const end = string_end(p + 1, true);
        return end ? end + 1 : nullptr;
    }
    for (const char* word : {"true", "false", "null"})
        if (std::strncmp(p, word, std::strlen(word)) == 0) return p + std::strlen(word);
    bool whole;
    return number_end(p, whole);
}

inline const char* skip_json_space(const char* p) {
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') ++p;
    return p;
}

// An object whose keys are the same, in the same text, each time: the text before each of its
// values and after the last, and what the values are.
struct Record {
    enum Role : int { other, query, doc, number };
    std::vector<std::string> pieces;
    std::vector<Role> roles;
};

// Reads an object at p; its end, null if it is unusual. Ids are left alone that it does not hold.
inline const char* read_object(const char* p, const char* end, const Record& record,
                               Reading reading, Field& query, Field& doc, double& value) {
    for (std::size_t i = 0;; ++i) {
        const std::string& piece = record.pieces[i];
        if (static_cast<std::size_t>(end - p) < piece.size() ||
            std::memcmp(p, piece.data(), piece.size()) != 0)
            return nullptr;
        p += piece.size();
        if (i == record.roles.size()) return p;
        switch (record.roles[i]) {
            case Record::query: p = read_json_id(p, query); break;
            case Record::doc: p = read_json_id(p, doc); break;
            case Record::number: p = read_json_number(p, reading, value); break;
            default: p = skip_json_value(p);
        }
        if (!p || p > end) return nullptr;
    }
}

// Reads a line that holds an object, or nothing; false if it is unusual.
inline bool read_record(const char* p, const char* end, const Record& record, Reading reading,
                        Line& line) {
    line.count = 0;
    line.commented = false;
    const char* stop = skip_blanks(p);
    if (*stop != '\n' && *stop != '\r') {
        stop = read_object(p, end, record, reading, line.field[0], line.field[1], line.value);
        if (!stop) return false;
        line.count = 2;
    }
    while (*stop == ' ' || *stop == '\t' || *stop == '\r') ++stop;
    if (*stop != '\n' || static_cast<std::size_t>(stop - p) > longest_line) return false;
    line.next = stop < end ? stop + 1 : end;
    return true;
}

}  // namespace rankstone
