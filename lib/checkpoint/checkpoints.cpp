#include "checkpoint/checkpoints.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <system_error>

#include <unistd.h>

#include "core/checksum.hpp"
#include "process/log.hpp"
#include "process/pulse.hpp"
#include "process/signals.hpp"

namespace spsolve::inline checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_generations = 2;

/// A number that no other generation has.
std::uint64_t new_stamp() {
  const std::array<std::int64_t, 2> words{
      std::chrono::system_clock::now().time_since_epoch().count(), ::getpid()};
  return checksum(std::as_bytes(std::span(words)));
}

}  // namespace

Checkpoints::Checkpoints(Team& team, const CheckpointOptions& wanted,
                         const EliminatedProblem& problem, const Timer& run)
    : team_(team), wanted_(wanted), problem_(problem), run_(run) {
  together(team, [&] {
    std::error_code failure;
    if (team.rank() == 0) fs::create_directories(wanted.directory, failure);
    if (!failure && (team.rank() != 0 || ::access(wanted.directory.c_str(), W_OK | X_OK) == 0)) {
      return;
    }
    if (!failure) failure = std::error_code(errno, std::generic_category());
    fail(ExitCode::resources,
         "{}: the folder of checkpoint.directory cannot be made or written to ({}); check it and "
         "its permissions",
         wanted.directory.string(), failure.message());
  });
  last_save_ = last_look_ = now();
}

void Checkpoints::note(std::string text) {
  if (team_.rank() == 0) log_line(text);
  statistics_.notes.push_back(std::move(text));
}

/// A step in words: nobody knows how many an iteration will take.
std::string Checkpoints::place(Index step) const {
  return is_krylov(problem_.method) ? fmt::format("step {}", step)
                                    : fmt::format("step {} of {}", step, problem_.order);
}

// --- to go on

/// The generations of this problem, ascending, whether whole or not.
std::vector<Generation> Checkpoints::generations_there() {
  std::vector<Generation> found;
  if (team_.rank() == 0) {
    for (const std::string& text : names_in(wanted_.directory)) {
      const auto generation = generation_of(text);
      if (!generation || generation->fingerprint != problem_.fingerprint()) continue;
      if (std::ranges::find(found, *generation) == found.end()) found.push_back(*generation);
    }
    std::ranges::sort(found, {}, &Generation::number);
  }
  found.resize(
      static_cast<std::size_t>(broadcast_value(team_, static_cast<Index>(found.size()), 0)));
  broadcast(team_, std::span(found), 0);
  return found;
}

/// The stamps of this rank's share of the files of a generation, which are as they must be: of each
/// file its own, then how many additions it has, and theirs. Throws Error(input).
std::vector<std::uint64_t> Checkpoints::check(const Generation& generation) const {
  const CheckpointFiles files = files_of(generation);
  std::vector<std::uint64_t> stamps;
  for (int rank = team_.rank(); rank < generation.ranks; rank += team_.size()) {
    const CheckpointReader reader = files.open(rank);
    if (const std::string other = difference(reader.problem(), problem_); !other.empty()) {
      reader.refuse("belongs to {}", other);
    }
    const CheckpointPart& part = reader.part();
    if (part != CheckpointPart{generation.number, part.stamp, generation.ranks, rank}) {
      reader.refuse("bears the name of another file");
    }
    reader.verify();
    const std::vector<std::uint64_t> additions = reader.additions();
    stamps.insert(stamps.end(), {part.stamp, additions.size()});
    stamps.insert(stamps.end(), additions.begin(), additions.end());
  }
  return stamps;
}

/// Compares the files of a generation by what check() found: they must be of one, and go back to
/// the newest addition that all of them have, as the run that wrote them may have ended within
/// another one. Collective.
void Checkpoints::go_back_to_common(const Generation& generation,
                                    std::span<const std::uint64_t> mine) const {
  const auto stamps = all_gather_parts(team_, mine);
  std::vector<std::span<const std::uint64_t>> additions;  // of each file
  for (std::size_t at = 0; at < stamps.size();) {
    if (stamps[at] != stamps.front()) {
      fail(ExitCode::input, "{} and the files of the other ranks are of different checkpoints",
           files_of(generation).path(0).string());
    }
    additions.push_back(std::span(stamps).subspan(at + 2, stamps[at + 1]));
    at += 2 + stamps[at + 1];
  }
  const auto is_in = [](std::uint64_t stamp, std::span<const std::uint64_t> list) {
    return std::ranges::find(list, stamp) != list.end();
  };
  std::span<const std::uint64_t> common = additions.front();
  while (!common.empty() && !std::ranges::all_of(additions, [&](const auto& list) {
    return is_in(common.back(), list);
  })) {
    common = common.first(common.size() - 1);
  }
  together(team_, [&] {
    const CheckpointFiles files = files_of(generation);
    for (int rank = team_.rank(); rank < generation.ranks; rank += team_.size()) {
      const CheckpointReader file = files.open(rank);
      const std::vector<std::uint64_t> list = file.additions();
      const auto newest =
          common.empty() ? list.begin() : std::ranges::find(list, common.back()) + 1;
      file.cut_behind_addition(static_cast<std::size_t>(newest - list.begin()));
    }
  });
}

