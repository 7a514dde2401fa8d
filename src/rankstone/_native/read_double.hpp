// Numbers from text, by std::from_chars, or by strtod where a library has none for double (libc++
// before version 20). What follows a number is a byte that ends it, and 0x precedes a hexadecimal.
#pragma once

#include <charconv>
#include <system_error>

#if defined(__cpp_lib_to_chars) && !defined(RANKSTONE_STRTOD)

namespace rankstone {

inline std::from_chars_result read_decimal(const char* begin, const char* end, double& value) {
    return std::from_chars(begin, end, value);
}

inline std::from_chars_result read_hexadecimal(const char* begin, const char* end, double& value) {
    return std::from_chars(begin, end, value, std::chars_format::hex);
}

}  // namespace rankstone

#else

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <locale.h>
#if defined(__APPLE__) || defined(__FreeBSD__)
#include <xlocale.h>
#endif

namespace rankstone {

// The program's own locale may have another decimal point.
inline std::from_chars_result read_by_strtod(const char* text, const char* begin, double& value) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
    char* stop = nullptr;
    const int before = errno;
    errno = 0;
    const double number = strtod_l(text, &stop, plain);
    // Numbers with fewer digits, next to 0, are no reason to refuse the text.
    const bool outside = errno == ERANGE && (number == 0.0 || std::isinf(number));
    errno = before;
    if (stop <= begin) return {begin, std::errc::invalid_argument};
    if (outside) return {stop, std::errc::result_out_of_range};
    value = number;
    return {stop, std::errc()};
}

inline std::from_chars_result read_decimal(const char* begin, const char*, double& value) {
    return read_by_strtod(begin, begin, value);
}

inline std::from_chars_result read_hexadecimal(const char* begin, const char*, double& value) {
    return read_by_strtod(begin - 2, begin, value);
}

}  // namespace rankstone

#endif
