#include "krylov/iteration/checkpointed_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "checkpoint/section_bytes.hpp"
#include "core/checksum.hpp"

namespace spsolve::inline krylov {

namespace {

constexpr SectionKind head_section{"iteration"}, settings_section{"way"},
    numbers_section{"numbers"}, recurrence_section{"recurrence"};
constexpr double level_mark = 1;  // before the numbers of a level, of which there may be none

/// Names the sections but for the vectors.
void name(IterationPart& part, SectionBytes& bytes) {
  std::vector<Index>* const columns[] = {&part.columns, &part.recurrence_columns};
  bytes.begin(head_section);
  for (Index* number : {&part.step, &part.rows.first, &part.rows.last}) bytes.value(*number);
  for (std::vector<Index>* list : columns) bytes.length(*list);
  for (std::vector<Index>* list : columns) bytes.values(list->data(), std::ssize(*list));
  bytes.end();
  bytes.begin(settings_section);
  bytes.rest(part.settings);
  bytes.begin(numbers_section);
  bytes.rest(part.numbers);
  bytes.begin(recurrence_section);
  bytes.rest(part.recurrence);
}

std::string vectors_section(bool recurrence, std::size_t k) {
  return fmt::format("{} {}", recurrence ? "recurrence" : "vectors", k);
}

/// A checksum of all that must be the same in every file of a checkpoint.
std::uint64_t sum_of_common(const IterationPart& part) {
  Checksum sum;
  sum.add(std::as_bytes(std::span(&part.step, 1)));
  sum.add(std::as_bytes(std::span(part.columns)));
  sum.add(std::as_bytes(std::span(part.recurrence_columns)));
  sum.add(std::as_bytes(std::span(part.settings)));
  sum.add(std::as_bytes(std::span(part.numbers)));
  sum.add(std::as_bytes(std::span(part.recurrence)));
  return sum.value();
}

}  // namespace

void IterationState::number(Index& value) {
  auto as_double = static_cast<double>(value);
  number(as_double);
  constexpr double most = 9e15;  // whole numbers up to this are doubles
  if (!(std::abs(as_double) <= most)) contradict();
  value = static_cast<Index>(as_double);
}

void IterationState::number(bool& value) {
  double as_double = value ? 1 : 0;
  number(as_double);
  value = as_double != 0;
}

void IterationState::each(std::span<double> values) {
  for (double& value : values) number(value);
}

void IterationState::numbers(std::vector<double>& values) {
  auto count = static_cast<Index>(values.size());
  number(count);
  if (count != static_cast<Index>(values.size())) {
    if (count < 0 || static_cast<std::size_t>(count) > left()) contradict();
    values.resize(static_cast<std::size_t>(count));
  }
  each(values);
}

IterationPart read_iteration_part(const CheckpointReader& file) {
  BytesFromFile bytes(file);
  IterationPart part;
  name(part, bytes);
  const bool good = part.step >= 0 && part.rows.first >= 0 && part.rows.first <= part.rows.last &&
                    part.rows.last <= file.problem().order;
  if (!good) file.refuse("contradicts itself");
  for (const bool recurrence : {false, true}) {
    const auto& those = recurrence ? part.recurrence_columns : part.columns;
    for (std::size_t k = 0; k < those.size(); ++k) {
      const FileSection& vectors = file.section({vectors_section(recurrence, k)});
      const auto width = static_cast<std::int64_t>(sizeof(double)) * part.rows.size();
      const bool whole = those[k] >= 0 && (width == 0 ? vectors.size == 0
                                                      : vectors.size % width == 0 &&
                                                            vectors.size / width == those[k]);
      if (!whole) file.refuse("contradicts itself");
    }
  }
  return part;
}

/// Gathers what is named.
class CheckpointedIteration::Writer final : public IterationState {
 public:
  using IterationState::number;
  void number(double& value) override { values.push_back(value); }
  void vectors(Vectors& x) override {
    multivectors.push_back(&x);
    columns.push_back(x.columns());
  }

