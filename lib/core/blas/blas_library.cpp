// Which BLAS was loaded, and by what kernels it computes.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "core/blas/blas.hpp"

// What OpenBLAS and MKL tell of themselves; other libraries have none of it.
extern "C" [[gnu::weak]] char* openblas_get_config();
extern "C" [[gnu::weak]] char* openblas_get_corename();
extern "C" [[gnu::weak]] int openblas_get_num_threads();
extern "C" [[gnu::weak]] void mkl_get_version_string(char* text, int length);
extern "C" [[gnu::weak]] int mkl_get_max_threads();

namespace spsolve::blas {

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

Vectors of_kernels(std::string_view core) {
  constexpr std::array avx512{"SkylakeX", "Cooperlake", "Sapphirerapids"};
  constexpr std::array avx2{"Haswell", "Zen", "Excavator"};
  constexpr std::array avx{"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"};
  const auto is_one = [&](const auto& names) {
    return std::ranges::find(names, core) != names.end();
  };
  if (is_one(avx512)) return Vectors::avx512;
  if (is_one(avx2)) return Vectors::avx2;
  return is_one(avx) ? Vectors::avx : Vectors::sse;
}

#if defined(__x86_64__)
Vectors of_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return Vectors::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
  return __builtin_cpu_supports("avx") ? Vectors::avx : Vectors::sse;
}
#endif

}  // namespace

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
#if defined(__x86_64__)
  if (openblas_get_corename == nullptr) return "";
  const char* const core = openblas_get_corename();
  const Vectors has = of_processor();
  if (of_kernels(core) >= has) return "";
  constexpr std::array names{"SSE", "AVX", "AVX2", "AVX-512"};
  const char* const asked = std::getenv("OPENBLAS_CORETYPE");
  return fmt::format(
      "the BLAS computes by kernels for {} processors, and this one has {}: {}", core,
      names[static_cast<std::size_t>(has)],
      asked != nullptr
          ? fmt::format("without OPENBLAS_CORETYPE={} in the environment it may be much faster",
                        asked)
          : std::string("a newer OpenBLAS, or another BLAS, may be much faster"));
#else
  return "";
#endif
}

}  // namespace spsolve::blas
