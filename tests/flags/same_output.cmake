# SPDX-License-Identifier: Apache-2.0
# cmake -D A=program -D B=program -P same_output.cmake
cmake_policy(VERSION 3.25)
execute_process(COMMAND ${A} OUTPUT_VARIABLE a COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${B} OUTPUT_VARIABLE b COMMAND_ERROR_IS_FATAL ANY)
if(NOT a STREQUAL "${b}" OR a STREQUAL "")
  message(FATAL_ERROR "two builds differ:\n${a}and\n${b}")
endif()
