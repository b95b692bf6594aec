// UMFPACK: unsymmetric multifrontal LU in one thread, its dense kernels in those of BLAS (Davis
// 2004).

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"

#if __has_include(<suitesparse/umfpack.h>)
#include <suitesparse/umfpack.h>
#elif __has_include(<umfpack.h>)
#include <umfpack.h>
#endif

namespace spsolve::bench {

namespace {

#ifdef UMFPACK_MAIN_VERSION

#define SPSOLVE_UMFPACK(FUNCTION) SPSOLVE_LOADED(umfpack(), umfpack_##FUNCTION)

SharedLibrary& umfpack() {
  static SharedLibrary loaded{"libumfpack.so." + std::to_string(UMFPACK_MAIN_VERSION)};
  return loaded;
}

std::string missing() {
  return umfpack().problem();
}

class UmfpackContender final : public ColumnwisePeer {
 public:
  explicit UmfpackContender(const SparseSystem& system)
      : ColumnwisePeer(system, IntRows()),
        n_(system.order),
        matrix_(system.matrix, {}, system.parts) {
    SPSOLVE_UMFPACK(dl_defaults)(control_);
    control_[UMFPACK_IRSTEP] = 0;  // no refinement
  }

  ~UmfpackContender() override {
    free_factors();
    if (system_.is_complex()) {
      SPSOLVE_UMFPACK(zl_free_symbolic)(&symbolic_);
    } else {
      SPSOLVE_UMFPACK(dl_free_symbolic)(&symbolic_);
    }
  }

  // Its matrices are in columns, so that these rows are the transpose. Numbers re and im in turn
  // have no array of imaginary parts.

  void analyse() override {
    const auto *const p = matrix_.offsets.data(), *const i = matrix_.columns.data();
    const double* const a = matrix_.values.data();
    check(system_.is_complex()
              ? SPSOLVE_UMFPACK(zl_symbolic)(n_, n_, p, i, a, nullptr, &symbolic_, control_, info_)
              : SPSOLVE_UMFPACK(dl_symbolic)(n_, n_, p, i, a, &symbolic_, control_, info_));
  }

  void factor() override {
    free_factors();
    const auto *const p = matrix_.offsets.data(), *const i = matrix_.columns.data();
    const double* const a = matrix_.values.data();
    check(system_.is_complex()
              ? SPSOLVE_UMFPACK(zl_numeric)(p, i, a, nullptr, symbolic_, &numeric_, control_, info_)
              : SPSOLVE_UMFPACK(dl_numeric)(p, i, a, symbolic_, &numeric_, control_, info_));
    figures_ = {"LU", info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ], info_[UMFPACK_FLOPS]};
  }

  void set_values(std::span<const double> values) override { matrix_.set_values(values); }

  void solve() override {
    const auto *const p = matrix_.offsets.data(), *const i = matrix_.columns.data();
    const double* const a = matrix_.values.data();
    for (Index c = 0; c < columns_; ++c) {
      const double* const b = b_.data() + c * system_.rows();
      double* const x = x_.data() + c * system_.rows();
      check(system_.is_complex()
                ? SPSOLVE_UMFPACK(zl_solve)(UMFPACK_Aat, p, i, a, nullptr, x, nullptr, b, nullptr,
                                            numeric_, control_, info_)
                : SPSOLVE_UMFPACK(dl_solve)(UMFPACK_Aat, p, i, a, x, b, numeric_, control_, info_));
    }
  }

 private:
  void free_factors() {
    if (system_.is_complex()) {
      SPSOLVE_UMFPACK(zl_free_numeric)(&numeric_);
    } else {
      SPSOLVE_UMFPACK(dl_free_numeric)(&numeric_);
    }
  }

  static void check(SuiteSparse_long status) {
    if (status == UMFPACK_OK) return;
    if (status == UMFPACK_WARNING_singular_matrix) {
      fail(ExitCode::not_trustworthy, "it finds the matrix singular");
    }
    if (status == UMFPACK_ERROR_out_of_memory) fail(ExitCode::resources, "it lacks memory");
    fail(ExitCode::internal, "it returns status {}", status);
  }

  const Index n_;
  PeerRows<SuiteSparse_long> matrix_;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO];
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
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
                              takes_all_systems,
                              make};

}  // namespace spsolve::bench
