// Fuzzes the matching of runs, and the grouping of judgments, held in columns. They come through the
// stream interface of Arrow, in buffers that end where their last value ends, and what is found has
// to be what the plain re-implementation finds in the same rows.
//
// Input: bytes that choose types and options, then three bytes for each row.
#include "plain.hpp"

#include <bit>

using namespace rankstone;
using std::string;
using std::string_view;

namespace {

// A value of a column before it is written in some type.
struct Cell {
    bool null = false;
    string text;
    double number = 0;
};

enum class Kind { text, whole, real };

// How a column is written.
struct Type {
    const char* format;
    const char* index;  // of a dictionary's codes, else null
};

const char* const text_formats[] = {"u", "U", "vu"};
const char* const whole_formats[] = {"c", "s", "i", "l", "C", "S", "I", "L", "b"};
const char* const real_formats[] = {"g", "f", "l", "C", "b", "s"};
const char* const codes[] = {"c", "C", "s", "S", "i", "I", "l", "L"};

Type type_of(Kind kind, int choice) {
    const auto pick = [choice](const auto& formats) { return formats[(choice & 31) % std::size(formats)]; };
    const char* format = kind == Kind::text    ? pick(text_formats)
                         : kind == Kind::whole ? pick(whole_formats)
                                               : pick(real_formats);
    return {format, choice & 128 ? codes[choice >> 4 & 7] : nullptr};
}

// The number that a type can hold instead of another.
double fitted(string_view format, double number) {
    const double whole = std::trunc(std::clamp(number, -100.0, 100.0)) + 0.0;  // one zero
    switch (format[0]) {
        case 'g': return number;
        case 'f': return static_cast<double>(static_cast<float>(number));
        case 'b': return number > 0;
        case 'c': case 's': case 'i': case 'l': return whole;
        default: return std::abs(whole);
    }
}

// ---- Arrow. ----

// Holds what an array or a schema points to.
struct Held {
    std::vector<std::unique_ptr<char[]>> buffers;
    std::vector<const void*> pointers;
    std::vector<std::unique_ptr<ArrowArray>> arrays;
    std::vector<ArrowArray*> array_pointers;
    std::vector<std::unique_ptr<ArrowSchema>> schemas;
    std::vector<ArrowSchema*> schema_pointers;
};

template <typename T>
void released(T* given) {
    delete static_cast<Held*>(given->private_data);
    given->release = nullptr;
}

template <typename T>
const void* buffer_of(Held& held, const std::vector<T>& values) {
    const std::size_t size = values.size() * sizeof(T);
    held.buffers.emplace_back(new char[size]);
    if (size) std::memcpy(held.buffers.back().get(), values.data(), size);
    return held.buffers.back().get();
}

const void* bits_of(Held& held, const std::vector<bool>& values) {
    std::vector<std::uint8_t> bytes((values.size() + 7) / 8);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i]) bytes[i / 8] |= static_cast<std::uint8_t>(1 << (i % 8));
    return buffer_of(held, bytes);
}

template <typename T>
const void* numbers_of(Held& held, const std::vector<Cell>& cells) {
    std::vector<T> values;
    for (const Cell& cell : cells) values.push_back(static_cast<T>(cell.number));
    return buffer_of(held, values);
}

const void* numbers_of(Held& held, string_view format, const std::vector<Cell>& cells) {
    switch (format[0]) {
        case 'c': return numbers_of<std::int8_t>(held, cells);
        case 'C': return numbers_of<std::uint8_t>(held, cells);
        case 's': return numbers_of<std::int16_t>(held, cells);
        case 'S': return numbers_of<std::uint16_t>(held, cells);
        case 'i': return numbers_of<std::int32_t>(held, cells);
        case 'I': return numbers_of<std::uint32_t>(held, cells);
        case 'l': return numbers_of<std::int64_t>(held, cells);
        case 'L': return numbers_of<std::uint64_t>(held, cells);
        case 'f': return numbers_of<float>(held, cells);
        case 'g': return numbers_of<double>(held, cells);
        default: break;
    }
    std::vector<bool> bits;
    for (const Cell& cell : cells) bits.push_back(cell.number != 0);
    return bits_of(held, bits);
}

template <typename T>
void add_texts(Held& held, const std::vector<Cell>& cells) {
    std::vector<T> ends{0};
    std::vector<char> data;
    for (const Cell& cell : cells) {
        data.insert(data.end(), cell.text.begin(), cell.text.end());
        ends.push_back(static_cast<T>(data.size()));
    }
    held.pointers.push_back(buffer_of(held, ends));
    held.pointers.push_back(buffer_of(held, data));
}

