# SPDX-License-Identifier: Apache-2.0
# The command `revode`, at the top of the build folder.
find_package(CLI11 CONFIG QUIET)
find_package(nlohmann_json CONFIG QUIET)
if(NOT CLI11_FOUND OR NOT nlohmann_json_FOUND)
  message(FATAL_ERROR "CLI11 or nlohmann-json not found (the revode command needs both) "
                      "install libcli11-dev and nlohmann-json3-dev, or configure with -DREVODE_COMMAND=OFF?")
endif()
file(GLOB command_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
add_executable(revode_command ${command_sources})
set_target_properties(revode_command PROPERTIES OUTPUT_NAME revode RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(revode_command PRIVATE revode::revode CLI11::CLI11 nlohmann_json::nlohmann_json)
target_include_directories(revode_command PRIVATE ${PROJECT_SOURCE_DIR}/src)
if(REVODE_SANITIZED_SUBSET)
  set_target_properties(revode_command PROPERTIES EXCLUDE_FROM_ALL ON)
elseif(REVODE_INSTALL)
  install(TARGETS revode_command COMPONENT revode_command)
endif()
