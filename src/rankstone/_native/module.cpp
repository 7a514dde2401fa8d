// The Python face of the native core. Its contract is that of rankstone.core.twin.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>

#include "columns_of_objects.hpp"
#include "match_columns.hpp"
#include "match_mapping.hpp"
#include "order_rows.hpp"
#include "scan_judgments.hpp"
#include "scan_run.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rankstone;

namespace {

template <typename T>
nb::object array_of(std::vector<T>&& values) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner));
}

nb::bytes bytes_of(std::string_view text) { return nb::bytes(text.data(), text.size()); }

IdColumn column_of(nb::bytes bytes, nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig> offsets) {
    IdColumn column;
    column.bytes.assign(static_cast<const char*>(bytes.data()), bytes.size());
    column.offsets.assign(offsets.data(), offsets.data() + offsets.shape(0));
    column.pad();
    return column;
}

nb::object report_of(const FaultReport& fault) {
    if (fault.fault == Fault::none) return nb::none();
    return nb::make_tuple(static_cast<int>(fault.fault), fault.line_begin, fault.column,
                          fault.field, bytes_of(fault.text));
}

// One outcome for each judged query, as flat arrays.
nb::dict arrays_of(std::vector<QueryOutcome>& queries) {
    const std::size_t n = queries.size();
    std::vector<std::int64_t> offsets{0}, judgment, above, tied, greater, earlier;
    std::vector<std::int64_t> retrieved(n), duplicates(n), tied_documents(n);
    std::vector<std::uint8_t> present(n), rank_disagrees(n);
    std::vector<double> score;
    nb::dict duplicate;
    for (std::size_t q = 0; q < n; ++q) {
        QueryOutcome& outcome = queries[q];
        std::sort(outcome.matches.begin(), outcome.matches.end(),
                  [](const Match& a, const Match& b) { return a.judgment < b.judgment; });
        for (const Match& match : outcome.matches) {
            judgment.push_back(match.judgment);
            score.push_back(match.score);
            above.push_back(match.above);
            tied.push_back(match.tied);
            greater.push_back(match.greater);
            earlier.push_back(match.earlier);
        }
        offsets.push_back(static_cast<std::int64_t>(judgment.size()));
        present[q] = outcome.present;
        retrieved[q] = outcome.placement.retrieved;
        duplicates[q] = outcome.placement.duplicates;
        tied_documents[q] = outcome.placement.tied;
        rank_disagrees[q] = outcome.placement.rank_disagrees;
        if (outcome.placement.duplicates) duplicate[nb::int_(q)] = bytes_of(outcome.placement.duplicate);
    }
    nb::dict out;
    out["offsets"] = array_of(std::move(offsets));
    out["judgment"] = array_of(std::move(judgment));
    out["score"] = array_of(std::move(score));
    out["above"] = array_of(std::move(above));
    out["tied"] = array_of(std::move(tied));
    out["greater"] = array_of(std::move(greater));
    out["earlier"] = array_of(std::move(earlier));
    out["present"] = array_of(std::move(present));
    out["retrieved"] = array_of(std::move(retrieved));
    out["duplicates"] = array_of(std::move(duplicates));
    out["tied_documents"] = array_of(std::move(tied_documents));
    out["rank_disagrees"] = array_of(std::move(rank_disagrees));
    out["duplicate"] = duplicate;
    return out;
}

nb::list list_of(const std::vector<std::string>& texts) {
    nb::list list;
    for (const std::string& text : texts) list.append(bytes_of(text));
    return list;
}

Layout layout_of(nb::tuple fields) {
    return {nb::cast<int>(fields[0]), nb::cast<int>(fields[1]), nb::cast<int>(fields[2]),
            nb::cast<int>(fields[3]), nb::cast<int>(fields[4]),
            static_cast<Reading>(nb::cast<int>(fields[5])), nb::cast<bool>(fields[6])};
}

nb::dict scan_run(int descriptor, std::uint64_t size, nb::tuple layout, const Index& index,
                  bool float32, int threads, std::size_t range_size,
                  nb::ndarray<std::int64_t, nb::ndim<1>> progress, std::uint64_t first) {
    static_assert(sizeof(std::atomic<std::int64_t>) == sizeof(std::int64_t));
    auto* done = reinterpret_cast<std::atomic<std::int64_t>*>(progress.data());
    const Layout fields = layout_of(layout);
    RunScan scan;
    try {
        nb::gil_scoped_release release;
        const FileSource source(descriptor);
        scan = RunScanner(source, size, fields, index, float32, threads, range_size, done, first)
                   .scan();
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    } catch (const std::runtime_error& error) {
        PyErr_SetString(PyExc_OSError, error.what());
        throw nb::python_error();
    }
    if (scan.fault.fault != Fault::none) {
        nb::dict out;
        out["fault"] = report_of(scan.fault);
        return out;
    }
    nb::dict out = arrays_of(scan.queries);
    out["fault"] = nb::none();
    out["rows"] = scan.rows;
    out["commented"] = scan.commented;
    out["unjudged_queries"] = scan.unjudged.count();
    out["unjudged_capped"] = scan.unjudged.capped();
    out["unjudged_sample"] = list_of(scan.unjudged.sample());
    out["doc_sample"] = list_of(scan.doc_sample);
    return out;
}

