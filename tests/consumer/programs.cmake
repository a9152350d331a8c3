# SPDX-License-Identifier: Apache-2.0
# consumer(name target KEEPS_BITS flags...): the program, compiled with flags of the user's own.
function(consumer name target keeps_bits)
  add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer.cpp)
  target_compile_options(${name} PRIVATE ${ARGN})
  target_compile_definitions(${name} PRIVATE KEEPS_BITS=${keeps_bits})
  target_link_libraries(${name} PRIVATE ${target})
endfunction()

set(fused -O2 -ffp-contract=fast)
set(fused_bits true)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND fused -mfma)
  set(fused_bits false)
endif()
consumer(consumer revode::revode true ${fused}) # which takes that back
consumer(consumer_of_core revode::core ${fused_bits} ${fused}) # which does not, and tells
consumer(consumer_in_haste revode::revode false -O1 -ffast-math) # finds NaN all the same
