// Judgments held as {document: grade}, one dictionary for each query.
#pragma once

#include <Python.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace rankstone {

// Reads plain ids and numbers only, so that no code of the caller runs meanwhile: exact str or int
// for documents, all of one type; exact float, int or bool, finite, for grades.
class JudgedDicts {
  public:
    std::vector<PyObject*> docs;  // borrowed
    std::vector<double> grades;
    std::vector<std::int64_t> groups{0};

    // Adds the judgments of one query; false if they need a closer look.
    bool add(PyObject* judged) {
        if (!PyDict_CheckExact(judged)) return false;
        Py_ssize_t at = 0;
        PyObject *doc, *value;
        while (PyDict_Next(judged, &at, &doc, &value)) {
            double grade;
            if (!is_plain(doc) || !read_grade(value, grade)) return false;
            docs.push_back(doc);
            grades.push_back(grade);
        }
        groups.push_back(static_cast<std::int64_t>(docs.size()));
        return true;
    }

    bool are_numbers() const { return type_ == &PyLong_Type; }

  private:
    bool is_plain(PyObject* doc) {
        if (!type_) type_ = Py_TYPE(doc);
        if (Py_TYPE(doc) != type_) return false;
        return type_ == &PyUnicode_Type ? PyUnicode_GET_LENGTH(doc) > 0 : type_ == &PyLong_Type;
    }

    static bool read_grade(PyObject* value, double& grade) {
        if (PyFloat_CheckExact(value)) {
            grade = PyFloat_AS_DOUBLE(value);
            return std::isfinite(grade);
        }
        if (!PyLong_CheckExact(value) && !PyBool_Check(value)) return false;
        grade = PyLong_AsDouble(value);
        if (grade != -1.0 || !PyErr_Occurred()) return true;
        PyErr_Clear();  // too large for a double
        return false;
    }

    PyTypeObject* type_ = nullptr;  // of the documents
};

}  // namespace rankstone
