// Places judged documents in runs held as {query: {document: score}}.
#pragma once

#include <Python.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "place.hpp"

namespace rankstone {

struct MappingFault {
    const char* kind = nullptr;  // "not_a_mapping", "not_a_number", "not_finite", "not_an_id",
                                 // "mixed_ids"
    nanobind::object doc, value;
};

class MappingMatcher {
  public:
    MappingMatcher(bool ascending, bool float32) : ascending_(ascending), float32_(float32) {}

    MappingFault fault;

    // Items `first` to `last` of the list `docs` are the judged documents of the query. False where
    // the scores are at fault.
    bool place(PyObject* run, PyObject* docs, std::size_t query, Py_ssize_t first, Py_ssize_t last,
               Placement& placement, std::vector<Match>& matches) {
        if (!PyDict_Check(run)) return fail("not_a_mapping", nullptr, run);
        const bool plain = !(kinds_ & 2) && look_up(run, docs, first, last);
        if (!plain && !read_scores(run)) return false;
        placement.retrieved = static_cast<std::uint32_t>(scores_.size());
        const std::size_t begin = matches.size();
        for (Py_ssize_t i = first; i < last; ++i) {
            Match match{0, 0, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(query), 0, 0, 0, 0};
            if (plain) {
                const std::uint32_t at = places_[static_cast<std::size_t>(i - first)];
                if (at == absent) continue;
                match.score = scores_[at];
                match.above = at;
                match.tied = descending_ && is_alone(at);
            } else {
                PyObject* value = PyDict_GetItemWithError(run, PyList_GET_ITEM(docs, i));
                if (!value) {
                    if (PyErr_Occurred()) PyErr_Clear();
                    continue;
                }
                match.score = number(value);
            }
            matches.push_back(match);
        }
        count(matches, begin);
        settle_ties(run, docs, matches, begin);
        return true;
    }

  private:
    static constexpr std::uint32_t absent = ~std::uint32_t{0};

    // Comparing ids and reading numbers may run code that changes the dictionary, so what is
    // used afterwards is owned.
    struct Tied {
        nanobind::object id;
        std::uint32_t earlier;
    };

    double number(PyObject* value) const {
        const double x = PyFloat_AsDouble(value);
        if (x == -1.0 && PyErr_Occurred()) PyErr_Clear();  // it was a number when it was read
        return rounded(x);
    }

    // A number of which the highest is the best.
    double rounded(double x) const {
        if (ascending_) x = 0.0 - x;
        return float32_ ? static_cast<double>(static_cast<float>(x)) : x;
    }

    void start(PyObject* run) {
        scores_.clear();
        scores_.reserve(static_cast<std::size_t>(PyDict_Size(run)));
        descending_ = true;
    }

    static std::size_t hash_of(PyObject* text) {
#if !defined(PYPY_VERSION)
        const Py_hash_t known = reinterpret_cast<PyASCIIObject*>(text)->hash;
        if (known != -1) return static_cast<std::size_t>(known);
#endif
        return static_cast<std::size_t>(PyObject_Hash(text));
    }

