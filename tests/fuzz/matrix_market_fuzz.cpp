// Any bytes as a Matrix Market file: a matrix whose indices are in range, the same read at once
// and in pieces, as several threads do, or one Error of the input or of the resources.

#include <cstdlib>
#include <optional>
#include <string>

#include <unistd.h>

#include "core/error.hpp"
#include "fuzz/require.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "matrix/convert.hpp"

namespace {

using namespace spsolve;
using fuzz::require;

/// The result of `read`, or the words with which it refuses.
template <typename Read>
auto attempt(std::string& refusal, Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    require(error.code() == ExitCode::input || error.code() == ExitCode::resources,
            "an error that is neither the input's nor the resources'");
    refusal = error.what();
    require(!refusal.empty(), "an error without words");
    return std::nullopt;
  }
}

void check(const Coo& lists) {
  for (Index k = 0; k < lists.entries(); ++k) {
    require(lists.row[k] >= 0 && lists.row[k] < lists.rows, "a row index out of range");
    require(lists.column[k] >= 0 && lists.column[k] < lists.columns, "a column index out of range");
  }
}

/// Whether a dense matrix is worth trying: small, or so large that it must be refused.
bool tries_dense(const MatrixMarketHeader& matrix) {
  constexpr double few = 1e5, too_many = 1e14;
  const double elements = static_cast<double>(matrix.rows) * static_cast<double>(matrix.columns);
  return elements < few || elements > too_many;
}

}  // namespace

/// The work of several threads is done by one, one after another: starting and awaiting threads
/// would take most of the time. OpenMP reads that limit before main() is reached, so once more from
/// there.
extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  if (std::getenv("OMP_THREAD_LIMIT") == nullptr) {
    ::setenv("OMP_THREAD_LIMIT", "1", 1);
    ::execv("/proc/self/exe", *arguments);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MatrixMarketBytes file{fuzz::text_of(data, size), "input"};
  constexpr std::size_t blank_text = 1 << 16;
  const ReadOptions whole{1, blank_text};
  const ReadOptions pieces{3, blank_text, 7};
  std::string refusal, refusal_in_pieces, ignored;
  const auto once = attempt(refusal, [&] { return read_matrix_market(file, whole); });
  const auto again = attempt(refusal_in_pieces, [&] { return read_matrix_market(file, pieces); });
  require(once.has_value() == again.has_value(), "pieces decide whether a file is refused");
  require(refusal == refusal_in_pieces, "pieces decide the words of a refusal");
  if (!once) return 0;
  check(*once);
  require(once->row == again->row && once->column == again->column && once->value == again->value,
          "pieces decide what is read");
  const auto header = attempt(ignored, [&] { return read_header(file); });
  require(header && header->rows == once->rows && header->columns == once->columns &&
              header->entries >= once->entries(),
          "the header alone says something else");
  // Rows cost memory without entries: a few are tried, and so many that they must be refused.
  constexpr Index few = 5000, too_many = Index{1} << 44;
  if (once->rows < few || once->rows > too_many) {
    const auto rows = attempt(ignored, [&] { return csr_from_coo(*once); });
    require(!rows || rows->rows < few, "more rows than memory has room for");
  }
  if (tries_dense(*header)) attempt(ignored, [&] { return read_dense(file, whole); });
  return 0;
}
