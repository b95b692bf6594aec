#include "krylov/multigrid/hierarchy.hpp"

#include <algorithm>
#include <cmath>

#include "core/over_blocks.hpp"
#include "core/resize_in_threads.hpp"
#include "distribute/halo/fetch_rows.hpp"
#include "distribute/redistribute.hpp"
#include "krylov/multigrid/prolongation.hpp"
#include "krylov/multigrid/replicated_levels.hpp"
#include "krylov/multigrid/sparse_product.hpp"
#include "krylov/multigrid/turned_rows.hpp"
#include "krylov/preconditioner/spectrum.hpp"

namespace spsolve::inline krylov {

/// A_l with its smoother, and the way to the next level.
struct Hierarchy::HierarchyLevel {
  std::unique_ptr<BandMatrix> owned;  ///< all but the finest one, unless its rows are turned
  Turns turns;                        ///< if they are
  BandMatrix* matrix = nullptr;
  double largest = 0;                      ///< eigenvalue of D^-1 A
  std::unique_ptr<Coarsening> coarsening;  ///< where the next level is made in this memory
  NodeGraph dependences;                   ///< else: which aggregates and patterns were made by
  Aggregates aggregates;
  std::vector<bool> led;  ///< nodes in no aggregate that are interpolated all the same
  std::unique_ptr<Polynomial> smoother;
  std::unique_ptr<BandMatrix> prolongation, restriction;  ///< P and P^T; none on the coarsest level
  std::unique_ptr<Vectors> residual;                      ///< here
  std::unique_ptr<Vectors> coarse_b, coarse_x;            ///< on the next level
};

/// The inverse of the coarsest matrix.
class Hierarchy::Coarsest {
 public:
  Coarsest(const BandMatrix& matrix, ComputeDevice& memory, bool symmetric, bool singular)
      : matrix_(matrix.team(), matrix.row_layout(), rows_of(matrix, symmetric, singular),
                matrix.memory()),
        symmetric_(symmetric),
        singular_(singular) {
    SparseChoice choice;
    choice.kind = symmetric ? Factorization::cholesky : Factorization::lu;
    choice.may_change = true;
    choice.refined = true;
    inverse_.emplace(matrix.team(), memory.sparse(), choice, nullptr);
    eliminate();
  }

  /// New values of the pattern, whose analysis is kept.
  void renew(const BandMatrix& matrix) {
    matrix_.set_values(rows_of(matrix, symmetric_, singular_).values);
    eliminate();
  }

  void apply(const Vectors& b, Vectors& x) { unscaled_->apply(b, x); }

 private:
  void eliminate() {
    unscaled_.reset();
    inverse_->find_scaling(matrix_, AutoSwitch::automatic, Precision::float64, scaling_);
    inverse_->prepare(matrix_, scaling_);
    Progress silent("eliminating", 1, Progress::Show::off);
    inverse_->eliminate({silent});
    unscaled_.emplace(ScaledOperator::unscaled(*inverse_, matrix_, scaling_));
  }

  /// Own rows with global columns; of a symmetric matrix, which products left symmetric but for
  /// rounding, the mean of it and its transpose.
  static Csr<double> rows_of(const BandMatrix& matrix, bool symmetric, bool singular) {
    Csr<double> rows = matrix.global_rows();
    constexpr double share = 1e-7;
    if (singular) shift_diagonal(matrix.team(), rows, matrix.own_rows().first, share);
    if (!symmetric) return rows;
    const RowLayout& layout = matrix.row_layout();
    const Csr<double> other = transposed_rows(matrix.team(), layout, layout, rows);
    if (other.column_indices != rows.column_indices) return rows;
    for (std::size_t k = 0; k < rows.values.size(); ++k) {
      rows.values[k] = (rows.values[k] + other.values[k]) / 2;
    }
    return rows;
  }

