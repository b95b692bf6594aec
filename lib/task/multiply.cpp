#include "task/multiply.hpp"

#include <algorithm>
#include <type_traits>

#include "config/schema.hpp"
#include "core/statistics.hpp"
#include "core/system.hpp"
#include "distribute/scatter.hpp"
#include "io/matrix_market.hpp"
#include "io/matrix_source.hpp"
#include "matrix/convert.hpp"
#include "matrix/multivector.hpp"
#include "matrix/structure.hpp"
#include "multiply/cost.hpp"
#include "multiply/csr_kernels.hpp"
#include "multiply/kernel.hpp"
#include "multiply/row_types.hpp"
#include "task/begin.hpp"
#include "task/right_hand_side.hpp"

namespace spsolve {

namespace {

/// The kernel by name; `auto` is the serial one where the table has no row of that name.
const Kernel& choose_kernel(const std::string& name) {
  const auto table = host_kernels();
  const bool has_auto = std::ranges::find(table, "auto", &Kernel::name) != table.end();
  return find_kernel(table, name == "auto" && !has_auto ? "csr_serial" : name);
}

/// X, as the configuration names it, for a matrix of so many columns.
Dense<double> multivector(const Config::Multiply& config, Index rows) {
  switch (config.x.kind) {
    case MultivectorKind::random:
      return random_multivector(rows, config.columns, config.seed);
    case MultivectorKind::ones:
      return Dense<double>(rows, config.columns, 1.0);
    case MultivectorKind::file:
      break;
  }
  Dense<double> x = read_dense(config.x.file);
  if (x.rows != rows) {
    fail(ExitCode::input, "{}: X has {} rows, but the matrix has {} columns",
         config.x.file.string(), x.rows, rows);
  }
  return x;
}

/// The same numbers in T.
template <typename T>
Dense<T> rounded(const Dense<double>& values) {
  Dense<T> result(values.rows, values.columns);
  std::copy(values.values.begin(), values.values.end(), result.values.begin());
  return result;
}

template <typename T>
Csr<T> rounded(Csr<double>&& matrix) {
  if constexpr (std::is_same_v<T, double>) {
    return std::move(matrix);
  } else {
    return csr_cast<T>(matrix);
  }
}

/// Throws on every rank where a kernel can only take symmetric matrices, but the ranks are several.
void check_symmetric_kernel(const Kernel& kernel, const Team& team, MatrixFacts facts, Index k,
                            std::size_t value_bytes) {
  facts.symmetric = true;
  const bool takes_symmetric = kernel.refuse(facts, k, value_bytes).empty();
  facts.symmetric = false;
  if (team.size() == 1 || !takes_symmetric || kernel.refuse(facts, k, value_bytes).empty()) return;
  fail_everywhere(ExitCode::input,
                  "multiply.kernel={} needs a symmetric matrix, which the rows of one rank of {} "
                  "are not; use one rank or another kernel",
                  kernel.name, team.size());
}

/// What the kernel asks of this rank's rows. Whether they are symmetric and of how many types is
/// found out only where it matters.
MatrixFacts facts_for(const Kernel& kernel, const Csr<double>& rows, Index k,
                      std::size_t value_bytes) {
  MatrixFacts facts{rows.rows, rows.columns, rows.nonzeros(), 0, false};
  for (Index i = 0; i < rows.rows; ++i) {
    facts.longest_row = std::max(facts.longest_row, rows.row_offsets[i + 1] - rows.row_offsets[i]);
  }
  if (!kernel.refuse(facts, k, value_bytes).empty()) facts.row_types = count_row_types(rows);
  if (!kernel.refuse(facts, k, value_bytes).empty()) facts.symmetric = analyse(rows).symmetric;
  return facts;
}

/// Rank 0 gets all rows of Y, in double; the others an empty one. Collective.
template <typename T>
Dense<double> gather_rows(Team& team, const RowBands& bands, const Dense<T>& band) {
  if (team.rank() != 0) {
    send(team, std::span<const T>(band.values), 0);
    return {};
  }
  Dense<double> whole(bands.rows, band.columns);
  std::copy(band.values.begin(), band.values.end(), whole.values.begin());
  for (int rank = 1; rank < team.size(); ++rank) {
    const Range rows = bands.band(rank);
    std::vector<T> values(static_cast<std::size_t>(rows.size() * band.columns));
    receive(team, std::span<T>(values), rank);
    std::copy(values.begin(), values.end(), whole.row(rows.first));
  }
  return whole;
}

/// The errors of rank 0's Y against the serial product of the whole matrix in T.
template <typename T>
ProductErrors verify(const Csr<T>& whole, const Dense<T>& x, const Dense<double>& y) {
  if (whole.rows != y.rows || whole.columns != x.rows) {
    fail(ExitCode::internal, "verify: a {} x {} matrix for a product of {} rows", whole.rows,
         whole.columns, y.rows);
  }
  Dense<T> reference(y.rows, y.columns);
  csr_serial(whole, x.values.data(), reference.values.data(), x.columns);
  return compare_products(whole, x.values.data(), reference.values.data(),
                          rounded<T>(y).values.data(), x.columns);
}

/// Multiplies this rank's rows, gathers and verifies. `whole` is rank 0's matrix where there are
/// several ranks and verify is asked for.
template <typename T>
Dense<double> multiply_band(const Config::Multiply& config, Team& team, const Kernel& kernel,
                            Csr<double>&& whole, Csr<double>&& rows_in_double,
                            const Dense<double>& x_in_double, PhaseTimes& times,
                            MultiplyReport& report) {
  Csr<T> rows;
  Dense<T> x;
  const auto product = times.measure("prepare", [&] {
    return together(team, [&] {
      const Index k = x_in_double.columns;
      const MatrixFacts facts = facts_for(kernel, rows_in_double, k, sizeof(T));
      if (const std::string reason = kernel.refuse(facts, k, sizeof(T)); !reason.empty()) {
        fail(ExitCode::input, "multiply.kernel={} does not take this matrix: {}", kernel.name,
             reason);
      }
      rows = rounded<T>(std::move(rows_in_double));
      x = rounded<T>(x_in_double);
      return prepare<T>(kernel, rows, KernelOptions{k, report.threads, 0});
    });
  });
  report.detail = broadcast_text(team, product->detail(), 0);
  for (const std::int64_t bytes : all_gather(team, product->bytes())) report.format_bytes += bytes;

  Dense<T> y = together(team, [&] { return Dense<T>(rows.rows, x.columns); });
  std::vector<double> seconds;
  times.measure("multiply", [&] {
    together(team, [&] {
      for (int repeat = 0; repeat < config.repeat; ++repeat) {
        const Timer timer;
        product->multiply(x.values.data(), y.values.data(), x.columns);
        seconds.push_back(timer.seconds());
      }
    });
  });
  report.product_seconds = all_maximum(team, statistics_of(seconds).median);

  const RowBands bands{report.rows, team.size()};
  Dense<double> gathered = times.measure("gather", [&] { return gather_rows(team, bands, y); });
  if (config.verify) {
    times.measure("verify", [&] {
      const ProductErrors errors = together(team, [&] {
        if (team.rank() != 0) return ProductErrors{};
        return team.size() == 1 ? verify(rows, x, gathered)
                                : verify(rounded<T>(std::move(whole)), x, gathered);
      });
      report.errors = broadcast_value(team, errors, 0);
    });
  }
  return gathered;
}

std::size_t value_bytes(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

/// Columns of X without reading it whole.
Index columns_of_x(const Config::Multiply& config) {
  return config.x.kind == MultivectorKind::file ? read_header(config.x.file).columns
                                                : config.columns;
}

}  // namespace

MemoryCheck plan_multiply(const Config& config, Team& team, MemoryPlan& plan) {
  struct Sizes {
    MatrixShape shape;
    Index k;
  };
  const Sizes known = broadcast_value(
      team,
      together(team,
               [&] {
                 return team.rank() != 0 ? Sizes{}
                                         : Sizes{describe_matrix(config.matrix.name()),
                                                 columns_of_x(config.multiply)};
               }),
      0);
  const auto& [shape, k] = known;
  const auto multivector = [&](Index rows, std::size_t bytes) {
    return rows * k * static_cast<std::int64_t>(bytes);
  };
  const auto csr = [](Index rows, Index nonzeros, std::size_t bytes) {
    return (rows + 1) * static_cast<std::int64_t>(sizeof(Index)) +
           nonzeros * static_cast<std::int64_t>(sizeof(LocalIndex) + bytes);
  };
  const std::size_t value = value_bytes(config.multiply.precision);
  const Index height = RowBands{shape.rows, team.size()}.band(team.rank()).size();
  const Index nonzeros = shape.nonzeros / team.size();
  plan = {};
  plan_reading(plan, shape, team.rank(), team.size(), height);
  if (team.rank() == 0) {
    if (team.size() > 1 && config.multiply.verify) {
      plan.parts.push_back({"multiply", "compressed rows of the whole matrix",
                            csr(shape.rows, shape.nonzeros, sizeof(double))});
    }
    plan.parts.push_back({"multiply", "Y, whole", multivector(shape.rows, sizeof(double))});
  }
  plan.parts.push_back({"scatter", "X, whole", multivector(shape.columns, sizeof(double))});
  plan.parts.push_back({"multiply", "compressed rows of this rank's band and the kernel's format",
                        2 * csr(height, nonzeros, value)});
  plan.parts.push_back({"multiply", "X, whole, in double and in the product's type",
                        multivector(shape.columns, sizeof(double) + value)});
  plan.parts.push_back({"multiply", "rows of Y", multivector(height, value)});
  return check_memory(team, plan, Precision::float32);
}

MultiplyReport run_multiply(const Config& config, Team& team,
                            const nlohmann::ordered_json& versions) {
  const Config::Multiply& wanted = config.multiply;
  const Kernel& kernel = choose_kernel(wanted.kernel);
  const Timer total;
  PhaseTimes times;
  MultiplyReport report;
  begin_task(config, team, report);

  MemoryPlan plan;
  const MemoryCheck memory = plan_multiply(config, team, plan);
  refuse_what_does_not_fit(plan, memory);

  Dense<double> x;
  Csr<double> whole = read_matrix(config, team, times, report, [&](const Csr<double>& matrix) {
    x = multivector(wanted, matrix.columns);
  });
  report.k = broadcast_value(team, x.columns, 0);
  check_symmetric_kernel(kernel, team, {report.rows, report.columns, report.nonzeros}, report.k,
                         value_bytes(wanted.precision));

  Csr<double> rows = times.measure("scatter", [&] {
    share_multivector(team, x);
    const RowBands bands{report.rows, team.size()};
    // Rank 0 of several needs its arrays again to verify.
    return wanted.verify && team.size() > 1 ? scatter_rows(team, bands, whole)
                                            : scatter_rows(team, bands, std::move(whole));
  });

  const auto multiply =
      wanted.precision == Precision::float32 ? multiply_band<float> : multiply_band<double>;
  const Dense<double> y =
      multiply(wanted, team, kernel, std::move(whole), std::move(rows), x, times, report);

  times.measure("write", [&] {
    together(team, [&] {
      if (team.rank() != 0 || config.output.product.empty()) return;
      write_matrix_market(config.output.product, y,
                          fmt::format("product Y = A X, A = {}", config.matrix.name()));
    });
  });
  times.add("total", total.seconds());

  const bool trusted = !report.errors || report.errors->within_bound();
  report.status = trusted ? "solved" : "not trustworthy";
  if (!trusted) {
    report.notes.push_back(
        fmt::format("Y differs from the serial product by more than rounding allows: the kernel {} "
                    "is wrong here",
                    kernel.name));
  }
  report.kernel = kernel.name;
  report.precision = name(wanted.precision);
  report.repeats = wanted.repeat;
  report.gflops = product_flops(report.nonzeros, report.k) / report.product_seconds / 1e9;
  report.bytes_per_second = product_floor_bytes(report.rows, report.columns, report.nonzeros,
                                                report.k, value_bytes(wanted.precision)) /
                            report.product_seconds;
  report.add_run(team, times);
  report.versions = versions;
  report.configuration = to_json(config);
  return report;
}

}  // namespace spsolve
