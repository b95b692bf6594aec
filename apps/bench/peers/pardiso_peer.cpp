// PARDISO of Intel MKL (Schenk and Gaertner 2004): LL^T, LDL^T or LU as the matrix allows.

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/mkl.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"

namespace spsolve::bench {

namespace {

using Pardiso = void(void* handle, const int* instances, const int* instance, const int* type,
                     const int* phase, const int* n, const void* values, const int* offsets,
                     const int* columns, int* order, const int* right_hand_sides, int* options,
                     const int* prints, void* b, void* x, int* error);

/// A kind of matrix and what comes of it.
struct PardisoType {
  int number;  ///< of MKL
  std::string_view factors;

  static PardisoType of(const SystemKind& system) {
    const bool complex = system.is_complex();
    if (system.maybe_definite) return {complex ? 4 : 2, "LL^T"};
    if (system.hermitian) return complex ? PardisoType{-4, "LDL^H"} : PardisoType{-2, "LDL^T"};
    if (system.symmetric) return {6, "LDL^T"};
    return {complex ? 13 : 11, "LU"};
  }

  /// Of an unsymmetric matrix whose pattern is symmetric: pivots are on the diagonal.
  static PardisoType of_pattern(const SystemKind& system) {
    return {system.is_complex() ? 3 : 1, "LU"};
  }

  bool is_definite() const { return factors == "LL^T"; }
  bool is_symmetric() const { return factors != "LU"; }
  bool matches() const { return !is_definite() && number != 1 && number != 3; }
};

class PardisoContender final : public ColumnwisePeer {
 public:
  PardisoContender(const SparseSystem& system, int threads, PardisoType type)
      : ColumnwisePeer(system, {.part = type.is_symmetric() ? TakenRows::Triangle::upper
                                                            : TakenRows::Triangle::all,
                                .diagonal = type.is_symmetric() || !type.matches()}),
        type_(type),
        n_(static_cast<int>(system.order)) {
    mkl().set_threads(threads);
    options_[0] = 1;                             // what follows, not the defaults
    options_[1] = 3;                             // nested dissection in threads
    options_[9] = type.is_symmetric() ? 8 : 13;  // smallest pivots, 10^-this
    options_[10] = type.matches();               // scaling
    options_[12] = type.matches();               // maximum-product matching
    options_[17] = options_[18] = -1;            // count non-zeros of the factors, and flops
    options_[20] = 1;                            // pivots of 1 x 1 and 2 x 2 where it is LDL^T
    options_[23] = type.is_definite() ? 1 : 0;   // elimination in two levels of threads
    options_[34] = 1;                            // rows and columns from 0
  }

  ~PardisoContender() override {
    call(-1);
    mkl().free_buffers();
  }

  void analyse() override { checked(11); }

  void factor() override {
    checked(22);
    figures_.kind = type_.factors;
    figures_.nonzeros = options_[17];
    // In millions; it does not count them where it eliminates in two levels.
    if (options_[18] > 0) figures_.flops = 1e6 * options_[18];
  }

  void solve() override { checked(33); }

 private:
  int call(int phase) {
    const int one = 1, prints = 0, columns = std::max(1, static_cast<int>(columns_));
    int error = 0;
    static auto* const pardiso = loaded_function<Pardiso>(mkl().library, "pardiso");
    pardiso(handle_, &one, &one, &type_.number, &phase, &n_, rows_.values.data(),
            rows_.offsets.data(), rows_.columns.data(), nullptr, &columns, options_, &prints,
            b_.data(), x_.data(), &error);
    return error;
  }

  void checked(int phase) {
    const int error = call(phase);
    if (error == 0) return;
    if (error == -4 && type_.is_definite()) throw NotDefinite("the matrix is not definite");
    if (error == -4 || error == -7) {
      fail(ExitCode::not_trustworthy, "it finds the matrix singular");
    }
    if (error == -2) fail(ExitCode::resources, "it lacks memory");
    fail(ExitCode::internal, "it returns error {} in phase {}", error, phase);
  }

  const PardisoType type_;
  const int n_;
  void* handle_[64] = {};
  int options_[64] = {};
};

std::string refuse_as_pattern(const SparseSystem& system) {
  const bool suits = system.symmetric_pattern && !system.symmetric && !system.hermitian;
  return suits ? more_than_int(system) : "it is for unsymmetric matrices of a symmetric pattern";
}

template <PardisoType type_of(const SystemKind&)>
std::unique_ptr<SparseContender> make(const SparseSystem& system, const PeerTeam& team) {
  return std::make_unique<PardisoContender>(system, team.threads, type_of(system));
}

}  // namespace

const SparsePeer pardiso_peer{"pardiso",     "PARDISO of Intel MKL, on threads",
                              false,         missing_mkl,
                              more_than_int, make<PardisoType::of>};
const SparsePeer pardiso_pattern_peer{
    "pardiso_pattern",
    "the same as structurally symmetric: LU with pivots on the diagonal",
    false,
    missing_mkl,
    refuse_as_pattern,
    make<PardisoType::of_pattern>};

}  // namespace spsolve::bench
