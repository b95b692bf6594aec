#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matrix/numbers.hpp"

// Arrays as numpy keeps them in a file (NEP 1, A simple file format for NumPy arrays; versions 1 to
// 3). Read are booleans, integers, float32, float64, complex64 and complex128 in either order of
// bytes, and texts; structured ones, objects and others are refused by name.

namespace spsolve::inline io {

/// The facts of the header of such a file, and the place of the array.
struct NpyArray {
  std::string descr;         ///< as numpy has it, such as "<f8"
  bool fortran = false;      ///< column by column
  std::vector<Index> shape;  ///< one number a dimension
  std::string_view bytes;    ///< of the array

  Index elements() const;

  /// The elements in their order in the file. Throws Error(input) where they are none that are
  /// read; `name` stands for the file.
  Numbers numbers(const std::string& name) const;

  /// The text that is the only element, which is short. Likewise.
  std::string text(const std::string& name) const;
};

bool is_npy(std::string_view bytes);

/// Most bytes of a header that are read, the front of version 2 with them.
inline constexpr std::size_t most_npy_header = (std::size_t{1} << 16) + 12;

/// The array that begins with `bytes`, as its header tells; NpyArray::bytes are those after the
/// header, as many as are there. Throws Error(input).
NpyArray parse_npy_header(std::string_view bytes, const std::string& name);

/// The array of a file of `size` bytes that begins with `front`; they must be as many as its header
/// stands for. Throws likewise.
NpyArray parse_npy_front(std::string_view front, std::size_t size, const std::string& name);

/// The array that `bytes` are. Throws Error(input) where they are not one, whole, and no more.
NpyArray parse_npy(std::string_view bytes, const std::string& name);

/// The beginning of a file of float64 (descr "<f8") or other numbers.
std::string npy_front(std::string_view descr, bool fortran, const std::vector<Index>& shape);

}  // namespace spsolve::io
