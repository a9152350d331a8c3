# SPDX-License-Identifier: Apache-2.0
# cmake -D ROOT=dir -D PROGRAM=file -P readme.cmake
# The README's program is examples/01_decay.cpp to the letter, has at most 25 lines, and prints what
# the README says it prints.
file(READ ${ROOT}/README.md readme)
file(READ ${ROOT}/examples/01_decay.cpp example)
string(REGEX REPLACE "^(//[^\n]*\n)+" "" example "${example}")
string(REGEX MATCH "```cpp\n(.*)\n```\n```\n" block "${readme}")
set(code "${CMAKE_MATCH_1}\n")
if(NOT code STREQUAL example)
  message(FATAL_ERROR "the README's program is not examples/01_decay.cpp:\n${code}")
endif()
string(REGEX MATCHALL "\n" lines "${code}")
list(LENGTH lines count)
if(count GREATER 25)
  message(FATAL_ERROR "the README's program has ${count} lines, more than 25")
endif()
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${readme}" "```\n${output}```" found)
if(found EQUAL -1)
  message(FATAL_ERROR "the README does not show what its program prints:\n${output}")
endif()
