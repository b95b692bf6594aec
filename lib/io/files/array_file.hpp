#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "core/types.hpp"
#include "matrix/dense.hpp"

namespace spsolve::inline io {

/// A file of a dense array that is written column by column, whole or not at all.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;

  /// The next values in that order, any number of them. Throws Error(resources).
  virtual void write(std::span<const double> values) = 0;

  /// To be called once, when all values were written.
  virtual void commit() = 0;
};

}  // namespace spsolve::io