nb::dict judgments_of(JudgmentScan& scan) {
    nb::dict out;
    out["fault"] = report_of(scan.fault);
    if (scan.fault.fault != Fault::none) return out;
    out["query_bytes"] = bytes_of(scan.queries.bytes);
    out["query_offsets"] = array_of(std::move(scan.queries.offsets));
    out["groups"] = array_of(std::move(scan.groups));
    out["doc_bytes"] = bytes_of(scan.docs.bytes);
    out["doc_offsets"] = array_of(std::move(scan.docs.offsets));
    out["grades"] = array_of(std::move(scan.grades));
    out["commented"] = scan.commented;
    out["repeated"] = scan.repeated;
    out["contradicting"] = scan.contradicting;
    const auto pair_of = [](const std::pair<std::string, std::string>& pair) {
        return nb::make_tuple(bytes_of(pair.first), bytes_of(pair.second));
    };
    out["repeated_example"] = pair_of(scan.repeated_example);
    out["contradicting_example"] = pair_of(scan.contradicting_example);
    return out;
}

nb::dict scan_judgments(nb::bytes text, nb::tuple layout, std::size_t first) {
    std::string padded(static_cast<const char*>(text.data()), text.size());
    padded.append(padding, '\n');
    const Layout fields = layout_of(layout);
    JudgmentScan scan;
    {
        nb::gil_scoped_release release;
        scan = JudgmentScanner({padded.data(), padded.size() - padding}, fields, first).scan();
    }
    return judgments_of(scan);
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
                       const Column* rank, bool falling, const Index& index, bool float32,
                       int threads, std::int64_t range_size) {
    ColumnRun run;
    {
        nb::gil_scoped_release release;
        const RunColumns columns{query, doc, score, rank, falling};
        run = ColumnMatcher(columns, index, float32, threads, range_size).match();
    }
    nb::dict out;
    if (run.fault.kind == ColumnFault::none) out = arrays_of(run.queries);
    out["fault"] = column_fault_of(run.fault);
    out["unjudged_queries"] = run.unjudged.count();
    out["unjudged_capped"] = run.unjudged.capped();
    out["unjudged_sample"] = list_of(run.unjudged.sample());
    out["doc_sample"] = list_of(run.doc_sample);
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

nb::dict match_mapping(nb::dict run, nb::list queries, nb::list docs, bool float32) {
    MappingMatcher matcher(float32);
    std::vector<QueryOutcome> outcomes(queries.size());
    std::int64_t first = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        nb::list judged = nb::borrow<nb::list>(docs[q]);
        PyObject* rows = PyDict_GetItemWithError(run.ptr(), nb::handle(queries[q]).ptr());
        if (rows) {
            const nb::object held = nb::borrow(rows);
            outcomes[q].present = true;
            if (!matcher.place(rows, judged.ptr(), first, outcomes[q].placement,
                               outcomes[q].matches)) {
                const auto given = [](PyObject* p) { return p ? nb::borrow(p) : nb::none(); };
                nb::dict out;
                out["fault"] = nb::make_tuple(matcher.fault.kind, queries[q],
                                              given(matcher.fault.doc), given(matcher.fault.value));
                return out;
            }
        }
        first += static_cast<std::int64_t>(judged.size());
    }
    nb::dict out = arrays_of(outcomes);
    out["fault"] = nb::none();
    return out;
}

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;

std::size_t segments_in(const Numbers& values, const Offsets& offsets) {
    const std::size_t segments = offsets.shape(0) ? offsets.shape(0) - 1 : 0;
    const std::int64_t* bounds = offsets.data();
    bool rise = segments ? bounds[0] == 0 : !values.shape(0);
    if (segments) rise &= bounds[segments] == static_cast<std::int64_t>(values.shape(0));
    for (std::size_t s = 0; rise && s < segments; ++s)
        rise = bounds[s] <= bounds[s + 1] && bounds[s + 1] - bounds[s] <= UINT32_MAX;
    if (!rise) throw nb::value_error("offsets must rise from 0 to the number of values");
    return segments;
}

template <typename T>
nb::object array_of(std::unique_ptr<T[]>&& values, std::size_t size) {
    T* held = values.release();
    nb::capsule owner(held, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(held, {size}, owner));
}