  std::vector<double> values;
  std::vector<Index> columns;
  std::vector<const Vectors*> multivectors;

 private:
  void contradict() const override {
    fail_everywhere(ExitCode::internal, "a step has a number that no checkpoint holds");
  }
  std::size_t left() const override { return 0; }
};

/// Gives back what was kept.
class CheckpointedIteration::Reader final : public IterationState {
 public:
  Reader(const CheckpointedIteration& checkpointed, bool recurrence, ReadPosition& taken)
      : checkpointed_(checkpointed), recurrence_(recurrence), taken_(taken) {}
  using IterationState::number;
  void number(double& value) override {
    if (left() == 0) contradict();
    value = all()[taken_.taken++];
  }
  void vectors(Vectors& x) override {
    const auto& columns =
        recurrence_ ? checkpointed_.part_.recurrence_columns : checkpointed_.part_.columns;
    const std::size_t k = taken_.vectors++;
    if (k >= columns.size() || columns[k] != x.columns()) contradict();
    checkpointed_.load(vectors_section(recurrence_, k), columns[k], x);
  }

 private:
  const std::vector<double>& all() const {
    return recurrence_ ? checkpointed_.part_.recurrence : checkpointed_.part_.numbers;
  }
  std::size_t left() const override { return all().size() - taken_.taken; }
  void contradict() const override {
    fail_everywhere(ExitCode::input,
                    "{}: is not what this method keeps; checkpoint.resume=never begins anew",
                    checkpointed_.checkpoints_.statistics().resumed_from);
  }

