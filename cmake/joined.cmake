# Most of a build goes into reading the same headers and compiling the same templates again, so eight files of
# a target are compiled as one: all under the sanitizers, those of the tests and drivers always. What is left
# shows that each file includes what it needs. Not where ccache keeps each file's object, which makes up for
# more.
# quadrille_alone(FILES...): those that have names in common with others of their target.
# quadrille_precompile(TARGET HEADERS...): what most files of a target read, compiled once for all of them.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(QUADRILLE_JOINS ON)
endif()
if(QUADRILLE_JOINS)
  # What stands in a namespace without a name is that of the joined file, and no header's.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(QUADRILLE_JOINS AND QUADRILLE_SANITIZE)
  set(CMAKE_UNITY_BUILD ON)
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

function(quadrille_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(quadrille_precompile target)
  if(QUADRILLE_JOINS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