  SystemMatrix matrix_;
  bool symmetric_, singular_;
  Equilibration scaling_;
  std::optional<SparseInverse<double>> inverse_;
  std::optional<ScaledOperator> unscaled_;
};

namespace {

/// m = `size` vectors for the nodes that the matrix shows: vector c is 1 for the unknowns of number
/// c of every node.
NearNullSpace constants(const BandMatrix& matrix, bool pairs) {
  NearNullSpace near{nodes_of(matrix, pairs ? complex_parts : 1), {}};
  together(matrix.team(), [&] {
    Dense<double>& vectors = near.vectors;
    vectors.rows = matrix.own_rows().size();
    vectors.columns = near.size;
    resize_in_threads(vectors.values, static_cast<std::size_t>(vectors.rows * near.size));
#pragma omp parallel for schedule(static) if (worth_threads(vectors.rows, elements_worth_waking))
    for (Index i = 0; i < vectors.rows; ++i) vectors(i, i % near.size) = 1;
  });
  return near;
}

/// Gives own rows of zeros a diagonal of 1: unknowns that no aggregate has anything of.
void mend_empty_rows(Csr<double>& rows, Index first) {
  for (Index i = 0; i < rows.rows; ++i) {
    const auto columns = rows.row_columns(i);
    const auto begin = rows.row_offsets[i];
    bool empty = true;
    Index diagonal = -1;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (rows.values[begin + static_cast<Index>(k)] != 0) empty = false;
      if (columns[k] == first + i) diagonal = begin + static_cast<Index>(k);
    }
    if (empty && diagonal >= 0) rows.values[diagonal] = 1;
  }
}

/// `near` becomes constants where nothing is given. Hands back A with whole nodes, where it has
/// rows that name parts of the given ones.
std::unique_ptr<BandMatrix> complete(const BandMatrix& matrix, bool pairs, NearNullSpace& near) {
  if (near.vectors.columns == 0) {
    near = constants(matrix, pairs);
    return nullptr;
  }
  return are_nodes(matrix, near.size) ? nullptr : with_whole_nodes(matrix, near.size);
}

/// The factor omega that P_0 is smoothed with, for the largest eigenvalue of D^-1 A.
double omega_of(double largest) {
  return 4.0 / (3 * largest);
}

void make_like(std::unique_ptr<Vectors>& x, BandMatrix& of, Index columns, bool of_rows) {
  if (x != nullptr && x->columns() == columns) return;
  x = of_rows ? of.vectors_of_rows(columns) : of.vectors_of_columns(columns);
}

}  // namespace

Hierarchy::Hierarchy(BandMatrix& matrix, ComputeDevice& memory, bool symmetric,
                     const Options& options, NearNullSpace near)
    : memory_(memory), symmetric_(symmetric), options_(options), finest_(&matrix) {
  levels_.push_back(std::make_unique<HierarchyLevel>());
  levels_.front()->matrix = &matrix;
  std::unique_ptr<BandMatrix> whole_nodes = complete(matrix, options.pairs, near);
  double theta = options.theta;
  while (true) {
    HierarchyLevel& level = *levels_.back();
    if (is_sooner_replicated(*level.matrix)) {
      Options of_whole = options;
      of_whole.theta = theta;
      replicated_ =
          std::make_unique<ReplicatedLevels>(*level.matrix, memory_, symmetric_, of_whole, near);
      return;
    }
    const bool small = level.matrix->row_layout().rows <= options.coarsest;
    if (small || static_cast<int>(levels_.size()) == options.most_levels) break;
    make_smoother(levels_.size() - 1);
    BandMatrix& rows = whole_nodes != nullptr ? *whole_nodes : *level.matrix;
    if (!coarsen(levels_.size() - 1, rows, near, theta)) break;
    whole_nodes = nullptr;  // that of the finest level
    theta /= 2;
  }
  // A level that no coarser one was found for is smoothed alone where it is too large.
  constexpr Index most_eliminated = 20000;
  HierarchyLevel& last = *levels_.back();
  if (last.smoother == nullptr || last.matrix->row_layout().rows <= most_eliminated) {
    coarsest_ = std::make_unique<Coarsest>(*last.matrix, memory_, symmetric_, options_.singular);
  }
}

Hierarchy::~Hierarchy() = default;

bool Hierarchy::is_sooner_replicated(const BandMatrix& matrix) const {
  if (matrix.team().size() == 1) return false;
  const Index most = options_.whole_nonzeros.value_or(replicated_level_nonzeros(memory_.memory()));
  return matrix.nonzeros() <= most;
}

void Hierarchy::turn(std::size_t number) {
  HierarchyLevel& level = *levels_[number];
  Team& team = level.matrix->team();
  const bool first = number == 0;
  Csr<double> rows = first ? finest_->local_rows() : level.owned->local_rows();
  const bool conjugated = has_conjugate_rows(rows);
  together(team, [&] {
    level.turns = turns_of(rows);
    turn_rows(level.turns, rows);
  });
  if (first && options_.damping != 0 && !add_damping(team, options_.damping, rows)) {
    fail_everywhere(ExitCode::input,
                    "solve.preconditioner=shifted_laplacian wants a Helmholtz equation, -div grad "
                    "u - k^2 u = f, whose row sums have negative real parts, and this matrix has "
                    "none; use solve.preconditioner=multigrid or ilu0");
  }
  if (!first) {
    level.owned->set_values(rows.values);
    Csr<double> restriction = levels_[number - 1]->restriction->local_rows();
    turn_rows(level.turns, restriction);
    return levels_[number - 1]->restriction->set_values(restriction.values);
  }
  const RowLayout& layout = finest_->row_layout();
  const Range own = finest_->own_rows();
  if (level.owned != nullptr) {
    level.owned->set_values(rows.values);
  } else {
    together(team, [&] {
      name_columns(rows, finest_->own_columns(), finest_->halo().plan().halo, layout.rows);
    });
    level.owned =
        std::make_unique<BandMatrix>(team, layout, layout, std::move(rows), finest_->memory());
    level.owned->expect_many_products();
  }
  level.matrix = level.owned.get();
  first_turns_ = std::make_unique<BandMatrix>(
      team, layout, layout, matrix_of_turns(level.turns, conjugated, own.first, layout.rows),
      finest_->memory());
}

