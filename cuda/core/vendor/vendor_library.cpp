#include "cuda/core/vendor/vendor_library.hpp"

#include <map>
#include <mutex>

#include "core/error.hpp"
#include "cuda/vendor_names.hpp"
#include "process/shared_library.hpp"

namespace spsolve::cuda::inline core {

namespace {

std::mutex loading;

/// The library of such names, which stays loaded, for handles too that are destroyed when all else
/// is. `loading` is held.
SharedLibrary& loaded(const char* const* names) {
  static auto& libraries = *new std::map<const char* const*, SharedLibrary>;
  const auto known = libraries.find(names);
  if (known != libraries.end()) return known->second;
  SharedLibrary library{};
  for (const char* const* name = names; *name != nullptr; ++name) {
    library = SharedLibrary{*name};
    if (library.problem().empty()) break;
  }
  return libraries.emplace(names, std::move(library)).first->second;
}

}  // namespace

constinit const VendorLibrary cublas_library("cuBLAS", cublas_names);
constinit const VendorLibrary cublaslt_library("cuBLASLt", cublaslt_names);
constinit const VendorLibrary cusparse_library("cuSPARSE", cusparse_names);
constinit const VendorLibrary nccl_library("NCCL", nccl_names);

void* VendorLibrary::function(const char* name) const {
  const std::scoped_lock lock(loading);
  SharedLibrary& library = loaded(names_);
  void* const found = reinterpret_cast<void*>(library.function<void()>(name));
  if (found == nullptr) {
    fail(ExitCode::resources,
         "{}, a part of the CUDA toolkit, cannot be used: {}; put its folder into LD_LIBRARY_PATH",
         title_, library.problem());
  }
  return found;
}

std::string VendorLibrary::problem() const {
  const std::scoped_lock lock(loading);
  return loaded(names_).problem();
}

}  // namespace spsolve::cuda::core
