#include "checkpoint/checkpoint_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/pulse.hpp"
#include "io/atomic_file.hpp"

namespace spsolve {

namespace {

constexpr std::array<char, 8> file_mark{'s', 'p', 's', 'o', 'l', 'v', 'e', '\n'};
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint32_t swapped_mark = 0x04030201;
constexpr std::uint32_t file_version = 1;
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr Index most_rows = Index{1} << 29;  // as of task: solve

/// An AtomicFile whose bytes are summed up on their way.
class SummedFile {
 public:
  explicit SummedFile(const std::filesystem::path& path) : file_(path) {}

  void write(std::span<const std::byte> bytes) {
    sum_.add(bytes);
    size_ += static_cast<std::int64_t>(bytes.size());
    file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    note_move();
  }

  /// The sum behind all else, and the end. Bytes of the file.
  std::int64_t commit() {
    const std::uint64_t sum = sum_.value();
    write(std::as_bytes(std::span(&sum, 1)));
    file_.commit();
    return size_;
  }

 private:
  io::AtomicFile file_;
  Checksum sum_;
  std::int64_t size_ = 0;
};

/// As it stands in the file; no padding anywhere.
struct Header {
  std::array<char, 8> mark = file_mark;
  std::uint32_t byte_order = byte_order_mark;
  std::uint32_t version = file_version;
  std::uint64_t sum = 0;  // of this header, where it is 0, and of the lists
  std::int64_t order = 0;
  std::int32_t method = 0, pivoting = 0, precision = 0, reserved = 0;
  std::uint64_t matrix = 0;
  std::int64_t generation = 0;
  std::uint64_t stamp = 0;
  std::int32_t ranks = 0, rank = 0;
  std::int64_t step = 0, block = 0, redone_panels = 0;
  double largest_entry = 0, largest_upper = 0, smallest_pivot = 0, largest_pivot = 0;
  std::int64_t pivot_rows = 0, column_swaps = 0, panel_ends = 0, rows = 0;  // lengths of the lists
};

static_assert(sizeof(Header) == 168, "no padding");

template <typename Choice>
bool is_value(std::int32_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < words_of(Choice{}).size();
}

/// Whether all of `numbers` are from 0 to `most` - 1, and each there at most once. No memory that
/// only `most` asks for.
bool are_distinct(std::vector<Index> numbers, Index most) {
  std::ranges::sort(numbers);
  return numbers.empty() || (numbers.front() >= 0 && numbers.back() < most &&
                             std::ranges::adjacent_find(numbers) == numbers.end());
}

/// Whether these are swaps of elements k and swaps[k] >= k, k = 0, 1, ...
bool are_swaps(const std::vector<Index>& swaps, Index most) {
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    if (swaps[k] < static_cast<Index>(k) || swaps[k] >= most) return false;
  }
  return true;
}

}  // namespace

std::size_t row_bytes(const EliminatedProblem& problem) {
  return static_cast<std::size_t>(problem.order) * value_bytes(problem.precision);
}

Index rows_in_piece(const EliminatedProblem& problem) {
  return static_cast<Index>(
      std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, row_bytes(problem))));
}

std::uint64_t EliminatedProblem::fingerprint() const {
  const std::array<std::uint64_t, 5> words{
      static_cast<std::uint64_t>(order), static_cast<std::uint64_t>(method),
      static_cast<std::uint64_t>(pivoting), static_cast<std::uint64_t>(precision), matrix};
  return checksum(std::as_bytes(std::span(words)));
}

std::string difference(const EliminatedProblem& theirs, const EliminatedProblem& ours) {
  if (theirs.order != ours.order) {
    return fmt::format("a matrix of order {}, not {}", theirs.order, ours.order);
  }
  if (theirs.matrix != ours.matrix) return "another matrix, or one that is equilibrated otherwise";
  if (theirs.method != ours.method) {
    return fmt::format("solve.method={}, not {}", name(theirs.method), name(ours.method));
  }
  if (theirs.pivoting != ours.pivoting) {
    return fmt::format("solve.pivoting={}, not {}", name(theirs.pivoting), name(ours.pivoting));
  }
  if (theirs.precision != ours.precision) {
    return fmt::format("solve.precision={}, not {}", name(theirs.precision), name(ours.precision));
  }
  return "";
}

