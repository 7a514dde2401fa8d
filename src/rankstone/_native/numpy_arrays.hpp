// Arrays that NumPy takes over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

namespace rankstone {

namespace nb = nanobind;

using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;

template <typename T, typename Allocator>
nb::object array_of(std::vector<T, Allocator>&& values) {
    using Held = std::vector<T, Allocator>;
    auto* held = new Held(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Held*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner));
}

template <typename T>
nb::object array_of(std::unique_ptr<T[]>&& values, std::size_t size) {
    T* held = values.release();
    nb::capsule owner(held, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(held, {size}, owner));
}

// An array, which cannot be written to, that holds one number many times.
template <typename T>
nb::object repeated(T value, std::size_t size) {
    auto* held = new T(value);
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(held, {size}, owner, {0}));
}

}  // namespace rankstone