// Orders the numbers of each segment, highest first, and either keeps the order or puts what
// stands beside the numbers into it.
class Ordering {
  public:
    Ordering(const Numbers& values, const Offsets& offsets, const double* beside)
        : data_(values.data()), bounds_(offsets.data()), segments_(segments_in(values, offsets)),
          size_(values.shape(0)), beside_(beside) {
        std::size_t longest = 0;
        for (std::size_t s = 0; s < segments_; ++s) longest = std::max(longest, length(s));
        if (beside_) carried_.reset(new double[size_]);
        order_.reset(new std::int64_t[beside_ ? longest : size_]);
        const std::size_t width = segments_ ? length(0) : 0;
        table_ = width >= narrow && width <= wide && width * segments_ == size_ && width == longest;
    }

    nb::tuple order() {
        if (table_) {
            order_table(length(0));
        } else {
            nb::gil_scoped_release release;
            for (std::size_t s = 0; s < segments_; ++s) {
                order_segment(s);
                carry_segment(s);
            }
        }
        return nb::make_tuple(beside_ ? array_of(std::move(carried_), size_)
                                      : array_of(std::move(order_), size_),
                              tied_);
    }

  private:
    static constexpr std::size_t narrow = 200, wide = 4096, few = 16;

    std::size_t length(std::size_t s) const {
        return static_cast<std::size_t>(bounds_[s + 1] - bounds_[s]);
    }

    std::int64_t* order_of(std::size_t s) const {
        return beside_ ? order_.get() : order_.get() + bounds_[s];
    }

    void order_segment(std::size_t s) {
        const std::size_t n = length(s);
        const std::int64_t begin = bounds_[s];
        const RowSorter::Entry* entries = sorter_.sort(data_ + begin, n);
        std::int64_t* order = order_of(s);
        for (std::size_t i = 0; i < n; ++i) order[i] = begin + entries[i].at;
        for (std::size_t i = 1; i < n && !tied_; ++i)
            tied_ = entries[i - 1].key == entries[i].key;
    }

    void carry_segment(std::size_t s) {
        if (beside_) carry(beside_, order_of(s), carried_.get() + bounds_[s], length(s));
    }

    // NumPy sorts whole numbers with the widest instructions of the machine, so rows of one
    // length are packed into such.
    void order_table(std::size_t width) {
        const int bits = std::bit_width(width - 1);
        const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
        static thread_local std::vector<std::uint32_t> packed;  // kept: fresh memory is slow
        if (packed.size() < segments_ * width) packed.resize(segments_ * width);
        std::vector<std::uint8_t> fits(segments_);
        {
            nb::gil_scoped_release release;
            for (std::size_t s = 0; s < segments_; ++s) {
                const double* row = data_ + s * width;
                const Span span = span_of(row, width);
                const double range = span.high - span.low;
                const double steps = range > 0 ? ((UINT32_MAX >> bits) - 1) / range : 0.0;
                fits[s] = span.finite && std::isfinite(range) && std::isfinite(steps);
                if (fits[s])
                    pack_row(row, packed.data() + s * width, width, span.high, steps, bits);
            }
        }
        nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>> keys(packed.data(), {segments_, width},
                                                                nb::handle());
        nb::cast(keys, nb::rv_policy::reference).attr("sort")("axis"_a = 1);
        nb::gil_scoped_release release;
        for (std::size_t s = 0; s < segments_; ++s) {
            const std::uint32_t* row = packed.data() + s * width;
            const std::size_t at = s * width;
            if (beside_ && fits[s] && !carry_row(row, beside_ + at, carried_.get() + at, width, mask))
                continue;
            std::int64_t* order = order_of(s);
            if (!fits[s] ||
                (unpack_row(row, order, width, mask, bounds_[s]) && !settle(row, order, width, mask)))
                order_segment(s);
            carry_segment(s);
        }
    }

    // Orders what is equally many steps down; false where that is too many for it.
    bool settle(const std::uint32_t* packed, std::int64_t* order, std::size_t width,
                std::uint32_t mask) {
        ordered_.resize(width);
        carry(data_, order, ordered_.data(), width);
        const Nearness near = compare(packed, ordered_.data(), width, mask);
        tied_ |= near.equal;
        if (!near.mixed) return true;
        for (std::size_t begin = 0, end; begin < width; begin = end) {
            bool equal = true;
            for (end = begin + 1; end < width && (packed[end] ^ packed[begin]) <= mask; ++end)
                equal &= data_[order[end]] == data_[order[begin]];
            if (end == begin + 1) continue;
            if (!equal && end - begin > few) return false;
            if (!equal) insert(order + begin, end - begin);
            for (std::size_t i = begin + 1; i < end && !tied_; ++i)
                tied_ = data_[order[i]] == data_[order[i - 1]];
        }
        return true;
    }