void Hierarchy::make_smoother(std::size_t number) {
  HierarchyLevel& level = *levels_[number];
  if (turns()) turn(number);
  const std::shared_ptr<const Vectors> inverse = inverse_diagonal(*level.matrix);
  level.largest = largest_eigenvalue(*level.matrix, *inverse, symmetric_);
  level.smoother = std::make_unique<Polynomial>(
      *level.matrix, inverse, Polynomial::fourth_kind(options_.degree, level.largest));
}

void Hierarchy::renew(NearNullSpace near) {
  std::unique_ptr<BandMatrix> whole_nodes =
      complete(*levels_.front()->matrix, options_.pairs, near);
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    HierarchyLevel& level = *levels_[number];
    if (level.smoother != nullptr) make_smoother(number);
    if (number + 1 == levels_.size()) break;
    coarsen(number, whole_nodes != nullptr ? *whole_nodes : *level.matrix, near, 0);
    whole_nodes = nullptr;
  }
  if (replicated_ != nullptr) replicated_->renew(*levels_.back()->matrix, near);
  if (coarsest_ != nullptr) coarsest_->renew(*levels_.back()->matrix);
}

bool Hierarchy::coarsen(std::size_t number, BandMatrix& matrix, NearNullSpace& near, double theta) {
  const bool anew = number + 1 == levels_.size();
  HierarchyLevel& level = *levels_[number];
  if (anew) {
    find_aggregates(level, matrix, near, theta);
    constexpr double least_reduction = 0.8;
    const Index coarse = all_sum(matrix.team(), level.aggregates.count) * near.vectors.columns;
    const auto fine = static_cast<double>(matrix.row_layout().rows);
    if (coarse == 0 || static_cast<double>(coarse) > least_reduction * fine) {
      level.coarsening = nullptr;
      return false;
    }
    levels_.push_back(std::make_unique<HierarchyLevel>());
  }
  HierarchyLevel& next = *levels_[number + 1];
  if (level.coarsening != nullptr) {
    coarsen_in_memory(level, next, matrix, near);
  } else {
    coarsen_on_host(level, next, matrix, near);
  }
  next.matrix = next.owned.get();
  return true;
}

void Hierarchy::find_aggregates(HierarchyLevel& level, BandMatrix& matrix,
                                const NearNullSpace& near, double theta) const {
  if (!options_.pairs) {
    level.coarsening = matrix.memory().coarsening(matrix, near.size, near.vectors.columns);
  }
  if (level.coarsening != nullptr) {
    const NodeGraph strong = level.coarsening->find_strong_connections(matrix, theta);
    together(matrix.team(), [&] { level.aggregates = aggregate(strong); });
    return level.coarsening->take_aggregates(matrix, level.aggregates);
  }
  NodeConnections found = connections(matrix, near.size, theta);
  level.dependences = std::move(found.dependences);
  together(matrix.team(), [&] {
    level.aggregates = aggregate(found.strong);
    level.led = led_nodes(matrix, kind_of(near), level.dependences, level.aggregates);
  });
}

void Hierarchy::coarsen_in_memory(HierarchyLevel& level, HierarchyLevel& next,
                                  const BandMatrix& matrix, NearNullSpace& near) {
  CoarseMatrix made = level.coarsening->coarsen(matrix, near.vectors, omega_of(level.largest));
  level.restriction = std::move(made.restriction);
  level.prolongation = std::move(made.interpolation);
  next.owned = std::move(made.matrix);
  for (BandMatrix* each : {level.restriction.get(), level.prolongation.get(), next.owned.get()}) {
    each->expect_many_products();
  }
  near = {near.vectors.columns, std::move(made.near)};
}

NodeKind Hierarchy::kind_of(const NearNullSpace& near) const {
  if (!options_.pairs) return near.size;
  const bool turned = symmetric_ && near.size == complex_parts;
  return {near.size, turned ? NodeNumbers::turned : NodeNumbers::complex};
}

