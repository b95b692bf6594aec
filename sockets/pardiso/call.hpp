#pragma once

#include <array>
#include <complex>

#include "spsolve/spsolve.hpp"

namespace spsolve::sockets {

/// The two libraries with PARDISO's calls, whose parameters differ.
enum class Dialect { mkl, panua };

/// A caller's array of integers of either width, or none.
class IndexArray {
 public:
  IndexArray() = default;
  explicit IndexArray(const int* first) : narrow_(first) {}
  explicit IndexArray(const long long* first) : wide_(first) {}

  explicit operator bool() const { return narrow_ != nullptr || wide_ != nullptr; }
  Index operator[](Index k) const {
    return narrow_ != nullptr ? Index{narrow_[k]} : Index{wide_[k]};
  }

 private:
  const int* narrow_ = nullptr;
  const long long* wide_ = nullptr;
};

/// A caller's array of real or complex numbers in float or double, or none.
struct Numbers {
  const void* first = nullptr;
  bool in_float = false;

  template <typename T>
  T at(Index k) const;
};

template <>
inline double Numbers::at(Index k) const {
  return in_float ? double{static_cast<const float*>(first)[k]}
                  : static_cast<const double*>(first)[k];
}
template <>
inline std::complex<double> Numbers::at(Index k) const {
  return {at<double>(2 * k), at<double>(2 * k + 1)};
}

/// iparm, numbered from 1 as its documentation does.
class Parameters {
 public:
  static constexpr Index count = 64;

  Index& operator()(Index k) { return values_[static_cast<std::size_t>(k - 1)]; }
  Index operator()(Index k) const { return values_[static_cast<std::size_t>(k - 1)]; }

 private:
  std::array<Index, count> values_{};
};

/// The arguments of one call of pardiso().
struct Call {
  Dialect dialect = Dialect::mkl;
  void** pt = nullptr;
  Index maxfct = 1, mnum = 1, mtype = 0, phase = 0, n = 0, nrhs = 0, msglvl = 0;
  const void* a = nullptr;
  IndexArray ia, ja, perm;
  Parameters* iparm = nullptr;
  void *b = nullptr, *x = nullptr;
};

/// Does what a call asks for; its error code. Throws nothing.
int run(const Call& call) noexcept;

/// Sets `iparm` to the defaults and `pt` to no handle; the error code.
int initialise(Dialect dialect, void** pt, Index mtype, Parameters& iparm) noexcept;

/// The matrix checker: the error code for a matrix, from 1 counted, and its values. What is wrong
/// is printed.
int check_matrix(bool is_complex, Index mtype, Index n, const double* a, const int* ia,
                 const int* ja) noexcept;

/// Of right-hand sides, n x nrhs complex or real numbers.
int check_vectors(bool is_complex, Index n, Index nrhs, const double* b) noexcept;

/// check_matrix() and check_vectors(), and a table of the figures of both.
int print_statistics(bool is_complex, Index mtype, Index n, const double* a, const int* ia,
                     const int* ja, Index nrhs, const double* b) noexcept;

}  // namespace spsolve::sockets
