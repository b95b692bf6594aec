// Any bytes as the file of a checkpoint: taken, or one Error of the input. A second time with the
// checksums made good, so that what lies behind them is reached too.

#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "checkpoint/checkpoint_file.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"
#include "fuzz/require.hpp"

namespace {

using namespace spsolve;

/// A file that lies in memory only, with a path by which this process can open it.
class MemoryFile {
 public:
  explicit MemoryFile(const std::vector<std::uint8_t>& bytes)
      : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    const bool written = descriptor_ >= 0 && ::write(descriptor_, bytes.data(), bytes.size()) ==
                                                 static_cast<ssize_t>(bytes.size());
    if (!written) std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

constexpr std::size_t sum_at = 16, lengths_at = 136, lists_at = 168;

/// Sums up header and lists, as long as it says that they are, and the whole.
void make_sums_good(std::vector<std::uint8_t>& file) {
  if (file.size() < lists_at + 8) return;
  std::uint64_t numbers = 0;
  for (std::size_t list = 0; list < 4; ++list) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + lengths_at + 8 * list, sizeof length);
    if (length > file.size()) return;
    numbers += length;
  }
  if (lists_at + 8 * numbers > file.size()) return;
  const auto put = [&](std::size_t at, std::uint64_t sum) {
    std::memcpy(file.data() + at, &sum, sizeof sum);
  };
  const auto bytes = std::as_bytes(std::span(file));
  put(sum_at, 0);
  put(sum_at, checksum(bytes.first(lists_at + 8 * numbers)));
  put(file.size() - 8, checksum(bytes.first(file.size() - 8)));
}

void read(const std::vector<std::uint8_t>& bytes) {
  const MemoryFile file(bytes);
  try {
    const CheckpointReader reader(file.path());
    const EliminationState& state = reader.state();
    const auto rows = static_cast<Index>(state.rows.size());
    fuzz::require(state.step <= reader.problem().order && rows <= reader.problem().order,
                  "more than there can be");
    if (rows > 0) {
      std::vector<std::byte> row(row_bytes(reader.problem()));
      reader.read_rows(rows - 1, 1, row);
    }
    reader.verify();
  } catch (const Error& error) {
    fuzz::require(error.code() == ExitCode::input, "an error that is not the input's");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  read(bytes);
  make_sums_good(bytes);
  read(bytes);
  return 0;
}
