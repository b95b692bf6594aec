#include "io/matrix_source.hpp"

#include "io/matrix_market.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate.hpp"

namespace spsolve {

bool means_generator(const std::string& name) {
  return is_generator_spec(name) ||
         (name.find(':') != std::string::npos && !std::filesystem::exists(name));
}

MatrixShape describe_matrix(const std::string& name) {
  if (means_generator(name)) return generated_shape(name);
  const MatrixMarketHeader header = read_header(name);
  const Index mirrored = header.symmetry == Symmetry::general ? 1 : 2;
  return {header.rows, header.columns, header.entries, mirrored * header.entries};
}

Csr<double> load_matrix(const std::string& name) {
  if (means_generator(name)) return generate_matrix(name);
  return csr_from_coo(read_matrix_market(name));
}

}  // namespace spsolve
