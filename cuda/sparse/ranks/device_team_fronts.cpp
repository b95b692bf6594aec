#include "cuda/sparse/ranks/device_team_fronts.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cuda/core/stream.hpp"
#include "cuda/sparse/fronts/front_launcher.hpp"
#include "cuda/sparse/ranks/device_row_exchange.hpp"
#include "cuda/sparse/ranks/nested_gpu_teams.hpp"
#include "cuda/sparse/ranks/shared_row_kernels.hpp"
#include "cuda/sparse/ranks/team_lists.hpp"
#include "cuda/sparse/sweeps/front_sweeps.hpp"
#include "cuda/sparse/values/device_scaled_values.hpp"
#include "cuda/team/part_kernels.hpp"
#include "cuda/vectors/device_vectors.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "solve/in_precision.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

std::span<std::byte> bytes_of(double* values, Index count) {
  return std::as_writable_bytes(std::span(values, static_cast<std::size_t>(count)));
}

template <typename T>
class DeviceTeamFronts final : public TeamFronts<T> {
 public:
  DeviceTeamFronts(Team& team, const TreePartition& tree, const MakeGpuTeam& make)
      : team_(team), tree_(tree), teams_(make(main_), tree, travel_) {
    const StreamScope here(main_);
    together(team, [&] { made_.emplace(tree); });
  }

  bool gather_values(SystemMatrix& matrix, ScaledValues* whole) override;
  bool take_values(const ValueDealer& dealer, ScaledValues* values) override;
  PivotCounts factor(const std::vector<double>* values, const PivotRule& rule,
                     const Advance& advance) override;
  Index most_columns() const override { return most_sweep_columns; }
  void solve(bool transposed, Index columns, std::vector<T>& b, std::vector<T>& x) override;
  bool solve_in_bands(bool transposed, const RowExchange& from, const RowExchange& to,
                      const Vectors& b, Vectors& x) override;

 private:
  /// The program and arrays made from the tree, if there is memory for them.
  struct DeviceState {
    explicit DeviceState(const TreePartition& tree)
        : program(tree, tree.kind),
          launcher(tree.kind, program.layout, std::move(program.launches), tree.own().in_parent),
          moves(program.moves),
          tiles(program.tiles),
          places_in_parent(program.places_in_parent),
          values(tree.values()) {
      const PanelEntries of_panels = entries_of(tree, program);
      entry_starts = DeviceArray<Index>(of_panels.starts);
      const Index own = std::ssize(tree.own_entries().entries);
      entries.grow(own + std::ssize(of_panels.entries));
      launcher.upload(tree.own_entries().entries, entries.data());
      launcher.upload(of_panels.entries, entries.data() + own);
      const std::vector<LocalIndex> border = borders_of(tree, program);
      sweeps.emplace(tree.own(), program.layout, border, pieces_of(program),
                     program.panels.size() + 1, tree.own().order() + tree.shared.order());
      const ContributionLists lists = contribution_lists(tree, program, border);
      taken_starts = DeviceArray<Index>(lists.starts);
      taken = DeviceArray<unsigned>(lists.rows);
      blocks = shared_blocks(tree, program);
    }

    TeamProgram program;  // its launches are the launcher's
    FrontLauncher<T> launcher;
    DeviceArray<FrontMove> moves;
    DeviceArray<ShareTile> tiles;
    DeviceArray<int> places_in_parent;
    DeviceArray<double> values;
    DeviceArray<Index> entry_starts;
    DeviceArray<FrontEntry> entries;
    std::optional<FrontSweeps<T>> sweeps;
    DeviceArray<Index> taken_starts;
    DeviceArray<unsigned> taken;
    std::vector<SharedBlock> blocks;
  };

  std::span<std::byte> bytes(const Range& elements) {
    return std::as_writable_bytes(std::span(made_->launcher.arena() + elements.first,
                                            static_cast<std::size_t>(elements.size())));
  }
  std::span<std::byte> bytes(const ArenaPart& part) {
    return bytes(Range{part.begin, part.begin + part.elements});
  }
  void deal(const double* values);
  void clear(const Range& elements);
  void begin();
  void exchange(const ShareExchange& exchange);
  void broadcast(const PanelBroadcast& panel);
  void run();
  void sum_over_ranks(const SharedBlock& block, int columns);
  void make_room(Index columns);
  void sweep(bool transposed, int columns);
  void sweep_bands(bool transposed, DeviceRowExchange<T>& from, DeviceRowExchange<T>& to,
                   const double* b, double* x, Index columns);
  DeviceRowExchange<T>& exchange_of(const RowExchange& rows);

