# Libraries of sparse elimination that bring no CMake package of their own, as NAME::NAME. Included by
# the build and, installed next to it, by spsolveConfig.cmake.
function(spsolve_find_library name header)
  if(TARGET ${name}::${name})
    return()
  endif()
  string(TOLOWER ${name} file)
  find_path(${name}_INCLUDE ${header} PATH_SUFFIXES suitesparse REQUIRED)
  find_library(${name}_LIBRARY ${file} REQUIRED)
  mark_as_advanced(${name}_INCLUDE ${name}_LIBRARY)
  add_library(${name}::${name} UNKNOWN IMPORTED)
  set_target_properties(${name}::${name} PROPERTIES IMPORTED_LOCATION ${${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE})
endfunction()

spsolve_find_library(AMD amd.h)
spsolve_find_library(BTF btf.h)
spsolve_find_library(CAMD camd.h)
