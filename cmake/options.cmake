# Language, warnings, optimisation and the switches a builder may set.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

option(QUADRILLE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(QUADRILLE_PETSC "Build the program and PETSc's part; OFF: grid, assembly, formats, kernels, multigrid and nothing else" ON)
option(QUADRILLE_SANITIZE "Build everything with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
set(QUADRILLE_CPU_ARCH native CACHE STRING "Value of -march for the CPU kernels: native, x86-64-v3, ...; empty for none")
set(QUADRILLE_CUDA AUTO CACHE STRING "AUTO (when nvcc is there), ON or OFF")
set(QUADRILLE_SUITESPARSE AUTO CACHE STRING "AUTO (when it is there), ON or OFF")

# -Wrestrict: GCC 12 sees overlaps in std::string that are not there (GCC bug 105651).
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
                    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
if(QUADRILLE_SANITIZE)
  # A null pointer that is read ends a run as it is, and object sizes and virtual tables are what
  # AddressSanitizer watches: without checks of their own files compile in a tenth to a third less.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size,vptr>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=address,undefined)
endif()

# For a folder whose own code is not what takes the time when it runs, as the kernels do: it compiles in less.
# Under the sanitizers, where instrumented code takes longest to optimise, not at all optimised.
function(quadrille_compile_fast)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:$<IF:$<BOOL:${QUADRILLE_SANITIZE}>,-O0,-O1>>)
endfunction()

# A library of this project, of the component QUADRILLE_COMPONENT (kernels where it is not set) of the
# installed package: its headers are found from the source root, and the public ones as <quadrille/...> when
# installed.
function(quadrille_library name)
  add_library(${name} STATIC ${ARGN})
  add_library(quadrille::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                            $<INSTALL_INTERFACE:include>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  if(NOT QUADRILLE_COMPONENT)
    set(QUADRILLE_COMPONENT kernels)
  endif()
  set_property(GLOBAL APPEND PROPERTY QUADRILLE_LIBRARIES_${QUADRILLE_COMPONENT} ${name})
endfunction()
