#pragma once

#include <complex>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "spsolve/types.hpp"

namespace spsolve {

/// The number type of an array with std::data() and std::size(), such as a std::vector.
template <typename Array>
using NumberOf = std::remove_cvref_t<decltype(*std::data(std::declval<const Array&>()))>;

/// A view of whole numbers of 32 or of 64 bits with a sign, which lie in a std::vector, a std::span
/// or the like: offsets or indices, counted from 0. Holds no copy.
class IndexArray {
 public:
  IndexArray() = default;
  IndexArray(const void* data, Index size, bool is_narrow)
      : data_(data), size_(size), is_narrow_(is_narrow) {}

  template <typename Array, typename Number = NumberOf<Array>,
            typename = std::enable_if_t<std::is_integral_v<Number> && std::is_signed_v<Number> &&
                                        (sizeof(Number) == 4 || sizeof(Number) == 8)>>
  IndexArray(const Array& numbers)
      : IndexArray(std::data(numbers), static_cast<Index>(std::size(numbers)),
                   sizeof(Number) == 4) {}

  const void* data() const { return data_; }
  Index size() const { return size_; }
  bool is_narrow() const { return is_narrow_; }  ///< whether of 32 bits

 private:
  const void* data_ = nullptr;
  Index size_ = 0;
  bool is_narrow_ = false;
};

/// A view of real or complex numbers, in float or in double, likewise.
class ValueArray {
 public:
  enum class Type { float32, float64, complex64, complex128 };

  ValueArray() = default;
  ValueArray(const void* data, Index size, Type type) : data_(data), size_(size), type_(type) {}

  template <
      typename Array, typename Number = NumberOf<Array>,
      typename = std::enable_if_t<std::is_same_v<Number, float> || std::is_same_v<Number, double> ||
                                  std::is_same_v<Number, std::complex<float>> ||
                                  std::is_same_v<Number, std::complex<double>>>>
  ValueArray(const Array& numbers)
      : ValueArray(std::data(numbers), static_cast<Index>(std::size(numbers)),
                   std::is_same_v<Number, float>                 ? Type::float32
                   : std::is_same_v<Number, double>              ? Type::float64
                   : std::is_same_v<Number, std::complex<float>> ? Type::complex64
                                                                 : Type::complex128) {}

  const void* data() const { return data_; }
  Index size() const { return size_; }
  Type type() const { return type_; }

 private:
  const void* data_ = nullptr;
  Index size_ = 0;
  Type type_ = Type::float64;
};

/// The rows of a matrix that one of several processes has: values[k] in column column_indices[k] of
/// row rows.first + i for row_offsets[i] <= k < row_offsets[i + 1].
struct OwnRows {
  Range rows;         ///< of all rows, from 0; those of the ranks follow one another
  Index columns = 0;  ///< of the whole matrix
  IndexArray row_offsets = {}, column_indices = {};
  ValueArray values = {};
  /// Other than general: `values` are those of one triangle, lower or upper, the same on every
  /// rank.
  Symmetry symmetry = Symmetry::general;
};

}  // namespace spsolve
