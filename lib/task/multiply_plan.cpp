// The memory plan of task: multiply.

#include <algorithm>
#include <limits>

#include "core/tuning.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "multiply/auto_product.hpp"
#include "multiply/cost.hpp"
#include "multiply/kernel/kernel.hpp"
#include "process/system.hpp"
#include "task/begin.hpp"
#include "task/multiply.hpp"
#include "task/multivector.hpp"

namespace spsolve::inline task {

namespace {

/// Bytes of a kernel's storage format, as if rows were not padded.
std::int64_t format_bytes(std::string_view format, Index rows, Index columns, Index nonzeros,
                          std::size_t value) {
  if (format == "dense") return rows * columns * static_cast<std::int64_t>(value);
  if (format == "row_types") return rows;  // next to nothing, or refused
  // 16 bytes of a slot a row instead of an offset of 8.
  if (format == "csr_slots") return csr_bytes(rows, nonzeros, value) + 8 * rows;
  const bool half = format.starts_with("symmetric");
  return csr_bytes(rows, half ? (nonzeros + rows) / 2 : nonzeros, value);
}

/// The bytes that a kernel of a GPU takes in addition to its format, X and Y.
std::int64_t gpu_extra_bytes(std::string_view kernel, std::string_view format, Index nonzeros,
                             std::int64_t x_bytes, std::int64_t y_bytes, std::size_t value) {
  if (kernel == "csr_product_tree") {  // products, and their places in the rows
    return nonzeros * static_cast<std::int64_t>(value + sizeof(LocalIndex));
  }
  if (kernel.ends_with("_columns")) return x_bytes + y_bytes;  // both, column-major
  // X transposed
  return format == "csr_adaptive" || kernel == "csr_vector_by_row" ? x_bytes : 0;
}

/// The sizes that are known before anything is read.
struct Sizes {
  MatrixShape shape;
  Index k = 1;
  bool rows_in_file = false;  ///< a file that holds rows as they are
};

/// The plan of one rank's product of known sizes.
class ProductPlan {
 public:
  ProductPlan(const Config& config, const Sizes& sizes, std::string_view format, bool on_gpu,
              int rank, int ranks)
      : config_(config),
        shape_(sizes.shape),
        rows_in_file_(sizes.rows_in_file),
        k_(sizes.k),
        format_(format),
        on_gpu_(on_gpu),
        value_(value_bytes(config.multiply.precision)),
        leads_(rank == 0),
        ranks_(ranks),
        height_(RowLayout{shape_.rows, ranks}.band(rank).size()),
        x_height_(RowLayout{shape_.columns, ranks}.band(rank).size()),
        band_(csr_bytes(height_, shape_.nonzeros / ranks, sizeof(double))) {
    plan_.resident = resident_memory();
    read(rank);
    scatter();
    prepare();
    multiply();
    gather();
    if (config_.multiply.verify && leads_) verify();
  }

  MemoryPlan take() { return std::move(plan_); }

 private:
  void add(const char* phase, const char* what, std::int64_t bytes) {
    plan_.parts.push_back({phase, what, bytes});
  }
  std::int64_t multivector(Index rows, std::size_t bytes) const {
    // So much that it cannot fit, where the product of what was asked for is beyond 2^58.
    constexpr std::int64_t most = std::int64_t{1} << 58;
    const std::int64_t row = std::min<Index>(k_, std::numeric_limits<LocalIndex>::max()) *
                             static_cast<std::int64_t>(bytes);
    return row > 0 && rows > most / row ? most : rows * row;
  }
  std::int64_t whole() const { return csr_bytes(shape_.rows, shape_.nonzeros, sizeof(double)); }
  bool keeps_x() const {
    return leads_ && (config_.multiply.verify || config_.multiply.x.kind == MultivectorKind::file);
  }
  bool keeps_matrix() const { return leads_ && config_.multiply.verify; }