    void insert(std::int64_t* order, std::size_t n) const {
        for (std::size_t i = 1; i < n; ++i) {
            const std::int64_t moving = order[i];
            std::size_t at = i;
            for (; at > 0 && data_[order[at - 1]] < data_[moving]; --at) order[at] = order[at - 1];
            order[at] = moving;
        }
    }

    const double* data_;
    const std::int64_t* bounds_;
    std::size_t segments_, size_;
    const double* beside_;
    std::unique_ptr<double[]> carried_;
    std::unique_ptr<std::int64_t[]> order_;  // of one segment at a time where it is not kept
    std::vector<double> ordered_;
    RowSorter sorter_;
    bool table_ = false, tied_ = false;
};

nb::tuple falling_order(Numbers values, Offsets offsets) {
    return Ordering(values, offsets, nullptr).order();
}

nb::tuple falling_beside(Numbers values, Offsets offsets, Numbers beside) {
    if (beside.shape(0) != values.shape(0))
        throw nb::value_error("as many numbers beside the values as there are values are needed");
    return Ordering(values, offsets, beside.data()).order();
}

nb::object falling_small(Numbers values, Offsets offsets) {
    const std::size_t segments = segments_in(values, offsets);
    const std::int64_t* bounds = offsets.data();
    std::unique_ptr<double[]> falling(new double[values.shape(0)]);
    bool small = true;
    {
        nb::gil_scoped_release release;
        Counter counter;
        for (std::size_t s = 0; small && s < segments; ++s)
            small = counter.order(values.data() + bounds[s],
                                  static_cast<std::size_t>(bounds[s + 1] - bounds[s]),
                                  falling.get() + bounds[s]);
    }
    return small ? array_of(std::move(falling), values.shape(0)) : nb::none();
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Scans text, matches ids and computes ranks; knows nothing of measures.";
    nb::class_<Index>(m, "Index", "Exact look-up of judged queries and documents.")
        .def("__init__",
             [](Index* self, nb::bytes query_bytes,
                nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig> query_offsets,
                nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig> groups,
                nb::bytes doc_bytes,
                nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig> doc_offsets) {
                 std::vector<std::int64_t> bounds(groups.data(), groups.data() + groups.shape(0));
                 new (self) Index(column_of(query_bytes, query_offsets), std::move(bounds),
                                  column_of(doc_bytes, doc_offsets));
             },
             "query_bytes"_a, "query_offsets"_a, "groups"_a, "doc_bytes"_a, "doc_offsets"_a);
    nb::class_<Column>(m, "Column", "A column of a table.")
        .def_ro("format", &Column::format)
        .def("__len__", [](const Column& self) { return self.length; })
        .def("of_codes", &Column::of_codes, "codes"_a, "The column of the values that codes stand for.");
    m.def("scan_run", &scan_run, "descriptor"_a, "size"_a, "layout"_a, "index"_a, "float32"_a,
          "threads"_a, "range_size"_a, "progress"_a, "first"_a = 0,
          "Places the judged documents of a run in a file.");
    m.def("scan_judgments", &scan_judgments, "text"_a, "layout"_a, "first"_a = 0,
          "Reads judgments from text.");
    m.def("match_mapping", &match_mapping, "run"_a, "queries"_a, "docs"_a, "float32"_a,
          "Places the judged documents of a run held in dictionaries.");
    m.def("falling_order", &falling_order, "values"_a, "offsets"_a,
          "Orders each segment, highest first, and says whether one holds equal values.");
    m.def("falling_beside", &falling_beside, "values"_a, "offsets"_a, "beside"_a,
          "Puts what stands beside values in the falling order of each segment's values, and says "
          "whether one holds equal values.");
    m.def("falling_small", &falling_small, "values"_a, "offsets"_a,
          "The whole numbers from 0 to 255 of each segment, highest first; None if there are others.");
    m.def("columns_of_stream", &columns_of_stream, "capsule"_a, "Takes the columns of an Arrow stream.");
    m.def("column_of_array", &column_of_array, "array"_a, "Takes an array of numbers as a column.");
    m.def("column_of_objects", &column_of_objects, "values"_a,
          "Takes texts or whole numbers as a column, or says which is neither.");
    m.def("match_columns", &match_columns, "query"_a, "doc"_a, "score"_a.none(), "rank"_a.none(),
          "falling"_a, "index"_a, "float32"_a, "threads"_a, "range_size"_a,
          "Places the judged documents of a run held in columns.");
    m.def("judge_columns", &judge_columns, "query"_a, "doc"_a, "grade"_a.none(),
          "Groups judgments held in columns.");
}