std::int64_t write_checkpoint(const std::filesystem::path& path, const EliminatedProblem& problem,
                              const CheckpointPart& part, const EliminationState& state,
                              const RowsOut& rows) {
  const std::array lists{&state.pivot_rows, &state.column_swaps, &state.panel_ends, &state.rows};
  Header header;
  header.order = problem.order;
  header.method = static_cast<std::int32_t>(problem.method);
  header.pivoting = static_cast<std::int32_t>(problem.pivoting);
  header.precision = static_cast<std::int32_t>(problem.precision);
  header.matrix = problem.matrix;
  header.generation = part.generation;
  header.stamp = part.stamp;
  header.ranks = part.ranks;
  header.rank = part.rank;
  header.step = state.step;
  header.block = state.block;
  header.redone_panels = state.redone_panels;
  header.largest_entry = state.largest_entry;
  header.largest_upper = state.largest_upper;
  header.smallest_pivot = state.smallest_pivot;
  header.largest_pivot = state.largest_pivot;
  header.pivot_rows = static_cast<std::int64_t>(state.pivot_rows.size());
  header.column_swaps = static_cast<std::int64_t>(state.column_swaps.size());
  header.panel_ends = static_cast<std::int64_t>(state.panel_ends.size());
  header.rows = static_cast<std::int64_t>(state.rows.size());
  Checksum sum;
  sum.add(std::as_bytes(std::span(&header, 1)));
  for (const auto* list : lists) sum.add(std::as_bytes(std::span(*list)));
  header.sum = sum.value();

  SummedFile file(path);
  file.write(std::as_bytes(std::span(&header, 1)));
  for (const auto* list : lists) file.write(std::as_bytes(std::span(*list)));
  const std::size_t width = row_bytes(problem);
  const Index piece = std::min(rows_in_piece(problem), std::max<Index>(header.rows, 1));
  std::vector<std::byte> buffer(static_cast<std::size_t>(piece) * width);
  for (Index first = 0; first < header.rows; first += piece) {
    const Index count = std::min(piece, header.rows - first);
    const auto bytes = std::span(buffer).first(static_cast<std::size_t>(count) * width);
    rows(first, count, bytes);
    file.write(bytes);
  }
  return file.commit();
}

template <typename... Arguments>
void CheckpointReader::refuse(fmt::format_string<Arguments...> text,
                              Arguments&&... arguments) const {
  fail(ExitCode::input, "{}: {}", path_.string(),
       fmt::format(text, std::forward<Arguments>(arguments)...));
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path) : path_(path) {
  // A pipe of that name must not keep anybody waiting.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) refuse("cannot be opened ({})", std::strerror(errno));
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) refuse("is no file");
    size_ = status.st_size;
    read_header();
    check_state();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

CheckpointReader::~CheckpointReader() {
  ::close(descriptor_);
}

