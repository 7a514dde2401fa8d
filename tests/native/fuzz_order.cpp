// Fuzzes the ordering of numbers: by sorting, by counting, and packed with their positions, as well
// as the counting of equal ones, beside what the standard library finds.
//
// Input: a byte that chooses how the rest stands for numbers, then the rest.
#include "fuzzing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "equals.hpp"
#include "order_rows.hpp"

using namespace rankstone;

namespace {

constexpr std::size_t most_numbers = 300;

std::vector<double> numbers_of(Bytes& bytes, int way) {
    static const double some[] = {0,    -0.0, 1,    2,     255,   256,    0.5,   -1,
                                  1e-9, 1e9,  1e38, -1e38, 1e308, -1e308, 1e-320, 254.9999999999};
    std::vector<double> numbers;
    double last = 0;
    while (!bytes.empty() && numbers.size() < most_numbers) {
        const int byte = bytes.next();
        double number = byte;
        if (way == 1) number = some[byte & 15] + (byte >> 4);
        if (way == 2) number = last + std::ldexp(byte - 128.0, -40);  // close to each other
        if (way == 3) {
            std::uint64_t bits = static_cast<std::uint64_t>(byte);
            for (int i = 0; i < 7; ++i) bits = bits << 8 | static_cast<std::uint64_t>(bytes.next());
            number = std::bit_cast<double>(bits);
        }
        numbers.push_back(last = number);
        // Repetitions, so that few bytes make many numbers.
        if (way == 1)
            for (int i = 0; i < (byte & 3) && numbers.size() < most_numbers; ++i) numbers.push_back(number);
    }
    return numbers;
}

void check_sorted(const std::vector<double>& numbers, const std::vector<std::size_t>& order) {
    RowSorter sorter;
    for (int again = 0; again < 2; ++again) {  // what it keeps does not matter
        const RowSorter::Entry* entries = sorter.sort(numbers.data(), numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            require(entries[i].at == order[i], "order");
            if (i)
                require((entries[i - 1].key == entries[i].key) ==
                            (numbers[order[i - 1]] == numbers[order[i]]),
                        "keys of equal numbers");
        }
    }
}

void check_counted(const std::vector<double>& numbers, const std::vector<std::size_t>& order) {
    const bool small = std::all_of(numbers.begin(), numbers.end(), [](double x) {
        return x >= 0 && x <= 255 && x == std::floor(x) && !std::signbit(x);
    });
    std::vector<double> falling(numbers.size());
    require(Counter().order(numbers.data(), numbers.size(), falling.data()) == small, "small numbers");
    for (std::size_t i = 0; small && i < numbers.size(); ++i)
        require(falling[i] == numbers[order[i]], "counted order");
}

void check_equals(const std::vector<double>& numbers) {
    std::int64_t equal = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        bool found = false;
        for (std::size_t j = 0; j < numbers.size(); ++j) found |= i != j && numbers[i] == numbers[j];
        equal += found;
    }
    require(Equals().count(numbers.data(), numbers.size()) == equal, "equal numbers");
}

// Packs a row, sorts it and unpacks it, as is done for tables.
void check_packed(const std::vector<double>& numbers, const std::vector<std::size_t>& order) {
    const std::size_t width = numbers.size();
    if (width < 2) return;
    const Span span = span_of(numbers.data(), width);
    require(span.finite == std::all_of(numbers.begin(), numbers.end(),
                                       [](double x) { return std::isfinite(x); }),
            "finite numbers");
    if (!span.finite) return;
    require(span.high == numbers[order.front()] && span.low == numbers[order.back()], "span");
    const int bits = std::bit_width(width - 1);
    const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
    const double range = span.high - span.low;
    const double steps = range > 0 ? ((UINT32_MAX >> bits) - 1) / range : 0.0;
    if (!std::isfinite(range) || !std::isfinite(steps)) return;
    std::vector<std::uint32_t> packed(width);
    pack_row(numbers.data(), packed.data(), width, span.high, steps, bits);
    std::sort(packed.begin(), packed.end());
    std::vector<std::int64_t> unpacked(width);
    const bool close = unpack_row(packed.data(), unpacked.data(), width, mask, 7);
    std::vector<double> carried(width), ordered(width);
    require(carry_row(packed.data(), numbers.data(), carried.data(), width, mask) == close, "nearness");
    for (std::int64_t& at : unpacked) at -= 7;
    carry(numbers.data(), unpacked.data(), ordered.data(), width);
    bool fallen = true, equal = false;
    for (std::size_t i = 0; i < width; ++i) {
        require(same_bits(carried[i], ordered[i]), "what stands beside");
        if (!close) require(unpacked[i] == static_cast<std::int64_t>(order[i]), "packed order");
        if (!i) continue;
        // Numbers that are not in order are at least equally many steps down.
        fallen = fallen && ordered[i - 1] >= ordered[i];
        equal = equal || ordered[i - 1] == ordered[i];
        if (ordered[i - 1] < ordered[i])
            require((packed[i] ^ packed[i - 1]) <= mask, "steps down");
    }
    const Nearness near = compare(packed.data(), ordered.data(), width, mask);
    require(near.equal == equal, "equal neighbours");
    require(near.mixed || fallen, "what is left to order");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int way = bytes.next() & 3;
    const std::vector<double> numbers = numbers_of(bytes, way);
    check_equals(numbers);
    // NaN has no place in an order; what is made of it has to end, and within bounds.
    if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); })) {
        RowSorter().sort(numbers.data(), numbers.size());
        std::vector<double> falling(numbers.size());
        require(!Counter().order(numbers.data(), numbers.size(), falling.data()), "NaN is not small");
        return 0;
    }
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return numbers[a] > numbers[b]; });
    check_sorted(numbers, order);
    check_counted(numbers, order);
    check_packed(numbers, order);
    return 0;
}
