# SPDX-License-Identifier: Apache-2.0
# A sweep in registers is the arithmetic of a derivative written by hand, and where the optimiser does not see the
# recording's length none of it is compiled: in both cases some hundred bytes, not the 20,000 of a pull that asks at
# each of 64 nodes whether there is one.
execute_process(COMMAND ${NM} -S -C ${OBJECT} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*register_sweep<[^\n]*::sweep[^\n]*" sweeps "${symbols}")
if(NOT sweeps)
  message(FATAL_ERROR "no sweep in ${OBJECT}")
endif()
foreach(line IN LISTS sweeps)
  if(NOT line MATCHES "^[0-9a-f]+ 0*([0-9a-f]+) ")
    continue()
  endif()
  math(EXPR bytes "0x${CMAKE_MATCH_1}")
  if(bytes GREATER 1500)
    message(FATAL_ERROR "${bytes} bytes: ${line}")
  endif()
endforeach()
