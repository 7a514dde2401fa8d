// Columns from Python objects: texts, or whole numbers.
#pragma once

#include <Python.h>

#include "columns.hpp"

namespace rankstone {

class ObjectReader {
  public:
    // Copies the objects of a list; returns the first that does not fit, or -1.
    std::int64_t read(PyObject* list, Column& column) {
        const Py_ssize_t size = PyList_GET_SIZE(list);
        const bool text = size == 0 || PyUnicode_Check(PyList_GET_ITEM(list, 0));
        return text ? read_texts(list, size, column) : read_numbers(list, size, column);
    }

  private:
    static constexpr Py_ssize_t ahead = 16;

    struct Texts {
        std::vector<char> data;
        std::vector<std::int64_t> offsets{0};
    };

    static std::int64_t read_texts(PyObject* list, Py_ssize_t size, Column& column) {
        auto texts = std::make_shared<Texts>();
        texts->offsets.reserve(static_cast<std::size_t>(size) + 1);
        texts->data.reserve(static_cast<std::size_t>(size) * 8);
        for (Py_ssize_t i = 0; i < size; ++i) {
#if defined(__GNUC__)
            // The strings are anywhere in memory, so they are asked for before they are read.
            if (i + ahead < size) __builtin_prefetch(PyList_GET_ITEM(list, i + ahead));
#endif
            PyObject* item = PyList_GET_ITEM(list, i);
            if (!PyUnicode_Check(item)) return i;
            if (PyUnicode_IS_COMPACT_ASCII(item)) {
                const auto* p = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(item));
                texts->data.insert(texts->data.end(), p, p + PyUnicode_GET_LENGTH(item));
            } else if (!add_encoded(item, texts->data)) {
                return i;
            }
            texts->offsets.push_back(static_cast<std::int64_t>(texts->data.size()));
        }
        column = flat_column("U", texts->offsets.data(), size, texts);
        column.chunks[0].data = texts->data.data();
        return -1;
    }

    // Bytes that came as surrogates leave as what they were.
    static bool add_encoded(PyObject* item, std::vector<char>& data) {
        PyObject* bytes = PyUnicode_AsEncodedString(item, "utf-8", "surrogateescape");
        if (!bytes) {
            PyErr_Clear();
            return false;
        }
        const char* p = PyBytes_AS_STRING(bytes);
        data.insert(data.end(), p, p + PyBytes_GET_SIZE(bytes));
        Py_DECREF(bytes);
        return true;
    }

    // Signed numbers, or unsigned ones where they are all at least 0 and some need it.
    static std::int64_t read_numbers(PyObject* list, Py_ssize_t size, Column& column) {
        auto numbers = std::make_shared<std::vector<std::uint64_t>>();
        numbers->reserve(static_cast<std::size_t>(size));
        bool negative = false, large = false;
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyObject* item = PyList_GET_ITEM(list, i);
            if (PyBool_Check(item) || !PyIndex_Check(item)) return i;
            PyObject* number = PyNumber_Index(item);
            if (!number) {
                PyErr_Clear();
                return i;
            }
            int overflow = 0;
            const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
            auto bits = static_cast<std::uint64_t>(value);
            if (overflow > 0) {
                bits = PyLong_AsUnsignedLongLong(number);
                large = true;
            }
            Py_DECREF(number);
            if (PyErr_Occurred()) {
                PyErr_Clear();
                return i;
            }
            negative = negative || (overflow == 0 && value < 0);
            if (overflow < 0 || (negative && large)) return i;
            numbers->push_back(bits);
        }
        column = flat_column(large ? "L" : "l", numbers->data(), size, numbers);
        return -1;
    }
};

}  // namespace rankstone
