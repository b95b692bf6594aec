#include "krylov/iteration/checkpointed_iteration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/checksum.hpp"

namespace spsolve::inline krylov {

namespace {

constexpr SectionKind head_section{"iteration"}, settings_section{"way"},
    numbers_section{"numbers"}, recurrence_section{"recurrence"};
constexpr Index piece_bytes = Index{4} << 20;
constexpr double level_mark = 1;  // before the numbers of a level, of which there may be none

/// The beginning of the section "iteration", followed by the columns of the vectors; no padding.
struct Head {
  std::int64_t step = 0, first = 0, last = 0, vectors = 0, recurrence_vectors = 0;
};
static_assert(sizeof(Head) == 40, "no padding");

std::string vectors_section(bool recurrence, std::size_t k) {
  return fmt::format("{} {}", recurrence ? "recurrence" : "vectors", k);
}

/// Calls work(rows) for the rows [0, height) piece by piece.
template <typename Work>
void in_pieces(Index height, Index columns, Work&& work) {
  const auto width = static_cast<Index>(sizeof(double)) * std::max<Index>(columns, 1);
  const Index piece = std::max<Index>(1, piece_bytes / width);
  for (Index first = 0; first < height; first += piece) {
    work(Range{first, std::min(first + piece, height)});
  }
}

std::vector<double> read_numbers(const CheckpointReader& file, const FileSection& section) {
  if (section.size % static_cast<std::int64_t>(sizeof(double)) != 0) {
    file.refuse("contradicts itself");
  }
  std::vector<double> values(static_cast<std::size_t>(section.size) / sizeof(double));
  file.read(section, 0, std::as_writable_bytes(std::span(values)));
  return values;
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

void IterationState::each(std::vector<double>& values) {
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
  const FileSection& section = file.section(head_section);
  Head head;
  file.read(section, 0, std::as_writable_bytes(std::span(&head, 1)));
  const auto most = (section.size - static_cast<std::int64_t>(sizeof head)) / 8;
  const bool good = head.step >= 0 && head.first >= 0 && head.first <= head.last &&
                    head.last <= file.problem().order && head.vectors >= 0 &&
                    head.vectors <= most && head.recurrence_vectors == most - head.vectors &&
                    section.size == static_cast<std::int64_t>(sizeof head) + 8 * most;
  if (!good) file.refuse("contradicts itself");
  IterationPart part;
  part.step = head.step;
  part.rows = {head.first, head.last};
  std::vector<Index> columns(static_cast<std::size_t>(most));
  file.read(section, static_cast<std::int64_t>(sizeof head),
            std::as_writable_bytes(std::span(columns)));
  part.columns.assign(columns.begin(), columns.begin() + head.vectors);
  part.recurrence_columns.assign(columns.begin() + head.vectors, columns.end());
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
  const std::vector<std::byte> settings = file.read(file.section(settings_section));
  part.settings.assign(reinterpret_cast<const char*>(settings.data()), settings.size());
  part.numbers = read_numbers(file, file.section(numbers_section));
  part.recurrence = read_numbers(file, file.section(recurrence_section));
  return part;
}

/// Gathers what is named.
class CheckpointedIteration::Writer final : public IterationState {
 public:
  using IterationState::number;
  void number(double& value) override { values.push_back(value); }
  void vectors(Vectors& x) override { multivectors.push_back(&x); }

  std::vector<double> values;
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
      in_pieces(both.size(), columns, [&](Range piece) {
        buffer.resize(static_cast<std::size_t>(piece.size() * columns));
        const Index row = both.first + piece.first;
        file.read(found, 8 * (row - there.first) * columns,
                  std::as_writable_bytes(std::span(buffer)));
        x.write_rows({row - own_.first, row - own_.first + piece.size()}, buffer);
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
  const Head head{step_, own_.first, own_.last,
                  static_cast<std::int64_t>(progress.multivectors.size()),
                  static_cast<std::int64_t>(recurrence.multivectors.size())};
  file.begin(head_section);
  file.write_values(std::span(&head, 1));
  for (const Writer* writer : {&progress, &recurrence}) {
    for (const Vectors* x : writer->multivectors) {
      const Index columns = x->columns();
      file.write_values(std::span(&columns, 1));
    }
  }
  file.begin(settings_section);
  file.write(std::as_bytes(std::span(settings_)));
  file.begin(numbers_section);
  file.write_values(std::span<const double>(progress.values));
  file.begin(recurrence_section);
  file.write_values(std::span<const double>(recurrence.values));
  std::vector<double> buffer;
  for (const Writer* writer : {&progress, &recurrence}) {
    for (std::size_t k = 0; k < writer->multivectors.size(); ++k) {
      const Vectors& x = *writer->multivectors[k];
      const std::string section = vectors_section(writer == &recurrence, k);
      file.begin({section});
      in_pieces(x.height(), x.columns(), [&](Range piece) {
        buffer.resize(static_cast<std::size_t>(piece.size() * x.columns()));
        x.read_rows(piece, buffer);
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