  Team& team_;
  const TreePartition& tree_;
  Stream main_{Stream::Order::alone};
  // Work that others wait for goes first.
  Stream panel_{Stream::Order::alone_and_first}, travel_{Stream::Order::alone_and_first};
  const Stream* lanes_[TeamProgram::lanes] = {&main_, &panel_, &travel_};
  Event events_[TeamProgram::events];
  Event entered_, left_;
  NestedGpuTeams teams_;
  std::optional<DeviceState> made_;
  // On the first rank: which of all values are whose, and another rank's on their way.
  std::vector<DeviceArray<Index>> sources_;
  DeviceArray<double> leaving_;
  DeviceArray<T> parts_;  // of all ranks, of a block's rows
  std::map<const RowExchange*, std::unique_ptr<DeviceRowExchange<T>>> exchanges_;
};

template <typename T>
void DeviceTeamFronts<T>::clear(const Range& elements) {
  CUDA_CHECK(cudaMemsetAsync(made_->launcher.arena() + elements.first, 0,
                             static_cast<std::size_t>(elements.size()) * sizeof(T), main_.get()));
}

/// Sets own fronts and panels to the values of A.
template <typename T>
void DeviceTeamFronts<T>::begin() {
  const TeamProgram& program = made_->program;
  clear({0, program.layout.factor_elements});
  clear(program.panel_elements);
  place_entries(made_->launcher.fronts(), nullptr, std::ssize(program.layout.fronts),
                made_->entry_starts.data(), made_->entries.data(), made_->values.data(),
                main_.get());
}

template <typename T>
void DeviceTeamFronts<T>::exchange(const ShareExchange& exchange) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (const ArenaPart& part : exchange.outgoing) outgoing.push_back({part.rank, bytes(part)});
  for (const ArenaPart& part : exchange.incoming) incoming.push_back({part.rank, bytes(part)});
  teams_.at(exchange.depth).exchange_parts(outgoing, incoming);
}

template <typename T>
void DeviceTeamFronts<T>::broadcast(const PanelBroadcast& panel) {
  const BroadcastPart parts[] = {{panel.rank, bytes(panel.lower)},
                                 {panel.rank, bytes(panel.upper)}};
  teams_.on_other(panel.depth).broadcast_parts({parts, panel.upper.size() > 0 ? 2U : 1U});
}

template <typename T>
void DeviceTeamFronts<T>::run() {
  using What = TeamStep::What;
  const TeamProgram& program = made_->program;
  FrontLauncher<T>& launcher = made_->launcher;
  for (const TeamStep& step : program.steps) {
    const Stream& stream = *lanes_[static_cast<int>(step.lane)];
    switch (step.what) {
      case What::launch:
        launcher.run(step.begin, step.end, stream.get(), step.lane == StreamLane::main);
        break;
      case What::clear:
        clear({step.begin, step.end});
        break;
      case What::move:
        move_shares(made_->tiles.data() + step.begin, step.end - step.begin, made_->moves.data(),
                    made_->places_in_parent.data(), launcher.arena(), main_.get());
        break;
      case What::exchange:
        exchange(program.exchanges[step.begin]);
        break;
      case What::broadcast:
        broadcast(program.broadcasts[step.begin]);
        break;
      case What::signal:
        events_[step.begin].record(stream);
        break;
      case What::await:
        events_[step.begin].hold(stream);
        break;
    }
  }
}

template <typename T>
bool DeviceTeamFronts<T>::gather_values(SystemMatrix& matrix, ScaledValues* whole) {
  const auto here = rows_on_device(matrix.bands().products());
  auto* const there = dynamic_cast<DeviceScaledValues*>(whole);
  const bool can = here && (tree_.rank > 0 || (there != nullptr && there->has_own_rows()));
  const std::vector<Index> sizes = all_gather(team_, can ? here->nonzeros : Index{-1});
  if (*std::ranges::min_element(sizes) < 0) return false;
  const cudaStream_t outer = current_stream();
  entered_.record(outer);
  entered_.hold(main_);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (tree_.rank > 0 && here->nonzeros > 0) {
    outgoing.push_back({0, bytes_of(const_cast<double*>(here->values), here->nonzeros)});
  } else if (tree_.rank == 0) {
    double* const room = there->room_for_new_values();
    Index first = sizes[0];
    for (int rank = 1; rank < tree_.ranks; first += sizes[rank++]) {
      if (sizes[rank] > 0) incoming.push_back({rank, bytes_of(room + first, sizes[rank])});
    }
    CUDA_CHECK(cudaMemcpyAsync(room, here->values, bytes_of(room, sizes[0]).size(),
                               cudaMemcpyDeviceToDevice, main_.get()));
  }
  teams_.at(0).exchange_parts(outgoing, incoming);
  left_.record(main_);
  left_.hold(outer);
  return true;
}