void Hierarchy::coarsen_on_host(HierarchyLevel& level, HierarchyLevel& next, BandMatrix& matrix,
                                NearNullSpace& near) const {
  Team& team = matrix.team();
  const NodeKind kind = kind_of(near);
  if (kind.numbers == NodeNumbers::turned) {
    together(team, [&] { turn_within_aggregates(matrix, level.aggregates, near); });
  }
  Tentative tentative = tentative_prolongation(matrix, level.aggregates, near);
  const std::vector<double> lone = lone_entries(matrix, near, kind.numbers);
  interpolate_led_nodes(matrix, kind, level.dependences, level.led, lone, tentative);
  Csr<double> interpolation = smoothed_prolongation(matrix, kind, level.dependences, lone,
                                                    omega_of(level.largest), tentative);
  const RowLayout& fine = matrix.row_layout();
  const Index kinds = near.vectors.columns;
  const Range own_coarse = tentative.coarse.band(team.rank());
  const auto take = [&](std::unique_ptr<BandMatrix>& to, const RowLayout& rows,
                        const RowLayout& columns, Csr<double> numbers) {
    if (to != nullptr) return to->set_values(numbers.values);
    to = std::make_unique<BandMatrix>(team, rows, columns, std::move(numbers), matrix.memory());
    to->expect_many_products();
  };
  if (turns()) {
    // The transpose of a real form is that of P^H.
    Csr<double> turned = interpolation;
    conjugate_numbers(turned);
    turn_rows(level.turns, turned);
    take(level.restriction, tentative.coarse, fine,
         transposed_rows(team, fine, tentative.coarse, turned));
  } else {
    take(level.restriction, tentative.coarse, fine,
         transposed_rows(team, fine, tentative.coarse, interpolation));
  }
  // A_c = P^T (A P)
  const Csr<double> halo = fetch_rows(team, matrix.halo().plan(), interpolation);
  const Csr<double> product = together(team, [&] {
    return sparse_product(matrix.local_rows(),
                          {interpolation, halo, own_coarse, kinds, kind.pairs()},
                          ColumnOrder::as_met);
  });
  const Csr<double> others = fetch_rows(team, level.restriction->halo().plan(), product);
  Csr<double> coarse = together(team, [&] {
    Csr<double> rows = sparse_product(level.restriction->local_rows(),
                                      {product, others, own_coarse, kinds, kind.pairs()});
    mend_empty_rows(rows, own_coarse.first);
    return rows;
  });
  take(level.prolongation, fine, tentative.coarse, std::move(interpolation));
  take(next.owned, tentative.coarse, tentative.coarse, std::move(coarse));
  near = {near.vectors.columns, std::move(tentative.null_space)};
}

void Hierarchy::cycle(const Vectors& b, Vectors& x) {
  if (first_turns_ == nullptr) return cycle(0, b, x);
  make_like(turned_, *finest_, b.columns(), true);
  first_turns_->apply(b, *turned_);
  cycle(0, *turned_, x);
}

void Hierarchy::cycle(std::size_t number, const Vectors& b, Vectors& x) {
  HierarchyLevel& level = *levels_[number];
  if (number + 1 == levels_.size()) {
    if (replicated_ != nullptr) return replicated_->apply(b, x);
    if (coarsest_ != nullptr) return coarsest_->apply(b, x);
    return level.smoother->from_zero(b, x);
  }
  const Index columns = b.columns();
  make_like(level.residual, *level.matrix, columns, true);
  make_like(level.coarse_b, *level.prolongation, columns, false);
  make_like(level.coarse_x, *level.prolongation, columns, false);
  level.smoother->from_zero(b, x);
  level.matrix->subtract(b, x, *level.residual);
  level.restriction->apply(*level.residual, *level.coarse_b);
  cycle(number + 1, *level.coarse_b, *level.coarse_x);
  level.prolongation->add(*level.coarse_x, x);
  level.smoother->improve(b, x);
}

std::vector<GridLevel> Hierarchy::levels() const {
  std::vector<GridLevel> result;
  for (const auto& level : levels_) {
    result.push_back({level->matrix->row_layout().rows, level->matrix->nonzeros()});
  }
  if (replicated_ != nullptr) {
    result.pop_back();  // the first of the whole ones
    const std::vector<GridLevel> whole = replicated_->levels();
    result.insert(result.end(), whole.begin(), whole.end());
  }
  return result;
}

double Hierarchy::operator_complexity() const {
  double sum = 0;
  for (const GridLevel& level : levels()) sum += static_cast<double>(level.nonzeros);
  return sum / std::max(1.0, static_cast<double>(levels_.front()->matrix->nonzeros()));
}

}  // namespace spsolve::krylov