    // Reads exact texts and floats, for which no code of the caller runs, and looks each document up
    // among the judged ones, which are so few that they stay in the nearest cache. False if there is
    // something else.
    bool look_up(PyObject* run, PyObject* docs, Py_ssize_t first, Py_ssize_t last) {
        start(run);
        const auto judged = static_cast<std::size_t>(last - first);
        const std::size_t mask = std::bit_ceil(8 * judged + 8) - 1;
        slots_.assign(mask + 1, {0, 0});
        places_.assign(judged, absent);
        for (std::uint32_t i = 0; i < judged; ++i) {
            PyObject* doc = PyList_GET_ITEM(docs, first + static_cast<Py_ssize_t>(i));
            if (!PyUnicode_CheckExact(doc)) return false;
            const std::size_t hash = hash_of(doc) | 1;
            std::size_t at = (hash >> 1) & mask;
            while (slots_[at].hash) at = (at + 1) & mask;
            slots_[at] = {hash, i};
        }
        Py_ssize_t next = 0;
        PyObject *key, *value;
        double lowest = std::numeric_limits<double>::infinity();
        while (PyDict_Next(run, &next, &key, &value)) {
            if (!PyUnicode_CheckExact(key) || !PyUnicode_GET_LENGTH(key) || !PyFloat_CheckExact(value))
                return false;
            const double score = rounded(PyFloat_AS_DOUBLE(value));
            if (!std::isfinite(score)) return false;
            const std::size_t hash = hash_of(key) | 1;
            for (std::size_t at = (hash >> 1) & mask; slots_[at].hash; at = (at + 1) & mask) {
                const Slot slot = slots_[at];
                PyObject* doc = PyList_GET_ITEM(docs, first + static_cast<Py_ssize_t>(slot.judged));
                if (slot.hash != hash || (doc != key && PyUnicode_Compare(doc, key) != 0)) continue;
                places_[slot.judged] = static_cast<std::uint32_t>(scores_.size());
                break;
            }
            descending_ = descending_ && score <= lowest;
            lowest = score;
            scores_.push_back(score);
        }
        if (!scores_.empty()) kinds_ |= 1;
        return true;
    }

    bool is_alone(std::size_t at) const {
        return (at == 0 || scores_[at - 1] != scores_[at]) &&
               (at + 1 == scores_.size() || scores_[at + 1] != scores_[at]);
    }

    bool read_scores(PyObject* run) {
        start(run);
        Py_ssize_t at = 0;
        PyObject *key, *value;
        double last = std::numeric_limits<double>::infinity();
        while (PyDict_Next(run, &at, &key, &value)) {
            if (!check_id(key)) return fail(kinds_ == 3 ? "mixed_ids" : "not_an_id", key, value);
            double x;
            nanobind::object own_key, own_value;
            if (PyFloat_CheckExact(value)) {
                x = PyFloat_AS_DOUBLE(value);
            } else {
                own_key = nanobind::borrow(key);
                own_value = nanobind::borrow(value);
                x = PyFloat_AsDouble(value);
                if (x == -1.0 && PyErr_Occurred()) {
                    PyErr_Clear();
                    return fail("not_a_number", key, value);
                }
            }
            if (!std::isfinite(x)) return fail("not_finite", key, value);
            x = rounded(x);
            descending_ = descending_ && x <= last;
            last = x;
            scores_.push_back(x);
        }
        return true;
    }

    // Whether a key is text that is not empty or a whole number, and of the kind of those before.
    bool check_id(PyObject* key) {
        if (PyUnicode_Check(key)) {
            if (PyUnicode_GET_LENGTH(key) == 0) return false;
            kinds_ |= 1;
        } else {
            if (Py_TYPE(key) != whole_ && !is_whole(key)) return false;
            whole_ = Py_TYPE(key);
            kinds_ |= 2;
        }
        return kinds_ != 3;
    }

    static bool is_whole(PyObject* key) {
        if (PyBool_Check(key)) return false;
        const std::string_view type = Py_TYPE(key)->tp_name;
        return PyLong_Check(key) || type.starts_with("numpy.int") || type.starts_with("numpy.uint");
    }

    bool fail(const char* kind, PyObject* doc, PyObject* value) {
        fault.kind = kind;
        fault.doc = nanobind::borrow(doc ? doc : Py_None);
        fault.value = nanobind::borrow(value ? value : Py_None);
        return false;
    }

