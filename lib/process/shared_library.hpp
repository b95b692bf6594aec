#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>

#include <dlfcn.h>

namespace spsolve::inline process {

/// The file that an environment variable names, `otherwise` where it is not set.
inline std::string file_named_by(const char* variable, const char* otherwise = "") {
  const char* const path = std::getenv(variable);
  return path == nullptr ? otherwise : path;
}

/// A library that is looked for when it is needed. It stays loaded: threads of its own may outlive
/// its users.
class SharedLibrary {
 public:
  /// The first of these names that the loader finds.
  explicit SharedLibrary(std::initializer_list<std::string> names) {
    for (const std::string& name : names) {
      if (name.empty()) continue;
      handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) {
        problem_.clear();
        return;
      }
      if (problem_.empty()) problem_ = dlerror();
    }
  }

  /// Why it cannot be used, or "".
  const std::string& problem() const { return problem_; }

  /// Its function of that name; where there is none, null, and problem() says so.
  template <typename Function>
  Function* function(const char* name) {
    if (handle_ == nullptr) return nullptr;
    void* const found = dlsym(handle_, name);
    if (found == nullptr) problem_ = std::string("it has no function ") + name;
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace spsolve::process
