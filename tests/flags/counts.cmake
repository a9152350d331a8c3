# SPDX-License-Identifier: Apache-2.0
# cmake -D PROGRAM=<flags_counts_…> -D EXPECTED=<tests/golden/counts.txt> -P counts.cmake
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE failed)
file(READ ${EXPECTED} expected)
if(failed OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} prints other counts than ${EXPECTED}:\n${printed}")
endif()
