# SPDX-License-Identifier: Apache-2.0
# ${online_table}: the decisions of the online schedule, tabulated by a program of our own.
add_executable(revode_generate_online_table src/schedule/generate_online_table.cpp)
target_include_directories(revode_generate_online_table PRIVATE include)
target_compile_features(revode_generate_online_table PRIVATE cxx_std_20)
set(online_table ${PROJECT_BINARY_DIR}/generated/online_table.cpp)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${online_table} COMMAND revode_generate_online_table ${online_table}
                   DEPENDS revode_generate_online_table COMMENT "Tabulating the online schedule")
