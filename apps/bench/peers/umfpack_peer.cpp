// UMFPACK: unsymmetric multifrontal LU in one thread, its dense kernels in those of BLAS (Davis
// 2004).

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/sparse_peers.hpp"
#include "core/error.hpp"
#include "process/shared_library.hpp"

#if __has_include(<suitesparse/umfpack.h>)
#include <suitesparse/umfpack.h>
#elif __has_include(<umfpack.h>)
#include <umfpack.h>
#endif

namespace spsolve::bench {

namespace {

#ifdef UMFPACK_MAIN_VERSION

struct Umfpack {
  SharedLibrary library{"libumfpack.so." + std::to_string(UMFPACK_MAIN_VERSION)};
  decltype(&umfpack_dl_defaults) defaults =
      library.function<decltype(umfpack_dl_defaults)>("umfpack_dl_defaults");
  decltype(&umfpack_dl_symbolic) symbolic =
      library.function<decltype(umfpack_dl_symbolic)>("umfpack_dl_symbolic");
  decltype(&umfpack_dl_numeric) numeric =
      library.function<decltype(umfpack_dl_numeric)>("umfpack_dl_numeric");
  decltype(&umfpack_dl_solve) solve =
      library.function<decltype(umfpack_dl_solve)>("umfpack_dl_solve");
  decltype(&umfpack_dl_free_symbolic) free_symbolic =
      library.function<decltype(umfpack_dl_free_symbolic)>("umfpack_dl_free_symbolic");
  decltype(&umfpack_dl_free_numeric) free_numeric =
      library.function<decltype(umfpack_dl_free_numeric)>("umfpack_dl_free_numeric");
};

Umfpack& umfpack() {
  static Umfpack loaded;
  return loaded;
}

std::string missing() {
  return umfpack().library.problem();
}

class UmfpackContender final : public ColumnwisePeer {
 public:
  explicit UmfpackContender(const SparseSystem& system)
      : matrix_(system.matrix),
        offsets_(matrix_.row_offsets.begin(), matrix_.row_offsets.end()),
        columns_of_(matrix_.column_indices.begin(), matrix_.column_indices.end()),
        values_(matrix_.values) {
    umfpack().defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;  // no refinement
  }
  UmfpackContender(const UmfpackContender&) = delete;
  UmfpackContender& operator=(const UmfpackContender&) = delete;

  ~UmfpackContender() override {
    umfpack().free_numeric(&numeric_);
    umfpack().free_symbolic(&symbolic_);
  }

  // Its matrices are in columns, so that these rows are the transpose.

  void analyse() override {
    check(umfpack().symbolic(matrix_.rows, matrix_.rows, offsets_.data(), columns_of_.data(),
                             values_.data(), &symbolic_, control_, info_));
  }

  void factor() override {
    umfpack().free_numeric(&numeric_);
    check(umfpack().numeric(offsets_.data(), columns_of_.data(), values_.data(), symbolic_,
                            &numeric_, control_, info_));
    figures_ = {"LU", info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ], info_[UMFPACK_FLOPS]};
  }

  void set_values(std::span<const double> values) override {
    values_.assign(values.begin(), values.end());
  }

  void solve() override {
    for (Index c = 0; c < columns_; ++c) {
      check(umfpack().solve(UMFPACK_At, offsets_.data(), columns_of_.data(), values_.data(),
                            x_.data() + c * matrix_.rows, b_.data() + c * matrix_.rows, numeric_,
                            control_, info_));
    }
  }

  FactorFigures figures() const override { return figures_; }

 private:
  static void check(SuiteSparse_long status) {
    if (status == UMFPACK_OK) return;
    if (status == UMFPACK_WARNING_singular_matrix) {
      fail(ExitCode::not_trustworthy, "it finds the matrix singular");
    }
    if (status == UMFPACK_ERROR_out_of_memory) fail(ExitCode::resources, "it lacks memory");
    fail(ExitCode::internal, "it returns status {}", status);
  }

  const Csr<double>& matrix_;
  std::vector<SuiteSparse_long> offsets_, columns_of_;
  std::vector<double> values_;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO];
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  FactorFigures figures_;
};

std::unique_ptr<SparseContender> make(const SparseSystem& system, const PeerTeam&) {
  return std::make_unique<UmfpackContender>(system);
}

#else

std::string missing() {
  return "spbench was compiled without umfpack.h (Debian: libsuitesparse-dev)";
}

constexpr decltype(SparsePeer::make) make = nullptr;

#endif

}  // namespace

const SparsePeer umfpack_peer{"umfpack",
                              "unsymmetric multifrontal LU of SuiteSparse, threads in BLAS",
                              false,
                              missing,
                              [](const SparseSystem&) { return std::string(); },
                              make};

}  // namespace spsolve::bench
