// Bytes that can be read at any position by several threads at once. Files are read, not
// mapped: a file that shrinks while it is read gives a short read, not a crash.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>

#ifdef _WIN32
#define NOMINMAX
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace rankstone {

struct Source {
    virtual ~Source() = default;
    // Reads up to n bytes at an offset; fewer only at the end.
    virtual std::size_t read(std::uint64_t offset, char* into, std::size_t n) const = 0;
    // Reads n bytes that were there when the size was taken.
    void read_all(std::uint64_t offset, char* into, std::size_t n) const {
        if (read(offset, into, n) != n)
            throw std::runtime_error("the file changed while it was read");
    }
};

class FileSource final : public Source {
  public:
    explicit FileSource(int descriptor) : descriptor_(descriptor) {}

    std::size_t read(std::uint64_t offset, char* into, std::size_t n) const override {
        std::size_t done = 0;
        while (done < n) {
            const std::int64_t got = read_some(offset + done, into + done, n - done);
            if (got < 0) {
                if (errno == EINTR) continue;
                throw std::system_error(errno, std::generic_category());
            }
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

  private:
    std::int64_t read_some(std::uint64_t offset, char* into, std::size_t n) const {
#ifdef _WIN32
        OVERLAPPED where{};
        where.Offset = static_cast<DWORD>(offset);
        where.OffsetHigh = static_cast<DWORD>(offset >> 32);
        DWORD got = 0;
        const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor_));
        const auto most = static_cast<DWORD>(std::min<std::size_t>(n, 1u << 30));
        if (ReadFile(handle, into, most, &got, &where)) return got;
        if (GetLastError() == ERROR_HANDLE_EOF) return 0;
        errno = EIO;
        return -1;
#else
        return ::pread(descriptor_, into, std::min<std::size_t>(n, std::size_t{1} << 30),
                       static_cast<off_t>(offset));
#endif
    }

    int descriptor_;
};

class MemorySource final : public Source {
  public:
    explicit MemorySource(std::string_view text) : text_(text) {}

    std::size_t read(std::uint64_t offset, char* into, std::size_t n) const override {
        if (offset >= text_.size()) return 0;
        n = std::min(n, text_.size() - static_cast<std::size_t>(offset));
        std::memcpy(into, text_.data() + offset, n);
        return n;
    }

  private:
    std::string_view text_;
};

}  // namespace rankstone
