#pragma once

#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline vectors {

/// Vectors in host memory, row-major, worked on by OpenMP threads.
class HostVectors final : public Vectors {
 public:
  HostVectors(Team& team, const RowLayout& layout, Index columns);

  /// Row i of own rows, from 0: K values.
  double* row(Index i) { return values_.data() + i * columns(); }
  const double* row(Index i) const { return values_.data() + i * columns(); }

  double* data() override { return values_.data(); }
  const double* data() const override { return values_.data(); }
  std::unique_ptr<Vectors> similar(Index columns) const override;
  void write_rows(Range rows, std::span<const double> values) override;
  void read_rows(Range rows, std::span<double> values) const override;
  void fill(double value) override;
  void copy_columns(const Vectors& y, Index from, Index to, Index count) override;
  void add_multiples(std::span<const double> factors, const Vectors& y) override;
  void add_multiples_of_each(std::span<const double> factors, List ys) override;
  void combine(std::span<const double> own, std::span<const double> factors,
               const Vectors& y) override;
  void add_scaled_rows(double own, double factor, const Vectors& d, const Vectors& y) override;
  void add_product(double own, const Vectors& y, std::span<const double> f) override;
  void scale_columns(std::span<const double> factors) override;
  void scale_rows(const Vectors& d) override;
  void take_largest(const Vectors& y, const Vectors& z) override;
  void own_dots(const Vectors& y, std::span<double> sums) const override;
  void own_dots_with_each(List ys, std::span<double> sums) const override;
  void own_products(const Vectors& y, std::span<double> sums) const override;
  void own_maxima(std::span<double> largest) const override;
  void own_rows_from_first(std::span<const double> magnitudes,
                           std::span<double> left) const override;
  void own_take_signs(const Vectors& y, std::span<double> sums, std::span<double> changes) override;
  bool has_complex() const override { return true; }
  void add_multiples(std::span<const Complex> factors, const Vectors& y) override;
  void add_multiples_of_each(std::span<const Complex> factors, List ys) override;
  void combine(std::span<const Complex> own, std::span<const Complex> factors,
               const Vectors& y) override;
  void scale_columns(std::span<const Complex> factors) override;
  void own_dots(const Vectors& y, std::span<Complex> sums) const override;
  void own_dots_with_each(List ys, std::span<Complex> sums) const override;
  using Vectors::own_bilinear;
  void own_bilinear(const Vectors& y, std::span<Complex> sums) const override;
  std::unique_ptr<Coefficients> coefficients(int rows) const override;
  void own_dots(const Vectors& y, const ToRow& sums) const override;
  void own_subtract(std::span<const double> wanted, Quotient t, const Vectors& y,
                    const ToRow& largest, const ToRow* squares) override;
  void step_and_turn(std::span<const double> wanted, const Coefficients& all, Quotient s,
                     Vectors& x, Quotient t, const Vectors& y) override;

  /// Adds the dots of some rows to K sums.
  void add_own_dots(const HostVectors& y, Range rows, double* sums) const;

 private:
  std::vector<double> values_;
};

/// `x`, which lies in host memory.
HostVectors& on_host(Vectors& x);
const HostVectors& on_host(const Vectors& x);

}  // namespace spsolve::vectors
