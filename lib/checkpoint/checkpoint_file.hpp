#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "checkpoint/state.hpp"

namespace spsolve {

/// A rank's part of a generation of checkpoints. Whole generations bear one `stamp`: files of the
/// same number that two runs left behind do not.
struct CheckpointPart {
  Index generation = 0;
  std::uint64_t stamp = 0;
  int ranks = 1;
  int rank = 0;
};

/// Writes whole rows [first, first + count) of a rank, place by place, without gaps.
using RowsOut = std::function<void(Index first, Index count, std::span<std::byte> rows)>;

/// Takes such rows back.
using RowsIn = std::function<void(Index first, Index count, std::span<const std::byte> rows)>;

/// The bytes of rows as what they hold.
template <typename T>
std::span<T> values_in(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <typename T>
std::span<const T> values_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Bytes of one dense row.
std::size_t row_bytes(const EliminatedProblem& problem);

/// Rows that travel in one piece, so that no second copy of a band is ever made: a few megabytes,
/// but one row at least.
Index rows_in_piece(const EliminatedProblem& problem);

/// The form of a checkpoint's file, version 1, in the byte order of the machine that wrote it:
///
///     header      of fixed size: mark, byte order, version, problem, part, numbers, lengths of
///     lists,
///                 checksum of the header and the lists
///     lists       pivot rows, column swaps, ends of panels, rows: 8 bytes a number
///     rows        the dense rows of the rank, place by place, without gaps
///     checksum    of everything before it
///
/// Writes one whole or not at all (io::AtomicFile); returns its bytes. Throws Error(resources).
std::int64_t write_checkpoint(const std::filesystem::path& path, const EliminatedProblem& problem,
                              const CheckpointPart& part, const EliminationState& state,
                              const RowsOut& rows);

/// A checkpoint's file that is read. What is read is checked before it is believed: a file of any
/// content costs no more memory than a few times its size, and is refused by an Error(input) that
/// names it and says what is wrong.
class CheckpointReader {
 public:
  /// Opens the file and reads header and lists.
  explicit CheckpointReader(const std::filesystem::path& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const EliminatedProblem& problem() const { return problem_; }
  const CheckpointPart& part() const { return part_; }
  const EliminationState& state() const { return state_; }

  /// Reads everything once and compares the checksum.
  void verify() const;

  /// The dense rows at the places [first, first + count), without gaps.
  void read_rows(Index first, Index count, std::span<std::byte> rows) const;

 private:
  void read_header();
  void check_state() const;
  void read_at(std::int64_t offset, std::span<std::byte> bytes) const;
  std::vector<Index> read_list(Index length, std::int64_t& offset) const;

  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;        // of the file
  std::int64_t rows_begin_ = 0;  // offset of the dense rows
  EliminatedProblem problem_;
  CheckpointPart part_;
  EliminationState state_;
};

/// What tells `theirs` from `ours` in words, such as "another matrix"; "" where nothing does.
std::string difference(const EliminatedProblem& theirs, const EliminatedProblem& ours);

}  // namespace spsolve
