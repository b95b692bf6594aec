#pragma once

#include <memory>

#include "cuda/core/device_array.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::cuda::inline distribute {
class GpuLinks;
}

namespace spsolve::cuda::inline vectors {

class ReductionMemory;

/// Vectors in the memory of the current GPU, row-major. Work runs on current_stream(), and is
/// waited for where something comes from or goes to host memory. The bits of sums depend on the
/// height and K only.
class DeviceVectors final : public Vectors {
 public:
  /// Coefficients of several ranks meet by `links` where there are such.
  DeviceVectors(Team& team, const RowLayout& layout, Index columns, GpuLinks* links = nullptr);
  ~DeviceVectors() override;

  /// In GPU memory, null if there are none.
  double* data() override { return values_.data(); }
  const double* data() const override { return values_.data(); }

  std::unique_ptr<Vectors> similar(Index columns) const override;
  void write_rows(Range rows, std::span<const double> values) override;
  void read_rows(Range rows, std::span<double> values) const override;
  void fill(double value) override;
  void fill_random(Index seed) override;

  /// Where y is x itself, the two ranges must not overlap.
  void copy_columns(const Vectors& y, Index from, Index to, Index count) override;

  void add_multiples(std::span<const double> factors, const Vectors& y) override;
  void combine(std::span<const double> own, std::span<const double> factors,
               const Vectors& y) override;
  void add_scaled_rows(double own, double factor, const Vectors& d, const Vectors& y) override;
  void add_product(double own, const Vectors& y, std::span<const double> f) override;
  void scale_columns(std::span<const double> factors) override;
  void scale_rows(const Vectors& d) override;
  void take_largest(const Vectors& y, const Vectors& z) override;
  void gather(Vectors& whole) const override;
  void own_dots(const Vectors& y, std::span<double> sums) const override;
  void own_dots_with_each(List ys, std::span<double> sums) const override;
  void own_products(const Vectors& y, std::span<double> sums) const override;
  void own_maxima(std::span<double> largest) const override;
  void own_rows_from_first(std::span<const double> magnitudes,
                           std::span<double> left) const override;
  void own_take_signs(const Vectors& y, std::span<double> sums, std::span<double> changes) override;
  bool has_complex() const override { return true; }
  void add_multiples(std::span<const Complex> factors, const Vectors& y) override;
  using Vectors::add_multiples_of_each;
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

 private:
  DeviceVectors(Team& team, const RowLayout& layout, Index columns, GpuLinks* links,
                std::shared_ptr<ReductionMemory> reductions);

  Index size() const { return height() * columns(); }
  Index pairs() const { return height() / 2; }

  /// Runs reduce(partials, results) on the current stream, and puts the results into `to`.
  template <typename Reduce>
  void reduce(std::span<double> to, const Reduce& reduce) const;

  /// Complex sums with `count` vectors, for which sum(j, room, results) is run.
  template <typename Sum>
  void reduce_complex(std::size_t count, std::span<Complex> to, const Sum& sum) const;

  GpuLinks* links_;
  DeviceArray<double> values_;
  DeviceArray<double> gathered_;                 // parts of ranks, as long as the longest each
  std::shared_ptr<ReductionMemory> reductions_;  // shared with those made by similar()
};

/// `x`, which lies in GPU memory.
DeviceVectors& on_device(Vectors& x);
const DeviceVectors& on_device(const Vectors& x);

/// A row of coefficients, which lie in GPU memory.
double* row_on_device(const ToRow& to);

}  // namespace spsolve::cuda::vectors