void add_views(Held& held, const std::vector<Cell>& cells) {
    std::vector<char> views, data;
    for (const Cell& cell : cells) {
        char view[16] = {};
        const auto length = static_cast<std::int32_t>(cell.text.size());
        std::memcpy(view, &length, 4);
        if (length <= 12) {
            std::memcpy(view + 4, cell.text.data(), cell.text.size());
        } else {
            const std::int32_t buffer = 0, start = static_cast<std::int32_t>(data.size());
            std::memcpy(view + 4, cell.text.data(), 4);
            std::memcpy(view + 8, &buffer, 4);
            std::memcpy(view + 12, &start, 4);
            data.insert(data.end(), cell.text.begin(), cell.text.end());
        }
        views.insert(views.end(), view, view + 16);
    }
    held.pointers.push_back(buffer_of(held, views));
    held.pointers.push_back(buffer_of(held, data));
    held.pointers.push_back(buffer_of(held, std::vector<std::int64_t>{static_cast<std::int64_t>(data.size())}));
}

ArrowArray array_of(std::vector<Cell> cells, Type type, std::size_t offset, bool counted);

// The array of codes and the array of what they stand for; nulls are in either.
ArrowArray dictionary_of(const std::vector<Cell>& cells, Type type, std::size_t offset, bool counted) {
    std::vector<Cell> different, indices;
    for (const Cell& cell : cells) {
        const auto same = [&](const Cell& other) {
            return other.null == cell.null && other.text == cell.text &&
                   same_bits(other.number, cell.number);
        };
        auto found = std::find_if(different.begin(), different.end(), same);
        if (found == different.end()) found = different.insert(different.end(), cell);
        Cell index;
        index.number = static_cast<double>(found - different.begin());
        if (cell.null && indices.size() % 2) index = {true, "", 100};  // a code of nothing
        indices.push_back(index);
    }
    ArrowArray array = array_of(std::move(indices), {type.index, nullptr}, offset, counted);
    auto& held = *static_cast<Held*>(array.private_data);
    held.arrays.emplace_back(new ArrowArray(array_of(std::move(different), {type.format, nullptr}, 0, counted)));
    array.dictionary = held.arrays.back().get();
    array.release = [](ArrowArray* given) {
        given->dictionary->release(given->dictionary);
        released(given);
    };
    return array;
}

// Rows before `offset` are there, but not of the array.
ArrowArray array_of(std::vector<Cell> cells, Type type, std::size_t offset, bool counted) {
    if (type.index) return dictionary_of(cells, type, offset, counted);
    const std::size_t length = cells.size();
    cells.insert(cells.begin(), offset, Cell{false, "before", 1});
    auto* held = new Held;
    const auto nulls = std::count_if(cells.begin(), cells.end(), [](const Cell& c) { return c.null; });
    std::vector<bool> valid;
    for (const Cell& cell : cells) valid.push_back(!cell.null);
    held->pointers.push_back(nulls || !counted ? bits_of(*held, valid) : nullptr);
    const string_view format = type.format;
    if (format == "u") add_texts<std::int32_t>(*held, cells);
    else if (format == "U") add_texts<std::int64_t>(*held, cells);
    else if (format == "vu") add_views(*held, cells);
    else held->pointers.push_back(numbers_of(*held, format, cells));
    ArrowArray array{};
    array.length = static_cast<std::int64_t>(length);
    array.null_count = counted ? nulls : -1;
    array.offset = static_cast<std::int64_t>(offset);
    array.n_buffers = static_cast<std::int64_t>(held->pointers.size());
    array.buffers = held->pointers.data();
    array.release = released<ArrowArray>;
    array.private_data = held;
    return array;
}

ArrowSchema schema_of(Type type, const char* name) {
    auto* held = new Held;
    ArrowSchema schema{};
    schema.format = type.index ? type.index : type.format;
    schema.name = name;
    schema.release = released<ArrowSchema>;
    schema.private_data = held;
    if (type.index) {
        held->schemas.emplace_back(new ArrowSchema{});
        held->schemas.back()->format = type.format;
        schema.dictionary = held->schemas.back().get();
    }
    return schema;
}

