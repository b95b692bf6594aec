#include "process/progress.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "process/interrupt.hpp"
#include "process/log.hpp"
#include "process/pulse.hpp"

namespace spsolve::inline process {

namespace {

constexpr double terminal_interval = 0.2;
constexpr double first_log_line = 5;
constexpr double longest_log_interval = 300;

}  // namespace

Progress::Progress(std::string label, double flops, Show show, std::FILE* stream)
    : flops_(flops), show_(show), stream_(stream) {
  restart(std::move(label));
}

void Progress::restart(std::string label) {
  label_ = std::move(label);
  timer_ = Timer();
  before_ = 0;
  next_watched_ = 0;
  interval_ = show_ == Show::terminal ? terminal_interval : first_log_line;
  next_ = interval_;
}

Progress::~Progress() {
  if (printed_) {
    std::fputs("\r\x1b[K", stream_);
    std::fflush(stream_);
    if (stream_ == stderr) row_stands(false);
  }
}

std::optional<TaskStep> Progress::watched(Index step, Index steps, double fraction,
                                          std::optional<double> error) {
  constexpr double least_part = 0.001;
  const bool tells = error || fraction >= next_watched_ || step == steps;
  if (watch_ == nullptr || !tells) return std::nullopt;
  next_watched_ = fraction + least_part;
  return TaskStep{label_, step, steps, fraction, timer_.seconds(), error};
}

void Progress::done(Index step, Index steps, double fraction, std::optional<double> error) {
  if (const auto told = watched(step, steps, fraction, error)) watch_->tell(*told);
  show(step, steps, fraction, error);
}

void Progress::done_by_all(Index step, Index steps, double fraction, std::optional<double> error) {
  if (const auto told = watched(step, steps, fraction, error)) watch_->tell_by_all(*told);
  show(step, steps, fraction, error);
}

void Progress::show(Index step, Index steps, double fraction, std::optional<double> error) {
  note_move();
  end_where_interrupted();
  if (show_ == Show::off || timer_.seconds() < next_) return;
  print(step, steps, fraction, error);
  // A log gets sparser as the task gets longer: 5 s, 10 s, 20 s ... at most every 5 minutes.
  if (show_ == Show::log) interval_ = std::min(2 * interval_, longest_log_interval);
  next_ = timer_.seconds() + interval_;
}

void Progress::print(Index step, Index steps, double fraction, std::optional<double> error) {
  const double seconds = timer_.seconds();
  const double done_here = fraction - before_;
  const double left = done_here > 0 ? seconds * (1 - fraction) / done_here : 0;
  const std::string row = fmt::format(
      "{}: {:5.1f} %  {} {} of {}{}{}  {:.0f} s, about {:.0f} s left", label_, 100 * fraction,
      step_, step, steps, error ? fmt::format(", backward error {:.1e}", *error) : "",
      flops_ > 0 ? fmt::format("  {:.2f} GFLOP/s", done_here * flops_ / seconds / 1e9) : "",
      seconds, left);
  if (show_ == Show::log) return log_line(row);
  // A terminal that went away is no reason to end the task.
  std::fputs(fmt::format("\r{}\x1b[K", row).c_str(), stream_);
  std::fflush(stream_);
  printed_ = true;
  if (stream_ == stderr) row_stands(true);
}

Progress::Show show_for(std::FILE* stream) {
  return isatty(fileno(stream)) != 0 ? Progress::Show::terminal : Progress::Show::log;
}

}  // namespace spsolve::process