template <typename T>
bool DeviceTeamFronts<T>::take_values(const ValueDealer& dealer, ScaledValues* values) {
  const auto* const here = dynamic_cast<const DeviceScaledValues*>(values);
  if (!broadcast_value(team_, here != nullptr, 0)) return false;
  together(team_, [&] {
    if (tree_.rank > 0 || !sources_.empty()) return;
    std::size_t most = 0;
    for (int rank = 0; rank < tree_.ranks; ++rank) {
      sources_.emplace_back(dealer.sources(rank));
      if (rank > 0) most = std::max(most, dealer.sources(rank).size());
    }
    leaving_.grow(static_cast<Index>(most));
  });
  entered_.record(current_stream());
  entered_.hold(main_);
  const StreamScope scope(main_);
  deal(here != nullptr ? here->data() : nullptr);
  return true;
}

/// Sends each rank the values of its entries from the first rank, which has all on its GPU.
template <typename T>
void DeviceTeamFronts<T>::deal(const double* values) {
  GpuTeam& team = teams_.at(0);
  const Index own = tree_.values();
  if (tree_.rank > 0) {
    if (own == 0) return;
    const Incoming mine{0, bytes_of(made_->values.data(), own)};
    return team.exchange_parts({}, {&mine, 1});
  }
  for (int rank = 1; rank < tree_.ranks; ++rank) {
    const DeviceArray<Index>& list = sources_[rank];
    if (list.size() == 0) continue;
    take_entries(values, list.data(), list.size(), leaving_.data(), main_.get());
    const Outgoing theirs{rank, bytes_of(leaving_.data(), list.size())};
    team.exchange_parts({&theirs, 1}, {});
  }
  take_entries(values, sources_[0].data(), own, made_->values.data(), main_.get());
}

template <typename T>
PivotCounts DeviceTeamFronts<T>::factor(const std::vector<double>* values, const PivotRule& rule,
                                        const Advance&) {
  const StreamScope here(main_);
  if (values != nullptr) made_->launcher.upload(*values, made_->values.data());
  made_->launcher.begin(rule, main_.get());
  begin();
  run();
  main_.wait();
  return counts_of_all(team_, counts_of(made_->launcher.tally()));
}

/// The rows of a block of b, of all ranks of its front, come together where it is eliminated.
template <typename T>
void DeviceTeamFronts<T>::sum_over_ranks(const SharedBlock& block, int columns) {
  GpuTeam& team = teams_.at(block.depth);
  FrontSweeps<T>& sweeps = *made_->sweeps;
  const Index size = block.rows * columns;
  T* const shared = sweeps.b() + tree_.own().order() * Index{columns};
  const SharedRows<T> rows{made_->taken_starts.data(), made_->taken.data(), shared,
                           sweeps.contribution(), columns};
  const auto part = [&](int rank) {
    return std::as_writable_bytes(
        std::span(parts_.data() + rank * size, static_cast<std::size_t>(size)));
  };
  const int me = team.rank();
  gather_shared_rows(rows, block.first, block.rows, parts_.data() + me * size, main_.get());
  if (block.piece < 0) {
    const Outgoing mine{block.owner, part(me)};
    return team.exchange_parts({&mine, 1}, {});
  }
  std::vector<Incoming> theirs;
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank != me) theirs.push_back({rank, part(rank)});
  }
  team.exchange_parts({}, theirs);
  add_parts(parts_.data(), team.size(), size, shared + block.first * columns, main_.get());
}

/// Room for so many columns. Collective.
template <typename T>
void DeviceTeamFronts<T>::make_room(Index columns) {
  Index most = 0;
  for (const SharedBlock& block : made_->blocks) most = std::max(most, block.rows);
  made_->sweeps->make_room(columns);
  parts_.grow(most * columns * tree_.ranks);
}

