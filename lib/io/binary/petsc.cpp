#include "io/binary/petsc.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "matrix/compressed_arrays.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"

namespace spsolve::inline io {

namespace {

// PETSc's petscmat.h and petscvec.h.
constexpr Index matrix_class = 1211216, vector_class = 1211214;
constexpr Index dense_entries = -1;

/// The integers at the front of a file, and the data after them.
class Front {
 public:
  Front(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    // An object's class is a small number: with 64 bits, zeros come first.
    wide_ = bytes.starts_with(std::string_view("\0\0\0\0", 4));
    object_ = next();
  }

  Index object() const { return object_; }
  NumberType type() const { return wide_ ? NumberType::int64 : NumberType::int32; }

  Index next() {
    const Numbers number = take(1, type());
    return visit_numbers(number, [](const auto& at) { return static_cast<Index>(at(0)); });
  }

  /// The next `count` numbers.
  Numbers take(Index count, NumberType type) {
    Index needed = 0;
    const bool fits = count >= 0 &&
                      !__builtin_mul_overflow(count, static_cast<Index>(bytes_of(type)), &needed) &&
                      needed <= static_cast<Index>(bytes_.size() - at_);
    if (!fits) {
      fail(ExitCode::input,
           "{}: is cut off: its header stands for more numbers than its {} bytes hold; copy or "
           "save it again",
           name_, bytes_.size());
    }
    const Numbers numbers{bytes_.data() + at_, count, type, true};
    at_ += static_cast<std::size_t>(needed);
    return numbers;
  }

  /// The next `count` numbers, which are complex where there are bytes for both parts of each.
  Numbers take_values(Index count) {
    constexpr auto complex = static_cast<Index>(bytes_of(NumberType::complex128));
    const auto left = static_cast<Index>(bytes_.size() - at_);
    return take(
        count, count > 0 && left / complex >= count ? NumberType::complex128 : NumberType::float64);
  }

  void require_end() const {
    if (at_ == bytes_.size()) return;
    fail(ExitCode::input,
         "{}: holds {} bytes more than its header stands for; save one object to a file, with "
         "numbers in double",
         name_, bytes_.size() - at_);
  }

