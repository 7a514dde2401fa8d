// Columns of tables: ids and numbers, read where they lie.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "text.hpp"

namespace rankstone {

// A whole number as bytes whose order is the order of the numbers: first whether it is negative.
inline constexpr std::size_t key_size = 9;

inline void write_key(char* out, std::uint64_t bits, bool negative) {
    out[0] = negative ? 0 : 1;
    for (int i = 0; i < 8; ++i) out[1 + i] = static_cast<char>(bits >> (56 - 8 * i));
}

enum class Storage : std::uint8_t {
    none, text32, text64, view, bits, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64
};

inline Storage storage_of(std::string_view format) {
    if (format == "u") return Storage::text32;
    if (format == "U") return Storage::text64;
    if (format == "vu") return Storage::view;
    if (format.size() != 1) return Storage::none;
    switch (format[0]) {
        case 'b': return Storage::bits;
        case 'c': return Storage::i8;
        case 'C': return Storage::u8;
        case 's': return Storage::i16;
        case 'S': return Storage::u16;
        case 'i': return Storage::i32;
        case 'I': return Storage::u32;
        case 'l': return Storage::i64;
        case 'L': return Storage::u64;
        case 'f': return Storage::f32;
        case 'g': return Storage::f64;
        default: return Storage::none;
    }
}

// A stretch of a column in memory. Rows are counted from its beginning; `offset` is where that is.
struct Chunk {
    Storage storage = Storage::none;
    std::int64_t begin = 0;  // row of the column it starts at
    std::int64_t length = 0;
    std::int64_t offset = 0;
    const std::uint8_t* validity = nullptr;  // null where every row has a value
    const void* values = nullptr;            // numbers, offsets into data, or views
    const char* data = nullptr;
    const void* const* more = nullptr;       // what views point into
    std::shared_ptr<const Chunk> dictionary; // then the values are rows of it

    template <typename T>
    const T* as() const {
        return static_cast<const T*>(values) + offset;
    }

    bool valid(std::int64_t i) const {
        if (validity && !(validity[(offset + i) >> 3] >> ((offset + i) & 7) & 1)) return false;
        return !dictionary || !dictionary->validity || dictionary->valid(index(i));
    }

    bool may_have_nulls() const { return validity || (dictionary && dictionary->validity); }

    bool is_text() const {
        return storage == Storage::text32 || storage == Storage::text64 || storage == Storage::view;
    }

    // Calls f(row, number) for rows [a, b) of a chunk of numbers, in their own type.
    template <typename F>
    void numbers(std::int64_t a, std::int64_t b, F&& f) const {
        const auto all = [&](auto* values) {
            for (std::int64_t i = a; i < b; ++i) f(i, values[i]);
        };
        switch (storage) {
            case Storage::i8: return all(as<std::int8_t>());
            case Storage::u8: return all(as<std::uint8_t>());
            case Storage::i16: return all(as<std::int16_t>());
            case Storage::u16: return all(as<std::uint16_t>());
            case Storage::i32: return all(as<std::int32_t>());
            case Storage::u32: return all(as<std::uint32_t>());
            case Storage::i64: return all(as<std::int64_t>());
            case Storage::u64: return all(as<std::uint64_t>());
            case Storage::f32: return all(as<float>());
            case Storage::f64: return all(as<double>());
            case Storage::bits:
                for (std::int64_t i = a; i < b; ++i) {
                    const auto at = offset + i;
                    const auto byte = static_cast<const std::uint8_t*>(values)[at >> 3];
                    f(i, static_cast<std::uint8_t>(byte >> (at & 7) & 1));
                }
                return;
            default: return;
        }
    }

    std::int64_t index(std::int64_t i) const {
        std::int64_t found = 0;
        numbers(i, i + 1, [&](std::int64_t, auto value) { found = static_cast<std::int64_t>(value); });
        return found;
    }