/// The step of a generation that is good on all ranks; where it isn't, a note says why, and of the
/// last one what comes of it. Collective.
std::optional<Index> Checkpoints::try_generation(const Generation& generation, const Take& take,
                                                 bool is_last) {
  try {
    const auto mine = together(team_, [&] { return check(generation); });
    go_back_to_common(generation, mine);
    return take(files_of(generation));
  } catch (const Error& error) {
    const bool begins_anew = is_last && wanted_.resume != ResumeChoice::require;
    note(fmt::format("a checkpoint is refused: {}{}", error.what(),
                     !begins_anew                 ? ""
                     : is_krylov(problem_.method) ? "; the iteration begins anew"
                                                  : "; the elimination begins anew"));
  }
  return std::nullopt;
}

/// Checkpoints of other problems in the folder, in words, or "". On rank 0.
std::string Checkpoints::foreign_files() const {
  std::string first, reason;
  std::size_t count = 0;
  for (const std::string& text : names_in(wanted_.directory)) {
    const auto generation = generation_of(text);
    if (!generation || generation->fingerprint == problem_.fingerprint()) continue;
    if (++count > 1) continue;
    first = (wanted_.directory / text).string();
    try {
      reason = first + ": belongs to " + difference(CheckpointReader(first).problem(), problem_);
    } catch (const Error& error) {
      reason = error.what();
    }
  }
  if (count == 0) return "";
  return fmt::format("{}{}", reason,
                     count > 1 ? fmt::format(", and {} more to others", count - 1) : "");
}

bool Checkpoints::resume(Precision precision, double bytes, const Take& take) {
  enter_phase("resume");
  const Timer timer;
  problem_.precision = precision;
  expected_bytes_ = bytes;
  finished_.insert(finished_.end(), kept_.begin(), kept_.end());
  saved_step_ = first_step_ = 0;
  statistics_.resumed_step.reset();
  statistics_.resumed_work.reset();
  statistics_.resumed_from.clear();
  remove_temporaries();
  std::vector<Generation> found = generations_there();
  if (!found.empty()) last_number_ = std::max(last_number_, found.back().number);
  std::optional<Generation> good;
  if (wanted_.resume != ResumeChoice::never) {
    for (auto generation = found.rbegin(); generation != found.rend() && !good; ++generation) {
      if (const auto step = try_generation(*generation, take, generation + 1 == found.rend())) {
        good = *generation;
        saved_step_ = first_step_ = *step;
      }
    }
    if (!good) {
      const std::string foreign =
          broadcast_text(team_, team_.rank() == 0 ? foreign_files() : "", 0);
      if (wanted_.resume == ResumeChoice::require) refuse_to_begin_anew(foreign);
      if (!foreign.empty()) note(fmt::format("a checkpoint is not used: {}", foreign));
    }
  }
  // Whatever is there makes room for new ones, the good one last.
  kept_ = std::move(found);
  if (good) std::erase(kept_, *good);
  if (good) kept_.push_back(*good);
  if (!good) sample_speed();
  statistics_.resume_seconds += timer.seconds();
  last_look_ = now();  // steps begin here
  enter_phase("eliminate");
  if (!good) return false;
  statistics_.resumed_step = saved_step_;
  statistics_.resumed_from = files_of(*good).path(0).string();
  learn_speed(*good);
  if (broadcast_value(team_, longest_save_, 0) == 0) sample_speed();
  refuse_a_limit_for_nothing();
  return true;
}

void Checkpoints::refuse_to_begin_anew(const std::string& foreign) const {
  std::string reasons;
  for (const std::string& text : statistics_.notes) reasons += "; " + text;
  if (!foreign.empty()) reasons += "; " + foreign;
  fail_everywhere(ExitCode::input,
                  "checkpoint.resume is require, and {} holds no good checkpoint of this "
                  "system{}",
                  wanted_.directory.string(), reasons);
}

void Checkpoints::load(const std::function<void(const CheckpointFiles& files)>& load) {
  enter_phase("resume");
  const Timer timer;
  together(team_, [&] { load(files_of(kept_.back())); });
  statistics_.resume_seconds += timer.seconds();
  last_save_ = last_look_ = now();
  enter_phase("eliminate");
}

// --- to keep

void Checkpoints::fulfil(CheckpointRequest agreed, Index step, const Write& write) {
  fulfil(agreed, step, write, WriteMode::anew);
}

void Checkpoints::begin_another() {
  saved_step_ = first_step_ = 0;
  last_look_ = now();
}

bool Checkpoints::can_add() const {
  return saved_step_ > 0 && kept_.back().ranks == team_.size();
}

void Checkpoints::add(CheckpointRequest agreed, Index step, const Write& write) {
  fulfil(agreed, step, write, WriteMode::added);
}

