// Fuzzes the reading of numbers, in every way that one is read.
//
// Input: words between blanks, each of which is read.
#include "plain.hpp"

using namespace rankstone;

namespace {

void check(std::string_view word) {
    // In a piece of memory of its own, so that reading past it is seen.
    const Padded text(word);
    for (const Reading way : {Reading::number, Reading::rank, Reading::atof, Reading::atol}) {
        double found = 0, wanted = 0;
        const Number kind = read_number(way, text.begin(), text.end(), found);
        require(kind == plain::reading(way, word, wanted), "kind of number");
        if (kind == Number::fine) require(same_bits(found, wanted), "number");
    }
    const std::uint32_t rank = parse_rank({text.begin(), text.end()});
    require((rank == no_rank ? -1 : static_cast<std::int64_t>(rank)) == plain::rank(word), "rank");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A field holds no blanks and no control characters.
    const auto ends = [](std::uint8_t c) { return c <= ' '; };
    const std::uint8_t* const end = data + size;
    do {
        const std::uint8_t* const stop = std::find_if(data, end, ends);
        check({reinterpret_cast<const char*>(data), static_cast<std::size_t>(stop - data)});
        data = stop + 1;
    } while (data < end);
    return 0;
}
