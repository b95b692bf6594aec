// When checkpoints are written: by the clock, by signals, and by how long one takes.
// checkpoints.cpp has what they are.
#include <algorithm>
#include <cmath>

#include "checkpoint/checkpoints.hpp"
#include "process/fault.hpp"
#include "process/signals.hpp"

namespace spsolve::inline checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t sample_bytes = 16 << 20;

/// The time that rank 0's file took while the other ranks wrote theirs, for the runs that go on
/// from it.
constexpr SectionKind speed_section{"speed"};
struct Speed {
  double seconds = 0, bytes = 0;
};

}  // namespace

void Checkpoints::expect(double step_seconds, double bytes) {
  expected_step_ = step_seconds;
  added_bytes_ = bytes;
}

double Checkpoints::now() const {
  return run_.seconds() + injected_seconds();
}

/// Adds to rank 0's file how fast it was written. Whatever goes wrong here is no harm.
void Checkpoints::record_speed(const Generation& generation, std::int64_t bytes,
                               double seconds) const {
  if (team_.rank() != 0 || wanted_.time_limit == 0) return;
  const Speed speed{seconds, static_cast<double>(bytes)};
  try {
    SectionWriter file = SectionWriter::adding_to(files_of(generation).path(0));
    file.begin(speed_section);
    file.write(std::as_bytes(std::span(&speed, 1)));
    file.commit();
  } catch (const Error&) {
  }
}

/// Sets the time of a checkpoint by what the run before measured; on rank 0, which has the clock.
void Checkpoints::learn_speed(const Generation& generation) {
  if (team_.rank() != 0) return;
  const CheckpointReader file = files_of(generation).open(0);
  const FileSection* const section = file.find(speed_section.name);
  Speed speed;
  if (section == nullptr || section->version != speed_section.version ||
      section->size != sizeof speed) {
    return;
  }
  file.read(*section, 0, std::as_writable_bytes(std::span(&speed, 1)));
  if (speed.seconds > 0 && speed.bytes > 0) {
    longest_save_ = speed.seconds * (expected_bytes_ / speed.bytes);
    seconds_of_byte_ = speed.seconds / speed.bytes;
  }
}

/// Sets the rate of a checkpoint by what all ranks write at once, and take away again, where a
/// limit of time asks for it and no checkpoint has told yet. Collective.
void Checkpoints::sample_speed() {
  if (wanted_.time_limit == 0) return;
  const auto bytes = static_cast<std::size_t>(
      std::clamp(expected_bytes_, 4096.0, static_cast<double>(sample_bytes)));
  const fs::path path =
      wanted_.directory / fmt::format("spsolve-{:016x}-sample.{}-of-{}", problem_.fingerprint(),
                                      team_.rank(), team_.size());
  const Timer timer;
  double seconds = 0;
  try {
    SectionWriter file(path);
    file.begin({"sample"});
    const std::vector<std::byte> piece(std::min<std::size_t>(bytes, 1 << 20), std::byte{0x5a});
    for (std::size_t left = bytes; left > 0;) {
      const std::size_t count = std::min(left, piece.size());
      file.write(std::span(piece).first(count));
      left -= count;
    }
    file.commit();
    seconds = timer.seconds();
  } catch (const Error&) {
    // A disk that is full is told where a checkpoint is written to it.
  }
  std::error_code none;
  fs::remove(path, none);
  seconds_of_byte_ = all_maximum(team_, seconds) / static_cast<double>(bytes);
}

void Checkpoints::refuse_a_limit_for_nothing() const {
  if (wanted_.time_limit == 0) return;
  // Reading takes about as long as writing.
  const double gone = broadcast_value(team_, now(), 0);
  const double reading = broadcast_value(team_, longest_save_, 0);
  const double writing = broadcast_value(team_, time_to_save(), 0);
  const double least = gone + reading + writing + 1;
  if (reading == 0 || least < wanted_.time_limit) return;
  fail_everywhere(ExitCode::resources,
                  "checkpoint.time_limit={} leaves no time to {} in: {:.1f} s were gone "
                  "before, reading the checkpoint of {} takes about {:.1f} s, and so does "
                  "writing another one; no run would get further: raise it, to {:.0f} at least",
                  wanted_.time_limit, is_krylov(problem_.method) ? "iterate" : "eliminate", gone,
                  place(saved_step_), reading, std::ceil(2 * least));
}

/// Seconds that writing a checkpoint may take, on the safe side.
double Checkpoints::time_to_save() const {
  const double whole = longest_save_ > 0 ? longest_save_ : expected_bytes_ * seconds_of_byte_;
  return 2 * std::max(whole, added_bytes_ * seconds_of_byte_);
}

CheckpointRequest Checkpoints::request(Index step) {
  if (stop_was_asked()) return CheckpointRequest::stop;
  if (team_.rank() == 0) {  // one clock for all
    const double time = now();
    longest_step_ = std::max(longest_step_, time - last_look_);
    last_look_ = time;
    // Every run does a part, however short its time: or it would be started again and again.
    const bool out_of_time =
        wanted_.time_limit > 0 && step > first_step_ &&
        time + 2 * std::max(longest_step_, expected_step_) + time_to_save() + 1 >=
            wanted_.time_limit;
    if (out_of_time) return CheckpointRequest::out_of_time;
    if (wanted_.interval > 0 && time - last_save_ >= wanted_.interval)
      return CheckpointRequest::save;
  }
  return save_was_asked() ? CheckpointRequest::save : CheckpointRequest::none;
}

CheckpointRequest Checkpoints::request_at_the_end(Index step) {
  const CheckpointRequest request = std::ranges::max(all_gather(team_, this->request(step)));
  return request == CheckpointRequest::save ? CheckpointRequest::none : request;
}

}  // namespace spsolve::checkpoint
