// Arrays that are read and written all over. In pages of the usual size the processor has to look up the
// address of nearly every one of their entries; in large pages, which Linux gives where asked, of few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rankstone {

// Allocates much memory in large pages; small ones cost as much at first use as what is written there.
template <typename T>
struct LargePages : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = LargePages<U>;
    };

    LargePages() = default;
    template <typename U>
    LargePages(const LargePages<U>&) {}

#ifdef MADV_HUGEPAGE
    static constexpr std::size_t page = std::size_t{1} << 21;

    // In bytes, to whole pages: there are systems where small ones are this large.
    static std::size_t rounded(std::size_t n) { return (n * sizeof(T) + 65535) / 65536 * 65536; }

    // Not of the heap: what is allocated there later would be in large pages, too, and fill them in part.
    T* allocate(std::size_t n) {
        if (n * sizeof(T) < page) return std::allocator<T>::allocate(n);
        const std::size_t size = rounded(n);
        void* const memory = mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        const std::size_t before = -reinterpret_cast<std::uintptr_t>(memory) % page;
        char* const begin = static_cast<char*>(memory) + before;
        if (before) munmap(memory, before);
        munmap(begin + size, page - before);
        madvise(begin, size, MADV_HUGEPAGE);  // if it is refused, pages are of the usual size
        return reinterpret_cast<T*>(begin);
    }

    void deallocate(T* p, std::size_t n) {
        if (n * sizeof(T) < page) return std::allocator<T>::deallocate(p, n);
        munmap(p, rounded(n));
    }
#endif
};

// The same memory, which is not set to 0.
template <typename T>
struct Unset : LargePages<T> {
    template <typename U>
    struct rebind {
        using other = Unset<U>;
    };

    Unset() = default;
    template <typename U>
    Unset(const Unset<U>&) {}

    template <typename U, typename... Given>
    void construct(U* p, Given&&... given) {
        if constexpr (sizeof...(Given) > 0)
            ::new (static_cast<void*>(p)) U(std::forward<Given>(given)...);
        else
            ::new (static_cast<void*>(p)) U;
    }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

// Values that are written after there is room for them.
template <typename T>
using Values = std::vector<T, Unset<T>>;

}  // namespace rankstone