// A table as a stream gives it: one batch for each stretch of rows.
struct Table {
    std::vector<std::vector<Cell>> columns;
    std::vector<Type> types;
    std::vector<std::size_t> ends;  // of the batches
    std::size_t offset = 0, record_offset = 0;
    bool counted = true;
    std::size_t at = 0, batch = 0;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    const auto& table = *static_cast<Table*>(stream->private_data);
    auto* held = new Held;
    for (const Type& type : table.types) {
        held->schemas.emplace_back(new ArrowSchema(schema_of(type, "column")));
        held->schema_pointers.push_back(held->schemas.back().get());
    }
    *out = {};
    out->format = "+s";
    out->name = "";
    out->n_children = static_cast<std::int64_t>(held->schemas.size());
    out->children = held->schema_pointers.data();
    out->private_data = held;
    out->release = [](ArrowSchema* given) {
        for (std::int64_t i = 0; i < given->n_children; ++i) given->children[i]->release(given->children[i]);
        released(given);
    };
    return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    auto& table = *static_cast<Table*>(stream->private_data);
    *out = {};
    if (table.batch == table.ends.size()) return 0;
    const std::size_t begin = table.at, end = table.ends[table.batch++];
    table.at = end;
    auto* held = new Held;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        // Rows that the record's own offset skips.
        std::vector<Cell> cells(table.record_offset, Cell{false, "skipped", 1});
        const auto& column = table.columns[c];
        cells.insert(cells.end(), column.begin() + static_cast<std::ptrdiff_t>(begin),
                     column.begin() + static_cast<std::ptrdiff_t>(end));
        held->arrays.emplace_back(
            new ArrowArray(array_of(std::move(cells), table.types[c], table.offset, table.counted)));
        held->array_pointers.push_back(held->arrays.back().get());
    }
    held->pointers.push_back(nullptr);
    out->length = static_cast<std::int64_t>(end - begin);
    out->offset = static_cast<std::int64_t>(table.record_offset);
    out->null_count = table.counted ? 0 : -1;
    out->n_buffers = 1;
    out->buffers = held->pointers.data();
    out->n_children = static_cast<std::int64_t>(held->arrays.size());
    out->children = held->array_pointers.data();
    out->private_data = held;
    out->release = [](ArrowArray* given) {
        for (std::int64_t i = 0; i < given->n_children; ++i) given->children[i]->release(given->children[i]);
        released(given);
    };
    return 0;
}

std::vector<NamedColumn> columns_from(Table& table) {
    ArrowArrayStream stream{get_schema, get_next, [](ArrowArrayStream*) { return "none"; },
                            [](ArrowArrayStream* s) { s->release = nullptr; }, &table};
    ArrowTable read;
    drain(stream, read);
    require(!stream.release, "a stream that is released");
    return columns_of(read);
}

// ---- Rows. ----

const double some_numbers[] = {0,  1,    2,     3,    -0.0,   -1,  0.5,  0.1,
                               7,  100,  1e38,  1e39, 1e-320, 42,  -2.5, std::numeric_limits<double>::infinity()};

Cell id_cell(Kind kind, int value, Type type) {
    static const char* forms[] = {"d", "document-number-", "", "12"};
    Cell cell;
    cell.number = fitted(type.format, value - 8.0);
    if (kind == Kind::text && value != 31) cell.text = forms[value & 3] + std::to_string(value >> 2);
    return cell;
}

// The id that a cell is known by: its text, or its number as bytes in the order of numbers.
string id_of(Kind kind, const Cell& cell) {
    if (kind == Kind::text) return cell.text;
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(cell.number));
    string id(1, cell.number < 0 ? '\0' : '\1');
    for (int shift = 56; shift >= 0; shift -= 8) id += static_cast<char>(bits >> shift & 255);
    return id;
}

// The rows of a table as they were meant.
struct Rows {
    std::vector<string> queries, docs;
    std::vector<double> numbers;
    std::vector<std::int64_t> ranks;
    ColumnFault fault;
};

