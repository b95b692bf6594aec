#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "task/solve/sequence.hpp"

namespace spsolve::inline task {

/// The line of a system that has no solution yet: failed.
StepReport begun_report(const Step& step);

/// The file of checkpoint.systems: which systems of a sequence are solved, so that a run that was
/// stopped goes on after the last of them. It holds a section for the sequence, with a checksum of
/// its matrix, and one for each system, with checksums of its files and its line of the report;
/// each counts when it lies complete on the disk, after its solution. On one rank.
class FinishedSystems {
 public:
  /// `matrix`: a checksum of it, the same on any number of ranks.
  FinishedSystems(std::filesystem::path file, std::uint64_t matrix);

  /// Lines of the report of the first systems, as an earlier run left them: as many as are there
  /// one after another with the same matrix and the same files, the solution's too. A file that is
  /// damaged, or of another matrix, counts for nothing; a note says so. The last system is solved
  /// in any case.
  std::vector<StepReport> found(const std::vector<Step>& steps, std::vector<std::string>& notes);

  /// Notes that `step`, which follows those found or added before, is solved. Throws
  /// Error(resources).
  void add(const Step& step, const StepReport& told);

  /// Removes the file: all of them are solved.
  void remove() const;

 private:
  std::filesystem::path file_;
  std::uint64_t matrix_;
  std::size_t count_ = 0;          // systems
  bool begun_ = false;             // whether the file holds the sections of this sequence
  std::vector<std::string> kept_;  // its sections of the systems that were found
};

}  // namespace spsolve::task
