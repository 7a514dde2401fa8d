// The Arrow C data and stream interfaces, whose layout is a stable ABI, and who owns what of them.
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace rankstone {

// Holds a structure of the interface and releases it.
template <typename T>
struct Held {
    T value{};
    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        if (value.release) value.release(&value);
    }
};

struct ArrowTable {
    Held<ArrowSchema> schema;
    std::vector<std::shared_ptr<Held<ArrowArray>>> batches;
};

// Takes everything a stream has; the stream is empty and released afterwards.
inline void drain(ArrowArrayStream& given, ArrowTable& table) {
    Held<ArrowArrayStream> stream;
    stream.value = given;
    given.release = nullptr;
    const auto check = [&](int code) {
        if (!code) return;
        const char* words = stream.value.get_last_error(&stream.value);
        throw std::runtime_error(words ? words : "error " + std::to_string(code));
    };
    check(stream.value.get_schema(&stream.value, &table.schema.value));
    while (true) {
        auto batch = std::make_shared<Held<ArrowArray>>();
        check(stream.value.get_next(&stream.value, &batch->value));
        if (!batch->value.release) return;
        if (batch->value.length) table.batches.push_back(std::move(batch));
    }
}

}  // namespace rankstone