  void read(int rank) {
    if (config_.matrix.reader == ReaderChoice::parallel) {
      plan_reading_together(plan_, shape_, {BandedReading{}.piece_bytes, rows_in_file_}, rank,
                            ranks_, height_);
    } else {
      plan_reading(plan_, shape_, rank, ranks_, height_);
      if (leads_ && config_.matrix.rotate_rows != 0) plan_rotation(plan_, shape_);
    }
  }
  void scatter() {
    if (keeps_x()) {
      add("scatter", "X, whole", multivector(shape_.columns, sizeof(double)));
      if (ranks_ == 1) add("scatter", "compressed rows of the whole matrix", whole());
    }
    if (keeps_matrix()) add("scatter", "compressed rows of this rank's band", band_);
  }
  /// Adds all that stays through the products.
  void stays(const char* phase) {
    if (keeps_matrix()) add(phase, "compressed rows of the whole matrix", whole());
    if (keeps_x() && config_.multiply.verify) {
      add(phase, "X, whole", multivector(shape_.columns, sizeof(double)));
    }
    add(phase, "rows of X in double", multivector(x_height_, sizeof(double)));
  }
  void prepare() {
    const std::int64_t split = csr_bytes(height_, shape_.nonzeros / ranks_, value_);
    if (ranks_ > 1 || value_ != sizeof(double)) {
      stays("split");
      add("split", "compressed rows of this rank's band", band_);
      add("split", "the same in the product's type, interior and boundary", split);
    }
    stays("prepare");
    add("prepare", "interior and boundary rows", split);
    add("prepare", format_at_most, format());
    if (format_ == "chosen" && has_trial(config_.multiply.repeat)) {
      add("prepare", "another kernel's format, mostly smaller", format() / 10 * 7);
      add("prepare", "vectors of the trial",
          multivector(x_height_, sizeof(double) + value_) + multivector(height_, value_));
    }
  }
  void multiply() {
    stays("multiply");
    plan_.add({"prepare", "multiply"}, "program and libraries, as they are used", bytes_of_program);
    if (on_gpu_) {
      const std::int64_t x = multivector(x_height_, value_), y = multivector(height_, value_);
      plan_.on_gpu = {{"multiply", format_at_most, format()},
                      {"multiply", "rows of X and Y", x + y}};
      if (format_ == "chosen") {
        plan_.on_gpu.push_back({"multiply", "another kernel's format, for a while", format()});
      }
      const std::int64_t extra =
          gpu_extra_bytes(config_.multiply.kernel, format_, shape_.nonzeros / ranks_, x, y, value_);
      if (extra > 0) plan_.on_gpu.push_back({"multiply", "what the kernel works with", extra});
      return;
    }
    add("multiply", format_at_most, format());
    // A band that borders on two others needs few rows of them; at worst the halo is all of X.
    add("multiply", "rows of X in the product's type", multivector(x_height_, value_));
    add("multiply", "rows of Y; before, X on its way",
        std::max(multivector(x_height_, value_), multivector(height_, value_)));
  }
  void gather() {
    if (!config_.multiply.verify && config_.output.product.empty()) return;
    stays("gather");
    if (!on_gpu_) {
      add("gather", format_at_most, format());
      add("gather", "rows of X and Y",
          multivector(x_height_, value_) + multivector(height_, value_));
    }
    add("gather", "rows of Y on their way", multivector(height_, value_));
    if (leads_) add("gather", "Y, whole", multivector(shape_.rows, sizeof(double)));
  }
  void verify() {
    stays("verify");
    add("verify", "Y, whole", multivector(shape_.rows, sizeof(double)));
    add("verify", "Y twice and X in the product's type",
        2 * multivector(shape_.rows, value_) + multivector(shape_.columns, value_));
    if (!on_gpu_) {
      add("verify", format_at_most, format());
      add("verify", "rows of X and Y",
          multivector(x_height_, value_) + multivector(height_, value_));
    }
    if (format_.starts_with("symmetric")) {
      add("verify", "what a_ij - a_ji adds to Y, if that is rounding",
          multivector(shape_.rows, sizeof(double)));
    }
    if (value_ != sizeof(double)) {
      add("verify", "the whole matrix in float", csr_bytes(shape_.rows, shape_.nonzeros, value_));
    }
  }
  std::int64_t format() const {
    // Few columns have numbers of 16 bits there.
    const std::string& kernel = config_.multiply.kernel;
    constexpr Index most_narrow_columns = Index{1} << 16;
    if ((kernel == "csr_balanced" || kernel == "csr_sorted") && !on_gpu_ &&
        x_height_ <= most_narrow_columns) {
      return csr_bytes(height_, shape_.nonzeros / ranks_, value_ - 2);
    }
    return format_bytes(format_, height_, x_height_, shape_.nonzeros / ranks_, value_);
  }

