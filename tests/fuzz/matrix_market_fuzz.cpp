// Any bytes as a Matrix Market file: a matrix whose indices are in range, the same for one thread
// and for several, or one Error of the input or of the resources.

#include <optional>
#include <string>

#include "core/error.hpp"
#include "fuzz/memory_file.hpp"
#include "io/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"

namespace {

using namespace spsolve;
using fuzz::require;

/// What `read` gives, or the words with which it refuses.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  constexpr std::int64_t inflated_limit = 1 << 20;
  const ReadOptions whole{1, inflated_limit};
  const ReadOptions pieces{3, inflated_limit, 7};
  std::string refusal, refusal_in_pieces, ignored;
  attempt(ignored, [&] { return read_header(file.path()); });
  attempt(ignored, [&] { return describe_matrix(file.path().string()); });
  const auto once = attempt(refusal, [&] { return read_matrix_market(file.path(), whole); });
  const auto again =
      attempt(refusal_in_pieces, [&] { return read_matrix_market(file.path(), pieces); });
  require(once.has_value() == again.has_value(), "threads decide whether a file is refused");
  require(refusal == refusal_in_pieces, "threads decide the words of a refusal");
  if (once) {
    check(*once);
    require(once->row == again->row && once->column == again->column && once->value == again->value,
            "threads decide what is read");
    // Rows cost memory without entries: a few are tried, and so many that they must be refused.
    constexpr Index few = 100000, too_many = Index{1} << 44;
    if (once->rows < few || once->rows > too_many) {
      const auto rows = attempt(ignored, [&] { return csr_from_coo(*once); });
      require(!rows || rows->rows < few, "more rows than memory has room for");
    }
  }
  attempt(ignored, [&] { return read_dense(file.path(), whole); });
  return 0;
}