void CheckpointReader::read_at(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(descriptor_, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse("cannot be read ({})", std::strerror(errno));
    if (done == 0) refuse("ends too early, after {} bytes", offset);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
}

std::vector<Index> CheckpointReader::read_list(Index length, std::int64_t& offset) const {
  std::vector<Index> list(static_cast<std::size_t>(length));
  read_at(offset, std::as_writable_bytes(std::span(list)));
  offset += length * static_cast<std::int64_t>(sizeof(Index));
  return list;
}

void CheckpointReader::read_header() {
  Header header;
  if (size_ < static_cast<std::int64_t>(sizeof header)) {
    refuse("is no checkpoint, or is truncated: it has {} bytes", size_);
  }
  read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  if (header.mark != file_mark) refuse("is no checkpoint");
  if (header.byte_order == swapped_mark) refuse("was written in the other order of bytes");
  if (header.byte_order != byte_order_mark) refuse("is damaged: its header is not as written");
  if (header.version != file_version) {
    refuse("has version {} of the form; this program reads version {}", header.version,
           file_version);
  }
  const std::array lengths{header.pivot_rows, header.column_swaps, header.panel_ends, header.rows};
  for (const std::int64_t length : lengths) {
    if (length < 0 || length > size_ / 8) refuse("is damaged, or truncated to {} bytes", size_);
  }
  std::int64_t offset = sizeof header;
  const std::int64_t lists_end = offset + 8 * (lengths[0] + lengths[1] + lengths[2] + lengths[3]);
  if (lists_end > size_) refuse("is damaged, or truncated to {} bytes", size_);
  state_.pivot_rows = read_list(lengths[0], offset);
  state_.column_swaps = read_list(lengths[1], offset);
  state_.panel_ends = read_list(lengths[2], offset);
  state_.rows = read_list(lengths[3], offset);
  Checksum sum;
  const std::uint64_t written = std::exchange(header.sum, 0);
  sum.add(std::as_bytes(std::span(&header, 1)));
  for (const auto* list :
       {&state_.pivot_rows, &state_.column_swaps, &state_.panel_ends, &state_.rows}) {
    sum.add(std::as_bytes(std::span(*list)));
  }
  if (sum.value() != written) refuse("is damaged: its header is not as written");

  const bool known = is_value<Method>(header.method) && is_value<Pivoting>(header.pivoting) &&
                     is_value<Precision>(header.precision);
  if (!known || header.order < 0 || header.order > most_rows) {
    refuse("names no elimination that this program knows");
  }
  problem_ = {header.order, static_cast<Method>(header.method),
              static_cast<Pivoting>(header.pivoting), static_cast<Precision>(header.precision),
              header.matrix};
  part_ = {header.generation, header.stamp, header.ranks, header.rank};
  state_.step = header.step;
  state_.block = header.block;
  state_.redone_panels = header.redone_panels;
  state_.largest_entry = header.largest_entry;
  state_.largest_upper = header.largest_upper;
  state_.smallest_pivot = header.smallest_pivot;
  state_.largest_pivot = header.largest_pivot;
  rows_begin_ = lists_end;
}

void CheckpointReader::check_state() const {
  const Index n = problem_.order;
  const bool blocked = problem_.method == Method::lu;
  const auto count = [](const std::vector<Index>& list) { return static_cast<Index>(list.size()); };
  const bool panels_good =
      std::ranges::is_sorted(state_.panel_ends, std::less_equal<>{}) &&
      (state_.panel_ends.empty() || state_.panel_ends.front() > 0) &&
      (state_.panel_ends.empty() ? 0 : state_.panel_ends.back()) == (blocked ? state_.step : 0);
  const bool swaps_good = blocked ? state_.column_swaps.empty()
                                  : count(state_.column_swaps) ==
                                        (problem_.pivoting == Pivoting::complete ? state_.step : 0);
  const bool good =
      part_.ranks >= 1 && part_.rank >= 0 && part_.rank < part_.ranks && state_.step >= 0 &&
      state_.step <= n && count(state_.pivot_rows) == state_.step && count(state_.rows) <= n &&
      panels_good && swaps_good && are_swaps(state_.column_swaps, n) &&
      are_distinct(state_.rows, n) &&
      (blocked ? are_distinct(state_.pivot_rows, n) : are_swaps(state_.pivot_rows, n));
  if (!good) refuse("contradicts itself");
  const std::int64_t expected =
      rows_begin_ + count(state_.rows) * static_cast<std::int64_t>(row_bytes(problem_)) + 8;
  if (size_ != expected) refuse("is damaged: it has {} bytes, not {}", size_, expected);
}

void CheckpointReader::verify() const {
  Checksum sum;
  std::vector<std::byte> piece(
      std::min(piece_bytes, static_cast<std::size_t>(std::max<std::int64_t>(size_, 8))));
  const std::int64_t end = size_ - 8;
  for (std::int64_t offset = 0; offset < end; offset += static_cast<std::int64_t>(piece.size())) {
    const auto bytes =
        std::span(piece).first(std::min(piece.size(), static_cast<std::size_t>(end - offset)));
    read_at(offset, bytes);
    sum.add(bytes);
    note_move();
  }
  std::uint64_t written = 0;
  read_at(end, std::as_writable_bytes(std::span(&written, 1)));
  if (sum.value() != written) refuse("is damaged: its checksum is not that of its contents");
}

void CheckpointReader::read_rows(Index first, Index count, std::span<std::byte> rows) const {
  const auto width = static_cast<std::int64_t>(row_bytes(problem_));
  read_at(rows_begin_ + first * width, rows.first(static_cast<std::size_t>(count * width)));
  note_move();
}

}  // namespace spsolve
