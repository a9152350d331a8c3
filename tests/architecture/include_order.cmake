# SPDX-License-Identifier: Apache-2.0
# cmake -D ROOT=<source folder> -P include_order.cmake: who may include whom.
set(engine config io status concepts state ad linalg schedule loop problem solve testing)
set(system_headers "^(sys/|unistd\\.h|fcntl\\.h|immintrin\\.h)")

function(check_revode_include header layer other)
  list(FIND engine ${layer} from)
  list(FIND engine ${other} to)
  if(layer STREQUAL other OR (from EQUAL -1 AND NOT to EQUAL -1)
     OR (layer STREQUAL "problems" AND other STREQUAL "interop") # the erased problems' states are Eigen's
     OR (layer STREQUAL "batch" AND other STREQUAL "adjoint")
     OR (layer STREQUAL "nn" AND other MATCHES "^(interop|batch)$") # its arrays are Eigen's; batch/elementary.hpp
     OR (layer STREQUAL "mpi" AND other STREQUAL "batch")
     OR layer STREQUAL "any") # it stands on all, and nothing on it
    return()
  endif()
  if(to EQUAL -1 OR to GREATER from)
    message(SEND_ERROR "${header}: ${layer} includes ${other}, which is not left of it")
  elseif(layer STREQUAL "schedule" AND other MATCHES "^(state|ad|linalg)$")
    message(SEND_ERROR "${header}: schedule is pure integers and includes ${other}")
  endif()
endfunction()

function(check_foreign_include header layer library)
  string(REGEX REPLACE ".*/interop/([a-z0-9]+).*" "\\1" of ${header}) # interop/x.hpp, interop/x_recording.hpp, interop/x/…
  string(TOLOWER ${library} lower)
  if(library MATCHES ${system_headers} OR (layer STREQUAL "interop" AND lower MATCHES ${of})
     OR ("${layer}/${of}" STREQUAL "interop/odeint" AND library MATCHES "^boost/")
     OR (layer STREQUAL "mpi" AND library STREQUAL "mpi.h")
     OR ("${layer}/${library}" STREQUAL "state/omp.h") # long states on threads
     OR (layer STREQUAL "batch" AND library MATCHES "^(thrust|cub|cuda|omp|tbb)"))
    return()
  endif()
  message(SEND_ERROR "${header}: ${layer} includes ${library} (only interop/x.hpp includes x, only batch includes thrust)")
endfunction()

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/include/*.hpp ${ROOT}/solvers/*.hpp ${ROOT}/adjoint/*.hpp)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "^[a-z]+/revode/([a-z_0-9]+).*" "\\1" layer ${header})
  if(layer STREQUAL "revode")
    continue()
  endif()
  file(STRINGS ${ROOT}/${header} lines REGEX "^ *# *include")
  foreach(line IN LISTS lines)
    if(line MATCHES "<revode/([a-z_0-9]+)")
      check_revode_include(${header} ${layer} ${CMAKE_MATCH_1})
    elseif(line MATCHES "include *\"")
      message(SEND_ERROR "${header}: ${line} (write <revode/...>)")
    elseif(line MATCHES "<([^>]*[/.][^>]*)>")
      check_foreign_include(${header} ${layer} ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
