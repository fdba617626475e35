# Run by cpack: what libquadrille-dev depends on is the packages that the needed files belong to, so that the
# one of PETSc is the one it was built with. dpkg-shlibdeps does the same for the shared libraries of the
# program and the plug-in.
if(CPACK_QUADRILLE_CPU_ARCH STREQUAL "native")
  message(WARNING "The CPU kernels are compiled with -march=native: this package is for CPUs like this one. "
                  "For others: cmake --preset package (or -DQUADRILLE_CPU_ARCH=x86-64-v3).")
endif()

find_program(dpkg_query dpkg-query)
if(NOT dpkg_query)
  message(FATAL_ERROR "There is no dpkg-query here, by which the dependencies of a Debian package are found.")
endif()

set(packages)
foreach(file IN LISTS CPACK_QUADRILLE_NEEDED_FILES)
  execute_process(COMMAND ${dpkg_query} -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(NOT owner)  # /usr/bin/c++ is a link that belongs to none
    file(REAL_PATH ${file} target)
    execute_process(COMMAND ${dpkg_query} -S ${target} OUTPUT_VARIABLE owner ERROR_QUIET)
  endif()
  if(owner MATCHES "^([a-z0-9.+-]+)(:[a-z0-9]+)?: ")
    list(APPEND packages ${CMAKE_MATCH_1})
  else()
    message(WARNING "${file} belongs to no Debian package: libquadrille-dev cannot say that it needs it.")
  endif()
endforeach()
list(SORT packages)
list(REMOVE_DUPLICATES packages)
list(JOIN packages ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
