// MUMPS: multifrontal LL^T, LDL^T or LU over ranks and threads (Amestoy, Duff, Koster, L'Excellent
// 2001).

#include "apps/bench/peers/columnwise_peer.hpp"
#include "apps/bench/peers/mpi_ranks.hpp"
#include "apps/bench/peers/peers.hpp"
#include "core/error.hpp"

#if __has_include(<dmumps_c.h>) && __has_include(<zmumps_c.h>)
#include <dmumps_c.h>
#include <zmumps_c.h>
#endif

namespace spsolve::bench {

namespace {

#ifdef MUMPS_VERSION

/// "libdmumps-5.5.so", as Debian names it, for the headers' version.
std::string versioned_name(const std::string& library) {
  const std::string version = MUMPS_VERSION;
  return library + "-" + version.substr(0, version.rfind('.')) + ".so";
}

/// The library of real numbers, and that of complex ones.
struct RealMumps {
  using Instance = DMUMPS_STRUC_C;
  using Number = double;
  static SharedLibrary& library() {
    static SharedLibrary loaded{versioned_name("libdmumps"), "libdmumps.so"};
    return loaded;
  }
  static void call(Instance* instance) { SPSOLVE_LOADED(library(), dmumps_c)(instance); }
};

struct ComplexMumps {
  using Instance = ZMUMPS_STRUC_C;
  using Number = ZMUMPS_COMPLEX;
  static SharedLibrary& library() {
    static SharedLibrary loaded{versioned_name("libzmumps"), "libzmumps.so"};
    return loaded;
  }
  static void call(Instance* instance) { SPSOLVE_LOADED(library(), zmumps_c)(instance); }
};

std::string missing() {
  return RealMumps::library().problem();
}

std::string refuse(const SparseSystem& system) {
  const std::string why = system.is_complex() ? ComplexMumps::library().problem() : "";
  return why.empty() ? more_than_int(system) : why;
}

/// By a library; that of complex numbers knows A = A^T, and no Hermitian matrices.
template <typename Library>
class MumpsContender final : public ColumnwisePeer {
 public:
  MumpsContender(const SparseSystem& system, const PeerTeam& team)
      : ColumnwisePeer(system, {.part = system.symmetric ? TakenRows::Triangle::lower
                                                         : TakenRows::Triangle::all,
                                .base = 1}) {
    const MPI_Comm ranks = ranks_for_peer(team.all_ranks);
    int rank = 0;
    MPI_Comm_rank(ranks, &rank);
    first_ = rank == 0;
    mumps_.comm_fortran = MPI_Comm_c2f(ranks);
    mumps_.par = 1;
    const bool definite = system.maybe_definite && !system.is_complex();
    mumps_.sym = definite ? 1 : system.symmetric ? 2 : 0;
    call(-1);
    if (std::string(mumps_.version_number) != MUMPS_VERSION) {
      const std::string found = mumps_.version_number;
      call(-2);
      fail(ExitCode::resources, "its library is of version {}, and its headers were of {}", found,
           MUMPS_VERSION);
    }
    for (const int stream : {1, 2, 3}) control(stream) = -1;  // it prints nothing
    control(4) = 0;
    control(14) = 50;  // per cent of more memory than predicted
    if (!first_) return;
    line_.reserve(rows_.columns.size());
    for (int i = 0; i < static_cast<int>(system.order); ++i) {
      line_.insert(line_.end(), rows_.offsets[i + 1] - rows_.offsets[i], i + 1);
    }
    mumps_.n = static_cast<int>(system.order);
    mumps_.nnz = static_cast<MUMPS_INT8>(line_.size());
    mumps_.irn = line_.data();
    mumps_.jcn = rows_.columns.data();
    mumps_.a = numbers(rows_.values);
  }

  ~MumpsContender() override { call(-2); }

  void analyse() override { checked(1); }

  /// Where its workspace is too small, it asks for more and eliminates again.
  void factor() override {
    constexpr int too_small = -9, too_small_for_integers = -8;
    call(2);
    for (int more = 0; more < 4; ++more) {
      if (mumps_.infog[0] != too_small && mumps_.infog[0] != too_small_for_integers) break;
      control(14) *= 2;
      call(2);
    }
    check();
    // Told that a matrix is definite, it goes on after a negative pivot, and counts it.
    if (mumps_.sym == 1 && mumps_.infog[11] > 0) throw NotDefinite("the matrix is not definite");
    const double nonzeros = mumps_.infog[28];
    figures_ = {mumps_.sym == 1   ? "LL^T"
                : mumps_.sym == 2 ? "LDL^T"
                                  : "LU",
                nonzeros < 0 ? -1e6 * nonzeros : nonzeros, mumps_.rinfog[2]};
  }

  void set_values(std::span<const double> values) override {
    if (first_) rows_.set_values(values);
  }

  void set_right_hand_sides(const Dense<double>& b) override {
    if (first_) ColumnwisePeer::set_right_hand_sides(b);
    mumps_.nrhs = static_cast<int>(b.columns);
    mumps_.lrhs = mumps_.n;
  }

  /// It overwrites the right-hand sides: what is solved with is a copy, part of the time.
  void solve() override {
    x_ = b_;
    mumps_.rhs = numbers(x_);
    checked(3);
  }

 private:
  using Number = typename Library::Number;
  static Number* numbers(std::vector<double>& parts) {
    return reinterpret_cast<Number*>(parts.data());
  }

  int& control(int which) { return mumps_.icntl[which - 1]; }

  void call(int job) {
    mumps_.job = job;
    Library::call(&mumps_);
  }

  void checked(int job) {
    call(job);
    check();
  }

  void check() const {
    const int error = mumps_.infog[0];
    if (error >= 0) return;
    constexpr int singular_structure = -6, singular = -10, not_definite = -40;
    if (error == not_definite || (error == singular && mumps_.sym == 1)) {
      throw NotDefinite("the matrix is not definite");
    }
    if (error == singular || error == singular_structure) {
      fail(ExitCode::not_trustworthy, "it finds the matrix singular");
    }
    fail(error == -13 || error == -9 ? ExitCode::resources : ExitCode::internal,
         "it returns error {} ({})", error, mumps_.infog[1]);
  }

  std::vector<int> line_;
  typename Library::Instance mumps_{};
  bool first_ = true;
};

std::unique_ptr<SparseContender> make(const SparseSystem& system, const PeerTeam& team) {
  if (system.is_complex()) return std::make_unique<MumpsContender<ComplexMumps>>(system, team);
  return std::make_unique<MumpsContender<RealMumps>>(system, team);
}

#else

std::string missing() {
  return "spbench was compiled without dmumps_c.h and zmumps_c.h (Debian: libmumps-dev)";
}

std::string refuse(const SparseSystem& system) {
  return more_than_int(system);
}

constexpr decltype(SparsePeer::make) make = nullptr;

#endif

}  // namespace

const SparsePeer mumps_peer{
    "mumps", "MUMPS, on threads; under mpirun on all ranks, too", true, missing, refuse, make};

}  // namespace spsolve::bench
