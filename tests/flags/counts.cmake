# SPDX-License-Identifier: Apache-2.0
# cmake -D PROGRAM=<program> -D EXPECTED=<tests/golden/….txt> -P counts.cmake: it prints that file.
cmake_policy(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE failed)
file(READ ${EXPECTED} expected)
if(failed OR NOT printed STREQUAL "${expected}")
  message(FATAL_ERROR "${PROGRAM} prints other lines than ${EXPECTED}:\n${printed}")
endif()
