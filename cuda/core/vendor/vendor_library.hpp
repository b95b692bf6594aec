#pragma once

#include <atomic>
#include <string>

namespace spsolve::cuda::inline core {

/// A library of the GPU's vendor, which is loaded when a function of it is first called: it takes a
/// tenth of a second and a hundred megabytes, which a process that uses no GPU need not pay.
class VendorLibrary {
 public:
  /// `names`: what the loader may know it by, where it was when this was built last; null at the
  /// end.
  constexpr VendorLibrary(const char* title, const char* const* names)
      : title_(title), names_(names) {}

  /// The address of a function. Throws Error(resources) where the library or the function is not
  /// found. May be called by several threads.
  void* function(const char* name) const;

  /// Why it cannot be loaded, or "". Loads it.
  std::string problem() const;

 private:
  const char* title_;
  const char* const* names_;
};

extern const VendorLibrary cublas_library, cublaslt_library, cusparse_library, nccl_library;

/// A function of such a library, called like that of its header.
template <typename Signature>
class VendorFunction;

template <typename Result, typename... Arguments>
class VendorFunction<Result(Arguments...)> {
 public:
  constexpr VendorFunction(const VendorLibrary& library, const char* name)
      : library_(library), name_(name) {}

  Result operator()(Arguments... arguments) const {
    Function* found = found_.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = reinterpret_cast<Function*>(library_.function(name_));
      found_.store(found, std::memory_order_release);
    }
    return found(arguments...);
  }

  const char* name() const { return name_; }
  /// Loads the library. Throws as VendorLibrary::function() does.
  void find() const { library_.function(name_); }

 private:
  using Function = Result(Arguments...);

  const VendorLibrary& library_;
  const char* name_;
  mutable std::atomic<Function*> found_ = nullptr;
};

}  // namespace spsolve::cuda::core