/// Both sweeps, from b to x of made_->sweeps.
template <typename T>
void DeviceTeamFronts<T>::sweep(bool transposed, int columns) {
  FrontSweeps<T>& sweeps = *made_->sweeps;
  const Index n = tree_.own().order();
  sweeps.begin(made_->launcher.layouts(), made_->launcher.arena(), transposed, columns,
               main_.get());
  sweeps.forward(0, main_.get());
  for (const SharedBlock& block : made_->blocks) {
    sum_over_ranks(block, columns);
    if (block.piece >= 0) sweeps.forward(block.piece, main_.get());
  }
  for (std::size_t i = made_->blocks.size(); i-- > 0;) {
    const SharedBlock& block = made_->blocks[i];
    if (block.piece >= 0) sweeps.backward(block.piece, main_.get());
    const std::span<T> rows(sweeps.x() + (n + block.first) * columns,
                            static_cast<std::size_t>(block.rows * columns));
    teams_.at(block.depth).broadcast_bytes(std::as_writable_bytes(rows), block.owner);
  }
  sweeps.backward(0, main_.get());
}

template <typename T>
void DeviceTeamFronts<T>::solve(bool transposed, Index columns, std::vector<T>& b,
                                std::vector<T>& x) {
  const StreamScope here(main_);
  together(team_, [&] { make_room(columns); });
  FrontSweeps<T>& sweeps = *made_->sweeps;
  const auto copied =
      static_cast<std::size_t>((tree_.own().order() + tree_.shared.order()) * columns) * sizeof(T);
  CUDA_CHECK(cudaMemcpyAsync(sweeps.b(), b.data(), copied, cudaMemcpyHostToDevice, main_.get()));
  sweep(transposed, static_cast<int>(columns));
  CUDA_CHECK(cudaMemcpyAsync(x.data(), sweeps.x(), copied, cudaMemcpyDeviceToHost, main_.get()));
  main_.wait();
}

template <typename T>
DeviceRowExchange<T>& DeviceTeamFronts<T>::exchange_of(const RowExchange& rows) {
  std::unique_ptr<DeviceRowExchange<T>>& found = exchanges_[&rows];
  if (found == nullptr) {
    std::vector<LocalIndex> row_of;
    for (LocalIndex i = 0; i < std::ssize(tree_.rows); ++i) row_of.push_back(tree_.row_of(i));
    found = std::make_unique<DeviceRowExchange<T>>(rows, row_of);
  }
  return *found;
}

template <typename T>
bool DeviceTeamFronts<T>::solve_in_bands(bool transposed, const RowExchange& from,
                                         const RowExchange& to, const Vectors& b, Vectors& x) {
  if (dynamic_cast<const DeviceVectors*>(&b) == nullptr) return false;
  const Index columns = b.columns();
  if (columns == 0) return true;
  const Index widest = std::min<Index>(columns, most_sweep_columns);
  together(team_, [&] {
    make_room(widest);
    for (const RowExchange* rows : {&from, &to}) exchange_of(*rows).make_room(widest);
  });
  solve_in_place_in<T>(b, x, [&](const Vectors& right, Vectors& left) {
    sweep_bands(transposed, exchange_of(from), exchange_of(to), on_device(right).data(),
                on_device(left).data(), columns);
  });
  return true;
}

/// Both sweeps for own rows of `columns` values, some of these at a time, in order with the current
/// stream.
template <typename T>
void DeviceTeamFronts<T>::sweep_bands(bool transposed, DeviceRowExchange<T>& from,
                                      DeviceRowExchange<T>& to, const double* b, double* x,
                                      Index columns) {
  const cudaStream_t outer = current_stream();
  FrontSweeps<T>& sweeps = *made_->sweeps;
  entered_.record(outer);
  entered_.hold(main_);
  const StreamScope here(main_);
  for (Index first = 0; first < columns; first += most_sweep_columns) {
    const int some = static_cast<int>(std::min<Index>(most_sweep_columns, columns - first));
    const Index own = tree_.own().order() * some, shared = tree_.shared.order() * some;
    CUDA_CHECK(cudaMemsetAsync(sweeps.b() + own, 0, static_cast<std::size_t>(shared) * sizeof(T),
                               main_.get()));
    from.to_vectors(teams_.at(0), b + first, columns, some, sweeps.b(), main_.get());
    sweep(transposed, some);
    to.to_band(teams_.at(0), sweeps.x(), some, x + first, columns, main_.get());
  }
  left_.record(main_);
  left_.hold(outer);
}

}  // namespace

template <typename T>
std::unique_ptr<TeamFronts<T>> device_team_fronts(Team& team, const TreePartition& tree,
                                                  const MakeGpuTeam& make) {
  return std::make_unique<DeviceTeamFronts<T>>(team, tree, make);
}

SPSOLVE_INSTANTIATE_FUNCTION(device_team_fronts)

}  // namespace spsolve::cuda::sparse