    void count(std::vector<Match>& matches, std::size_t begin) {
        const auto is_open = [](const Match& match) { return match.tied == 0; };
        const auto own = matches.begin() + static_cast<std::ptrdiff_t>(begin);
        if (std::none_of(own, matches.end(), is_open)) return;
        const std::vector<double>* sorted = &scores_;
        if (!descending_) {
            sorted_ = scores_;
            std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
            sorted = &sorted_;
        }
        for (std::size_t m = begin; m < matches.size(); ++m) {
            if (!is_open(matches[m])) continue;
            const auto range = std::equal_range(sorted->begin(), sorted->end(), matches[m].score,
                                                std::greater<>());
            matches[m].above = static_cast<std::uint32_t>(range.first - sorted->begin());
            matches[m].tied = static_cast<std::uint32_t>(range.second - range.first);
        }
    }

    // What a subclass makes of the order is not asked: it need not be one.
    static bool less(PyObject* a, PyObject* b) {
        if (PyUnicode_Check(a) && PyUnicode_Check(b)) return PyUnicode_Compare(a, b) < 0;
        if (PyLong_Check(a) && PyLong_Check(b))
            return nanobind::steal(PyLong_Type.tp_richcompare(a, b, Py_LT)).is(Py_True);
        const int answer = PyObject_RichCompareBool(a, b, Py_LT);  // numbers of NumPy
        if (answer < 0) PyErr_Clear();
        return answer == 1;
    }

    void settle_ties(PyObject* run, PyObject* docs, std::vector<Match>& matches,
                     std::size_t begin) {
        tied_scores_.clear();
        for (std::size_t m = begin; m < matches.size(); ++m)
            if (matches[m].tied > 1) tied_scores_.push_back(matches[m].score);
        if (tied_scores_.empty()) return;
        std::sort(tied_scores_.begin(), tied_scores_.end());
        tied_scores_.erase(std::unique(tied_scores_.begin(), tied_scores_.end()),
                           tied_scores_.end());
        ties_.assign(tied_scores_.size(), {});
        Py_ssize_t at = 0;
        PyObject *key, *value;
        for (std::size_t i = 0; i < scores_.size() && PyDict_Next(run, &at, &key, &value); ++i) {
            const auto tie = std::lower_bound(tied_scores_.begin(), tied_scores_.end(), scores_[i]);
            if (tie == tied_scores_.end() || *tie != scores_[i]) continue;
            auto& group = ties_[static_cast<std::size_t>(tie - tied_scores_.begin())];
            group.push_back({nanobind::borrow(key), static_cast<std::uint32_t>(group.size())});
        }
        count_greater_ids(docs, matches, begin);
    }

    void count_greater_ids(PyObject* docs, std::vector<Match>& matches, std::size_t begin) {
        const auto by_id = [](const Tied& a, const Tied& b) { return less(a.id.ptr(), b.id.ptr()); };
        for (auto& group : ties_) std::sort(group.begin(), group.end(), by_id);
        for (std::size_t m = begin; m < matches.size(); ++m) {
            if (matches[m].tied <= 1) continue;
            const auto tie = std::lower_bound(tied_scores_.begin(), tied_scores_.end(),
                                              matches[m].score);
            const auto& group = ties_[static_cast<std::size_t>(tie - tied_scores_.begin())];
            const Tied own{nanobind::borrow(PyList_GET_ITEM(docs, matches[m].judgment)), 0};
            const auto found = std::lower_bound(group.begin(), group.end(), own, by_id);
            if (found == group.end()) break;
            matches[m].greater = static_cast<std::uint32_t>(group.end() - found - 1);
            matches[m].earlier = found->earlier;
        }
    }

    bool ascending_;  // whether the lowest number is the best
    bool float32_;
    bool descending_ = true;
    int kinds_ = 0;                  // of ids: 1 for text, 2 for whole numbers, 3 for both
    PyTypeObject* whole_ = nullptr;  // the type of the last id that is a whole number
    struct Slot {
        std::size_t hash;  // its last bit is set; 0 for none
        std::uint32_t judged;
    };

    std::vector<Slot> slots_;             // the judged documents of a query
    std::vector<std::uint32_t> places_;  // of these among the scores
    std::vector<double> scores_, sorted_, tied_scores_;
    std::vector<std::vector<Tied>> ties_;
};

}  // namespace rankstone
