#include "vectors/multivector/vectors.hpp"

#include <cmath>

#include "core/error.hpp"
#include "matrix/multivector.hpp"
#include "vectors/multivector/parts.hpp"

namespace spsolve::inline vectors {

namespace {

[[noreturn]] void refuse_complex() {
  fail(ExitCode::internal, "there is no complex arithmetic of vectors in this memory");
}

}  // namespace

void Vectors::add_multiples(std::span<const Complex>, const Vectors&) {
  refuse_complex();
}
void Vectors::add_multiples_of_each(std::span<const Complex>, List) {
  refuse_complex();
}
void Vectors::combine(std::span<const Complex>, std::span<const Complex>, const Vectors&) {
  refuse_complex();
}
void Vectors::scale_columns(std::span<const Complex>) {
  refuse_complex();
}
void Vectors::own_dots(const Vectors&, std::span<Complex>) const {
  refuse_complex();
}
void Vectors::own_dots_with_each(List, std::span<Complex>) const {
  refuse_complex();
}
void Vectors::own_bilinear(const Vectors&, std::span<Complex>) const {
  refuse_complex();
}

void Vectors::add_multiples_of_each(std::span<const double> factors, List ys) {
  const auto k = static_cast<std::size_t>(columns());
  for (std::size_t j = 0; j < ys.size(); ++j) add_multiples(factors.subspan(j * k, k), *ys[j]);
}

void Vectors::own_dots_with_each(List ys, std::span<double> sums) const {
  const auto k = static_cast<std::size_t>(columns());
  for (std::size_t j = 0; j < ys.size(); ++j) own_dots(*ys[j], sums.subspan(j * k, k));
}

void Vectors::gather(Vectors& whole) const {
  const Dense<double> own = own_rows(*this);
  whole.write_rows({0, rows()}, all_gather_parts(team(), std::span(own.values)));
}

void copy(const Vectors& y, Vectors& x) {
  x.copy_columns(y, 0, 0, y.columns());
}

void add_multiple(double factor, const Vectors& y, Vectors& x) {
  x.add_multiples(std::vector<double>(static_cast<std::size_t>(x.columns()), factor), y);
}

std::unique_ptr<Vectors> copy_of(const Vectors& x) {
  std::unique_ptr<Vectors> result = x.similar(x.columns());
  copy(x, *result);
  return result;
}

template <typename F>
std::vector<F> dots(const Vectors& x, const Vectors& y) {
  std::vector<F> sums(static_cast<std::size_t>(x.columns()));
  x.own_dots(y, std::span(sums));
  all_sum(x.team(), parts_of(sums));
  return sums;
}

template <typename F>
std::vector<F> dots(const Vectors& x, Vectors::List ys) {
  std::vector<F> sums(ys.size() * static_cast<std::size_t>(x.columns()));
  x.own_dots_with_each(ys, std::span(sums));
  all_sum(x.team(), parts_of(sums));
  return sums;
}

template <typename F>
std::vector<F> bilinear(const Vectors& x, const Vectors& y) {
  std::vector<F> sums(static_cast<std::size_t>(x.columns()));
  x.own_bilinear(y, std::span(sums));
  all_sum(x.team(), parts_of(sums));
  return sums;
}

#define SPSOLVE_SUMS(F)                                            \
  template std::vector<F> dots<F>(const Vectors&, const Vectors&); \
  template std::vector<F> dots<F>(const Vectors&, Vectors::List);  \
  template std::vector<F> bilinear<F>(const Vectors&, const Vectors&);
SPSOLVE_SUMS(double)
SPSOLVE_SUMS(std::complex<double>)
#undef SPSOLVE_SUMS

Dense<double> products(const Vectors& x, const Vectors& y) {
  Dense<double> sums(x.columns(), y.columns());
  x.own_products(y, sums.values);
  all_sum(x.team(), sums.values);
  return sums;
}

std::vector<double> norms(const Vectors& x) {
  std::vector<double> values = dots(x, x);
  for (double& value : values) value = std::sqrt(value);
  return values;
}

std::vector<double> maxima(const Vectors& x) {
  std::vector<double> largest(static_cast<std::size_t>(x.columns()));
  x.own_maxima(largest);
  all_maximum(x.team(), largest);
  return largest;
}

void sum_over_ranks(Team& team, const ToRow& sums) {
  const SharedRow row{sums.row, Reduction::sum};
  sums.all.reduce_over_ranks(team, {&row, 1});
}

void dots(const Vectors& x, const Vectors& y, const ToRow& sums) {
  x.own_dots(y, sums);
  sum_over_ranks(x.team(), sums);
}

void subtract(std::span<const double> wanted, Quotient t, Vectors& x, const Vectors& y,
              const ToRow& largest, const ToRow* squares) {
  x.own_subtract(wanted, t, y, largest, squares);
  std::vector<SharedRow> rows{{largest.row, Reduction::maximum}};
  if (squares != nullptr) rows.push_back({squares->row, Reduction::sum});
  largest.all.reduce_over_ranks(x.team(), rows);
}

Dense<double> own_rows(const Vectors& x) {
  Dense<double> rows(x.height(), x.columns());
  x.read_rows({0, x.height()}, rows.values);
  return rows;
}

void set_own_rows(Vectors& x, const Dense<double>& rows) {
  x.write_rows({0, x.height()}, rows.values);
}

void Vectors::fill_random(Index seed) {
  set_own_rows(*this, random_multivector(height(), columns(), seed, own().first));
}

}  // namespace spsolve::vectors
