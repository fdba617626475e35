# Run by `cmake --install` (cmake/install.cmake): the public headers, which stand in drivers/quadrille and go
# to include/quadrille, and what they include, which goes to include/quadrille/internal with the folders it
# has in the tree. In both, lines that include another of them name it by where it is installed, so that a
# file of a user's own, grid/error.hpp say, is never taken for one of ours.
#
# Set: SOURCES, the top of the tree; STAGING, a folder to make them in; PUBLIC, names in drivers/quadrille.
cmake_policy(VERSION 3.25)
set(ours "#include \"((grid|formats|assembly|kernels|drivers|quadrille)/[^\"]+)\"")

function(quadrille_stage tree_path installed_path)
  file(READ ${SOURCES}/${tree_path} text)
  string(REGEX MATCHALL "${ours}" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "${ours}" "\\1" included "${line}")
    if(included MATCHES "^quadrille/")
      string(REPLACE "${line}" "#include <${included}>" text "${text}")
      cmake_path(GET included FILENAME name)
      if(NOT name IN_LIST PUBLIC)
        message(FATAL_ERROR "${tree_path} includes ${included}, which is not public here: ${PUBLIC}")
      endif()
    else()
      string(REPLACE "${line}" "#include <quadrille/internal/${included}>" text "${text}")
      if(NOT EXISTS ${STAGING}/quadrille/internal/${included})
        quadrille_stage(${included} internal/${included})
      endif()
    endif()
  endforeach()
  file(WRITE ${STAGING}/quadrille/${installed_path} "${text}")
endfunction()

file(REMOVE_RECURSE ${STAGING})
foreach(name IN LISTS PUBLIC)
  quadrille_stage(drivers/quadrille/${name} ${name})
endforeach()
file(INSTALL ${STAGING}/quadrille DESTINATION ${CMAKE_INSTALL_PREFIX}/include TYPE DIRECTORY)
