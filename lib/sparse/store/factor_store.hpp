#pragma once

#include <cstddef>
#include <filesystem>

#include "io/files/scratch_file.hpp"

namespace spsolve::inline sparse {

/// Where factors stay that memory does not hold: a file, of which parts are in memory while they
/// are worked with, at the addresses that all of them would have.
class FactorStore {
 public:
  /// For an array of so many bytes, of which nothing is in the file yet. Throws Error(resources).
  FactorStore(const std::filesystem::path& folder, void* array, std::int64_t bytes);

  const std::filesystem::path& folder() const { return file_.folder(); }

  /// Writes what is between two addresses, and lets go of its memory.
  void put(const void* begin, const void* end) const;
  /// Reads it into its memory.
  void bring(const void* begin, const void* end) const;
  /// Says that it will be brought.
  void expect(const void* begin, const void* end) const;
  /// Lets go of its memory, but for pages that others share.
  void let_go(const void* begin, const void* end) const noexcept;

  /// Bytes that are brought at a time, or a front.
  static constexpr std::int64_t window = std::int64_t{16} << 20;

 private:
  std::int64_t at(const void* address) const { return static_cast<const char*>(address) - array_; }

  char* array_;
  io::ScratchFile file_;
};

}  // namespace spsolve::sparse
