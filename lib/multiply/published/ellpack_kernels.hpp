#pragma once

#include <vector>

#include "matrix/formats/ellpack.hpp"
#include "multiply/kernel/host_storage.hpp"

namespace spsolve::inline multiply {

template <typename T>
using EllpackStorage = HostStorage<T, Ellpack>;
template <typename T>
using UnpaddedEllpackStorage = HostStorage<T, UnpaddedEllpack>;

// Y = A X as in Capotombolo, Zarrelli 2023, section 3: for each row i and each column c of X, the
// sum over the row's elements, in the order of the columns, is kept in a register. Padded rows are
// summed to the full width, unpadded ones to their length.

template <typename T>
void ellpack_serial(const Ellpack<T>& a, const T* x, T* y, Index columns);

template <typename T>
void ellpack_unpadded_serial(const UnpaddedEllpack<T>& a, const T* x, T* y, Index columns);

// Y = A X likewise by threads. X is first transposed into `scratch`, row c of which is column c of
// X, as part of every product; then rows and columns of Y are one loop, divided statically.

template <typename T>
void ellpack_openmp(const Ellpack<T>& a, const T* x, T* y, Index columns, int threads,
                    std::vector<T>& scratch);

template <typename T>
void ellpack_unpadded_openmp(const UnpaddedEllpack<T>& a, const T* x, T* y, Index columns,
                             int threads, std::vector<T>& scratch);

}  // namespace spsolve::multiply
