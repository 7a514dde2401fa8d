// Places judged documents in runs held as {query: {document: score}}.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "place.hpp"

namespace rankstone {

struct MappingFault {
    const char* kind = nullptr;  // "not_a_mapping", "not_a_number", "not_finite", "mixed_ids"
    PyObject* doc = nullptr;     // borrowed
    PyObject* value = nullptr;   // borrowed
};

class MappingMatcher {
  public:
    MappingMatcher(bool ascending, bool float32) : ascending_(ascending), float32_(float32) {}

    MappingFault fault;

    // `docs` are the judged documents of one query, the first of them row `first` of the
    // judgments. False where the scores are at fault.
    bool place(PyObject* run, PyObject* docs, std::uint32_t first, Placement& placement,
               std::vector<Match>& matches) {
        if (!PyDict_Check(run)) {
            fault.kind = "not_a_mapping";
            fault.value = run;
            return false;
        }
        if (!read_scores(run)) return false;
        placement.retrieved = static_cast<std::uint32_t>(scores_.size());
        const std::size_t begin = matches.size();
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(docs); ++i) {
            PyObject* value = PyDict_GetItemWithError(run, PyList_GET_ITEM(docs, i));
            if (!value) {
                if (PyErr_Occurred()) PyErr_Clear();
                continue;
            }
            matches.push_back({number(value), 0, first + static_cast<std::uint32_t>(i), 0, 0, 1, 0, 0});
        }
        count(matches, begin);
        return settle_ties(run, docs, first, matches, begin);
    }

  private:
    struct Tied {
        PyObject* id;
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

    bool read_scores(PyObject* run) {
        scores_.clear();
        scores_.reserve(static_cast<std::size_t>(PyDict_Size(run)));
        descending_ = true;
        Py_ssize_t at = 0;
        PyObject *key, *value;
        double last = std::numeric_limits<double>::infinity();
        while (PyDict_Next(run, &at, &key, &value)) {
            double x;
            if (PyFloat_CheckExact(value)) {
                x = PyFloat_AS_DOUBLE(value);
            } else {
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

    bool fail(const char* kind, PyObject* doc, PyObject* value) {
        fault.kind = kind;
        fault.doc = doc;
        fault.value = value;
        return false;
    }

    void count(std::vector<Match>& matches, std::size_t begin) {
        const std::vector<double>* sorted = &scores_;
        if (!descending_) {
            sorted_ = scores_;
            std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
            sorted = &sorted_;
        }
        for (std::size_t m = begin; m < matches.size(); ++m) {
            const auto range = std::equal_range(sorted->begin(), sorted->end(), matches[m].score,
                                                std::greater<>());
            matches[m].above = static_cast<std::uint32_t>(range.first - sorted->begin());
            matches[m].tied = static_cast<std::uint32_t>(range.second - range.first);
        }
    }

    // Thrown where two ids have no order, with Python's exception set: no more is asked of
    // Python then, nor of a sort that was told of no order.
    struct NoOrder {};

    static bool less(PyObject* a, PyObject* b) {
        if (PyUnicode_Check(a) && PyUnicode_Check(b)) return PyUnicode_Compare(a, b) < 0;
        const int answer = PyObject_RichCompareBool(a, b, Py_LT);
        if (answer < 0) throw NoOrder();
        return answer == 1;
    }

    bool settle_ties(PyObject* run, PyObject* docs, std::uint32_t first,
                     std::vector<Match>& matches, std::size_t begin) {
        tied_scores_.clear();
        for (std::size_t m = begin; m < matches.size(); ++m)
            if (matches[m].tied > 1) tied_scores_.push_back(matches[m].score);
        if (tied_scores_.empty()) return true;
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
            group.push_back({key, static_cast<std::uint32_t>(group.size())});
        }
        try {
            count_greater_ids(docs, first, matches, begin);
            return true;
        } catch (const NoOrder&) {
            PyErr_Clear();
            fault.kind = "mixed_ids";
            return false;
        }
    }

    void count_greater_ids(PyObject* docs, std::uint32_t first, std::vector<Match>& matches,
                           std::size_t begin) {
        const auto by_id = [](const Tied& a, const Tied& b) { return less(a.id, b.id); };
        for (auto& group : ties_) std::sort(group.begin(), group.end(), by_id);
        for (std::size_t m = begin; m < matches.size(); ++m) {
            if (matches[m].tied <= 1) continue;
            const auto tie = std::lower_bound(tied_scores_.begin(), tied_scores_.end(),
                                              matches[m].score);
            const auto& group = ties_[static_cast<std::size_t>(tie - tied_scores_.begin())];
            const Tied own{PyList_GET_ITEM(docs, matches[m].judgment - first), 0};
            const auto found = std::lower_bound(group.begin(), group.end(), own, by_id);
            if (found == group.end()) break;
            matches[m].greater = static_cast<std::uint32_t>(group.end() - found - 1);
            matches[m].earlier = found->earlier;
        }
    }

    bool ascending_;  // whether the lowest number is the best
    bool float32_;
    bool descending_ = true;
    std::vector<double> scores_, sorted_, tied_scores_;
    std::vector<std::vector<Tied>> ties_;
};

}  // namespace rankstone