// Reads a table of queries, documents and, where wanted, numbers and ranks.
Rows rows_of(Bytes& bytes, std::size_t count, Kind query, Kind doc, bool numbers, bool ranks, Table& table) {
    table.types = {type_of(query, bytes.next()), type_of(doc, bytes.next())};
    if (numbers) table.types.push_back(type_of(Kind::real, bytes.next()));
    if (ranks) table.types.push_back(type_of(Kind::real, bytes.next()));
    table.columns.resize(table.types.size());
    const int layout = bytes.next();
    table.offset = layout & 3;
    table.record_offset = layout >> 2 & 3;
    table.counted = layout & 16;
    const auto step = static_cast<std::size_t>(1 + (layout >> 5) * 3);
    const bool nulls = bytes.next() % 4 == 3;
    Rows rows;
    for (std::size_t i = 0; i < count && !bytes.empty(); ++i) {
        const int a = bytes.next(), b = bytes.next(), c = bytes.next();
        std::vector<Cell> cells{id_cell(query, a & 7, table.types[0]), id_cell(doc, b & 31, table.types[1])};
        if (numbers) cells.push_back({false, "", fitted(table.types[2].format, some_numbers[c & 15])});
        if (ranks) cells.push_back({false, "", fitted(table.types.back().format, some_numbers[c >> 4])});
        if (nulls && a >> 5 == 7) cells[static_cast<std::size_t>(b >> 5) % cells.size()].null = true;
        rows.queries.push_back(id_of(query, cells[0]));
        rows.docs.push_back(id_of(doc, cells[1]));
        rows.numbers.push_back(numbers ? cells[2].number : 1);
        const double rank = ranks && !cells.back().null ? cells.back().number : -1;
        rows.ranks.push_back(rank >= 0 && rank < 1e9 ? static_cast<std::int64_t>(rank) : -1);
        for (int which = 0; which < 2 + numbers && rows.fault.kind == ColumnFault::none; ++which) {
            const Cell& cell = cells[static_cast<std::size_t>(which)];
            const bool text = (which == 0 ? query : doc) == Kind::text;
            const auto kind = cell.null                                       ? ColumnFault::null
                              : which == 2 && !std::isfinite(cell.number)      ? ColumnFault::not_finite
                              : which < 2 && text && cell.text.empty() ? ColumnFault::empty
                                                                               : ColumnFault::none;
            if (kind != ColumnFault::none) rows.fault = {kind, which, static_cast<std::int64_t>(i)};
        }
        for (std::size_t k = 0; k < cells.size(); ++k) table.columns[k].push_back(std::move(cells[k]));
        if ((i + 1) % step == 0) table.ends.push_back(i + 1);
    }
    if (table.ends.empty() || table.ends.back() < rows.docs.size()) table.ends.push_back(rows.docs.size());
    return rows;
}

void require_same_fault(const ColumnFault& a, const ColumnFault& b) {
    require(a.kind == b.kind, "kind of a fault");
    if (a.kind == ColumnFault::none) return;
    require(a.column == b.column, "column of a fault");
    require(a.row == b.row, "row of a fault");
}

constexpr std::size_t most_judgments = 24, most_rows = 60;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int options = bytes.next(), kinds = bytes.next(), seldom = bytes.next();
    fuzz_hash_mask = options & 1 ? weak_hash_mask : ~std::uint64_t{0};
    const bool float32 = options & 2, ascending = options & 4, repeats = options & 8;
    const bool graded = options & 16, scored = options & 32, ranked = scored && options & 64;
    const Kind query = kinds & 1 ? Kind::whole : Kind::text, doc = kinds & 2 ? Kind::whole : Kind::text;
    const auto range_size = static_cast<std::int64_t>(1 + (kinds >> 2));
    const auto judged_count = static_cast<std::size_t>(bytes.next()) % most_judgments;

    Table judged_table, run_table;
    const Rows judged = rows_of(bytes, judged_count, query, doc, graded, false, judged_table);
    const std::vector<NamedColumn> given = columns_from(judged_table);
    ColumnJudgments found =
        ColumnJudge().judge(given[0].column, given[1].column, graded ? &given[2].column : nullptr);
    require_same_fault(found.fault, judged.fault);
    if (found.fault.kind != ColumnFault::none) return 0;
    std::vector<plain::Judged> rows;
    for (std::size_t i = 0; i < judged.docs.size(); ++i)
        rows.push_back({judged.queries[i], judged.docs[i], judged.numbers[i]});
    plain::Judgments judgments;
    plain::group(rows, judgments);
    plain::require_same(found.scan, judgments);
    const Index index = plain::index_of(found.scan);

    const Rows run = rows_of(bytes, most_rows, query, doc, scored, ranked, run_table);
    const std::vector<NamedColumn> columns = columns_from(run_table);
    const RunColumns held{columns[0].column, columns[1].column, scored ? &columns[2].column : nullptr,
                          ranked ? &columns[3].column : nullptr, ascending};
    plain::Run wanted;
    std::map<string_view, std::vector<plain::Ranked>> of_query;
    for (std::size_t i = 0; i < run.docs.size(); ++i) {
        auto& own = of_query[run.queries[i]];
        double score = !scored     ? -static_cast<double>(own.size())
                       : ascending ? 0.0 - run.numbers[i]
                                   : run.numbers[i];
        if (float32) score = static_cast<float>(score);
        own.push_back({run.docs[i], score, run.ranks[i]});
    }
    plain::match(of_query, judgments, repeats, wanted);
    const auto check = [&](int threads, std::int64_t range) {
        const ColumnRun matched = ColumnMatcher(held, index, float32, threads, range, repeats).match();
        require_same_fault(matched.fault, run.fault);
        if (matched.fault.kind == ColumnFault::none) plain::require_same_outcomes(matched, wanted);
    };
    check(1, std::numeric_limits<std::int64_t>::max() / 2);
    check(seldom >> 3 == 31 ? 2 : 1, range_size);  // threads cost a hundred times what most inputs do
    return 0;
}