  const Config& config_;
  const MatrixShape& shape_;
  const bool rows_in_file_;
  const Index k_;
  const std::string_view format_;
  const bool on_gpu_;
  const std::size_t value_;
  const bool leads_;
  const int ranks_;
  const Index height_, x_height_;
  const std::int64_t band_;
  MemoryPlan plan_;
};

/// The time of a product, by the bytes that must move at the rate of memory; what travels between
/// ranks takes more, and what stays in caches less.
std::string prediction(const Sizes& known, Precision precision, bool on_gpu, int ranks) {
  const double bytes = product_floor_bytes(known.shape.rows, known.shape.columns,
                                           known.shape.nonzeros, known.k, value_bytes(precision));
  const double rate = on_gpu ? gpu_tuning.bytes_per_second : host_tuning.bytes_per_second;
  return fmt::format("Prediction: {:.2g} bytes a product, about {:.2g} s\n", bytes,
                     bytes / (rate * ranks));
}

}  // namespace

MemoryCheck plan_multiply(const Config& config, Team& team, const ProductDevice& device,
                          MemoryPlan& plan) {
  const Sizes known =
      broadcast_value(team,
                      together(team,
                               [&] {
                                 if (team.rank() != 0) return Sizes{};
                                 const std::string name = config.matrix.name();
                                 const MatrixShape shape = describe_matrix(name);
                                 return Sizes{shape, columns_of_x(config.multiply, shape),
                                              !means_generator(name) && is_sparse_binary(name)};
                               }),
                      0);
  const auto planner = [&](const Config& wanted) -> PlanFor {
    return [=](int rank, int ranks) {
      return ProductPlan(wanted, known, device.format, device.on_gpu, rank, ranks).take();
    };
  };
  std::vector<Remedy> remedies;
  const auto offer = [&](std::string words, const auto& change) {
    Config changed = config;
    change(changed);
    remedies.push_back({std::move(words), planner(changed)});
  };
  if (config.matrix.reader != ReaderChoice::parallel) {
    offer("matrix.reader=parallel", [](Config& c) { c.matrix.reader = ReaderChoice::parallel; });
  }
  if (config.multiply.verify) {
    offer("multiply.verify=false", [](Config& c) { c.multiply.verify = false; });
  }
  if (config.multiply.precision == Precision::float64) {
    offer("multiply.precision=float", [](Config& c) { c.multiply.precision = Precision::float32; });
  }
  const auto on_host = host_kernels();
  const auto same = std::ranges::find(on_host, config.multiply.kernel, &Kernel::name);
  if (device.on_gpu && same != on_host.end()) {
    remedies.push_back(
        {"device=host", [=](int rank, int ranks) {
           return ProductPlan(config, known, same->format, false, rank, ranks).take();
         }});
  }
  plan = planner(config)(team.rank(), team.size());
  plan.about = prediction(known, config.multiply.precision, device.on_gpu, team.size());
  return check_memory(team, plan, planner(config), remedies, device.available);
}

}  // namespace spsolve::task