 private:
  std::string_view bytes_;
  const std::string& name_;
  bool wide_ = false;
  std::size_t at_ = 0;
  Index object_ = 0;
};

struct Sizes {
  Index rows, columns, entries;
};

Sizes sizes_of(Front& front, const std::string& name) {
  const Index rows = front.next(), columns = front.next(), entries = front.next();
  if (rows < 0 || columns < 0 || entries < dense_entries) {
    fail(ExitCode::input, "{}: a matrix of {} x {} with {} entries cannot be", name, rows, columns,
         entries);
  }
  return {rows, columns, entries};
}

/// `count` numbers with their highest byte first, written in pieces.
template <typename To, typename From>
void write_swapped(AtomicFile& file, const From* from, Index count) {
  constexpr Index piece = 1 << 17;
  std::vector<To> swapped;
  for (Index first = 0; first < count; first += piece) {
    const Index size = std::min(piece, count - first);
    swapped.resize(static_cast<std::size_t>(size));
    for (Index k = 0; k < size; ++k) {
      const To value = static_cast<To>(from[first + k]);
      swapped[k] = number_at<To, std::endian::native == std::endian::little>(
          reinterpret_cast<const char*>(&value), 0);
    }
    file.write({reinterpret_cast<const char*>(swapped.data()), swapped.size() * sizeof(To)});
  }
}

/// A matrix with the pattern of `matrix` and these values.
template <typename Integer>
void write_with(AtomicFile& file, const Csr<double>& matrix, const std::vector<double>& values) {
  const Index front[] = {matrix_class, matrix.rows, matrix.columns, matrix.nonzeros()};
  write_swapped<Integer>(file, front, 4);
  write_swapped<Integer>(file, row_lengths(matrix).data(), matrix.rows);
  write_swapped<Integer>(file, matrix.column_indices.data(), matrix.nonzeros());
  write_swapped<double>(file, values.data(), std::ssize(values));
  file.commit();
}

void write_values(const std::filesystem::path& path, const Csr<double>& matrix,
                  const std::vector<double>& values) {
  AtomicFile file(path);
  const bool narrow = std::max({matrix.rows, matrix.columns, matrix.nonzeros()}) <=
                      std::numeric_limits<std::int32_t>::max();
  narrow ? write_with<std::int32_t>(file, matrix, values)
         : write_with<std::int64_t>(file, matrix, values);
}

constexpr Index most_in_32_bits = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<PetscObject> petsc_object(std::string_view bytes) {
  const auto has_class = [&](Index object) {
    const Numbers narrow{bytes.data(), 1, NumberType::int32, true};
    const Numbers wide{bytes.data(), 1, NumberType::int64, true};
    const auto is = [&](const Numbers& number) {
      return bytes.size() >= bytes_of(number.type) && visit_numbers(number, [&](const auto& at) {
               return static_cast<Index>(at(0)) == object;
             });
    };
    return is(narrow) || is(wide);
  };
  if (has_class(vector_class)) return PetscObject::vector;
  if (!has_class(matrix_class)) return std::nullopt;
  const bool wide = bytes.front() == '\0' && bytes.substr(0, 4) == std::string_view("\0\0\0\0", 4);
  const std::size_t size = wide ? 8 : 4;
  if (bytes.size() < 4 * size) return PetscObject::matrix;
  const Numbers entries{bytes.data() + 3 * size, 1, wide ? NumberType::int64 : NumberType::int32,
                        true};
  const bool dense = visit_numbers(entries, [](const auto& at) {
                       return static_cast<Index>(at(0));
                     }) == dense_entries;
  return dense ? PetscObject::dense_matrix : PetscObject::matrix;
}

MatrixShape petsc_shape(std::string_view bytes, const std::string& name) {
  Front front(bytes, name);
  const auto [rows, columns, entries] = sizes_of(front, name);
  front.take(rows, front.type());
  front.take(entries, front.type());
  const bool complex = has_two_parts(front.take_values(entries).type);
  const MatrixShape shape{rows, columns, entries, entries, static_cast<std::int64_t>(bytes.size()),
                          true};
  return complex ? of_real_form(shape) : shape;
}

StoredRows petsc_rows(std::string_view bytes, const std::string& name) {
  Front front(bytes, name);
  const Sizes sizes = sizes_of(front, name);
  const Index rows = sizes.rows, entries = sizes.entries;
  const Numbers lengths = front.take(rows, front.type());
  const Numbers indices = front.take(entries, front.type());
  const Numbers values = front.take_values(entries);
  front.require_end();
  std::vector<Index> offsets{0};
  offsets.reserve(static_cast<std::size_t>(rows) + 1);
  visit_numbers(lengths, [&](const auto& at) {
    for (Index i = 0; i < rows; ++i) {
      const Index length = static_cast<Index>(at(i));
      if (length < 0 || length > entries - offsets.back()) {
        fail(ExitCode::input,
             "{}: row {}, counted from 0, has {} entries, which do not add up to "
             "the {} of the matrix",
             name, i, length, entries);
      }
      offsets.push_back(offsets.back() + length);
    }
  });
  const Numbers as_offsets{reinterpret_cast<const char*>(offsets.data()), rows + 1,
                           NumberType::int64, std::endian::native == std::endian::big};
  return stored_rows({rows, sizes.columns, as_offsets, indices, values, false}, name);
}

Csr<double> read_petsc(std::string_view bytes, const std::string& name) {
  StoredRows rows = petsc_rows(bytes, name);
  const Range all{0, rows.rows};
  return csr_from_rows(std::move(rows), all, name);
}

DenseNumbers petsc_dense(std::string_view bytes, const std::string& name) {
  Front front(bytes, name);
  DenseNumbers dense;
  if (front.object() == vector_class) {
    dense.rows = front.next();
    dense.columns = 1;
  } else {
    const Sizes sizes = sizes_of(front, name);
    dense.rows = sizes.rows;
    dense.columns = sizes.columns;
  }
  Index elements = 0;
  if (__builtin_mul_overflow(dense.rows, dense.columns, &elements)) elements = -1;
  dense.numbers = front.take_values(elements);
  front.require_end();
  return dense;
}

void write_petsc(const std::filesystem::path& path, const Csr<double>& matrix, bool complex) {
  if (!complex) return write_values(path, matrix, matrix.values);
  const ComplexParts parts = parts_of(matrix);
  std::vector<double> values;
  values.reserve(2 * parts.s.values.size());
  for (std::size_t k = 0; k < parts.s.values.size(); ++k) {
    values.insert(values.end(), {parts.s.values[k], parts.t.values[k]});
  }
  write_values(path, parts.s, values);
}

PetscVectorWriter::PetscVectorWriter(const std::filesystem::path& path, Index rows) : file_(path) {
  const Index front[] = {vector_class, rows};
  rows <= most_in_32_bits ? write_swapped<std::int32_t>(file_, front, 2)
                          : write_swapped<std::int64_t>(file_, front, 2);
}

void PetscVectorWriter::write(std::span<const double> values) {
  write_swapped<double>(file_, values.data(), static_cast<Index>(values.size()));
}

void PetscVectorWriter::commit() {
  file_.commit();
}

}  // namespace spsolve::io
