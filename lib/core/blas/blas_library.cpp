// Which BLAS was loaded, and by what kernels it computes.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "core/blas/blas.hpp"

// Functions by which OpenBLAS and MKL tell of themselves; other libraries have none of them.
extern "C" [[gnu::weak]] char* openblas_get_config();
extern "C" [[gnu::weak]] char* openblas_get_corename();
extern "C" [[gnu::weak]] int openblas_get_num_threads();
extern "C" [[gnu::weak]] void mkl_get_version_string(char* text, int length);
extern "C" [[gnu::weak]] int mkl_get_max_threads();

// OpenBLAS's own beginning and end of the choice of its kernels, in none of its headers: there in
// builds with kernels for many processors.
extern "C" [[gnu::weak]] void gotoblas_dynamic_init();
extern "C" [[gnu::weak]] void gotoblas_dynamic_quit();

namespace spsolve::inline core::blas {

namespace {

std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

/// The first two words of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
std::string openblas_name() {
  const std::string_view config = openblas_get_config();
  return std::string(config.substr(0, config.find(' ', config.find(' ') + 1)));
}

/// The file that the functions come from.
std::string file_name() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&cblas_dgemm), &found) == 0 ||
      found.dli_fname == nullptr) {
    return "a BLAS";
  }
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::canonical(found.dli_fname, ignored);
  return ignored ? std::string(found.dli_fname) : file.filename().string();
}

/// Instructions that kernels of OpenBLAS are written for, and that processors of x86 have.
enum class Vectors { sse, avx, avx2, avx512 };

/// The vectors of kernels by name; kernels of names that are not known here are newer than these.
Vectors of_kernels(std::string_view core) {
  constexpr std::array sse{"Katmai", "Coppermine", "Northwood",    "Prescott",   "Banias",
                           "Atom",   "Core2",      "Penryn",       "Dunnington", "Nehalem",
                           "Athlon", "Opteron",    "Opteron_SSE3", "Barcelona",  "Bobcat",
                           "Nano",   "Unknown"};
  constexpr std::array avx{"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"};
  constexpr std::array avx2{"Haswell", "Zen", "Excavator"};
  const auto is_one = [&](const auto& names) {
    return std::ranges::find(names, core) != names.end();
  };
  if (is_one(sse)) return Vectors::sse;
  if (is_one(avx)) return Vectors::avx;
  return is_one(avx2) ? Vectors::avx2 : Vectors::avx512;
}

#if defined(__x86_64__)
Vectors of_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return Vectors::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
  return __builtin_cpu_supports("avx") ? Vectors::avx : Vectors::sse;
}
#else
Vectors of_processor() {
  return Vectors::sse;
}
#endif

/// The environment's word for the kernels that an OpenBLAS takes.
constexpr const char* kernels_key = "OPENBLAS_CORETYPE";

/// That word for a processor with such instructions.
const char* kernels_for(Vectors vectors) {
  constexpr std::array names{"Prescott", "Sandybridge", "Haswell", "SkylakeX"};
  return names[static_cast<std::size_t>(vectors)];
}

bool can_choose_kernels() {
  return openblas_get_corename != nullptr && gotoblas_dynamic_init != nullptr &&
         gotoblas_dynamic_quit != nullptr;
}

void choose_again() {
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
}

template <typename Function>
bool holds(const dl_phdr_info& object, Function* function) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  const std::span segments(object.dlpi_phdr, object.dlpi_phnum);
  return std::ranges::any_of(segments, [&](const auto& segment) {
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && begin <= address && address - begin < segment.p_memsz;
  });
}

/// Whether the BLAS was loaded for this code, or with it. If it was there before, others may be
/// computing by it now. Objects are listed in the order in which they were loaded.
bool came_with_us() {
  const auto look = [](dl_phdr_info* object, std::size_t, void* found) {
    const bool ours = holds(*object, &choose_kernels);
    if (ours) *static_cast<bool*>(found) = true;
    return ours || holds(*object, gotoblas_dynamic_init) ? 1 : 0;
  };
  bool found = false;
  dl_iterate_phdr(look, &found);
  return found;
}

bool falls_short() {
  return of_kernels(openblas_get_corename()) < of_processor();
}

/// The advice where kernels fall short.
std::string remedy() {
  if (const char* const asked = std::getenv(kernels_key); asked != nullptr) {
    return fmt::format("without {}={} in the environment it may be much faster", kernels_key,
                       asked);
  }
  if (can_choose_kernels() && !came_with_us()) {
    return fmt::format("with {}={} in the environment it may be much faster", kernels_key,
                       kernels_for(of_processor()));
  }
  return "a newer OpenBLAS, or another BLAS, may be much faster";
}

}  // namespace

bool choose_kernels() {
  if (!can_choose_kernels() || std::getenv(kernels_key) != nullptr) return false;
  if (!falls_short() || !came_with_us()) return false;
  setenv(kernels_key, kernels_for(of_processor()), 1);
  choose_again();
  unsetenv(kernels_key);
  if (falls_short()) choose_again();  // it was built without those: its own choice
  return !falls_short();
}

std::string library() {
  if (openblas_get_config != nullptr && openblas_get_corename != nullptr) {
    return fmt::format("{}, {} kernels, {}", openblas_name(), openblas_get_corename(),
                       threads_text(openblas_get_num_threads()));
  }
  if (mkl_get_version_string != nullptr && mkl_get_max_threads != nullptr) {
    std::array<char, 200> text{};
    mkl_get_version_string(text.data(), static_cast<int>(text.size()) - 1);
    std::string name(text.data());
    name.erase(name.find_last_not_of(' ') + 1);
    return fmt::format("{}, {}", name, threads_text(mkl_get_max_threads()));
  }
  return file_name();
}

std::string faster_kernels() {
  if (openblas_get_corename == nullptr || !falls_short()) return "";
  constexpr std::array names{"SSE", "AVX", "AVX2", "AVX-512"};
  return fmt::format("the BLAS computes by kernels for {} processors, and this one has {}: {}",
                     openblas_get_corename(), names[static_cast<std::size_t>(of_processor())],
                     remedy());
}

}  // namespace spsolve::core::blas
