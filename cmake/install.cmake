# What `cmake --install` puts under the prefix: the program, the libraries, their headers under include/quadrille (with
# the folders they have here), a CMake package and a pkg-config file. The last two are written from the link lines of
# the registered libraries, so that a new library or a new dependency needs no change here.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(quadrille_libraries GLOBAL PROPERTY QUADRILLE_LIBRARIES)

# Walks from a library down its link lines. Sets in the caller, by way of global properties:
#   QUADRILLE_LINK_ORDER  libraries of this project, dependents before what they depend on
#   QUADRILLE_OUTSIDE     everything else that they link
function(quadrille_walk library)
  get_property(seen GLOBAL PROPERTY QUADRILLE_SEEN)
  if(library IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY QUADRILLE_SEEN ${library})
  get_target_property(items ${library} LINK_LIBRARIES)
  if(NOT items)
    set(items)
  endif()
  foreach(item IN LISTS items)
    if(item MATCHES "^::@")  # a mark of the folder that a link line stands in
      continue()
    endif()
    string(REGEX REPLACE "::@.*$" "" item "${item}")
    string(REGEX REPLACE "^\\$<(LINK_ONLY|BUILD_INTERFACE):(.*)>$" "\\2" item "${item}")
    if(TARGET ${item})
      get_target_property(aliased ${item} ALIASED_TARGET)
      if(aliased)
        set(item ${aliased})
      endif()
    endif()
    if(item IN_LIST quadrille_libraries)
      quadrille_walk(${item})
    else()
      set_property(GLOBAL APPEND PROPERTY QUADRILLE_OUTSIDE ${item})
    endif()
  endforeach()
  get_property(order GLOBAL PROPERTY QUADRILLE_LINK_ORDER)
  list(PREPEND order ${library})
  set_property(GLOBAL PROPERTY QUADRILLE_LINK_ORDER ${order})
endfunction()

foreach(library IN LISTS quadrille_libraries)
  quadrille_walk(${library})
endforeach()
get_property(link_order GLOBAL PROPERTY QUADRILLE_LINK_ORDER)
get_property(outside GLOBAL PROPERTY QUADRILLE_OUTSIDE)
if(QUADRILLE_HAS_CUDA)
  list(APPEND outside CUDA::cudart_static)
endif()
list(REMOVE_DUPLICATES outside)

# Each dependency becomes a find_dependency line of the CMake package, flags or a requirement of the pkg-config
# file, and a file of the system (needed_files) by which cmake/package.cmake finds the Debian package to depend on.
set(find_lines)
set(needed_files ${PKG_CONFIG_EXECUTABLE})
set(pc_cflags)
set(pc_libs)
set(pc_requires)
foreach(item IN LISTS outside)
  if(item STREQUAL "OpenMP::OpenMP_CXX")
    list(APPEND find_lines "find_dependency(OpenMP COMPONENTS CXX)")
    list(APPEND pc_cflags ${OpenMP_CXX_FLAGS})
    list(APPEND pc_libs ${OpenMP_CXX_FLAGS})
    list(APPEND needed_files ${CMAKE_CXX_COMPILER})
  elseif(item STREQUAL "ZLIB::ZLIB")
    list(APPEND find_lines "find_dependency(ZLIB)")
    list(APPEND pc_requires zlib)
    list(APPEND needed_files ${ZLIB_LIBRARIES})
  elseif(item STREQUAL "Threads::Threads")
    list(APPEND find_lines "find_dependency(Threads)")
    list(APPEND pc_libs -pthread)
  elseif(item STREQUAL "PkgConfig::PETSC")
    # PETSc is a shared library. As a requirement, --static would ask for the static libraries below it, which Debian
    # does not have where PETSc.pc looks for them.
    list(APPEND find_lines "quadrille_find_petsc()")
    list(TRANSFORM PETSC_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE flags)
    list(APPEND pc_cflags ${flags})
    list(APPEND pc_libs ${PETSC_LDFLAGS})
    list(APPEND needed_files ${PETSC_LIBDIR}/pkgconfig/PETSc.pc)
  elseif(item MATCHES "^MPI::MPI_(C|CXX)$")
    set(language ${CMAKE_MATCH_1})
    list(APPEND find_lines "find_dependency(MPI COMPONENTS ${language})")
    list(TRANSFORM MPI_${language}_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE flags)
    list(APPEND pc_cflags ${flags})
    list(APPEND pc_libs ${MPI_${language}_LIBRARIES})
    list(APPEND needed_files ${MPI_${language}_LIBRARIES})
  elseif(item MATCHES "^CUDA::(.+)$")
    set(name ${CMAKE_MATCH_1})
    list(APPEND find_lines "find_dependency(CUDAToolkit ${CUDAToolkit_VERSION_MAJOR})")
    list(APPEND pc_libs -L${CUDAToolkit_LIBRARY_DIR})
    if(name STREQUAL "cudart_static")
      list(APPEND pc_libs -lcudart_static -lpthread -ldl -lrt)
      list(APPEND needed_files ${CUDAToolkit_LIBRARY_DIR}/libcudart_static.a)
    else()
      list(APPEND pc_libs -Wl,-rpath,${CUDAToolkit_LIBRARY_DIR} -l${name})
      list(APPEND needed_files ${CUDAToolkit_LIBRARY_DIR}/lib${name}.so)
    endif()
  elseif(TARGET ${item} OR item MATCHES "::" OR item MATCHES "\\$<")
    message(FATAL_ERROR "cmake/install.cmake does not know how an installed Quadrille finds '${item}': add it there")
  elseif(item MATCHES "^(-|/)")
    list(APPEND pc_libs ${item})
    if(EXISTS "${item}")
      list(APPEND needed_files ${item})
    endif()
  else()
    list(APPEND pc_libs -l${item})
  endif()