    static std::string_view view_of(const char* view, const void* const* more) {
        std::int32_t length, buffer, start;
        std::memcpy(&length, view, 4);
        if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
        std::memcpy(&buffer, view + 8, 4);
        std::memcpy(&start, view + 12, 4);
        return {static_cast<const char*>(more[buffer]) + start, static_cast<std::size_t>(length)};
    }

    // Calls f(text) for rows [a, b) of a chunk of text.
    template <typename F>
    void texts(std::int64_t a, std::int64_t b, F&& f) const {
        const auto all = [&](auto* bounds) {
            for (std::int64_t i = a; i < b; ++i)
                f(std::string_view(data + bounds[i], static_cast<std::size_t>(bounds[i + 1] - bounds[i])));
        };
        if (storage == Storage::text32) return all(as<std::int32_t>());
        if (storage == Storage::text64) return all(as<std::int64_t>());
        const char* views = static_cast<const char*>(values) + 16 * offset;
        for (std::int64_t i = a; i < b; ++i) f(view_of(views + 16 * i, more));
    }

    // Calls f(id) for rows [a, b): text as it lies, numbers as keys written to `out`, which is
    // moved on and has key_size bytes for each row.
    template <typename F>
    void ids(std::int64_t a, std::int64_t b, char*& out, F& f) const {
        if (dictionary) {
            for (std::int64_t i = a; i < b; ++i) {
                const std::int64_t row = index(i);
                dictionary->ids(row, row + 1, out, f);
            }
        } else if (is_text()) {
            texts(a, b, f);
        } else {
            const char* key = out;
            numbers(a, b, [&](std::int64_t, auto value) {
                write_key(out, static_cast<std::uint64_t>(value), value < 0);
                out += key_size;
            });
            for (; key != out; key += key_size) f(std::string_view(key, key_size));
        }
    }

    // Calls f(row, id) where the id may be another than that of the row before, the first among
    // them: equal codes and equal views need no look at the text.
    template <typename F>
    void changes(std::int64_t a, std::int64_t b, char*& out, F& f) const {
        std::int64_t row = a;
        const auto one = [&](std::string_view id) { f(row, id); };
        if (dictionary) {
            std::int64_t last = -1;
            for (; row < b; ++row) {
                const std::int64_t code = index(row);
                if (code != last) dictionary->ids(code, code + 1, out, one);
                last = code;
            }
        } else if (storage == Storage::view) {
            const char* views = static_cast<const char*>(values) + 16 * offset;
            const auto same = [&](std::int64_t many) {
                return std::memcmp(views + 16 * (row - 1), views + 16 * row,
                                   static_cast<std::size_t>(16 * many)) == 0;
            };
            if (row < b) one(view_of(views + 16 * row, more));
            for (++row; row < b; ++row) {
                while (row + 8 <= b && same(8)) row += 8;
                if (row < b && !same(1)) one(view_of(views + 16 * row, more));
            }
        } else {
            const auto each = [&](std::string_view id) {
                one(id);
                ++row;
            };
            ids(a, b, out, each);
        }
    }

    double double_at(std::int64_t i) const {
        double found = 0;
        numbers(i, i + 1, [&](std::int64_t, auto value) { found = static_cast<double>(value); });
        return found;
    }

    // Calls f(row, value) for rows [a, b) of a chunk of numbers or of a dictionary of them.
    template <typename F>
    void doubles(std::int64_t a, std::int64_t b, F&& f) const {
        if (dictionary) {
            for (std::int64_t i = a; i < b; ++i) f(i, dictionary->double_at(index(i)));
        } else {
            numbers(a, b, [&](std::int64_t i, auto value) { f(i, static_cast<double>(value)); });
        }
    }
};

inline Chunk chunk_of(const ArrowArray& array, const ArrowSchema& schema, std::int64_t begin,
                      std::int64_t more_offset, std::int64_t length) {
    Chunk chunk;
    chunk.storage = storage_of(schema.format);
    chunk.begin = begin;
    chunk.length = length;
    chunk.offset = array.offset + more_offset;
    if (chunk.storage == Storage::none) return chunk;
    if (array.null_count != 0) chunk.validity = static_cast<const std::uint8_t*>(array.buffers[0]);
    chunk.values = array.buffers[1];
    if (chunk.is_text() && chunk.storage != Storage::view)
        chunk.data = static_cast<const char*>(array.buffers[2]);
    if (chunk.storage == Storage::view) chunk.more = array.buffers + 2;
    if (array.dictionary)
        chunk.dictionary = std::make_shared<Chunk>(
            chunk_of(*array.dictionary, *schema.dictionary, 0, 0, array.dictionary->length));
    return chunk;
}

class Column {
  public:
    std::string format;  // as Arrow writes types; of the values, where there is a dictionary
    std::int64_t length = 0;
    std::vector<Chunk> chunks;
    std::vector<std::shared_ptr<void>> owners;