  const CheckpointedIteration& checkpointed_;
  bool recurrence_;
  ReadPosition& taken_;
};

CheckpointedIteration::CheckpointedIteration(Checkpoints& checkpoints, const Vectors& b,
                                             int vectors, std::string settings)
    : checkpoints_(checkpoints), own_(b.own()), rows_(b.rows()), settings_(std::move(settings)) {
  const double bytes = 8.0 * static_cast<double>(b.rows()) * static_cast<double>(b.columns()) *
                       vectors / checkpoints.team().size();
  taking_ = checkpoints.resume(Precision::float64, bytes,
                               [this](const CheckpointFiles& files) { return take(files); });
  if (taking_) {
    step_ = part_.step;
  } else {
    fits_ = false;  // with one that was refused
    restarts_.clear();
  }
}

Index CheckpointedIteration::take(const CheckpointFiles& files) {
  Team& team = checkpoints_.team();
  struct Seen {
    int file = 0;
    Range rows;
    std::uint64_t common = 0;
  };
  const auto mine = together(team, [&] {
    std::vector<Seen> seen;
    for (int rank = team.rank(); rank < files.ranks(); rank += team.size()) {
      const IterationPart part = read_iteration_part(files.open(rank));
      seen.push_back({rank, part.rows, sum_of_common(part)});
    }
    return seen;
  });
  std::vector<Seen> all = all_gather_parts(team, std::span(mine));
  std::sort(all.begin(), all.end(),
            [](const Seen& one, const Seen& other) { return one.file < other.file; });
  bands_.clear();
  Index behind = 0;
  bool one = true;
  for (const Seen& seen : all) {
    one = one && seen.rows.first == behind && seen.common == all.front().common;
    behind = seen.rows.last;
    bands_.push_back(seen.rows);
  }
  if (!one || behind != rows_) {
    fail_everywhere(ExitCode::input,
                    "{} and the files of the other ranks are of different checkpoints",
                    files.path(0).string());
  }
  part_ = together(team, [&] { return read_iteration_part(files.open(0)); });
  fits_ = part_.settings == settings_;
  restarts_ = fits_ ? ""
                    : fmt::format(
                          "new recurrences begin with the x of the checkpoint, which comes "
                          "of the preconditioner {}, where this run has {}",
                          part_.settings, settings_);
  return part_.step;
}

void CheckpointedIteration::load(const std::string& section, Index columns, Vectors& x) const {
  checkpoints_.load([&](const CheckpointFiles& files) {
    std::vector<double> buffer;
    for (int rank = 0; rank < files.ranks(); ++rank) {
      const Range there = bands_[static_cast<std::size_t>(rank)];
      const Range both{std::max(there.first, own_.first), std::min(there.last, own_.last)};
      if (both.size() <= 0 || columns == 0) continue;
      const CheckpointReader file = files.open(rank);
      const FileSection& found = file.section({section});
      const std::size_t width = sizeof(double) * static_cast<std::size_t>(columns);
      in_pieces(both.size(), width, [&](Index first, Index height) {
        buffer.resize(static_cast<std::size_t>(height * columns));
        const Index row = both.first + first;
        file.read(found, 8 * (row - there.first) * columns,
                  std::as_writable_bytes(std::span(buffer)));
        x.write_rows({row - own_.first, row - own_.first + height}, buffer);
      });
    }
  });
}

void CheckpointedIteration::write(SectionWriter& file) const {
  Writer progress, recurrence;
  for (const Open& level : levels_) {
    Writer& writer = level.kind == SolveLevel::Kind::recurrence ? recurrence : progress;
    writer.values.push_back(level_mark);
    level.name(writer);
  }
  IterationPart part{step_,
                     own_,
                     progress.columns,
                     recurrence.columns,
                     settings_,
                     progress.values,
                     recurrence.values};
  BytesToFile bytes(file);
  name(part, bytes);
  std::vector<double> buffer;
  for (const Writer* writer : {&progress, &recurrence}) {
    for (std::size_t k = 0; k < writer->multivectors.size(); ++k) {
      const Vectors& x = *writer->multivectors[k];
      file.begin({vectors_section(writer == &recurrence, k)});
      const std::size_t width = sizeof(double) * static_cast<std::size_t>(x.columns());
      in_pieces(x.height(), width, [&](Index first, Index height) {
        buffer.resize(static_cast<std::size_t>(height * x.columns()));
        x.read_rows({first, first + height}, buffer);
        file.write_values(std::span<const double>(buffer));
      });
    }
  }
}

bool CheckpointedIteration::is_wanted() {
  const auto mine = static_cast<int>(checkpoints_.request(step_));
  agreed_ = static_cast<CheckpointRequest>(all_maximum(checkpoints_.team(), mine));
  return agreed_ != CheckpointRequest::none;
}

void CheckpointedIteration::save_checkpoint() {
  const CheckpointRequest agreed = std::exchange(agreed_, CheckpointRequest::none);
  checkpoints_.fulfil(agreed, step_, [this](SectionWriter& file) { write(file); });
}

void CheckpointedIteration::save_at_the_end() {
  agreed_ = checkpoints_.request_at_the_end(step_);
  save_checkpoint();
}

CheckpointedIteration::SolveLevel::SolveLevel(CheckpointedIteration* checkpointed, Kind kind,
                                              Name name)
    : checkpointed_(checkpointed) {
  if (checkpointed == nullptr) return;
  const bool recurrence = kind == Kind::recurrence;
  ReadPosition& taken = recurrence ? checkpointed->recurrence_ : checkpointed->progress_;
  goes_on_ =
      checkpointed->taking_ && (recurrence ? checkpointed->has_recurrence()
                                           : taken.taken < checkpointed->part_.numbers.size());
  if (goes_on_) {
    Reader reader(*checkpointed, recurrence, taken);
    double mark = 0;
    reader.number(mark);
    name(reader);
  }
  checkpointed->levels_.push_back({kind, std::move(name)});
}

CheckpointedIteration::SolveLevel::~SolveLevel() {
  if (checkpointed_ != nullptr) checkpointed_->levels_.pop_back();
}

}  // namespace spsolve::krylov
