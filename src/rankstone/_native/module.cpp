// The Python face of the native core. Its contract is that of rankstone.core.python_engine.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "columns_of_objects.hpp"
#include "count_equals.hpp"
#include "count_table.hpp"
#include "falling_order.hpp"
#include "ids_in_text.hpp"
#include "judged_dicts.hpp"
#include "match_columns.hpp"
#include "match_mapping.hpp"
#include "numpy_arrays.hpp"
#include "scan_judgments.hpp"
#include "scan_lists.hpp"
#include "scan_run.hpp"
#include "sums.hpp"
#include "top_table.hpp"
#include "write_rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rankstone;

namespace {

nb::bytes bytes_of(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// Ids in an object and an array of Python, which are kept.
IdView view_of(nb::bytes bytes, Offsets offsets) {
    struct Held {
        nb::bytes bytes;
        Offsets offsets;
    };
    auto held = std::make_shared<const Held>(bytes, offsets);
    return {static_cast<const char*>(bytes.data()), offsets.data(), offsets.shape(0) - 1, held};
}

nb::object report_of(const FaultReport& fault) {
    if (fault.fault == Fault::none) return nb::none();
    return nb::make_tuple(static_cast<int>(fault.fault), fault.line_begin, fault.column,
                          fault.field, bytes_of(fault.text));
}

// The numbers of matches, as arrays; the matches themselves are freed on the way.
class MatchArrays {
  public:
    MatchArrays(Outcomes& outcomes, int threads)
        : size_(static_cast<std::size_t>(outcomes.offsets.back())) {
        for (auto* array : {&judgment_, &above_}) array->reset(new std::int64_t[size_]);
        score_.reset(new double[size_]);
        if (outcomes.has_ties)
            for (auto* array : {&tied_, &greater_, &earlier_}) array->reset(new std::int64_t[size_]);
        std::atomic<std::size_t> next{0};
        const std::size_t parts = outcomes.parts.size();
        in_parallel(static_cast<int>(std::min(parts, static_cast<std::size_t>(threads))), [&](int) {
            for (std::size_t p = next++; p < parts; p = next++) set(outcomes, outcomes.parts[p]);
        });
    }

    void move_to(nb::dict& out) {
        out["judgment"] = array_of(std::move(judgment_), size_);
        out["score"] = array_of(std::move(score_), size_);
        out["above"] = array_of(std::move(above_), size_);
        out["tied"] = array_or(std::move(tied_), 1);
        out["greater"] = array_or(std::move(greater_), 0);
        out["earlier"] = array_or(std::move(earlier_), 0);
    }

  private:
    using Whole = std::unique_ptr<std::int64_t[]>;

    // Every part holds other queries.
    void set(const Outcomes& outcomes, std::vector<Match>& part) {
        for (std::size_t i = 0; i < part.size();) {
            const std::uint32_t query = part[i].query;
            auto at = static_cast<std::size_t>(outcomes.offsets[query]);
            for (; i < part.size() && part[i].query == query; ++i) set(at++, part[i]);
        }
        part = {};
    }

    void set(std::size_t at, const Match& match) {
        judgment_[at] = match.judgment;
        score_[at] = match.score;
        above_[at] = match.above;
        if (!tied_) return;
        tied_[at] = match.tied;
        greater_[at] = match.greater;
        earlier_[at] = match.earlier;
    }

    nb::object array_or(Whole&& numbers, std::int64_t without_ties) const {
        return numbers ? array_of(std::move(numbers), size_) : repeated(without_ties, size_);
    }

    std::size_t size_;
    Whole judgment_, above_, tied_, greater_, earlier_;  // the last three only if there are ties
    std::unique_ptr<double[]> score_;
};

// A number of each query, as an array.
template <typename T, typename Field>
nb::object query_numbers(const LargeVector<Outcomes::OfQuery>& queries, Field field) {
    std::vector<T> numbers(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) numbers[q] = static_cast<T>(queries[q].*field);
    return array_of(std::move(numbers));
}

// The outcomes of all judged queries, as flat arrays.
nb::dict arrays_of(Outcomes& outcomes, int threads = 1) {
    using Query = Outcomes::OfQuery;
    const LargeVector<Query>& queries = outcomes.queries;
    nb::dict out, duplicate;
    for (const auto& [query, id] : outcomes.duplicate) duplicate[nb::int_(query)] = bytes_of(id);
    MatchArrays(outcomes, threads).move_to(out);
    out["present"] = query_numbers<std::uint8_t>(queries, &Query::present);
    out["retrieved"] = query_numbers<std::int64_t>(queries, &Query::retrieved);
    out["duplicates"] = query_numbers<std::int64_t>(queries, &Query::duplicates);
    out["rank_disagrees"] = query_numbers<std::uint8_t>(queries, &Query::rank_disagrees);
    out["duplicate"] = duplicate;
    out["offsets"] = array_of(std::move(outcomes.offsets));
    return out;
}

nb::list list_of(const std::vector<std::string>& texts) {
    nb::list list;
    for (const std::string& text : texts) list.append(bytes_of(text));
    return list;
}

nb::tuple tuple_of(DocsByQuery& samples) {
    return nb::make_tuple(array_of(std::move(samples.queries)), array_of(std::move(samples.bounds)),
                          bytes_of(samples.docs.all()), array_of(std::move(samples.docs.offsets)));
}

// The text between the values of an object, and what these are; null for None.
std::shared_ptr<const Record> record_of(nb::handle given) {
    if (given.is_none()) return nullptr;
    auto record = std::make_shared<Record>();
    for (const nb::handle piece : given[0]) {
        const auto text = nb::cast<nb::bytes>(piece);
        record->pieces.emplace_back(static_cast<const char*>(text.data()), text.size());
    }
    for (const nb::handle role : given[1])
        record->roles.push_back(static_cast<Record::Role>(nb::cast<int>(role)));
    if (record->pieces.size() != record->roles.size() + 1) throw nb::value_error("pieces and roles");
    return record;
}

RowLayout layout_of(nb::tuple fields) {
    return {nb::cast<int>(fields[0]), nb::cast<int>(fields[1]), nb::cast<int>(fields[2]),
            nb::cast<int>(fields[3]), nb::cast<int>(fields[4]),
            static_cast<Reading>(nb::cast<int>(fields[5])), nb::cast<bool>(fields[6]),
            nb::cast<int>(fields[7]), record_of(fields[8])};
}

struct Interrupted {};

// A file whose reading ends soon after a signal that Python answers with an exception, such as
// Ctrl-C. Only the thread that called may ask Python; the others learn of it here.
class InterruptibleSource final : public Source {
  public:
    explicit InterruptibleSource(int descriptor) : file_(descriptor) {}

    std::size_t read(std::uint64_t offset, char* into, std::size_t n) const override {
        if (std::this_thread::get_id() == caller_) ask();
        if (interrupted_) throw Interrupted();
        return file_.read(offset, into, n);
    }

  private:
    void ask() const {
        const auto now = std::chrono::steady_clock::now();
        if (now - asked_ < std::chrono::milliseconds(50)) return;
        asked_ = now;
        const nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) interrupted_ = true;
    }

    FileSource file_;
    std::thread::id caller_ = std::this_thread::get_id();
    mutable std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
    mutable std::atomic<bool> interrupted_{false};
};

// Calls f with a file, without the lock of the interpreter; OSError if it cannot be read.
template <typename F>
auto with_source(int descriptor, F&& f) {
    try {
        nb::gil_scoped_release release;
        return f(InterruptibleSource(descriptor));
    } catch (const Interrupted&) {
        throw nb::python_error();
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    } catch (const std::runtime_error& error) {
        PyErr_SetString(PyExc_OSError, error.what());
        throw nb::python_error();
    }
}

nb::dict scan_run(int descriptor, std::uint64_t size, nb::tuple layout, const Index& index,
                  bool float32, int threads, std::size_t range_size,
                  nb::ndarray<std::int64_t, nb::ndim<1>> progress, std::uint64_t first,
                  bool repeats, std::size_t kept, int ids_fall) {
    static_assert(sizeof(std::atomic<std::int64_t>) == sizeof(std::int64_t));
    auto* done = reinterpret_cast<std::atomic<std::int64_t>*>(progress.data());
    const RowLayout fields = layout_of(layout);
    RunScan scan = with_source(descriptor, [&](const Source& source) {
        return RunScanner(source, size, fields, index, float32, threads, range_size, done, first,
                          repeats, kept, ids_fall)
            .scan();
    });
    if (scan.fault.fault != Fault::none) {
        nb::dict out;
        out["fault"] = report_of(scan.fault);
        return out;
    }
    nb::dict out = arrays_of(scan.outcomes, std::max(1, threads));
    out["fault"] = nb::none();
    out["rows"] = scan.rows;
    out["commented"] = scan.commented;
    out["unjudged_queries"] = scan.unjudged.count();
    out["unjudged_capped"] = scan.unjudged.capped();
    out["unjudged_sample"] = list_of(scan.unjudged.sample());
    out["doc_samples"] = tuple_of(scan.samples);
    out["tops"] = tuple_of(scan.tops);
    return out;
}

nb::dict judgments_of(JudgmentScan& scan) {
    nb::dict out;
    out["fault"] = report_of(scan.fault);
    if (scan.fault.fault != Fault::none) return out;
    const nb::bytes query_bytes = bytes_of(scan.queries.all()), doc_bytes = bytes_of(scan.docs.all());
    scan.docs.bytes = {};
    out["query_bytes"] = query_bytes;
    out["query_offsets"] = array_of(std::move(scan.queries.offsets));
    out["doc_bytes"] = doc_bytes;
    out["doc_offsets"] = array_of(std::move(scan.docs.offsets));
    out["index"] = Index(view_of(query_bytes, nb::cast<Offsets>(out["query_offsets"])), scan.groups,
                         view_of(doc_bytes, nb::cast<Offsets>(out["doc_offsets"])), std::move(scan.tables));
    out["groups"] = array_of(std::move(scan.groups));
    out["grades"] = array_of(std::move(scan.grades));
    out["commented"] = scan.commented;
    out["repeated"] = scan.repeated.count;
    out["contradicting"] = scan.contradicting.count;
    const auto pair_of = [](const std::pair<std::string, std::string>& pair) {
        return nb::make_tuple(bytes_of(pair.first), bytes_of(pair.second));
    };
    out["repeated_example"] = pair_of(scan.repeated.example);
    out["contradicting_example"] = pair_of(scan.contradicting.example);
    out["iterations"] = list_of(scan.iterations);
    return out;
}

nb::dict scan_judgments(nb::bytes text, nb::tuple layout, std::size_t first, int threads) {
    const std::string_view bytes(static_cast<const char*>(text.data()), text.size());
    const RowLayout fields = layout_of(layout);
    JudgmentScan scan;
    {
        nb::gil_scoped_release release;
        scan = JudgmentScanner(bytes, fields, first, threads).scan();
    }
    return judgments_of(scan);
}

// None if something in the file is unusual.
nb::object scan_lists(int descriptor, std::uint64_t size, nb::object objects, const Index& index,
                      bool float32, bool ascending) {
    const auto record = record_of(objects);
    ListScan scan = with_source(descriptor, [&](const Source& source) {
        return ListScanner(index, float32)
            .scan(padded_text(source, size), record, ascending ? Reading::rank : Reading::number);
    });
    if (!scan.usual) return nb::none();
    nb::dict out = arrays_of(scan.outcomes);
    out["form"] = static_cast<int>(scan.form);
    out["falls"] = scan.falls;
    out["words"] = list_of(scan.words);
    out["unjudged_queries"] = scan.unjudged.count();
    out["unjudged_capped"] = scan.unjudged.capped();
    out["unjudged_sample"] = list_of(scan.unjudged.sample());
    out["doc_samples"] = tuple_of(scan.samples);
    return out;
}

nb::dict judge_lists(int descriptor, std::uint64_t size, nb::object objects) {
    const auto record = record_of(objects);
    JudgmentScan scan = with_source(descriptor, [&](const Source& source) {
        return ListJudge().judge(padded_text(source, size), record);
    });
    return judgments_of(scan);
}

nb::object text_of(const Field& field) {
    PyObject* text = PyUnicode_DecodeUTF8(field.begin, static_cast<Py_ssize_t>(field.size()),
                                          "surrogateescape");
    if (!text) throw nb::python_error();
    return nb::steal(text);
}

// `queries` has one entry for each stretch of consecutive rows of a query, `sizes` the number of rows
// of each. With `most`, only that many rows of a stretch, those with the highest numbers, are kept,
// and all that share the number of the last of these.
nb::dict read_rows(nb::bytes text, nb::tuple layout, std::uint64_t offset, std::size_t most) {
    std::string padded(static_cast<const char*>(text.data()), text.size());
    padded.append(padding, '\n');
    const RowLayout fields = layout_of(layout);
    const char* const begin = padded.data();
    const char* const end = begin + text.size();
    const char* p = begin;
    if (!offset && std::string_view(begin, text.size()).substr(0, 3) == "\xef\xbb\xbf") p += 3;
    nb::list queries, docs;
    std::vector<double> numbers;
    std::vector<std::int64_t> sizes;
    std::vector<std::pair<double, Field>> group;
    const auto add_group = [&] {
        if (most && group.size() > most) {
            std::stable_sort(group.begin(), group.end(),
                             [](const auto& a, const auto& b) { return a.first > b.first; });
            std::size_t end = most;
            while (end < group.size() && group[end].first == group[most - 1].first) ++end;
            group.resize(end);
        }
        if (!group.empty()) sizes.push_back(static_cast<std::int64_t>(group.size()));
        for (const auto& [number, doc] : group) {
            docs.append(text_of(doc));
            numbers.push_back(number);
        }
        group.clear();
    };
    Field last{nullptr, nullptr};
    Line line;
    FaultReport fault;
    nb::dict out;
    for (; p < end; p = line.next) {
        if (!read_row(p, end, fields, line, fault)) {
            fault.line_begin = offset + static_cast<std::uint64_t>(p - begin);
            out["fault"] = report_of(fault);
            return out;
        }
        if (line.count == 0) continue;
        const Field& id = line.field[fields.query];
        if (!last.begin || !same_fields(id, last)) {
            add_group();
            queries.append(text_of(id));
            last = id;
        }
        group.emplace_back(line.value, line.field[fields.doc]);
    }
    add_group();
    out["fault"] = nb::none();
    out["queries"] = queries;
    out["sizes"] = array_of(std::move(sizes));
    out["docs"] = docs;
    out["numbers"] = array_of(std::move(numbers));
    return out;
}

nb::list columns_of_stream(nb::object capsule) {
    auto* stream = static_cast<ArrowArrayStream*>(
        PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (!stream) throw nb::python_error();
    if (!stream->release) throw nb::value_error("the stream was read already");
    ArrowTable table;
    std::vector<NamedColumn> columns;
    {
        // What makes the stream may need other threads that wait for the lock.
        nb::gil_scoped_release release;
        drain(*stream, table);
        columns = columns_of(table);
    }
    nb::list list;
    for (NamedColumn& named : columns)
        list.append(nb::make_tuple(bytes_of(named.name), std::move(named.column)));
    return list;
}

Column column_of_array(nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu> array) {
    static const std::pair<nb::dlpack::dtype, const char*> formats[] = {
        {nb::dtype<std::int8_t>(), "c"},  {nb::dtype<std::uint8_t>(), "C"},
        {nb::dtype<std::int16_t>(), "s"}, {nb::dtype<std::uint16_t>(), "S"},
        {nb::dtype<std::int32_t>(), "i"}, {nb::dtype<std::uint32_t>(), "I"},
        {nb::dtype<std::int64_t>(), "l"}, {nb::dtype<std::uint64_t>(), "L"},
        {nb::dtype<float>(), "f"},        {nb::dtype<double>(), "g"},
        {nb::dtype<bool>(), "b"},
    };
    for (const auto& [type, format] : formats)
        if (array.dtype() == type) {
            auto* held = new decltype(array)(array);
            std::shared_ptr<void> owner(held, [](void* p) {
                const nb::gil_scoped_acquire lock;
                delete static_cast<decltype(array)*>(p);
            });
            Column column = flat_column(format, array.data(),
                                        static_cast<std::int64_t>(array.shape(0)), std::move(owner));
            if (*format == 'b') column.chunks[0].storage = Storage::u8;  // a byte each, not a bit
            return column;
        }
    throw nb::type_error("an array of numbers is needed");
}

nb::tuple column_of_objects(nb::list values) {
    Column column;
    const std::int64_t row = ObjectReader().read(values.ptr(), column);
    if (row >= 0) return nb::make_tuple(nb::none(), row);
    return nb::make_tuple(std::move(column), nb::none());
}

nb::object column_fault_of(const ColumnFault& fault) {
    if (fault.kind == ColumnFault::none) return nb::none();
    return nb::make_tuple(static_cast<int>(fault.kind), fault.column, fault.row);
}

nb::dict match_columns(const Column& query, const Column& doc, const Column* score,
                       const Column* rank, bool ascending, const Index& index, bool float32,
                       int threads, std::int64_t range_size, bool repeats) {
    ColumnRun run;
    {
        nb::gil_scoped_release release;
        const RunColumns columns{query, doc, score, rank, ascending};
        run = ColumnMatcher(columns, index, float32, threads, range_size, repeats).match();
    }
    nb::dict out;
    if (run.fault.kind == ColumnFault::none) out = arrays_of(run.outcomes);
    out["fault"] = column_fault_of(run.fault);
    out["unjudged_queries"] = run.unjudged.count();
    out["unjudged_capped"] = run.unjudged.capped();
    out["unjudged_sample"] = list_of(run.unjudged.sample());
    out["doc_samples"] = tuple_of(run.samples);
    return out;
}

nb::dict judge_columns(const Column& query, const Column& doc, const Column* grade) {
    ColumnJudgments judged;
    {
        nb::gil_scoped_release release;
        judged = ColumnJudge().judge(query, doc, grade);
    }
    if (judged.fault.kind == ColumnFault::none) return judgments_of(judged.scan);
    nb::dict out;
    out["fault"] = column_fault_of(judged.fault);
    return out;
}

nb::object read_judged(nb::list judged) {
    JudgedDicts read;
    for (const nb::handle own : judged)
        if (!read.add(own.ptr())) return nb::none();
    nb::list docs = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(read.docs.size())));
    if (!docs.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < read.docs.size(); ++i)
        PyList_SET_ITEM(docs.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(read.docs[i]));
    return nb::make_tuple(docs, read.are_numbers(), array_of(std::move(read.groups)),
                          array_of(std::move(read.grades)));
}