void Checkpoints::fulfil(CheckpointRequest agreed, Index step, const Write& write, WriteMode mode) {
  if (agreed == CheckpointRequest::none) return;
  if (step != saved_step_) save(step, write, mode);
  if (agreed != CheckpointRequest::save) stop(agreed, step);
  // A signal reaches the ranks one after another: it has had the time of a checkpoint to do so.
  forget_to_save();
  last_save_ = last_look_ = now();
}

/// Bytes that were written.
std::int64_t Checkpoints::write_file(const Generation& generation, const CheckpointPart& part,
                                     const Write& write, WriteMode mode) const {
  const fs::path path = files_of(generation).path(team_.rank());
  std::error_code none;
  const auto before = mode == WriteMode::added
                          ? static_cast<std::int64_t>(fs::file_size(path, none))
                          : std::int64_t{0};
  SectionWriter file =
      mode == WriteMode::added ? SectionWriter::adding_to(path) : SectionWriter(path);
  if (mode == WriteMode::anew) write_identity(file, problem_, part);
  if (mode == WriteMode::added) write_addition(file, part.stamp);
  write(file);
  return file.commit() - before;
}

void Checkpoints::save(Index step, const Write& write, WriteMode mode) {
  enter_phase("checkpoint");
  const Timer timer;
  const Generation generation =
      mode == WriteMode::added ? kept_.back()
                               : Generation{problem_.fingerprint(), ++last_number_, team_.size()};
  const CheckpointPart part{generation.number, broadcast_value(team_, new_stamp(), 0), team_.size(),
                            team_.rank()};
  try {
    const std::int64_t bytes =
        together(team_, [&] { return write_file(generation, part, write, mode); });
    statistics_.bytes += all_sum(team_, bytes);
    constexpr std::int64_t telling_bytes = 1 << 20;
    if (bytes >= telling_bytes) {
      seconds_of_byte_ = std::max(seconds_of_byte_, timer.seconds() / static_cast<double>(bytes));
    }
    if (mode == WriteMode::anew) record_speed(generation, bytes, timer.seconds());
    ++statistics_.written;
    saved_step_ = step;
    last_failure_.clear();
    if (mode == WriteMode::anew) kept_.push_back(generation);
    for (; kept_.size() > most_generations; kept_.erase(kept_.begin())) remove_files(kept_.front());
    if (team_.rank() == 0) {
      log_line(
          fmt::format("checkpoint of {}: {}", place(step), files_of(generation).path(0).string()));
    }
  } catch (const Error& error) {
    if (mode == WriteMode::anew) remove_files(generation);
    ++statistics_.failed;
    last_failure_ = error.what();
    note(fmt::format("no checkpoint at {}: {}; {}", place(step), last_failure_,
                     saved_step_ > 0 ? fmt::format("the one of step {} stays", saved_step_)
                                     : "there is none yet"));
  }
  const double seconds = timer.seconds();
  longest_save_ = std::max(longest_save_, seconds);
  statistics_.seconds += seconds;
  enter_phase("eliminate");
}

void Checkpoints::stop(CheckpointRequest agreed, Index step) const {
  const std::string_view why = agreed == CheckpointRequest::out_of_time
                                   ? "stopped before checkpoint.time_limit"
                                   : "stopped by a signal, as asked,";
  if (saved_step_ == 0 && !last_failure_.empty()) {
    fail_everywhere(ExitCode::resources, "{} at {}, and no checkpoint could be written: {}", why,
                    place(step), last_failure_);
  }
  fail_everywhere(ExitCode::interrupted, "{} at {}; the same command goes on from {}{}", why,
                  place(step),
                  saved_step_ == 0 ? "the beginning, as nothing was done yet"
                                   : fmt::format("step {}, by its checkpoint in {}", saved_step_,
                                                 wanted_.directory.string()),
                  last_failure_.empty()
                      ? ""
                      : fmt::format(" (a later one could not be written: {})", last_failure_));
}

// --- files

/// Each rank its share. Not collective.
void Checkpoints::remove_files(const Generation& generation) {
  std::error_code ignored;
  for (int rank = team_.rank(); rank < generation.ranks; rank += team_.size()) {
    fs::remove(files_of(generation).path(rank), ignored);
  }
}

/// Removes files that runs of this problem left when they were ended while they wrote. Not
/// collective.
void Checkpoints::remove_temporaries() const {
  if (team_.rank_on_host() != 0) return;
  const std::string beginning = fmt::format(".spsolve-{:016x}-", problem_.fingerprint());
  for (const std::string& name : names_in(wanted_.directory)) {
    std::error_code ignored;
    if (name.starts_with(beginning) && name.ends_with(".tmp")) {
      fs::remove(wanted_.directory / name, ignored);
    }
  }
}

void Checkpoints::remove() {
  for (auto* list : {&kept_, &finished_}) {
    for (const Generation& generation : *list) remove_files(generation);
    list->clear();
  }
  remove_temporaries();
  wait_for_all(team_);
}

}  // namespace spsolve::checkpoint
