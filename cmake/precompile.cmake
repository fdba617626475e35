# Under the sanitizers much of a build goes into reading the same headers again: there they are compiled once
# a target. The other builds show that each file includes what it needs, and ccache keeps nothing that is made
# with such headers.
if(NOT QUADRILLE_SANITIZE OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
set(common <algorithm> <array> <cmath> <cstdint> <functional> <memory> <optional> <string> <utility> <vector>)
foreach(target IN ITEMS quadrille_formats quadrille_kernels_cpu quadrille_kernels quadrille_assembly)
  target_precompile_headers(${target} PRIVATE ${common})
endforeach()
if(QUADRILLE_PETSC)
  target_precompile_headers(quadrille_fields PRIVATE ${common} <filesystem> <iostream>)
  target_precompile_headers(quadrille_petsc_matrix PRIVATE ${common} <petscmat.h>)
  target_precompile_headers(quadrille_face PRIVATE ${common} <petscksp.h>)
  foreach(target IN ITEMS quadrille_support quadrille)
    target_precompile_headers(${target} PRIVATE ${common} <iostream> <nlohmann/json.hpp>)
  endforeach()
endif()
