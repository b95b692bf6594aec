// CHOLMOD: supernodal Cholesky (Chen, Davis, Hager, Rajamanickam 2008), by AMD or METIS as it
// chooses itself.

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"

#if __has_include(<suitesparse/cholmod.h>)
#include <suitesparse/cholmod.h>
#elif __has_include(<cholmod.h>)
#include <cholmod.h>
#endif

namespace spsolve::bench {

namespace {

#ifdef CHOLMOD_MAIN_VERSION

#define SPSOLVE_CHOLMOD(FUNCTION) SPSOLVE_LOADED(cholmod(), cholmod_##FUNCTION)

SharedLibrary& cholmod() {
  static SharedLibrary loaded{"libcholmod.so." + std::to_string(CHOLMOD_MAIN_VERSION)};
  return loaded;
}

std::string missing() {
  return cholmod().problem();
}

class CholmodContender final : public ColumnwisePeer {
 public:
  /// The rows up to the diagonal are those of A^T = conj(A), in its columns down to there.
  explicit CholmodContender(const SparseSystem& system)
      : ColumnwisePeer(system, {.part = TakenRows::Triangle::lower, .conjugated = true}),
        numbers_(system.is_complex() ? CHOLMOD_COMPLEX : CHOLMOD_REAL) {
    SPSOLVE_CHOLMOD(start)(&common_);
    common_.print = 0;
    common_.final_ll = 1;  // not LDL^T, which a negative pivot would not stop
    const auto n = static_cast<std::size_t>(system.order);
    matrix_.nrow = matrix_.ncol = n;
    matrix_.nzmax = rows_.columns.size();
    matrix_.p = rows_.offsets.data();
    matrix_.i = rows_.columns.data();
    matrix_.x = rows_.values.data();
    matrix_.stype = 1;
    matrix_.itype = CHOLMOD_INT;
    matrix_.xtype = numbers_;
    matrix_.dtype = CHOLMOD_DOUBLE;
    matrix_.sorted = matrix_.packed = 1;
  }

  ~CholmodContender() override {
    SPSOLVE_CHOLMOD(free_dense)(&x_of_, &common_);
    SPSOLVE_CHOLMOD(free_factor)(&factor_, &common_);
    SPSOLVE_CHOLMOD(finish)(&common_);
  }

  void analyse() override {
    factor_ = SPSOLVE_CHOLMOD(analyze)(&matrix_, &common_);
    check();
    figures_ = {"LL^T", common_.lnz, common_.fl};
  }

  void factor() override {
    SPSOLVE_CHOLMOD(factorize)(&matrix_, factor_, &common_);
    check();
  }

  void solve() override {
    cholmod_dense b{};
    b.nrow = b.d = matrix_.nrow;
    b.ncol = static_cast<std::size_t>(columns_);
    b.nzmax = b.nrow * b.ncol;
    b.x = b_.data();
    b.xtype = numbers_;
    b.dtype = CHOLMOD_DOUBLE;
    SPSOLVE_CHOLMOD(free_dense)(&x_of_, &common_);
    x_of_ = SPSOLVE_CHOLMOD(solve)(CHOLMOD_A, factor_, &b, &common_);
    check();
  }

  Dense<double> solution() const override {
    const auto* const x = static_cast<const double*>(x_of_->x);
    return in_rows({x, x + b_.size()});
  }

 private:
  void check() const {
    if (common_.status == CHOLMOD_OK) return;
    if (common_.status == CHOLMOD_NOT_POSDEF) throw NotDefinite("the matrix is not definite");
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) fail(ExitCode::resources, "it lacks memory");
    if (common_.status == CHOLMOD_TOO_LARGE) {
      fail(ExitCode::resources, "its 32-bit indices do not suffice");
    }
    fail(ExitCode::internal, "it returns status {}", common_.status);
  }

  const int numbers_;
  cholmod_common common_{};
  cholmod_sparse matrix_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense* x_of_ = nullptr;
};

std::unique_ptr<SparseContender> make(const SparseSystem& system, const PeerTeam&) {
  return std::make_unique<CholmodContender>(system);
}

#else

std::string missing() {
  return "spbench was compiled without cholmod.h (Debian: libsuitesparse-dev)";
}

constexpr decltype(SparsePeer::make) make = nullptr;

#endif

std::string refuse(const SparseSystem& system) {
  if (!system.maybe_definite) return "it is for positive definite matrices";
  return more_than_int(system);
}

}  // namespace

const SparsePeer cholmod_peer{
    "cholmod", "supernodal Cholesky of SuiteSparse, threads in BLAS", false, missing, refuse, make};

}  // namespace spsolve::bench
