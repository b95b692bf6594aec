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

#define SPSOLVE_UMFPACK(FUNCTION) SPSOLVE_LOADED(umfpack(), umfpack_dl_##FUNCTION)

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
      : ColumnwisePeer(IntRows()),
        n_(system.order),
        offsets_(system.matrix.row_offsets.begin(), system.matrix.row_offsets.end()),
        columns_of_(system.matrix.column_indices.begin(), system.matrix.column_indices.end()),
        values_(system.matrix.values) {
    SPSOLVE_UMFPACK(defaults)(control_);
    control_[UMFPACK_IRSTEP] = 0;  // no refinement
  }

  ~UmfpackContender() override {
    SPSOLVE_UMFPACK(free_numeric)(&numeric_);
    SPSOLVE_UMFPACK(free_symbolic)(&symbolic_);
  }

  // Its matrices are in columns, so that these rows are the transpose.

  void analyse() override {
    check(SPSOLVE_UMFPACK(symbolic)(n_, n_, offsets_.data(), columns_of_.data(), values_.data(),
                                    &symbolic_, control_, info_));
  }

  void factor() override {
    SPSOLVE_UMFPACK(free_numeric)(&numeric_);
    check(SPSOLVE_UMFPACK(numeric)(offsets_.data(), columns_of_.data(), values_.data(), symbolic_,
                                   &numeric_, control_, info_));
    figures_ = {"LU", info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ], info_[UMFPACK_FLOPS]};
  }

  void set_values(std::span<const double> values) override {
    values_.assign(values.begin(), values.end());
  }

  void solve() override {
    for (Index c = 0; c < columns_; ++c) {
      check(SPSOLVE_UMFPACK(solve)(UMFPACK_At, offsets_.data(), columns_of_.data(), values_.data(),
                                   x_.data() + c * n_, b_.data() + c * n_, numeric_, control_,
                                   info_));
    }
  }

 private:
  static void check(SuiteSparse_long status) {
    if (status == UMFPACK_OK) return;
    if (status == UMFPACK_WARNING_singular_matrix) {
      fail(ExitCode::not_trustworthy, "it finds the matrix singular");
    }
    if (status == UMFPACK_ERROR_out_of_memory) fail(ExitCode::resources, "it lacks memory");
    fail(ExitCode::internal, "it returns status {}", status);
  }

  const Index n_;
  std::vector<SuiteSparse_long> offsets_, columns_of_;
  std::vector<double> values_;
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
