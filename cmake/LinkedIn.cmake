# Libraries of C++ that a shared object of this project holds, and does not load: fmt and spdlog by
# their headers, yaml-cpp and zlib from their archives, and the C++ runtime. Those of C, such as BLAS
# and OpenMP, stay shared.
function(use_archive target file)
  find_library(${file}_ARCHIVE lib${file}.a REQUIRED)
  mark_as_advanced(${file}_ARCHIVE)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration ${configurations})
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${${file}_ARCHIVE})
  endforeach()
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${file}_ARCHIVE})
endfunction()

use_archive(ZLIB::ZLIB z)
use_archive(yaml-cpp yaml-cpp)
set(fmt_target fmt::fmt-header-only)
set(spdlog_target spdlog::spdlog_header_only)
set_property(TARGET spdlog::spdlog_header_only PROPERTY INTERFACE_LINK_LIBRARIES
             Threads::Threads ${fmt_target})
# GCC's own library is on every system that has glibc, and an archive of it would ask for glibc 2.35.
target_link_options(spsolve_options INTERFACE -static-libstdc++ -s -Wl,--wrap=hypot)
set(linked_in ${CMAKE_CURRENT_LIST_DIR}/older_hypot.cpp)
