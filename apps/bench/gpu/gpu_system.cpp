#include "apps/bench/gpu/gpu_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/bench/gpu/random_system.hpp"
#include "cuda/core/device_array.hpp"
#include "distribute/layout/row_layout.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"

namespace spsolve::cuda {

unsigned long long GpuSystem::key() const {
  return random_dense_key(seed);
}

Dense<double> GpuSystem::right_hand_side() const {
  return random_multivector(order, 1, seed);
}

double GpuSystem::backward_error(Team& team, const Dense<double>& x) const {
  const Dense<double> b = right_hand_side();
  const Range mine = RowLayout{order, team.size()}.band(team.rank());
  double norms[2] = {0, 0};
  together(team, [&] {
    const DeviceArray<double> there_b(b.values), there_x(x.values);
    DeviceArray<double> there(2);
    random_residual(key(), diagonal, mine.first, mine.last, order, there_x.data(), there_b.data(),
                    there.data(), nullptr);
    there.download(norms);
  });
  all_maximum(team, norms);
  double of_x = 0, of_b = 0;
  for (Index i = 0; i < order; ++i) {
    of_x = std::max(of_x, std::abs(x.values[i]));
    of_b = std::max(of_b, std::abs(b.values[i]));
    if (!std::isfinite(x.values[i])) return std::numeric_limits<double>::infinity();
  }
  return norms[0] / (norms[1] * of_x + of_b);
}

double GpuSystem::backward_error(const Vectors& x) const {
  // The rows are full: every rank's GPU takes the whole of x.
  Dense<double> whole(order, 1);
  const auto rows = [&](Range band) {
    return std::span(whole.values).subspan(band.first, band.size());
  };
  x.read_rows({0, x.height()}, rows(x.own()));
  for (int owner = 0; owner < x.team().size(); ++owner) {
    broadcast(x.team(), rows(x.layout().band(owner)), owner);
  }
  return backward_error(x.team(), whole);
}

}  // namespace spsolve::cuda
