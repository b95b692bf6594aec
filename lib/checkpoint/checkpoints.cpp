#include "checkpoint/checkpoints.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <system_error>

#include <unistd.h>

#include "core/checksum.hpp"
#include "core/log.hpp"
#include "core/pulse.hpp"
#include "core/signals.hpp"

namespace spsolve {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view file_ending = ".checkpoint";
constexpr std::size_t kept_generations = 2;
constexpr double expected_bytes_per_second = 1e8;  // until the first checkpoint is written

/// What a file's name says.
struct FileName {
  std::uint64_t fingerprint = 0;
  Index generation = 0;
  int rank = 0;
  int ranks = 1;
};

std::string text_of(const FileName& name) {
  return fmt::format("spsolve-{:016x}-{:06}.{}-of-{}{}", name.fingerprint, name.generation,
                     name.rank, name.ranks, file_ending);
}

std::optional<FileName> name_of(const std::string& text) {
  FileName name;
  unsigned long long fingerprint = 0;
  long long generation = 0;
  const int read = std::sscanf(text.c_str(), "spsolve-%16llx-%18lld.%9d-of-%9d", &fingerprint,
                               &generation, &name.rank, &name.ranks);
  name.fingerprint = fingerprint;
  name.generation = generation;
  if (read != 4 || name.ranks < 1 || text_of(name) != text) return std::nullopt;
  return name;
}

/// The names in a folder, ascending; none where it cannot be read.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// A number that no other generation has.
std::uint64_t new_stamp() {
  const std::array<std::int64_t, 2> words{
      std::chrono::system_clock::now().time_since_epoch().count(), ::getpid()};
  return checksum(std::as_bytes(std::span(words)));
}

}  // namespace

Checkpoints::Checkpoints(Team& team, const Config::Checkpoint& wanted,
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
  last_save_ = last_look_ = run.seconds();
}

fs::path Checkpoints::file_of(const Generation& generation, int rank) const {
  return wanted_.directory /
         text_of({generation.fingerprint, generation.number, rank, generation.ranks});
}

void Checkpoints::note(std::string text) {
  if (team_.rank() == 0) log_line(text);
  statistics_.notes.push_back(std::move(text));
}

// --- to go on

/// Those of this problem, ascending, whether whole or not.
std::vector<Checkpoints::Generation> Checkpoints::generations_there() {
  std::vector<Generation> found;
  if (team_.rank() == 0) {
    for (const std::string& text : names_in(wanted_.directory)) {
      const auto name = name_of(text);
      if (!name || name->fingerprint != problem_.fingerprint()) continue;
      const Generation generation{name->fingerprint, name->generation, name->ranks};
      if (std::ranges::find(found, generation) == found.end()) found.push_back(generation);
    }
    std::ranges::sort(found, {}, &Generation::number);
  }
  found.resize(
      static_cast<std::size_t>(broadcast_value(team_, static_cast<Index>(found.size()), 0)));
  broadcast(team_, std::span(found), 0);
  return found;
}

/// This rank's share of the files of a generation: as they must be, and their state in resumed_.
/// Throws Error(input).
Checkpoints::Share Checkpoints::check(const Generation& generation) {
  Share share;
  for (int rank = team_.rank(); rank < generation.ranks; rank += team_.size()) {
    const fs::path path = file_of(generation, rank);
    const CheckpointReader reader(path);
    if (const std::string other = difference(reader.problem(), problem_); !other.empty()) {
      fail(ExitCode::input, "{}: belongs to {}", path.string(), other);
    }
    const CheckpointPart& part = reader.part();
    if (part.generation != generation.number || part.ranks != generation.ranks ||
        part.rank != rank) {
      fail(ExitCode::input, "{}: bears the name of another file", path.string());
    }
    reader.verify();
    const EliminationState& state = reader.state();
    share.mixed =
        share.mixed || (share.rows >= 0 && (part.stamp != share.stamp || state.step != share.step));
    share.stamp = part.stamp;
    share.step = state.step;
    share.rows = std::max<Index>(share.rows, 0) + static_cast<Index>(state.rows.size());
  }
  const int mine = team_.size() == generation.ranks ? team_.rank() : 0;
  resumed_ = CheckpointReader(file_of(generation, mine)).state();
  return share;
}

