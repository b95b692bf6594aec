#include "io/matrix_source.hpp"

#include <limits>

#include "core/error.hpp"
#include "io/matrix_market.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve {

namespace {

/// Sizes up to these can be planned with: products of two of them with a few bytes stay below 2^63.
void check_size(const std::string& name, const MatrixMarketHeader& header) {
  constexpr Index most_rows = Index{1} << 40;
  constexpr Index most_columns = std::numeric_limits<LocalIndex>::max();
  constexpr Index most_entries = Index{1} << 48;
  if (header.rows > most_rows || header.columns > most_columns || header.entries > most_entries) {
    fail(ExitCode::resources,
         "{}: its header declares {} x {} and {} entries, and spsolve handles at most {} rows, {} "
         "columns and {} entries; correct the size line",
         name, header.rows, header.columns, header.entries, most_rows, most_columns, most_entries);
  }
  const bool plain = header.text_bytes == header.file_bytes;
  if (plain && header.entries > header.text_bytes) {
    fail(
        ExitCode::input,
        "{}: its size line stands for {} entries, more than its {} bytes can hold; the file is cut "
        "off, or its size line is wrong",
        name, header.entries, header.text_bytes);
  }
}

}  // namespace

bool means_generator(const std::string& name) {
  return is_generator_spec(name) ||
         (name.find(':') != std::string::npos && !std::filesystem::exists(name));
}

MatrixShape describe_matrix(const std::string& name) {
  if (means_generator(name)) return generated_shape(name);
  const MatrixMarketHeader header = read_header(name);
  check_size(name, header);
  const Index mirrored = header.symmetry == Symmetry::general ? 1 : 2;
  return {header.rows,       header.columns,
          header.entries,    mirrored * header.entries,
          header.text_bytes, header.format == MatrixMarketFormat::coordinate};
}

Csr<double> load_matrix(const std::string& name) {
  if (means_generator(name)) return generate_matrix(name);
  Csr<double> matrix = csr_from_coo(read_matrix_market(name));
  check_sums(name, matrix);
  return matrix;
}

}  // namespace spsolve
