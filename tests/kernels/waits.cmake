# No object of the products, of multigrid's cycles or of the PETSc type makes the host wait for the GPU, but for
# those named in ALLOWED: what is not called for in the symbols of an object, it cannot do.
#
#   cmake -DNM=nm -DOBJECTS=a.o;b.o -DALLOWED=device.cu.o;... -P waits.cmake
cmake_minimum_required(VERSION 3.25)
set(waits "cuda(Device|Stream|Event)Synchronize|cudaMemcpy\n|cudaStreamQuery|_ZN9quadrille4cuda11synchronizeEv")
set(wrong "")
set(seen "")
foreach(object IN LISTS OBJECTS)
  get_filename_component(name "${object}" NAME)
  execute_process(COMMAND ${NM} -u "${object}" OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NM} cannot read ${object}")
  endif()
  string(REGEX MATCH "U [^\n]*(${waits})" found "${symbols}")
  if(found AND name IN_LIST ALLOWED)
    list(APPEND seen ${name})
  elseif(found)
    string(APPEND wrong "  ${name}: ${found}\n")
  endif()
endforeach()
if(wrong)
  message(FATAL_ERROR "these make the host wait for the GPU:\n${wrong}")
endif()
foreach(name IN LISTS ALLOWED)  # else the pattern finds nothing at all
  if(NOT name IN_LIST seen)
    message(FATAL_ERROR "${name} does not wait any more: take it off the list")
  endif()
endforeach()
