# `cpack` in a build folder makes two Debian packages of what is built there: quadrille, which is the program
# and the plug-in for PETSc programs, and libquadrille-dev, which is the rest. Who runs the program needs no
# compiler and no headers of PETSc.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quadrille)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "the Quadrille authors")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_permissions.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(architecture "without -march")
if(QUADRILLE_CPU_ARCH)
  set(architecture "for -march=${QUADRILLE_CPU_ARCH}")
endif()
set(on_gpu "are left out")
if(QUADRILLE_HAS_CUDA)
  set(on_gpu "with CUDA ${CUDAToolkit_VERSION}")
endif()
set(kernels "The kernels of the CPU are compiled ${architecture}, those of the GPU ${on_gpu}.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME quadrille)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION  # below the first line, which is that of the project
    "The program quadrille, and the plug-in libquadrille_petsc.so, which gives PETSc programs a matrix type.
${kernels}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "openmpi-bin, python3-matplotlib, python3-h5py")  # mpiexec; plot, bench --plot

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libquadrille-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "Static libraries and headers for C++20, with files for CMake and pkg-config.
${kernels}")

# For cmake/package_dependencies.cmake, which cpack runs.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_dependencies.cmake)
set(CPACK_QUADRILLE_NEEDED_FILES ${needed_files})
set(CPACK_QUADRILLE_CPU_ARCH "${QUADRILLE_CPU_ARCH}")
include(CPack)
