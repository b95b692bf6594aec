#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "spsolve/error.hpp"

namespace spsolve::inline process {

/// The last words of a task, which it leaves where its process is ended on the way, by a signal or
/// by a watchdog: files in the place of those that say that it runs, and a line on the standard
/// error. All is made ahead, so that system calls alone are left to a signal's handler. While it
/// lives, signals that would end the process are taken; those that are ignored stay so. One at a
/// time.
class LastWords {
 public:
  /// A file that is there, and its text for a task that ended so, for that reason.
  struct File {
    std::filesystem::path path;
    std::function<std::string(ExitCode code, const std::string& sentence)> text;
  };

  /// How the process ends after its words.
  enum class Ending {
    by_signal,  ///< as if nobody had taken the signal: what a shell looks for
    by_code,    ///< with ExitCode::interrupted: what a launcher passes on
  };

  /// `remedy`: ends the sentence that begins with "stopped by SIGTERM before the end; ". `speaks`:
  /// whether this process tells it.
  LastWords(const std::vector<File>& files, const std::string& remedy, Ending ending, bool speaks);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

  struct Kept;

 private:
  Kept* kept_;
};

/// Leaves the files with that sentence, where there is a LastWords that has not left them yet.
/// Files that are no longer those that it found are left alone: somebody else has told how the task
/// ended. Gives up after some seconds, as the disk may be what fails.
void leave_last_words(ExitCode code, std::string_view sentence);

/// Leaves them so without a limit of time. Signal handlers may call it.
void leave_last_words_at_once(ExitCode code, std::string_view sentence) noexcept;

}  // namespace spsolve::process
