# What PETSc's part and the program stand on. HDF5 must be the Open MPI build, the one Debian's PETSc is
# linked with: the serial one in the same process clashes with it.
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.9 REQUIRED)  # of the program alone, as this
pkg_check_modules(MUPARSER REQUIRED IMPORTED_TARGET muparser>=2.3.3)  # whose byte code can be read

# PETSc: the one of PETSC_DIR and PETSC_ARCH, from the command line or the environment, else the one that
# pkg-config knows.
foreach(name PETSC_DIR PETSC_ARCH)
  set(${name} "$ENV{${name}}" CACHE STRING "Which PETSc to build with; empty for the one that pkg-config knows")
endforeach()
set(petsc_place "${PETSC_DIR}/${PETSC_ARCH}")
if(NOT petsc_place STREQUAL QUADRILLE_PETSC_PLACE)  # what pkg-config said of another one
  unset(__pkg_config_checked_PETSC CACHE)
endif()
set(QUADRILLE_PETSC_PLACE "${petsc_place}" CACHE INTERNAL "")
if(PETSC_DIR)
  file(REAL_PATH "${PETSC_DIR}/${PETSC_ARCH}" petsc_place)
  if(NOT EXISTS ${petsc_place}/lib/pkgconfig/PETSc.pc)
    message(FATAL_ERROR "PETSC_DIR=${PETSC_DIR} PETSC_ARCH=${PETSC_ARCH}: there is no PETSc in ${petsc_place} "
                        "(lib/pkgconfig/PETSc.pc)")
  endif()
  set(ENV{PKG_CONFIG_PATH} "${petsc_place}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endif()
pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET PETSc)
message(STATUS "PETSc ${PETSC_VERSION} in ${PETSC_LIBDIR}")

pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi)
find_library(HDF5_HL_LIBRARY NAMES hdf5_openmpi_hl hdf5_hl HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)

# SuiteSparse's AMD, a row ordering of RgCSR; without it that is refused.
if(NOT QUADRILLE_SUITESPARSE STREQUAL "OFF")
  find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
  find_library(AMD_LIBRARY amd)
  if(NOT (AMD_INCLUDE_DIR AND AMD_LIBRARY))
    unset(AMD_LIBRARY CACHE)
    if(QUADRILLE_SUITESPARSE STREQUAL "ON")
      message(FATAL_ERROR "QUADRILLE_SUITESPARSE=ON, but SuiteSparse's amd.h and libamd were not found")
    endif()
    message(STATUS "SuiteSparse: not found, building without the ordering amd")
  endif()
else()
  unset(AMD_LIBRARY CACHE)
endif()