nb::dict match_mapping(nb::dict run, nb::list queries, nb::list docs,
                       Offsets groups,
                       bool ascending, bool float32) {
    MappingMatcher matcher(ascending, float32);
    Outcomes outcomes(queries.size());
    std::vector<Match>& matches = outcomes.parts.emplace_back();
    for (std::size_t q = 0; q < queries.size(); ++q) {
        PyObject* rows = PyDict_GetItemWithError(run.ptr(), nb::handle(queries[q]).ptr());
        if (rows) {
            const nb::object held = nb::borrow(rows);
            Placement placement;
            if (!matcher.place(rows, docs.ptr(), q, groups(q), groups(q + 1), placement, matches)) {
                nb::dict out;
                out["fault"] = nb::make_tuple(matcher.fault.kind, queries[q], matcher.fault.doc,
                                              matcher.fault.value);
                return out;
            }
            outcomes.set(q, placement);
        }
    }
    outcomes.count_matches();
    nb::dict out = arrays_of(outcomes);
    out["fault"] = nb::none();
    return out;
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Scans text, matches ids and computes ranks; knows nothing of measures.";
    nb::class_<Index>(m, "Index", "Exact look-up of judged queries and documents.")
        .def("__init__",
             [](Index* self, nb::bytes query_bytes,
                Offsets query_offsets,
                Offsets groups,
                nb::bytes doc_bytes,
                Offsets doc_offsets) {
                 std::vector<std::int64_t> bounds(groups.data(), groups.data() + groups.shape(0));
                 new (self) Index(view_of(query_bytes, query_offsets), std::move(bounds),
                                  view_of(doc_bytes, doc_offsets));
             },
             "query_bytes"_a, "query_offsets"_a, "groups"_a, "doc_bytes"_a, "doc_offsets"_a)
        .def("__repr__", [](const Index& self) {
            return "Index of " + std::to_string(self.query_count()) + " queries, " +
                   std::to_string(self.groups().back()) + " documents";
        });
    nb::class_<Column>(m, "Column", "A column of a table.")
        .def_ro("format", &Column::format)
        .def("__len__", [](const Column& self) { return self.length; })
        .def("of_codes", &Column::of_codes, "codes"_a, "The column of the values that codes stand for.");
    m.def("scan_run", &scan_run, "descriptor"_a, "size"_a, "layout"_a, "index"_a, "float32"_a,
          "threads"_a, "range_size"_a, "progress"_a, "first"_a = 0, "repeats"_a = false,
          "kept"_a = 0, "ids_fall"_a = 0,
          "Places the judged documents of a run in a file, and keeps the first documents of queries.");
    m.def("scan_judgments", &scan_judgments, "text"_a, "layout"_a, "first"_a = 0, "threads"_a = 1,
          "Reads judgments from text.");
    m.def("scan_lists", &scan_lists, "descriptor"_a, "size"_a, "record"_a.none(), "index"_a,
          "float32"_a, "ascending"_a,
          "Places the judged documents of a run in a JSON object of lists; None if it is unusual.");
    m.def("judge_lists", &judge_lists, "descriptor"_a, "size"_a, "record"_a.none(),
          "Reads judgments from a JSON object of lists.");
    m.def("read_rows", &read_rows, "text"_a, "layout"_a, "offset"_a = 0, "most"_a = 0,
          "Reads the rows of text that starts at some offset of its file; of consecutive rows of a "
          "query the best ones only, if a number of them is given.");
    m.def("read_judged", &read_judged, "judged"_a,
          "Reads the judgments of queries from dictionaries; None if they need a closer look.");
    m.def("match_mapping", &match_mapping, "run"_a, "queries"_a, "docs"_a, "groups"_a, "ascending"_a,
          "float32"_a,
          "Places the judged documents of a run held in dictionaries.");
    m.def("falling_order", &falling_order, "values"_a, "offsets"_a,
          "Orders each segment, highest first, and says which hold equal values.");
    m.def("falling_beside", &falling_beside, "values"_a, "offsets"_a, "beside"_a,
          "Puts what stands beside values in the falling order of each segment's values; says which "
          "segments hold equal values, and which places a value that equals the one before.");
    m.def("falling_small", &falling_small, "values"_a, "offsets"_a,
          "The whole numbers from 0 to 255 of each segment, highest first; None if there are others.");
    m.def("count_equals", &count_equals, "values"_a, "offsets"_a,
          "How many numbers of each segment equal another of it.");
    m.def("count", &count, "mask"_a, "offsets"_a, "How many elements of each segment are true.");
    m.def("running_count", &running_count, "mask"_a, "offsets"_a,
          "How many elements of each segment are true, up to and with each.");
    m.def("totals", &totals, "values"_a, "offsets"_a, "low"_a.none(),
          "The sum of each segment in two parts; low holds what rounding took from the values.");
    m.def("count_table", &count_table, "scores"_a, "offsets"_a, "columns"_a,
          "How many scores of a row are above and equal to those in some columns; the documents of "
          "each row. None if a score is NaN, +inf or 2^53 and more.");
    m.def("count_near", &count_near, "scores"_a, "offsets"_a, "columns"_a, "tolerance"_a, "check"_a,
          "How many scores of a row are above, equal and near to those in some columns; the documents "
          "that are absent from each row, and the first row with a score that is NaN or +inf.");
    m.def("top_table", &top_table, "labels"_a, "scores"_a, "k"_a, "count_equals"_a,
          "The first k documents of each row and those that tie with the last of them, the highest k "
          "labels, and counts of the others. None if a label is not a number from 0 up, or a score NaN, "
          "infinite or 2^53 and more.");
    m.def("nonzero", &nonzero, "bits"_a, "signed_zero"_a, "most"_a,
          "The columns of each row that are not 0, of floats with signed_zero; None if there are more "
          "than most.");
    m.def("first_equal", &first_equal, "text"_a, "begins"_a, "ends"_a, "offsets"_a,
          "For each id in a text the place of the first id of its segment that equals it.");
    m.def("gather", &gather, "text"_a, "begins"_a, "ends"_a, "Ids in a text laid end to end.");
    m.def("write_rows", &write_rows, "queries"_a, "text"_a, "begins"_a, "ends"_a, "numbers"_a, "offsets"_a,
          "The rows of a TREC run, of ids in a text and numbers by query.");
    m.def("columns_of_stream", &columns_of_stream, "capsule"_a, "Takes the columns of an Arrow stream.");
    m.def("column_of_array", &column_of_array, "array"_a, "Takes an array of numbers as a column.");
    m.def("column_of_objects", &column_of_objects, "values"_a,
          "Takes texts or whole numbers as a column, or says which is neither.");
    m.def("match_columns", &match_columns, "query"_a, "doc"_a, "score"_a.none(), "rank"_a.none(),
          "ascending"_a, "index"_a, "float32"_a, "threads"_a, "range_size"_a, "repeats"_a = false,
          "Places the judged documents of a run held in columns.");
    m.def("judge_columns", &judge_columns, "query"_a, "doc"_a, "grade"_a.none(),
          "Groups judgments held in columns.");
}
