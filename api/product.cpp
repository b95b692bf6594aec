#include "spsolve/product.hpp"

#include <algorithm>
#include <optional>

#include <omp.h>

#include "api/gpus.hpp"
#include "api/matrix_of_arrays.hpp"
#include "choice/place.hpp"
#include "multiply/kernel/kernel.hpp"
#include "vectors/basic_band_matrix.hpp"

#ifdef SPSOLVE_HAVE_CUDA
#include "cuda/core/device_memory.hpp"
#endif

namespace spsolve {

struct Product::State {
  State(const Matrix& a, const ProductOptions& options, Ranks of)
      : ranks(std::move(of)), gpus(find_gpus(options.device)) {
    Team& team = ranks.team();
    require_ranks_of(a, ranks);
    Config config;
    config.task = Task::multiply;
    config.device = options.device;
    config.share_gpus = options.share_gpus;
    config.multiply.kernel = options.kernel;
    TaskReport noted;
    noted.threads = omp_get_max_threads();
    memory = choose_memory(config, team, gpus, noted);
    const Kernel& kernel = find_kernel(memory->kernels(), options.kernel);
    if (broadcast_value(team, a.is_complex(), 0)) {
      fail_everywhere(ExitCode::input, "the matrix is complex, and a Product takes real ones");
    }
    const Index rows = broadcast_value(team, a.rows(), 0);
    const Index columns = broadcast_value(team, a.columns(), 0);
    bands = a.bands() != nullptr ? a.bands()->rows : RowLayout{rows, team.size()};
    x_bands = bands_of_x(bands, columns);
    CompressedRows mine = together(team, [] { return CompressedRows{}; });
    Csr<double> band = rows_in_bands(a, team, bands);
    mine = together(team, [&] { return compress_columns(std::move(band)); });
    product.emplace(team, bands, x_bands, std::move(mine), *memory, kernel,
                    KernelOptions{options.columns, noted.threads, 0, options.products});
  }

  Ranks ranks;
  Gpus gpus;
  std::shared_ptr<const VectorMemory> memory;
  RowLayout bands, x_bands;
  std::optional<BasicBandMatrix<double>> product;
  Index room = 0;  // columns that x and y have room for
  std::unique_ptr<DeviceBlock<double>> x, y;
};

Product::Product(const Matrix& a, const ProductOptions& options, Ranks ranks)
    : state_(std::make_unique<State>(a, options, std::move(ranks))) {}
Product::~Product() = default;
Product::Product(Product&&) noexcept = default;
Product& Product::operator=(Product&&) noexcept = default;

Range Product::own() const {
  return state_->bands.band(state_->ranks.rank());
}
Range Product::own_x() const {
  return state_->x_bands.band(state_->ranks.rank());
}

namespace {

void require_columns(Index columns) {
  if (columns < 1) fail(ExitCode::input, "X has no column: give one at least");
}

}  // namespace

Dense<double> Product::apply(const Dense<double>& x) {
  State& state = *state_;
  Team& team = state.ranks.team();
  const Index columns = broadcast_value(team, x.columns, 0);
  together(team, [&] {
    require_columns(columns);
    if (x.rows != own_x().size() || x.columns != columns) {
      fail(ExitCode::input, "X has {} x {} elements on this rank, and needs {} x {}", x.rows,
           x.columns, own_x().size(), columns);
    }
    if (columns > state.room) {
      state.x = maker<double>(*state.memory).block(own_x().size() * columns);
      state.y = maker<double>(*state.memory).block(own().size() * columns);
      state.room = columns;
    }
    state.x->upload(x.values);
  });
  state.product->multiply(state.x->data(), state.y->data(), columns);
  state.product->finish();
  Dense<double> result(own().size(), columns);
  state.y->download(result.values);
  return result;
}

void Product::apply(const double* x, double* y, Index columns) {
  Team& team = state_->ranks.team();
  const Index of_first = broadcast_value(team, columns, 0);
  together(team, [&] {
    require_columns(of_first);
    if (columns != of_first) {
      fail(ExitCode::input, "X has {} columns on this rank, and {} on rank 0", columns, of_first);
    }
#ifdef SPSOLVE_HAVE_CUDA
    if (device() == "host") return;
    if (own_x().size() > 0) cuda::require_device_array(x, "X");
    if (own().size() > 0) cuda::require_device_array(y, "Y");
#endif
  });
  state_->product->multiply(x, y, columns);
  state_->product->finish();
}

std::string Product::device() const {
  return state_->memory->device();
}

std::string Product::kernel() const {
  return state_->product->detail();
}

}  // namespace spsolve
