#include "dense/state/elimination_state.hpp"

#include <algorithm>
#include <utility>

#include "checkpoint/section_bytes.hpp"

namespace spsolve::inline dense {

namespace {

constexpr SectionKind state_section{"elimination", 1};
constexpr SectionKind rows_section{"rows", 1};

Index count(const std::vector<Index>& list) {
  return static_cast<Index>(list.size());
}

/// Names the section "elimination", of 8 bytes a number.
void name(EliminationState& state, SectionBytes& bytes) {
  std::vector<Index>* const lists[] = {&state.pivot_rows, &state.column_swaps, &state.panel_ends,
                                       &state.rows};
  bytes.begin(state_section);
  for (Index* number : {&state.step, &state.block, &state.redone_panels}) bytes.value(*number);
  for (double* number :
       {&state.largest_entry, &state.largest_upper, &state.smallest_pivot, &state.largest_pivot}) {
    bytes.value(*number);
  }
  for (std::vector<Index>* list : lists) bytes.length(*list);
  for (std::vector<Index>* list : lists) bytes.values(list->data(), count(*list));
  bytes.end();
}

/// Whether all of `numbers` are from 0 to `most` - 1, and each there at most once. No memory that
/// only `most` asks for.
bool are_distinct(std::vector<Index> numbers, Index most) {
  std::ranges::sort(numbers);
  return numbers.empty() || (numbers.front() >= 0 && numbers.back() < most &&
                             std::ranges::adjacent_find(numbers) == numbers.end());
}

/// Whether these are swaps of elements k and swaps[k] >= k, k = 0, 1, ...
bool are_swaps(const std::vector<Index>& swaps, Index most) {
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    if (swaps[k] < static_cast<Index>(k) || swaps[k] >= most) return false;
  }
  return true;
}

bool is_good(const EliminationState& state, const EliminatedProblem& problem) {
  const Index n = problem.order;
  const bool blocked = problem.method == Method::lu;
  const bool panels_good =
      std::ranges::is_sorted(state.panel_ends, std::less_equal<>{}) &&
      (state.panel_ends.empty() || state.panel_ends.front() > 0) &&
      (state.panel_ends.empty() ? 0 : state.panel_ends.back()) == (blocked ? state.step : 0);
  const bool swaps_good = blocked ? state.column_swaps.empty()
                                  : count(state.column_swaps) ==
                                        (problem.pivoting == Pivoting::complete ? state.step : 0);
  return state.step >= 0 && state.step <= n && count(state.pivot_rows) == state.step &&
         count(state.rows) <= n && panels_good && swaps_good && are_swaps(state.column_swaps, n) &&
         are_distinct(state.rows, n) &&
         (blocked ? are_distinct(state.pivot_rows, n) : are_swaps(state.pivot_rows, n));
}

/// The share that a rank found in the files that it read; rows < 0 where it had none.
struct Share {
  Index step = 0;
  Index rows = -1;
  double largest_upper = 0;
  bool mixed = false;

  void include(const Share& other) {
    if (other.rows < 0) return;
    mixed = mixed || other.mixed || (rows >= 0 && other.step != step);
    step = other.step;
    rows = std::max<Index>(rows, 0) + other.rows;
    largest_upper = std::max(largest_upper, other.largest_upper);
  }
};

/// The share that all files of a generation hold together; throws an Error(input) on every rank
/// where that is not one elimination's. Collective.
Share shares_of(Team& team, const EliminatedProblem& problem, const CheckpointFiles& files) {
  const Share mine = together(team, [&] {
    Share share;
    for (int rank = team.rank(); rank < files.ranks(); rank += team.size()) {
      const EliminationState state = read_elimination(files.open(rank));
      share.include({state.step, count(state.rows), state.largest_upper, false});
    }
    return share;
  });
  Share whole;
  for (const Share& share : all_gather(team, mine)) whole.include(share);
  if (whole.mixed || whole.rows != problem.order) {
    fail_everywhere(ExitCode::input, "{} and the files of the other ranks {}",
                    files.path(0).string(),
                    whole.mixed ? "are of different checkpoints"
                                : fmt::format("hold {} rows, not {}", whole.rows, problem.order));
  }
  return whole;
}

}  // namespace

