#include "process/last_words.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <future>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spsolve::inline process {

namespace {

/// Stands for the sentence in texts that are made ahead.
constexpr std::string_view mark = "@why it ended@";

/// How a task may end; the first one is that of signals.
constexpr std::array codes{ExitCode::interrupted, ExitCode::resources, ExitCode::internal};

using Parts = std::vector<std::string>;  // with the sentence between each two

Parts parts_of(std::string_view text) {
  Parts parts;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(end + mark.size())) {
    end = text.find(mark);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
  }
  return parts;
}

/// A file as it was when the task began.
struct Place {
  std::string path, temporary;
  struct stat found {};
  std::array<Parts, codes.size()> texts;

  bool is_as_found() const {
    struct stat now {};
    return ::stat(path.c_str(), &now) == 0 && now.st_dev == found.st_dev &&
           now.st_ino == found.st_ino && now.st_mtim.tv_sec == found.st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == found.st_mtim.tv_nsec;
  }
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(file, text.data(), text.size());
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

/// Writes a file whole or not at all, by calls alone that a signal handler may make.
void replace(const Place& place, ExitCode code, std::string_view sentence) noexcept {
  if (!place.is_as_found()) return;  // somebody else has told how it ended
  const Parts* parts = nullptr;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    if (codes[k] == code) parts = &place.texts[k];
  }
  if (parts == nullptr) return;
  const int file = ::open(place.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          place.found.st_mode & 0777);
  if (file < 0) return;
  bool whole = true, first = true;
  for (const std::string& part : *parts) {
    if (!first) whole = whole && write_all(file, sentence);
    whole = whole && write_all(file, part);
    first = false;
  }
  whole = ::close(file) == 0 && whole;
  if (!whole || ::rename(place.temporary.c_str(), place.path.c_str()) != 0) {
    ::unlink(place.temporary.c_str());
  }
}

}  // namespace

struct LastWords::Kept {
  struct Signal {
    int number;
    struct sigaction before;
    std::string sentence;
  };
  std::vector<Place> places;
  std::vector<Signal> signals;
  Ending ending = Ending::by_signal;
  bool speaks = true;
  std::atomic<bool> left{false};  // or about to be
  std::atomic<bool> done{false};
};

namespace {

std::atomic<LastWords::Kept*> current{nullptr};
static_assert(std::atomic<LastWords::Kept*>::is_always_lock_free &&
                  std::atomic<bool>::is_always_lock_free,
              "signal handlers use them");

void end_by(int signal) {
  const LastWords::Kept* const kept = current;
  if (kept == nullptr) return;
  for (const auto& one : kept->signals) {
    if (one.number != signal) continue;
    leave_last_words_at_once(ExitCode::interrupted, one.sentence);
    if (kept->speaks) {
      if (::isatty(STDERR_FILENO) != 0) write_all(STDERR_FILENO, "\n");  // below a row of progress
      write_all(STDERR_FILENO, "spsolve: ");
      write_all(STDERR_FILENO, one.sentence);
      write_all(STDERR_FILENO, "\n");
    }
  }
  if (kept->ending == LastWords::Ending::by_code) {
    ::_exit(static_cast<int>(ExitCode::interrupted));
  }
  ::raise(signal);  // ends the process when this handler has returned
}

}  // namespace

LastWords::LastWords(const std::vector<File>& files, const std::string& remedy, Ending ending,
                     bool speaks) {
  // They stay for ever, as a handler may be at work in another thread when the task is over.
  static std::vector<std::unique_ptr<Kept>> all;
  kept_ = all.emplace_back(std::make_unique<Kept>()).get();
  kept_->ending = ending;
  kept_->speaks = speaks;
  for (const File& file : files) {
    std::error_code none;
    Place place;
    const std::filesystem::path path = std::filesystem::canonical(file.path, none);
    place.path = path.string();
    place.temporary =
        (path.parent_path() /
         fmt::format(".{}.{}-last.tmp", path.filename().string().substr(0, 200), ::getpid()))
            .string();
    if (none || ::stat(place.path.c_str(), &place.found) != 0 || !S_ISREG(place.found.st_mode)) {
      continue;
    }
    for (std::size_t k = 0; k < codes.size(); ++k) {
      place.texts[k] = parts_of(file.text(codes[k], std::string(mark)));
    }
    kept_->places.push_back(std::move(place));
  }
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    Kept::Signal signal{
        number,
        {},
        fmt::format("stopped by SIG{} before the end; {}", ::sigabbrev_np(number), remedy)};
    if (::sigaction(number, nullptr, &signal.before) != 0) continue;
    if (signal.before.sa_handler == SIG_IGN) continue;  // by nohup, for one
    kept_->signals.push_back(std::move(signal));
  }
  current = kept_;
  struct sigaction action {};
  action.sa_handler = end_by;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (const Kept::Signal& signal : kept_->signals) ::sigaddset(&action.sa_mask, signal.number);
  for (const Kept::Signal& signal : kept_->signals) ::sigaction(signal.number, &action, nullptr);
}

LastWords::~LastWords() {
  for (const Kept::Signal& signal : kept_->signals) {
    ::sigaction(signal.number, &signal.before, nullptr);
  }
  current = nullptr;
}

void leave_last_words_at_once(ExitCode code, std::string_view sentence) noexcept {
  LastWords::Kept* const kept = current;
  if (kept == nullptr) return;
  if (kept->left.exchange(true)) {
    // By another thread, which the end of the process must not cut short.
    constexpr timespec pause{0, 10'000'000};
    for (int round = 0; round < 200 && !kept->done; ++round) ::nanosleep(&pause, nullptr);
    return;
  }
  for (const Place& place : kept->places) replace(place, code, sentence);
  kept->done = true;
}

void leave_last_words(ExitCode code, std::string_view sentence) {
  if (current == nullptr) return;
  // The sentence as it may stand in a text of JSON or HTML.
  std::string plain(sentence);
  for (char& c : plain) {
    if (std::string_view("\"\\<>&").find(c) != std::string_view::npos ||
        static_cast<unsigned char>(c) < ' ')
      c = ' ';
  }
  const auto written = std::make_shared<std::promise<void>>();
  std::future<void> done = written->get_future();
  // Its thread handles no signals, as a handler waits for it.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([code, plain, written] {
    leave_last_words_at_once(code, plain);
    written->set_value();
  }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  done.wait_for(std::chrono::seconds(5));
}

}  // namespace spsolve::process