endforeach()
list(REMOVE_DUPLICATES find_lines)
list(REMOVE_DUPLICATES pc_cflags)
list(REMOVE_DUPLICATES pc_requires)
list(JOIN find_lines "\n" QUADRILLE_FIND_LINES)
list(JOIN pc_cflags " " QUADRILLE_PC_CFLAGS)
list(JOIN pc_libs " " QUADRILLE_PC_LIBS_PRIVATE)
list(JOIN pc_requires " " QUADRILLE_PC_REQUIRES_PRIVATE)
list(TRANSFORM link_order PREPEND -l OUTPUT_VARIABLE flags)
list(JOIN flags " " QUADRILLE_PC_LIBS)
list(JOIN quadrille_libraries " " QUADRILLE_COMPONENTS)

# The umbrella, Quadrille::quadrille outside; the name without _all is the program's here.
add_library(quadrille_all INTERFACE)
target_link_libraries(quadrille_all INTERFACE ${link_order})
set_target_properties(quadrille_all PROPERTIES EXPORT_NAME quadrille)

set(QUADRILLE_PETSC_PKGCONFIG ${PETSC_LIBDIR}/pkgconfig)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Quadrille)
install(TARGETS ${quadrille_libraries} quadrille_all EXPORT QuadrilleTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT QuadrilleTargets NAMESPACE Quadrille:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/QuadrilleConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/QuadrilleConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/QuadrilleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/QuadrilleConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/QuadrilleConfigVersion.cmake DESTINATION ${package_dir} COMPONENT development)

file(RELATIVE_PATH QUADRILLE_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" QUADRILLE_PC_UP "${QUADRILLE_PC_UP}")
configure_file(cmake/quadrille.pc.in quadrille.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quadrille.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The destination is the one that quadrille_library() (cmake/options.cmake) tells the users of the libraries.
install(DIRECTORY grid formats assembly kernels DESTINATION include/quadrille COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "device_fill.cuh")

# Shared libraries of CUDA stand outside the loader's path: the program remembers where.
set_target_properties(quadrille PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS quadrille RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(PROGRAMS drivers/support/plot_bench.py DESTINATION ${CMAKE_INSTALL_DATADIR}/quadrille COMPONENT runtime)
# The plug-in that PETSc programs load with -dll_append.
set_target_properties(quadrille_petsc PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS quadrille_petsc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/quadrille RENAME copyright COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libquadrille-dev RENAME copyright COMPONENT development)

# All that is installed, for ./run-demo: without it, `cmake --install` stops at the first file that is not there.
add_custom_target(quadrille_installed DEPENDS ${quadrille_libraries} quadrille quadrille_petsc)