    void add(Chunk chunk) {
        chunk.begin = length;
        length += chunk.length;
        chunks.push_back(std::move(chunk));
    }

    // Calls f(chunk, a, b) for the parts of rows [begin, end) in each chunk.
    template <typename F>
    void parts(std::int64_t begin, std::int64_t end, F&& f) const {
        auto chunk = std::upper_bound(chunks.begin(), chunks.end(), begin,
                                      [](std::int64_t row, const Chunk& c) { return row < c.begin; });
        if (chunk != chunks.begin()) --chunk;
        for (; chunk != chunks.end() && chunk->begin < end; ++chunk)
            f(*chunk, std::max(begin - chunk->begin, std::int64_t{0}),
              std::min(end - chunk->begin, chunk->length));
    }

    template <typename F>
    void ids(std::int64_t begin, std::int64_t end, char*& out, F&& f) const {
        parts(begin, end, [&](const Chunk& c, std::int64_t a, std::int64_t b) { c.ids(a, b, out, f); });
    }

    // Calls f(row, id) where the id may be another than that of the row before.
    template <typename F>
    void changes(std::int64_t begin, std::int64_t end, char*& out, F&& f) const {
        parts(begin, end, [&](const Chunk& c, std::int64_t a, std::int64_t b) {
            const auto moved = [&](std::int64_t i, std::string_view id) { f(c.begin + i, id); };
            c.changes(a, b, out, moved);
        });
    }

    // The numbers of rows [begin, end); held in `room` where they do not lie as doubles already.
    const double* as_doubles(std::int64_t begin, std::int64_t end, std::vector<double>& room) const {
        const double* found = nullptr;
        parts(begin, end, [&](const Chunk& c, std::int64_t a, std::int64_t b) {
            if (b - a == end - begin && c.storage == Storage::f64 && !c.dictionary)
                found = c.as<double>() + a;
        });
        if (found) return found;
        room.resize(static_cast<std::size_t>(end - begin));
        doubles(begin, end, [&](std::int64_t i, double value) {
            room[static_cast<std::size_t>(i)] = value;
        });
        return room.data();
    }

    template <typename F>
    void doubles(std::int64_t begin, std::int64_t end, F&& f) const {
        parts(begin, end, [&](const Chunk& c, std::int64_t a, std::int64_t b) {
            c.doubles(a, b, [&](std::int64_t i, double value) { f(c.begin + i - begin, value); });
        });
    }

    // The column whose row i is row codes[i] of this one.
    Column of_codes(const Column& codes) const {
        Column made;
        made.format = format;
        made.owners = owners;
        made.owners.insert(made.owners.end(), codes.owners.begin(), codes.owners.end());
        const auto dictionary = std::make_shared<Chunk>(chunks.empty() ? Chunk{} : chunks[0]);
        for (Chunk chunk : codes.chunks) {
            chunk.dictionary = dictionary;
            made.add(std::move(chunk));
        }
        return made;
    }

