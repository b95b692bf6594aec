#include "dense/dense_inverse.hpp"

#include <algorithm>
#include <numeric>

#include "checkpoint/checkpoints.hpp"
#include "core/blas/single_threaded_blas.hpp"
#include "core/names/row_names.hpp"
#include "dense/float_inverse.hpp"
#include "dense/host_device.hpp"
#include "dense/state/fill_rows.hpp"
#include "dense/state/flops.hpp"
#include "distribute/redistribute.hpp"
#include "matrix/real_form.hpp"
#include "solve/in_precision.hpp"

namespace spsolve::inline dense {

template <typename T>
void DenseInverse<T>::apply(const Vectors& x, Vectors& y) {
  solve_with(false, x, y, [&](const Vectors& from, Vectors& to) {
    solve_in<T>(from, to, [&](Dense<T>& rows) { solve(rows); });
  });
}

template <typename T>
void DenseInverse<T>::apply_transposed(const Vectors& x, Vectors& y) {
  solve_with(true, x, y, [&](const Vectors& from, Vectors& to) {
    solve_in<T>(from, to, [&](Dense<T>& rows) { solve_transposed(rows); });
  });
}

template <typename T>
template <typename Solve>
void DenseInverse<T>::solve_with(bool transposed, const Vectors& b, Vectors& x,
                                 const Solve& solve) const {
  if constexpr (is_complex<T>) {
    const auto conjugate = [&x] {
      Dense<double> rows = own_rows(x);
      conjugate_rows(rows);
      set_own_rows(x, rows);
    };
    // A^-H is conj(A^-T conj(b)); with the opposite sign, b or the result is conjugated once more.
    const RowNames names(1);
    const bool before = transposed || conjugates_, after = transposed && !conjugates_;
    if (before) {
      if (&b != &x) copy(b, x);
      conjugate();
    }
    solve(before ? x : b, x);
    if (after) conjugate();
  } else {
    solve(b, x);
  }
}

template <typename T>
RowLayout DenseInverse<T>::bands_of(const SystemMatrix& matrix) {
  if constexpr (is_complex<T>) return layout_of_nodes(matrix.layout(), complex_parts);
  return matrix.layout();
}

template <typename T>
DenseRowsOf<T>& DenseInverse<T>::rows_of() {
  if constexpr (is_complex<T>) {
    static HostRowsOf<T> on_host;
    return on_host;
  } else {
    return memory_.template of<T>();
  }
}

template <typename T>
ScaledRows DenseInverse<T>::dealt_rows(SystemMatrix& matrix, const Equilibration& scaling,
                                       const RowLayout& layout, std::optional<Csr<double>>& copy) {
  if constexpr (is_complex<T>) {
    conjugates_ = all_sum(team_, has_conjugate_rows(matrix.local_rows()) ? 1 : 0) > 0;
  }
  // Alone, local columns are the global ones.
  if (team_.size() == 1) {
    return {matrix.local_rows(), scaling.rows.on_host(), scaling.columns.on_host()};
  }
  copy = matrix.scaled_rows(scaling);
  if (layout.is_cyclic()) {
    const Index rows = rows_of_row<T>;
    copy =
        redistribute_rows(team_, matrix.layout(), *copy,
                          RowLayout::cyclic(rows * layout.rows, layout.ranks, rows * layout.block));
  }
  return *copy;
}

template <typename T>
void ColumnwiseInverse<T>::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  layout_ = this->bands_of(matrix);
  rows_ = nullptr;
  std::optional<Csr<double>> copy;
  const ScaledRows rows = this->dealt_rows(matrix, scaling, layout_, copy);
  rows_ = together(this->team_, [&] {
    return this->rows_of().columnwise(rows, this->products_of(matrix, rows),
                                      layout_.band(this->team_.rank()).first);
  });
}

template <typename T>
std::unique_ptr<Vectors> ColumnwiseInverse<T>::eliminate(const EliminationRun& run) {
  const RowNames names(is_complex<T> ? 1 : RowNames::parts());
  const auto eliminate = [&](Dense<T>* b) {
    elimination_ = eliminate_columnwise<T>(this->team_, this->memory_.row_team(), layout_, *rows_,
                                           this->choice_.method, this->choice_.pivoting,
                                           run.progress, run.checkpoints, b);
  };
  std::unique_ptr<Vectors> x;
  if (this->choice_.method == Method::gauss_jordan && run.first != nullptr) {
    x = run.first->similar(run.first->columns());
    this->solve_with(false, *run.first, *x, [&](const Vectors& from, Vectors& to) {
      solve_in<T>(from, to, [&](Dense<T>& b) { eliminate(&b); });
    });
  } else {
    eliminate(nullptr);
  }
  this->facts_ = {};
  this->facts_.pivots = elimination_.pivots;
  return x;
}

template <typename T>
void ColumnwiseInverse<T>::solve(Dense<T>& x) {
  solve_columnwise(this->team_, layout_, *rows_, elimination_, x);
}

template <typename T>
void ColumnwiseInverse<T>::solve_transposed(Dense<T>& x) {
  solve_columnwise_transposed(this->team_, layout_, *rows_, elimination_, x);
}

