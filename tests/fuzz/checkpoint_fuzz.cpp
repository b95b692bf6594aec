// Any bytes as the file of a checkpoint: taken, or one Error of the input. A second time with the
// checksums made good, so that the contents after them are reached too.

#include <vector>

#include "checkpoint/checkpoint_file.hpp"
#include "core/error.hpp"
#include "dense/state/elimination_state.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/require.hpp"
#include "helpers/checkpoint_bytes.hpp"
#include "krylov/iteration/checkpointed_iteration.hpp"

namespace {

using namespace spsolve;

void read_iteration(const fuzz::MemoryFile& file, std::size_t bytes) {
  try {
    const IterationPart part = read_iteration_part(CheckpointReader(file.path()));
    fuzz::require(
        8 * (part.numbers.size() + part.recurrence.size()) + part.settings.size() <= bytes &&
            8 * (part.columns.size() + part.recurrence_columns.size()) <= bytes,
        "more than there can be");
  } catch (const Error& error) {
    fuzz::require(error.code() == ExitCode::input, "an error that is not the input's");
  }
}

void read(const std::vector<std::uint8_t>& bytes) {
  const fuzz::MemoryFile file(bytes);
  read_iteration(file, bytes.size());
  try {
    const CheckpointReader reader(file.path());
    for (const FileSection& section : reader.sections()) {
      fuzz::require(reader.read(section).size() <= bytes.size(), "more than there can be");
    }
    const EliminationState state = read_elimination(reader);
    const auto rows = static_cast<Index>(state.rows.size());
    fuzz::require(state.step <= reader.problem().order && rows <= reader.problem().order,
                  "more than there can be");
    if (rows > 0) {
      std::vector<std::byte> row(row_bytes(reader.problem()));
      read_rows(reader, rows - 1, row);
    }
    reader.verify();
  } catch (const Error& error) {
    fuzz::require(error.code() == ExitCode::input, "an error that is not the input's");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);
  read(bytes);
  read(test::with_good_sums(bytes));
  return 0;
}