    bool writes_keys() const {
        return !chunks.empty() &&
               !(chunks[0].dictionary ? chunks[0].dictionary->is_text() : chunks[0].is_text());
    }
};

// A column of numbers laid end to end.
inline Column flat_column(const char* format, const void* values, std::int64_t length,
                          std::shared_ptr<void> owner) {
    Column column;
    column.format = format;
    Chunk chunk;
    chunk.storage = storage_of(format);
    chunk.length = length;
    chunk.values = values;
    column.add(std::move(chunk));
    column.owners.push_back(std::move(owner));
    return column;
}

struct NamedColumn {
    std::string name;
    Column column;
};

// Refuses records that are missing as a whole, whose fields hold anything.
inline void check_records(const ArrowArray& batch, std::int64_t first) {
    if (batch.null_count == 0 || batch.n_buffers < 1 || !batch.buffers[0]) return;
    Chunk rows;
    rows.validity = static_cast<const std::uint8_t*>(batch.buffers[0]);
    rows.offset = batch.offset;
    for (std::int64_t i = 0; i < batch.length; ++i)
        if (!rows.valid(i))
            throw std::runtime_error("row " + std::to_string(first + i) + " is missing");
}

// The columns of a table that came through the stream interface; one without a name where the
// stream is of single values.
inline std::vector<NamedColumn> columns_of(const ArrowTable& table) {
    const ArrowSchema& schema = table.schema.value;
    const bool record = std::string_view(schema.format) == "+s";
    const std::int64_t count = record ? schema.n_children : 1;
    std::vector<NamedColumn> columns(static_cast<std::size_t>(count));
    for (std::int64_t c = 0; c < count; ++c) {
        auto& [name, column] = columns[static_cast<std::size_t>(c)];
        const ArrowSchema& type = record ? *schema.children[c] : schema;
        name = record && type.name ? type.name : "";
        column.format = type.dictionary ? type.dictionary->format : type.format;
        for (const auto& batch : table.batches) {
            const ArrowArray& whole = batch->value;
            if (record) check_records(whole, column.length);
            column.add(chunk_of(record ? *whole.children[c] : whole, type, 0,
                                record ? whole.offset : 0, whole.length));
            column.owners.push_back(batch);
        }
    }
    return columns;
}

// What is wrong with a table's values: the first row at fault, and of which of the columns given.
struct ColumnFault {
    enum Kind : int { none, null, not_finite, empty };
    Kind kind = none;
    int column = 0;
    std::int64_t row = std::numeric_limits<std::int64_t>::max();

    void note(Kind what, int which, std::int64_t where) {
        if (where > row || (where == row && kind != none && column <= which)) return;
        kind = what;
        column = which;
        row = where;
    }
    void note(const ColumnFault& other) {
        if (other.kind != none) note(other.kind, other.column, other.row);
    }
};

// Returns the first row of [begin, end) without a value, or end.
inline std::int64_t first_null(const Column& column, std::int64_t begin, std::int64_t end) {
    std::int64_t found = end;
    column.parts(begin, end, [&](const Chunk& c, std::int64_t a, std::int64_t b) {
        if (found != end || !c.may_have_nulls()) return;
        while (a < b && c.valid(a)) ++a;
        if (a < b) found = c.begin + a;
    });
    return found;
}

// Ids may not be missing nor empty.
inline void check_ids(const Column& column, int which, std::int64_t begin, std::int64_t end,
                      ColumnFault& fault) {
    const std::int64_t null = first_null(column, begin, end);
    if (null < end) fault.note(ColumnFault::null, which, null);
    if (column.writes_keys()) return;
    std::int64_t row = begin;
    char* unused = nullptr;
    column.ids(begin, null, unused, [&](std::string_view id) {
        if (id.empty()) fault.note(ColumnFault::empty, which, row);
        ++row;
    });
}

// Numbers may not be missing and have to be finite.
inline void check_numbers(const Column& column, int which, std::int64_t begin, std::int64_t end,
                          ColumnFault& fault) {
    const std::int64_t null = first_null(column, begin, end);
    if (null < end) fault.note(ColumnFault::null, which, null);
    column.doubles(begin, null, [&](std::int64_t i, double value) {
        if (!std::isfinite(value)) fault.note(ColumnFault::not_finite, which, begin + i);
    });
}

}  // namespace rankstone