template <typename T>
void LuInverse<T>::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  const RowLayout bands = this->bands_of(matrix);
  layout_ = RowLayout::cyclic(bands.rows, this->team_.size(), this->choice_.block);
  rows_ = nullptr;
  to_plain_bands_.reset();
  if (const RowLayout plain{bands.rows, this->team_.size()}; plain != bands) {
    const Range own = plain.band(this->team_.rank());
    std::vector<Index> rows(static_cast<std::size_t>(own.size()));
    std::iota(rows.begin(), rows.end(), own.first);
    to_plain_bands_.emplace(this->team_, bands, rows);
  }
  if (this->team_.size() > 1 && !scaling.scales) {
    rows_ = this->rows_of().dealt(matrix, layout_, this->choice_.refined);
    if (rows_) return;
  }
  std::optional<Csr<double>> copy;
  const ScaledRows rows = this->dealt_rows(matrix, scaling, layout_, copy);
  rows_ = together(this->team_, [&] {
    return this->rows_of().blocked(rows, this->products_of(matrix, rows), layout_.block,
                                   this->team_.size() == 1, this->choice_.refined);
  });
}

template <typename T>
std::unique_ptr<Vectors> LuInverse<T>::eliminate(const EliminationRun& run) {
  const RowNames names(is_complex<T> ? 1 : RowNames::parts());
  // Threads of the BLAS take longer to meet than so few operations do.
  constexpr double few_flops = 1e8;
  std::optional<SingleThreadedBlas> alone;
  const double flops = (is_complex<T> ? 4 : 1) * elimination_flops(Method::lu, layout_.rows);
  if (this->memory_.memory() == MemoryKind::host && flops <= few_flops) alone.emplace();
  factors_ = factor_lu<T>(this->team_, this->memory_.pivot_team(), this->memory_.candidate_team(),
                          layout_, *rows_, this->choice_.pivoting, run.progress, run.checkpoints);
  this->facts_ = {};
  this->facts_.pivots = factors_.pivots;
  this->facts_.seconds = factors_.seconds;
  if (factors_.redone_panels > 0) {
    this->facts_.notes.push_back(
        fmt::format("{} of {} panels were done again with partial pivoting, because the "
                    "tournament's multipliers grew too large",
                    factors_.redone_panels, factors_.panels.size()));
  }
  return nullptr;
}

template <typename T>
void LuInverse<T>::apply(const Vectors& x, Vectors& y) {
  this->team_.size() == 1 ? solve_whole(false, x, y) : DenseInverse<T>::apply(x, y);
}

template <typename T>
void LuInverse<T>::apply_transposed(const Vectors& x, Vectors& y) {
  this->team_.size() == 1 ? solve_whole(true, x, y) : DenseInverse<T>::apply_transposed(x, y);
}

template <typename T>
void LuInverse<T>::solve_whole(bool transposed, const Vectors& b, Vectors& x) {
  this->solve_with(transposed, b, x, [&](const Vectors& right, Vectors& y) {
    solve_in_place_in<T>(right, y, [&](const Vectors& from, Vectors& to) {
      rows_->solution().solve_whole(transposed, from, to);
    });
  });
}

template <typename T>
template <typename Solve>
void LuInverse<T>::in_plain_bands(Dense<T>& x, const Solve& solve) {
  if (!to_plain_bands_) return solve(x);
  Dense<T> rows = to_plain_bands_->to_list(x);
  solve(rows);
  x = to_plain_bands_->to_bands(rows);
}

template <typename T>
void LuInverse<T>::solve(Dense<T>& x) {
  in_plain_bands(x, [&](Dense<T>& rows) {
    solve_lu<T>(this->team_, this->memory_.row_team(), *rows_, factors_, rows);
  });
}

template <typename T>
void LuInverse<T>::solve_transposed(Dense<T>& x) {
  in_plain_bands(x, [&](Dense<T>& rows) {
    solve_lu_transposed<T>(this->team_, this->memory_.row_team(), *rows_, factors_, rows);
  });
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class DenseInverse)
SPSOLVE_INSTANTIATE_FOR_FACTORS(class ColumnwiseInverse)
SPSOLVE_INSTANTIATE_FOR_FACTORS(class LuInverse)

std::unique_ptr<Inverse> make_dense_inverse(Team& team, ComputeDevice& memory,
                                            const EliminationChoice& choice,
                                            BeforeDouble before_double) {
  const auto in = [&team, &memory, choice](Precision precision, bool refined = false) {
    EliminationChoice one = choice;
    one.precision = precision;
    one.refined = refined;
    return with_scalar_of(one, [&]<typename T>(T) -> std::unique_ptr<Inverse> {
      if (one.method == Method::lu) return std::make_unique<LuInverse<T>>(team, memory, one);
      return std::make_unique<ColumnwiseInverse<T>>(team, memory, one);
    });
  };
  const auto refined = [in] { return in(Precision::float32, true); };
  if (choice.precision == Precision::mixed) {
    return std::make_unique<MixedInverse>(
        refined, [in] { return in(Precision::float64); }, std::move(before_double));
  }
  if (!choice.refined) return in(choice.precision);
  // Products of a host round as float does, whether x is refined or not.
  const bool same = memory.memory() == MemoryKind::host;
  return std::make_unique<FloatInverse>(
      refined, same ? IteratedInverse::Make{} : [in] { return in(Precision::float32); });
}

}  // namespace spsolve::dense
