#include "sockets/pardiso/call.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "sockets/pardiso/system.hpp"

namespace spsolve::sockets {

namespace {

/// What pt stands for: up to maxfct matrices of one kind and pattern.
struct Handle {
  std::mutex in_use;
  Index mtype = 0;
  std::map<Index, System> systems;  ///< by mnum
};

/// All handles, by the address that their callers hold: an address that is none of them is refused.
class Handles {
 public:
  std::shared_ptr<Handle> find(const void* address) {
    const std::scoped_lock lock(mutex_);
    const auto found = all_.find(address);
    return found != all_.end() ? found->second : nullptr;
  }
  void* make() {
    auto handle = std::make_shared<Handle>();
    void* const address = handle.get();
    const std::scoped_lock lock(mutex_);
    all_[address] = std::move(handle);
    return address;
  }
  void release(const void* address) {
    std::shared_ptr<Handle> last;  // goes without the lock
    const std::scoped_lock lock(mutex_);
    const auto found = all_.find(address);
    if (found == all_.end()) return;
    last = std::move(found->second);
    all_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::shared_ptr<Handle>> all_;
};

/// Never destroyed: hosts call until the very end of a process.
Handles& handles() {
  static Handles& all = *new Handles;
  return all;
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ExitCode::input, sentence);
}

/// The stages of a phase: 1 analysis, 2 factorization, 3 solution, or a part of that.
struct Stages {
  bool analyses, factors, solves;
  std::optional<Substitution> substitutes = {};
};

Stages stages_of(Index phase) {
  switch (phase) {
    case 11:
      return {true, false, false};
    case 12:
      return {true, true, false};
    case 13:
      return {true, true, true};
    case 22:
      return {false, true, false};
    case 23:
      return {false, true, true};
    case 33:
      return {false, false, true};
    case 331:
      return {false, false, false, Substitution::forward};
    case 332:
      return {false, false, false, Substitution::diagonal};
    case 333:
      return {false, false, false, Substitution::backward};
    default:
      refuse("phase = " + std::to_string(phase) +
             " is none: take 11, 12, 13, 22, 23, 33, 331, 332, 333, 0 or -1");
  }
}

/// The handle of a call, which is made where there is none and the call begins with an analysis.
std::shared_ptr<Handle> handle_of(const Call& call, bool begins) {
  if (call.pt == nullptr) refuse("pt is missing");
  if (*call.pt == nullptr) {
    if (!begins) refuse("phase " + std::to_string(call.phase) + " comes after phase 11");
    *call.pt = handles().make();
  }
  std::shared_ptr<Handle> handle = handles().find(*call.pt);
  if (handle == nullptr) refuse("pt is no handle: set it to zeros before its first use");
  return handle;
}

/// The matrix of a call, whose pattern may be that of another one.
System& system_of(Handle& handle, const Call& call, bool begins) {
  if (call.maxfct < 1 || call.mnum < 1 || call.mnum > call.maxfct) {
    refuse("mnum = " + std::to_string(call.mnum) + " is none of " + std::to_string(call.maxfct) +
           " matrices");
  }
  if (!begins && handle.mtype != call.mtype) {
    refuse("mtype = " + std::to_string(call.mtype) + ", and the matrix that was analysed has " +
           std::to_string(handle.mtype));
  }
  System& system = handle.systems[call.mnum];
  if (begins || system.is_analysed()) return system;
  for (const auto& [mnum, other] : handle.systems) {
    if (other.is_analysed()) system.take_pattern(other);
  }
  return system;
}

void release(const Call& call) {
  if (call.pt == nullptr) refuse("pt is missing");
  if (*call.pt == nullptr) return;
  const std::shared_ptr<Handle> handle = handle_of(call, false);
  if (call.phase == -1) {
    handles().release(*call.pt);
    *call.pt = nullptr;
    return;
  }
  const std::scoped_lock lock(handle->in_use);
  handle->systems.erase(call.mnum);
}

void work(const Call& call) {
  if (call.phase == 0 || call.phase == -1) return release(call);
  const Stages stages = stages_of(call.phase);
  if (call.iparm == nullptr) refuse("iparm is missing");
  const MatrixKind& kind = kind_of(call.mtype);
  const Wishes wishes = read_parameters(call.dialect, kind, *call.iparm);
  const std::shared_ptr<Handle> handle = handle_of(call, stages.analyses);
  const std::scoped_lock lock(handle->in_use);
  System& system = system_of(*handle, call, stages.analyses);
  const auto begin = std::chrono::steady_clock::now();
  if (stages.analyses) {
    handle->mtype = call.mtype;
    system.analyse(call, kind, wishes, stages.factors);
  } else if (stages.factors) {
    system.factor(call, kind, wishes);
  }
  if (stages.solves) system.solve(call, kind, wishes);
  if (stages.substitutes) {
    system.substitute(*stages.substitutes, call, kind, wishes);
  } else if (stages.analyses || stages.factors || kind.tells_inertia) {
    system.tell(kind, *call.iparm);
  }
  if (call.msglvl < 1) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("spsolve, phase %d: %.3g s\n%s", static_cast<int>(call.phase), seconds.count(),
              system.statistics().c_str());
  std::fflush(stdout);
}

/// The code of an error. Before factors are made, a singular matrix has a singular pattern.
int code_of(const Error& error, bool analyses_alone) {
  constexpr int inconsistent = -1, memory = -2, zero_pivot = -4, internal = -5, singular = -7;
  switch (error.code()) {
    case ExitCode::input:
      return inconsistent;
    case ExitCode::resources:
      return memory;
    case ExitCode::not_trustworthy:
      return analyses_alone ? singular : zero_pivot;
    default:
      return internal;
  }
}

/// Does some work; the code of what it throws, whose sentence is printed where `tells`.
template <typename Work>
int coded(bool analyses_alone, bool tells, const Work& work) noexcept {
  constexpr int memory = -2, internal = -5;
  const auto tell = [tells](const char* sentence) {
    if (!tells) return;
    std::printf("spsolve: %s\n", sentence);
    std::fflush(stdout);
  };
  try {
    work();
    return 0;
  } catch (const Error& error) {
    tell(error.what());
    return code_of(error, analyses_alone);
  } catch (const std::bad_alloc&) {
    tell("there is too little memory");
    return memory;
  } catch (const std::exception& error) {
    tell(error.what());
    return internal;
  } catch (...) {
    return internal;
  }
}

/// Throws unless all numbers are finite.
void require_finite(const double* numbers, Index count, const char* what) {
  if (numbers == nullptr) refuse(std::string(what) + " is missing");
  for (Index k = 0; k < count; ++k) {
    if (!std::isfinite(numbers[k])) {
      refuse(std::string(what) + ": number " + std::to_string(k + 1) + " is not finite");
    }
  }
}

void require_matrix(bool is_complex, Index mtype, const GivenPattern& given, const double* a) {
  const MatrixKind& kind = kind_of(mtype);
  if (kind.is_complex != is_complex) {
    refuse("mtype = " + std::to_string(mtype) + " has " + (kind.is_complex ? "complex" : "real") +
           " values");
  }
  given.require_whole(kind.symmetry, true);
  require_finite(a, given.entries() * (is_complex ? 2 : 1), "a");
}

void require_vectors(bool is_complex, Index n, Index nrhs, const double* b) {
  if (n < 1 || nrhs < 1) refuse("n and nrhs are 1 at least");
  require_finite(b, n * nrhs * (is_complex ? 2 : 1), "b");
}

double largest_of(const double* numbers, Index count) {
  double largest = 0;
  for (Index k = 0; k < count; ++k) largest = std::max(largest, std::abs(numbers[k]));
  return largest;
}

}  // namespace

int run(const Call& call) noexcept {
  return coded(call.phase == 11, call.msglvl > 0, [&] { work(call); });
}

int initialise(Dialect dialect, void** pt, Index mtype, Parameters& iparm) noexcept {
  return coded(true, false, [&] {
    if (pt == nullptr) refuse("pt is missing");
    std::fill_n(pt, Parameters::count, nullptr);
    set_defaults(dialect, kind_of(mtype), iparm);
  });
}

int check_matrix(bool is_complex, Index mtype, Index n, const double* a, const int* ia,
                 const int* ja) noexcept {
  return coded(false, true, [&] {
    require_matrix(is_complex, mtype, {n, IndexArray(ia), IndexArray(ja), 1}, a);
  });
}

int check_vectors(bool is_complex, Index n, Index nrhs, const double* b) noexcept {
  return coded(false, true, [&] { require_vectors(is_complex, n, nrhs, b); });
}

int print_statistics(bool is_complex, Index mtype, Index n, const double* a, const int* ia,
                     const int* ja, Index nrhs, const double* b) noexcept {
  return coded(false, true, [&] {
    const GivenPattern given{n, IndexArray(ia), IndexArray(ja), 1};
    require_matrix(is_complex, mtype, given, a);
    require_vectors(is_complex, n, nrhs, b);
    const Index parts = is_complex ? 2 : 1;
    std::printf(
        "spsolve: mtype %d, %lld rows, %lld entries, the largest part of them %.3e; %lld "
        "right-hand sides, the largest part of them %.3e\n",
        static_cast<int>(mtype), static_cast<long long>(n), static_cast<long long>(given.entries()),
        largest_of(a, parts * given.entries()), static_cast<long long>(nrhs),
        largest_of(b, parts * n * nrhs));
    std::fflush(stdout);
  });
}

}  // namespace spsolve::sockets
