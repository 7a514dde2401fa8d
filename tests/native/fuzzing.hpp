// What the fuzz targets share. fuzz.sh builds and runs them, each from a file fuzz_*.cpp of its own.
#pragma once

#include <cstddef>
#include <cstdint>

// fuzz.sh makes the core apply it to each hash, so that ids can be made to collide.
inline std::uint64_t fuzz_hash_mask = ~std::uint64_t{0};

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "text.hpp"

// Stacks of allocations and memory kept from reuse cost more than most inputs. An error is reported
// all the same, in less detail: a kept input can be run again with ASAN_OPTIONS=malloc_context_size=30.
extern "C" inline __attribute__((used)) const char* __asan_default_options() {
    return "malloc_context_size=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}

inline constexpr std::uint64_t weak_hash_mask = 0x0000000100000007ULL;

inline void require(bool fine, const char* what) {
    if (fine) return;
    std::fprintf(stderr, "DIFFERENCE: %s\n", what);
    std::abort();
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// A copy that ends exactly where the padding ends, so that reading past it is seen.
struct Padded {
    explicit Padded(std::string_view text)
        : size(text.size()), bytes(new char[size + rankstone::padding]) {
        std::memcpy(bytes.get(), text.data(), size);
        std::memset(bytes.get() + size, 'x', rankstone::padding);
        bytes[size] = '\n';
    }
    const char* begin() const { return bytes.get(); }
    const char* end() const { return bytes.get() + size; }
    std::string_view view() const { return {bytes.get(), size}; }
    std::size_t size;
    std::unique_ptr<char[]> bytes;
};

// An input, byte by byte; 0 after its end.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    bool empty() const { return at_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    int next() { return at_ == end_ ? 0 : *at_++; }
    std::string_view rest() const { return {reinterpret_cast<const char*>(at_), left()}; }

  private:
    const std::uint8_t *at_, *end_;
};
