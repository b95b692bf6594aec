// The library that PETSc opens. It stands on no PETSc: of the plugins next to it, one for each
// version, scalar type and width of indices, it loads the one for the PETSc that called.

#include <string>

#include <dlfcn.h>
#include <mpi.h>

namespace {

// PETSc's own values, which no version changed.
constexpr int error_of_support = 56, type_double = 1, type_complex = 2, type_index = 16;

template <typename Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Where `address` was loaded from, or "".
std::string file_of(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// The PETSc that called from `address`; null where it is none.
void* library_of(const void* address) {
  void* const library = dlopen(file_of(address).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? library : dlopen(nullptr, RTLD_LAZY);  // linked into the program
}

/// "3.18_real", with "64" where indices are so wide; "" where it is no PETSc of doubles.
std::string variant_of(void* petsc) {
  auto* const version = find<int(int*, int*, int*, int*)>(petsc, "PetscGetVersionNumber");
  auto* const type_named = find<int(const char*, int*, int*)>(petsc, "PetscDataTypeFromString");
  auto* const size_of = find<int(int, std::size_t*)>(petsc, "PetscDataTypeGetSize");
  if (version == nullptr || type_named == nullptr || size_of == nullptr) return "";
  int major = 0, minor = 0, patch = 0, release = 0, type = 0, found = 0;
  std::size_t bytes = 0;
  if (version(&major, &minor, &patch, &release) != 0) return "";
  if (type_named("scalar", &type, &found) != 0 || found == 0) return "";
  if (type != type_double && type != type_complex) return "";
  if (size_of(type_index, &bytes) != 0) return "";
  return std::to_string(major) + "." + std::to_string(minor) +
         (type == type_complex ? "_complex" : "_real") + (bytes == 8 ? "64" : "");
}

/// Tells PETSc of an error, in its manner; the code that a call of it ends with.
int tell(void* petsc, const std::string& sentence) {
  using Tell = int(MPI_Comm, int, const char*, const char*, int, int, const char*, ...);
  auto* const error = find<Tell>(petsc, "PetscError");
  if (error == nullptr) return error_of_support;
  constexpr int initial = 0;  // PETSC_ERROR_INITIAL
  return error(MPI_COMM_SELF, __LINE__, "PetscDLLibraryRegister_spsolve_petsc", __FILE__,
               error_of_support, initial, "%s", sentence.c_str());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int PetscDLLibraryRegister_spsolve_petsc() {
  void* const petsc = library_of(__builtin_return_address(0));
  const std::string variant = variant_of(petsc);
  if (variant.empty()) return tell(petsc, "spsolve works with PETSc's of double precision alone");
  const std::string own = file_of(reinterpret_cast<void*>(&library_of));
  const std::string plugin =
      own.substr(0, own.rfind('/') + 1) + "libspsolve_petsc_" + variant + ".so";
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return tell(petsc, "spsolve has no plugin for this PETSc, " + variant +
                           "; build it with this " + "PETSc by -DSPSOLVE_PETSC=FOLDER. " +
                           (reason ? reason : ""));
  }
  if (dlsym(library, "PetscInitialize") != dlsym(petsc, "PetscInitialize")) {
    return tell(petsc, plugin + " stands on another copy of PETSc than this program; build it " +
                           "with this one by -DSPSOLVE_PETSC=FOLDER");
  }
  auto* const enter = find<int()>(library, "spsolve_petsc_register");
  return enter != nullptr ? enter() : tell(petsc, plugin + " is none of spsolve's");
}
