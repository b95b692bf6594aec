#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/file_check.hpp"

namespace spsolve::inline task {

/// A file that a task reads, and how far it was looked at.
struct CheckedFile {
  std::string what;  ///< such as "matrix"
  std::string file;
  CheckedEntries entries;
};

/// Looks at the files that the task reads, their entries too, and at the folders of its results.
/// All files share the time that `deadline` leaves, and the time that one does not need goes to the
/// others; each is looked at for some entries at least. Throws Error, one sentence a line, with the
/// words of the run's readers: of each file its first fault.
std::vector<CheckedFile> check_files(const Config& config, const Deadline& deadline);

/// A line for each file.
std::string to_text(const std::vector<CheckedFile>& files);

}  // namespace spsolve::task
