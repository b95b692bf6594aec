#include "sparse/sweeps/row_order.hpp"

#include "core/blas/single_threaded_blas.hpp"
#include "core/over_blocks.hpp"
#include "solve/in_precision.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::inline sparse {

template <typename T>
void RowOrder<T>::make_ready(int threads) {
  const Index n = analysis_->rows();
  if (found_.size() < n) found_ = UntouchedArray<T>(n);
  T* const found = found_.data();
#pragma omp parallel for schedule(static) num_threads(threads) if (worth_threads(n))
  for (Index k = 0; k < n; ++k) found[k] = 0;
}

template <typename T>
template <typename Work>
void RowOrder<T>::over_rows(LocalIndex n, Index columns, bool rows, int threads,
                            const Work& work) const {
  const LocalIndex* const order = analysis_->order.data();
  const LocalIndex* const row_of =
      rows && !analysis_->row_of.empty() ? analysis_->row_of.data() : nullptr;
#pragma omp parallel for schedule(static) num_threads(threads) if (worth_threads(n * columns))
  for (LocalIndex k = 0; k < n; ++k) {
    const Index at = row_of != nullptr ? row_of[order[k]] : order[k];
    if (columns == 1) {
      work(k, at, std::integral_constant<Index, 1>{});
    } else {
      work(k * columns, at * columns, columns);
    }
  }
}

template <typename T>
void RowOrder<T>::solve(const FactorSolve<T>& factors, bool transposed, Index columns, const T* b,
                        T* x, std::optional<Substitution> step) {
  constexpr Index few = 2;  // columns whose room is kept
  const SingleThreadedBlas here;
  const LocalIndex n = static_cast<LocalIndex>(analysis_->rows());
  const Index size = n * columns;
  // A^-H b is what A^-T makes of the conjugate of b, conjugated.
  const bool conjugates = transposed && !is_hermitian(factors.kind());
  if (found_.size() < size) {
    found_ = {};
    found_ = UntouchedArray<T>(size);
  }
  T* const found = found_.data();
  T* in_order = found;
  if (!in_place_) {  // x is worked in, where it is not b
    if (b == x && in_order_.size() < size) in_order_ = UntouchedArray<T>(size);
    in_order = b == x ? in_order_.data() : x;
  }
  const bool from_b = step.value_or(Substitution::forward) == Substitution::forward;
  const bool from_rows = from_b != transposed;
  over_rows(n, columns, from_rows, here.threads(), [=](Index k, Index at, auto width) {
    for (Index c = 0; c < width; ++c) in_order[k + c] = mirrored(conjugates, b[at + c]);
  });
  if (step) {
    factors.substitute(*step, transposed, columns, in_order, found);
  } else {
    factors.solve(transposed, columns, in_order, found);
  }
  over_rows(n, columns, transposed, here.threads(), [=](Index k, Index at, auto width) {
    for (Index c = 0; c < width; ++c) x[at + c] = mirrored(conjugates, found[k + c]);
  });
  if (columns > few) {
    in_order_ = {};
    found_ = {};
  }
}

template <typename T>
void RowOrder<T>::solve(const FactorSolve<T>& factors, bool transposed, const Vectors& b,
                        Vectors& x, std::optional<Substitution> step) {
  if constexpr (std::is_same_v<Real<T>, double>) {
    // One column of the real form is complex numbers as they lie in memory.
    if (dynamic_cast<const HostVectors*>(&b) != nullptr && (!is_complex<T> || b.columns() == 1)) {
      return solve(factors, transposed, b.columns(), reinterpret_cast<const T*>(on_host(b).row(0)),
                   reinterpret_cast<T*>(on_host(x).row(0)), step);
    }
  }
  solve_in<T>(b, x, [&](Dense<T>& rows) {
    solve(factors, transposed, rows.columns, rows.values.data(), rows.values.data(), step);
  });
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class RowOrder)

}  // namespace spsolve::sparse