/// Whether the generation is good on all ranks; where it isn't, a note says why. Collective.
bool Checkpoints::try_generation(const Generation& generation) {
  try {
    const Share mine = together(team_, [&] { return check(generation); });
    // What only all files together can show.
    Share whole;
    for (const Share& share : all_gather(team_, mine)) {
      if (share.rows < 0) continue;
      whole.mixed = whole.mixed || share.mixed ||
                    (whole.rows >= 0 && (share.stamp != whole.stamp || share.step != whole.step));
      whole.stamp = share.stamp;
      whole.step = share.step;
      whole.rows = std::max<Index>(whole.rows, 0) + share.rows;
    }
    if (!whole.mixed && whole.rows == problem_.order) return true;
    fail(ExitCode::input, "{} and the files of the other ranks {}", file_of(generation, 0).string(),
         whole.mixed ? "are of different checkpoints"
                     : fmt::format("hold {} rows, not {}", whole.rows, problem_.order));
  } catch (const Error& error) {
    note(fmt::format("a checkpoint is refused: {}", error.what()));
  }
  return false;
}

/// Checkpoints of other problems in the folder, in words, or "". On rank 0.
std::string Checkpoints::foreign_files() const {
  std::string first, reason;
  std::size_t count = 0;
  for (const std::string& text : names_in(wanted_.directory)) {
    const auto name = name_of(text);
    if (!name || name->fingerprint == problem_.fingerprint()) continue;
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

std::optional<EliminationState> Checkpoints::resume(Precision precision, Index block) {
  enter_phase("resume");
  const Timer timer;
  problem_.precision = precision;
  finished_.insert(finished_.end(), kept_.begin(), kept_.end());
  saved_step_ = first_step_ = 0;
  statistics_.resumed_step.reset();
  statistics_.resumed_from.clear();
  remove_temporaries();
  std::vector<Generation> found = generations_there();
  if (!found.empty()) last_number_ = std::max(last_number_, found.back().number);
  std::optional<Generation> good;
  if (wanted_.resume != ResumeChoice::never) {
    for (auto generation = found.rbegin(); generation != found.rend() && !good; ++generation) {
      if (try_generation(*generation)) good = *generation;
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
  statistics_.resume_seconds += timer.seconds();
  last_look_ = run_.seconds();  // steps begin here
  enter_phase("eliminate");
  if (!good) return std::nullopt;

  same_ranks_ =
      all_maximum(team_, good->ranks == team_.size() && resumed_.block == block ? 0 : 1) == 0;
  resumed_.largest_upper = all_maximum(team_, resumed_.largest_upper);
  if (!same_ranks_) resumed_.rows.clear();
  saved_step_ = first_step_ = resumed_.step;
  statistics_.resumed_step = resumed_.step;
  statistics_.resumed_from = file_of(*good, 0).string();
  return resumed_;
}

void Checkpoints::refuse_to_begin_anew(const std::string& foreign) const {
  std::string reasons;
  for (const std::string& text : statistics_.notes) reasons += "; " + text;
  if (!foreign.empty()) reasons += "; " + foreign;
  fail_everywhere(ExitCode::input,
                  "checkpoint.resume is require, and {} holds no good checkpoint of this "
                  "elimination{}",
                  wanted_.directory.string(), reasons);
}

void Checkpoints::load_rows(const std::vector<Index>& rows, const RowsIn& take) {
  enter_phase("resume");
  const Timer timer;
  const Generation generation = kept_.back();
  together(team_, [&] {
    std::vector<Index> place(static_cast<std::size_t>(problem_.order), -1);
    for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<Index>(i);
    std::vector<std::byte> buffer(static_cast<std::size_t>(rows_in_piece(problem_)) *
                                  row_bytes(problem_));
    Index loaded = 0;
    for (int rank = 0; rank < generation.ranks; ++rank) {
      if (same_ranks_ && rank != team_.rank()) continue;
      const CheckpointReader reader(file_of(generation, rank));
      const std::vector<Index>& there = reader.state().rows;
      const auto size = static_cast<Index>(there.size());
      // Runs of rows that follow one another there and here.
      for (Index first = 0, last = 0; first < size; first = std::max(last, first + 1)) {
        const Index to = place[there[first]];
        last = first;
        if (to < 0) continue;
        while (last < size && last - first < rows_in_piece(problem_) &&
               place[there[last]] == to + (last - first)) {
          ++last;
        }
        const auto bytes =
            std::span(buffer).first(static_cast<std::size_t>(last - first) * row_bytes(problem_));
        reader.read_rows(first, last - first, bytes);
        take(to, last - first, bytes);
        loaded += last - first;
      }
    }
    if (loaded != static_cast<Index>(rows.size())) {
      fail(ExitCode::internal, "{} of {} rows were found in the checkpoint", loaded, rows.size());
    }
  });
  statistics_.resume_seconds += timer.seconds();
  last_save_ = last_look_ = run_.seconds();
  enter_phase("eliminate");
}

// --- to keep

/// Seconds that writing a checkpoint may take, on the safe side.
double Checkpoints::time_to_save() const {
  const double share =
      static_cast<double>(row_bytes(problem_)) * static_cast<double>(problem_.order) / team_.size();
  return 2 * (longest_save_ > 0 ? longest_save_ : share / expected_bytes_per_second);
}

CheckpointWish Checkpoints::wish(Index step) {
  if (stop_was_asked()) return CheckpointWish::stop;
  if (team_.rank() == 0) {  // one clock for all
    const double now = run_.seconds();
    longest_step_ = std::max(longest_step_, now - last_look_);
    last_look_ = now;
    // Every run does a part, however short its time: or it would be started again and again.
    const bool out_of_time = wanted_.time_limit > 0 && step > first_step_ &&
                             now + 2 * longest_step_ + time_to_save() + 1 >= wanted_.time_limit;
    if (out_of_time) return CheckpointWish::out_of_time;
    if (wanted_.interval > 0 && now - last_save_ >= wanted_.interval) return CheckpointWish::save;
  }
  return save_was_asked() ? CheckpointWish::save : CheckpointWish::none;
}

CheckpointWish Checkpoints::wish_at_the_end(Index step) {
  const CheckpointWish wish = std::ranges::max(all_gather(team_, this->wish(step)));
  return wish == CheckpointWish::save ? CheckpointWish::none : wish;
}

void Checkpoints::keep(CheckpointWish agreed, const EliminationState& state, const RowsOut& rows) {
  if (agreed == CheckpointWish::none) return;
  if (state.step != saved_step_) write(state, rows);
  if (agreed != CheckpointWish::save) stop(agreed, state.step);
  // A signal reaches the ranks one after another: it has had the time of a checkpoint to do so.
  forget_to_save();
  last_save_ = last_look_ = run_.seconds();
}

void Checkpoints::write(const EliminationState& state, const RowsOut& rows) {
  enter_phase("checkpoint");
  const Timer timer;
  const Generation generation{problem_.fingerprint(), ++last_number_, team_.size()};
  const CheckpointPart part{generation.number, broadcast_value(team_, new_stamp(), 0), team_.size(),
                            team_.rank()};
  try {
    const std::int64_t bytes = together(team_, [&] {
      return write_checkpoint(file_of(generation, team_.rank()), problem_, part, state, rows);
    });
    statistics_.bytes += all_sum(team_, bytes);
    ++statistics_.written;
    saved_step_ = state.step;
    last_failure_.clear();
    kept_.push_back(generation);
    for (; kept_.size() > kept_generations; kept_.erase(kept_.begin())) remove_files(kept_.front());
    if (team_.rank() == 0) {
      log_line(fmt::format("checkpoint of step {} of {}: {}", state.step, problem_.order,
                           file_of(generation, 0).string()));
    }
  } catch (const Error& error) {
    remove_files(generation);
    ++statistics_.failed;
    last_failure_ = error.what();
    note(fmt::format("no checkpoint at step {} of {}: {}; {}", state.step, problem_.order,
                     last_failure_,
                     saved_step_ > 0 ? fmt::format("the one of step {} stays", saved_step_)
                                     : "there is none yet"));
  }
  const double seconds = timer.seconds();
  longest_save_ = std::max(longest_save_, seconds);
  statistics_.seconds += seconds;
  enter_phase("eliminate");
}

void Checkpoints::stop(CheckpointWish agreed, Index step) const {
  const std::string_view why = agreed == CheckpointWish::out_of_time
                                   ? "stopped before checkpoint.time_limit"
                                   : "stopped by a signal, as asked,";
  if (saved_step_ == 0 && !last_failure_.empty()) {
    fail_everywhere(ExitCode::resources,
                    "{} at step {} of {}, and no checkpoint could be written: {}", why, step,
                    problem_.order, last_failure_);
  }
  fail_everywhere(ExitCode::interrupted, "{} at step {} of {}; the same command goes on from {}{}",
                  why, step, problem_.order,
                  saved_step_ == 0 ? "the beginning, as nothing was eliminated yet"
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
    fs::remove(file_of(generation, rank), ignored);
  }
}

/// What runs of this problem left when they were ended while they wrote. Not collective.
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

}  // namespace spsolve
