// Writes the rows of a run as text, with numbers that read as exactly those.
#pragma once

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "ids_in_text.hpp"

namespace rankstone {

// The fewest digits that read as the number, as d.dddde+xx.
inline std::size_t shortest_digits(double number, char* begin, char* end) {
#if defined(__cpp_lib_to_chars) && !defined(RANKSTONE_STRTOD)
    return static_cast<std::size_t>(
        std::to_chars(begin, end, number, std::chars_format::scientific).ptr - begin);
#else
    std::size_t size = 0;
    for (int digits = 0; digits <= 16; ++digits) {
        size = static_cast<std::size_t>(
            std::snprintf(begin, static_cast<std::size_t>(end - begin), "%.*e", digits, number));
        if (std::strtod(begin, nullptr) == number) break;
    }
    return size;
#endif
}

// Appends a finite number as Python's repr() writes it, a whole one without decimals.
inline void append_number(std::string& out, double number) {
    std::array<char, 40> text;
    const std::size_t size = shortest_digits(number, text.data(), text.data() + text.size() - 1);
    std::string_view written(text.data(), size);
    if (written.front() == '-') {
        out += '-';
        written.remove_prefix(1);
    }
    const std::size_t e = written.find('e');
    text[size] = '\0';
    const int exponent = std::atoi(written.data() + e + 1);
    std::string digits(1, written.front());
    if (e > 2) digits.append(written.substr(2, e - 2));
    const int count = static_cast<int>(digits.size());
    if (exponent < -4 || exponent >= 16) {
        out += digits.front();
        if (count > 1) out.append(".").append(digits, 1);
        out.append(exponent < 0 ? "e-" : "e+");
        if (std::abs(exponent) < 10) out += '0';
        out.append(std::to_string(std::abs(exponent)));
    } else if (exponent < 0) {
        out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
    } else if (count <= exponent + 1) {
        out.append(digits).append(static_cast<std::size_t>(exponent + 1 - count), '0');
    } else {
        const auto whole = static_cast<std::size_t>(exponent) + 1;
        out.append(digits, 0, whole).append(".").append(digits, whole);
    }
}

// Rows of a TREC run: of segment s of the ids and numbers those of query s, in order.
inline nb::bytes write_rows(nb::list queries, nb::bytes text, Offsets begins, Offsets ends,
                            Numbers numbers, Offsets offsets) {
    const IdsInText ids({text.c_str(), text.size()}, begins, ends);
    const std::size_t segments = segments_in(ids.size(), offsets);
    if (nb::len(queries) != segments || numbers.shape(0) != ids.size())
        throw nb::value_error("queries, ids and numbers do not belong together");
    std::vector<std::string> names;
    for (nb::handle query : queries) {
        const auto name = nb::cast<nb::bytes>(query);
        names.emplace_back(name.c_str(), name.size());
    }
    const std::int64_t* bounds = offsets.data();
    const double* values = numbers.data();
    std::string out;
    {
        nb::gil_scoped_release release;
        out.reserve(ids.size() * 64);
        for (std::size_t s = 0; s < segments; ++s) {
            const auto first = static_cast<std::size_t>(bounds[s]);
            for (auto i = first; i < static_cast<std::size_t>(bounds[s + 1]); ++i) {
                out.append(names[s]).append(" Q0 ").append(ids[i]).append(" ");
                out.append(std::to_string(i - first + 1)).append(" ");
                append_number(out, values[i]);
                out.append(" rankstone\n");
            }
        }
    }
    return nb::bytes(out.data(), out.size());
}

}  // namespace rankstone