std::size_t row_bytes(const EliminatedProblem& problem) {
  const std::size_t numbers = problem.complex ? 2 : 1;
  return static_cast<std::size_t>(problem.order) * numbers * value_bytes(problem.precision);
}

void write_elimination(SectionWriter& file, const EliminatedProblem& problem,
                       const EliminationState& state, const RowsOut& rows) {
  BytesToFile bytes(file);
  EliminationState named = state;
  name(named, bytes);
  file.begin(rows_section);
  const std::size_t width = row_bytes(problem);
  std::vector<std::byte> buffer;
  in_pieces(count(state.rows), width, [&](Index first, Index height) {
    buffer.resize(static_cast<std::size_t>(height) * width);
    rows(first, height, buffer);
    file.write(buffer);
  });
}

EliminationState read_elimination(const CheckpointReader& file) {
  BytesFromFile bytes(file);
  EliminationState state;
  name(state, bytes);
  if (!is_good(state, file.problem())) file.refuse("contradicts itself");
  const std::int64_t expected =
      count(state.rows) * static_cast<std::int64_t>(row_bytes(file.problem()));
  if (const std::int64_t size = file.section(rows_section).size; size != expected) {
    file.refuse("holds {} bytes of dense rows, not {}", size, expected);
  }
  return state;
}

void read_rows(const CheckpointReader& file, Index first, std::span<std::byte> rows) {
  file.read(file.section(rows_section),
            first * static_cast<std::int64_t>(row_bytes(file.problem())), rows);
}

std::optional<EliminationState> resume_elimination(Checkpoints& checkpoints, Precision precision,
                                                   Index block) {
  Team& team = checkpoints.team();
  EliminatedProblem there = checkpoints.problem();
  there.precision = precision;
  const double bytes =
      static_cast<double>(there.order) * static_cast<double>(row_bytes(there)) / team.size();
  EliminationState state;
  const auto take = [&](const CheckpointFiles& files) {
    const Share whole = shares_of(team, checkpoints.problem(), files);
    const bool as_many = files.ranks() == team.size();
    state = together(team, [&] { return read_elimination(files.open(as_many ? team.rank() : 0)); });
    state.largest_upper = whole.largest_upper;
    if (all_maximum(team, as_many && state.block == block ? 0 : 1) > 0) state.rows.clear();
    return state.step;
  };
  if (!checkpoints.resume(precision, bytes, take)) return std::nullopt;
  return state;
}

void load_rows(Checkpoints& checkpoints, const std::vector<Index>& rows, const RowsIn& take) {
  const EliminatedProblem& problem = checkpoints.problem();
  checkpoints.load([&](const CheckpointFiles& files) {
    std::vector<Index> place(static_cast<std::size_t>(problem.order), -1);
    for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<Index>(i);
    const Index piece = rows_in_piece(row_bytes(problem));
    std::vector<std::byte> buffer(static_cast<std::size_t>(piece) * row_bytes(problem));
    Index loaded = 0;
    // A rank's own file first: where rows were dealt out as they are now, no other is needed.
    for (int i = 0; i < files.ranks() && loaded < count(rows); ++i) {
      const CheckpointReader file = files.open((checkpoints.team().rank() + i) % files.ranks());
      const std::vector<Index> there = read_elimination(file).rows;
      // Runs of rows that follow one another there and here.
      for (Index first = 0, last = 0; first < count(there); first = std::max(last, first + 1)) {
        const Index to = place[there[first]];
        last = first;
        if (to < 0) continue;
        while (last < count(there) && last - first < piece &&
               place[there[last]] == to + (last - first)) {
          ++last;
        }
        const auto bytes =
            std::span(buffer).first(static_cast<std::size_t>(last - first) * row_bytes(problem));
        read_rows(file, first, bytes);
        take(to, last - first, bytes);
        loaded += last - first;
      }
    }
    if (loaded != count(rows)) {
      fail(ExitCode::internal, "{} of {} rows were found in the checkpoint", loaded, rows.size());
    }
  });
}

void save_elimination(Checkpoints& checkpoints, CheckpointRequest agreed,
                      const EliminationState& state, const RowsOut& rows) {
  checkpoints.fulfil(agreed, state.step, [&](SectionWriter& file) {
    write_elimination(file, checkpoints.problem(), state, rows);
  });
}

}  // namespace spsolve::dense
