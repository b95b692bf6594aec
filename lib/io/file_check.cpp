#include "io/file_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/binary/dense_archive.hpp"
#include "io/binary/dense_file.hpp"
#include "io/binary/mat.hpp"
#include "io/binary/npz.hpp"
#include "io/binary/number_text.hpp"
#include "io/binary/petsc.hpp"
#include "io/binary/zip.hpp"
#include "io/dense_source.hpp"
#include "io/files/mapped_file.hpp"
#include "io/matrix_market/entry_reader.hpp"
#include "io/matrix_source.hpp"

namespace spsolve::inline io {

namespace {

namespace fs = std::filesystem;

/// Numbers between two looks at the clock.
constexpr Index numbers_at_a_time = Index{1} << 17;

struct TextCheck : CheckedEntries {
  double largest = 0;  ///< |value|
};

TextCheck check_text(const fs::path& path, const Deadline& deadline) {
  constexpr std::int64_t batch_bytes = std::int64_t{1} << 20;
  // Threads that wait for each other after each batch are slower than one.
  io::EntryReader reader(io::MappedFile::open(path), path, {.threads = 1}, batch_bytes);
  TextCheck check;
  check.all = reader.matrix().entries;
  for (auto runs = reader.next(); !runs.empty(); runs = reader.next()) {
    for (const io::EntryRun& run : runs) {
      for (const auto& values : {run.values, run.imaginary}) {
        for (const double value : values) check.largest = std::max(check.largest, std::abs(value));
      }
    }
    check.seen = reader.found();
    // The text after the last entry is looked at as well.
    if (deadline.is_over() && check.seen < check.all) break;
  }
  return check;
}

CheckedEntries check_rows(const io::DenseFile& file, const Deadline& deadline) {
  const Index columns = file.columns(), parts = file.is_complex() ? complex_parts : 1,
              step = std::max<Index>(numbers_at_a_time / std::max<Index>(parts * columns, 1), 1);
  std::vector<double> values(
      static_cast<std::size_t>(parts * std::min(step, file.rows()) * columns));
  CheckedEntries check{0, file.rows() * columns};
  for (Index i = 0; i < file.rows() && columns > 0; i += step) {
    const Index last = std::min(i + step, file.rows());
    file.read_rows({i, last}, values.data(), parts);
    check.seen = last * columns;
    if (deadline.is_over()) break;
  }
  return check;
}

CheckedEntries check_petsc(std::string_view bytes, const std::string& name,
                           const Deadline& deadline) {
  const StoredRows rows = io::petsc_rows(bytes, name);
  CheckedEntries check{0, rows.offsets.back()};
  for (Index i = 0; i < rows.rows;) {
    const auto limit = std::ranges::upper_bound(rows.offsets, rows.offsets[i] + numbers_at_a_time);
    const Index last = std::max<Index>(i + 1, limit - rows.offsets.begin() - 1);
    csr_from_rows(rows, {i, last}, name);
    check.seen = rows.offsets[i = last];
    if (deadline.is_over()) break;
  }
  return check;
}

}  // namespace

CheckedEntries check_matrix_file(const std::string& file, const Deadline& deadline) {
  const io::MappedFile mapped = io::MappedFile::open(file, "a matrix");
  const std::string_view bytes = mapped.text();
  if (io::is_zip(bytes) && !io::is_array_archive(bytes, file)) {
    return io::check_npz(bytes, file, deadline);
  }
  if (io::is_mat(bytes) && io::is_sparse_mat(bytes, file)) {
    const Index all = io::read_mat(bytes, file).nonzeros();
    return {all, all};
  }
  const bool is_text = io::is_number_text(bytes);  // of a matrix that is Matrix Market's alone
  if (!is_text && io::DenseFile::is_one(file)) return check_rows({bytes, file}, deadline);
  if (io::petsc_object(bytes)) return check_petsc(bytes, file, deadline);
  const TextCheck check = check_text(file, deadline);
  if (check.is_whole() && sums_may_overflow(check.largest, check.all)) load_real_form(file);
  return check;
}

CheckedEntries check_dense_file(const fs::path& path, const Deadline& deadline) {
  if (io::DenseFile::takes(path)) return check_rows(io::DenseFile(path), deadline);
  const TextCheck check = check_text(path, deadline);
  if (check.is_whole() && sums_may_overflow(check.largest, check.all)) load_dense_parts(path);
  return check;
}

}  // namespace spsolve::io
