# What `cmake --install` puts where, for people (programs, manuals, completions, examples) and for
# programs (libraries, headers, find_package and pkg-config), and the Debian packages of both.
include(CMakePackageConfigHelpers)

set(SPSOLVE_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/spsolve)
set(SPSOLVE_SHARE ${CMAKE_INSTALL_DATADIR}/spsolve)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)

# --- for people
if(SPSOLVE_PROGRAMS)
# cuSOLVER is shared, and need not lie where the loader looks by itself.
if(SPSOLVE_HAVE_CUDA)
  set_target_properties(spbench PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
install(TARGETS spsolve spmtx spbench RUNTIME)
install(DIRECTORY configs slurm DESTINATION ${SPSOLVE_SHARE})
install(PROGRAMS apps/plot.py apps/reproduce.py DESTINATION ${SPSOLVE_SHARE})
install(FILES apps/plot_drawing.py apps/plot_reports.py apps/plot_tables.py
  apps/reproduced_tables.py apps/runs.py DESTINATION ${SPSOLVE_SHARE})
install(DIRECTORY apps/published DESTINATION ${SPSOLVE_SHARE} PATTERN __pycache__ EXCLUDE)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Manuals, completions and schemas are what the programs say of themselves.
set(generated_folder ${CMAKE_BINARY_DIR}/generated/share)
file(MAKE_DIRECTORY ${generated_folder})
function(generate_text app what file destination name)
  add_custom_command(OUTPUT ${generated_folder}/${file} VERBATIM
    COMMAND ${app} --generate ${what} > ${generated_folder}/${file} DEPENDS ${app})
  set_property(GLOBAL APPEND PROPERTY generated_texts ${generated_folder}/${file})
  install(FILES ${generated_folder}/${file} DESTINATION ${destination} RENAME ${name})
endfunction()
foreach(app spsolve spmtx spbench)
  generate_text(${app} man ${app}.1 ${CMAKE_INSTALL_MANDIR}/man1 ${app}.1)
  generate_text(${app} bash ${app}.bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${app})
endforeach()
foreach(schema configuration report)
  generate_text(spsolve ${schema}-schema ${schema}.schema.json ${SPSOLVE_SHARE} ${schema}.schema.json)
endforeach()
get_property(texts GLOBAL PROPERTY generated_texts)
add_custom_target(generated_texts ALL DEPENDS ${texts})
endif()

# --- for programs
# Who includes the headers of include/spsolve sees nothing of what the libraries are made of.
set_target_properties(spsolve_api PROPERTIES EXPORT_NAME spsolve OUTPUT_NAME spsolve)
set_target_properties(spsolve_lib PROPERTIES EXPORT_NAME core OUTPUT_NAME spsolve_core)
set(installed_libraries spsolve_api spsolve_lib)
if(SPSOLVE_PROGRAMS)
  set_target_properties(spsolve_mpi PROPERTIES EXPORT_NAME mpi)
  set_target_properties(spsolve_mpi_shared PROPERTIES EXPORT_NAME mpi_shared)
  list(APPEND installed_libraries spsolve_mpi)
endif()
set_target_properties(spsolve_shared PROPERTIES EXPORT_NAME spsolve_shared)
if(SPSOLVE_HAVE_CUDA)
  set_target_properties(spsolve_cuda PROPERTIES EXPORT_NAME cuda)
  list(APPEND installed_libraries spsolve_cuda)
endif()
foreach(library ${installed_libraries} ${shared_libraries})
  target_include_directories(${library} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(TARGETS ${installed_libraries} EXPORT spsolve_targets COMPONENT development)
install(TARGETS ${shared_libraries} EXPORT spsolve_targets
        LIBRARY COMPONENT libraries NAMELINK_COMPONENT development)
install(DIRECTORY include/spsolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT spsolve_targets NAMESPACE spsolve:: DESTINATION ${SPSOLVE_CMAKE}
        COMPONENT development)
configure_package_config_file(packaging/spsolveConfig.cmake.in ${CMAKE_BINARY_DIR}/spsolveConfig.cmake
                              INSTALL_DESTINATION ${SPSOLVE_CMAKE})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/spsolveConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/spsolveConfig.cmake ${CMAKE_BINARY_DIR}/spsolveConfigVersion.cmake
              cmake/SparseLibraries.cmake
        DESTINATION ${SPSOLVE_CMAKE} COMPONENT development)
# Who links the static libraries links what they need.
list(JOIN BLAS_LIBRARIES " " SPSOLVE_PC_BLAS)
set(SPSOLVE_PC_CUDA "")
if(SPSOLVE_HAVE_CUDA)
  set(SPSOLVE_PC_CUDA "-lspsolve_cuda")
  set(SPSOLVE_PC_CUDA_LIBRARIES "${CUDA_cudart_static_LIBRARY} -ldl -lrt")  # as spsolve_cuda links it
endif()
# The prefix as seen from where the file lies, so that it is right wherever that is.
file(RELATIVE_PATH SPSOLVE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(packaging/spsolve.pc.in ${CMAKE_BINARY_DIR}/spsolve.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/spsolve.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# --- Debian packages: spsolve, libspsolve0.1 with the shared libraries, libspsolve-dev,
# libspsolve-petsc and python3-spsolve
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spsolve)
set(CPACK_PACKAGE_CONTACT "the spsolve developers <spsolve@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs libraries development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME spsolve)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS openmpi-bin)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS libopenblas0-openmp)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS python3-matplotlib)
set(library_package libspsolve${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libspsolve-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${library_package} (= ${PROJECT_VERSION}), libfmt-dev, libspdlog-dev, libyaml-cpp-dev, nlohmann-json3-dev, zlib1g-dev, libopenblas-openmp-dev, libsuitesparse-dev, libopenmpi-dev")
# libspsolve-petsc, where plugins for PETSc are built, each of which depends on its PETSc's library.
if(SPSOLVE_PETSC_VARIANTS)
  list(APPEND CPACK_COMPONENTS_ALL petsc)
  set(CPACK_DEBIAN_PETSC_PACKAGE_NAME libspsolve-petsc)
  set(CPACK_DEBIAN_PETSC_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
  set(CPACK_DEBIAN_PETSC_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
endif()
# python3-spsolve, where the module is built: for the interpreter that it was built for.
if(SPSOLVE_HAVE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python3)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_NAME python3-spsolve)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS
      "python3 (>= ${SPSOLVE_PYTHON_VERSION}), python3 (<< ${SPSOLVE_PYTHON_NEXT}), python3-numpy, python3-scipy")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_SUGGESTS python3-mpi4py)
endif()
include(CPack)
