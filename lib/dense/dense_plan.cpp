#include "dense/dense_plan.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "solve/gmres.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline dense {

namespace {

constexpr std::int64_t blas_bytes = std::int64_t{8}
                                    << 20;  // as measured of OpenBLAS; of a team, a quarter

constexpr const char* filled_from = "compressed rows that they are filled from";

/// The bytes that glibc keeps of arrays of that size once some are freed: those that it no longer
/// maps by themselves then, up to 32 MiB, lie between others (mallopt(3), M_MMAP_THRESHOLD).
std::int64_t kept_bytes(std::int64_t array) {
  constexpr std::int64_t least = std::int64_t{4} << 20, most = std::int64_t{32} << 20;
  return least <= array && array <= most ? array : 0;
}

/// The choice that is tried first.
EliminationChoice first_try(EliminationChoice choice) {
  if (choice.precision == Precision::mixed) {
    choice.precision = Precision::float32;
    choice.refined = true;
  }
  return choice;
}

Index order_of(const DensePlanning& of) {
  return of.shape.rows / rows_of_dense_row(of.choice);
}

/// Dense rows of the rank.
Index height_of(const DensePlanning& of) {
  return dense_layout(of.choice, order_of(of), of.ranks).height(of.rank);
}

/// Rows of the system's matrix that they are filled from, and bytes of these.
Index rows_filled_from(const DensePlanning& of) {
  return rows_of_dense_row(of.choice) * height_of(of);
}
std::int64_t bytes_filled_from(const DensePlanning& of) {
  return share_bytes(of.shape, rows_filled_from(of));
}

/// Whether the rows that are made dense are a copy of the matrix's own: a host alone scales them as
/// it fills; GPUs take those that they have, lu's from each other.
bool copies_rows(const DensePlanning& of) {
  if (of.gpu && of.scales) return true;
  return of.ranks > 1 && !(of.gpu && of.choice.method == Method::lu && !of.scales);
}

/// Adds, in these phases, the dense rows and what goes with them; filled, their panels, the work
/// space of the BLAS and on a GPU what columns are solved with are in use as well.
void add_rows(MemoryPlan& plan, const DensePlanning& of, const EliminationChoice& choice,
              std::span<const char* const> phases, bool filled) {
  const Index height = height_of(of), order = order_of(of);
  const bool reduced = choice.precision == Precision::float32;
  const std::string dense =
      fmt::format("dense rows, {} x {} in {}{}", height, order, of.choice.complex ? "complex " : "",
                  reduced ? "float" : "double");
  const auto value =
      with_scalar_of(choice, []<typename T>(T) { return static_cast<std::int64_t>(sizeof(T)); });
  if (of.gpu) {
    for (const char* phase : phases) {
      plan.on_gpu.push_back(
          {phase, dense, of.gpu(choice, height, order, of.ranks, filled ? of.columns : 0)});
    }
  } else if (!filled) {
    plan.add(phases, dense, height * order * value);
  } else {
    plan.add(phases, dense + " and their panels",
             elimination_bytes(choice, height, order, of.ranks));
    if (choice.method == Method::lu) {
      plan.add(phases, "work space of the BLAS", of.ranks == 1 ? blas_bytes : blas_bytes / 4);
    }
  }
}

}  // namespace

void plan_dense(MemoryPlan& plan, const DensePlanning& of) {
  const std::int64_t share = bytes_filled_from(of);
  const bool cyclic = dense_layout(of.choice, order_of(of), of.ranks).is_cyclic();
  if (cyclic && copies_rows(of)) {
    plan.parts.push_back({"deal", "compressed rows of this rank's band", share});
    plan.parts.push_back({"deal", "rows on their way to who eliminates them", 3 * share});
  }
  if (copies_rows(of)) {
    plan.parts.push_back({"prepare",
                          cyclic      ? "the same, dealt out in cyclic blocks"
                          : of.scales ? "the same, should it be equilibrated"
                                      : "the same, columns by their numbers in A",
                          share});
  }
  constexpr const char* prepare[] = {"prepare"};
  add_rows(plan, of, first_try(of.choice), prepare, false);
  add_rows(plan, of, first_try(of.choice), of.phases, true);
  // Rows as they are lie on the GPU already.
  if (of.gpu && copies_rows(of)) plan.on_gpu.push_back({"prepare", filled_from, share});
  if (of.choice.method == Method::gauss_jordan) {
    plan.add({"eliminate"}, "right-hand sides that go along, and their solutions",
             4 * vectors_bytes(rows_filled_from(of), of.columns));
  }
  if (!of.gpu) {
    plan.add({"solve"}, "copies of right-hand sides inside the solve",
             vectors_bytes(of.shape.rows, 2 * of.columns) / of.ranks);
    plan.add({"solve"}, "memory that was freed and is kept",
             kept_bytes(vectors_bytes(of.shape.rows, of.columns) / of.ranks));
  }
  if (!first_try(of.choice).refined) return;
  const Index own = RowLayout{of.shape.rows, of.ranks}.height(of.rank);
  const std::int64_t of_gmres = gmres_bytes(own, of.columns);
  if (of.gpu) {
    plan.on_gpu.push_back({"eliminate", "vectors of GMRES", of_gmres});
  } else {
    plan.add(of.phases, "vectors of GMRES", of_gmres);
  }
  if (of.choice.precision != Precision::mixed) return;
  MemoryPlan in_double = plan_in_double(of);
  plan.in_double = of.gpu ? std::move(in_double.on_gpu) : std::move(in_double.parts);
}

MemoryPlan plan_in_double(const DensePlanning& of) {
  EliminationChoice again = of.choice;
  again.precision = Precision::float64;
  MemoryPlan plan;
  constexpr const char* in_double[] = {"in double"};
  add_rows(plan, of, again, in_double, true);
  const std::int64_t share = bytes_filled_from(of);
  if (copies_rows(of)) {
    plan.parts.push_back({"in double", filled_from, share});
    if (of.gpu) plan.on_gpu.push_back({"in double", filled_from, share});
  }
  return plan;
}

}  // namespace spsolve::dense
