# SPDX-License-Identifier: Apache-2.0
# The command `revode`, at the top of the build folder.
file(GLOB command_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
add_executable(revode_command ${command_sources})
target_compile_options(revode_command PRIVATE -O1)
target_precompile_headers(revode_command PRIVATE <cli/request.hpp>)
set_target_properties(revode_command PROPERTIES OUTPUT_NAME revode RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(revode_command PRIVATE revode::any revode::revode revode::nn CLI11::CLI11 nlohmann_json::nlohmann_json)
target_include_directories(revode_command PRIVATE ${PROJECT_SOURCE_DIR}/src)
# The charts of --report: the script is written into the command, which then needs no file.
foreach(part IN ITEMS "script js" "style css")
  separate_arguments(part)
  list(GET part 0 what)
  list(GET part 1 ending)
  set(report_${what} "")
  if(REVODE_WITH_REPORT)
    file(READ ${REVODE_DYGRAPHS}/dygraph.min.${ending} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," report_${what} "${bytes}")
  endif()
endforeach()
set(report_source ${PROJECT_BINARY_DIR}/report_script.cpp)
file(CONFIGURE OUTPUT ${report_source} CONTENT [[
#include <cli/report_script.hpp>
namespace {
constexpr unsigned char script[]{@report_script@0}, style[]{@report_style@0};
std::string_view text(const unsigned char* bytes, std::size_t size) { return {reinterpret_cast<const char*>(bytes), size - 1}; }
}
std::string_view revode::cli::report_script() { return text(script, sizeof script); }
std::string_view revode::cli::report_style() { return text(style, sizeof style); }
]])
target_sources(revode_command PRIVATE ${report_source})
set_source_files_properties(${report_source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
# Where the command of this folder, which is not installed, finds what models are compiled with.
get_target_property(eigen_folder Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
list(JOIN eigen_folder : eigen_folder)
file(WRITE ${PROJECT_BINARY_DIR}/revode.include
     ${PROJECT_SOURCE_DIR}/include:${PROJECT_SOURCE_DIR}/solvers:${PROJECT_SOURCE_DIR}/adjoint:${eigen_folder}\n)
if(TARGET revode::safetensors)
  target_link_libraries(revode_command PRIVATE revode::safetensors)
  target_compile_definitions(revode_command PRIVATE REVODE_SAFETENSORS)
endif()
if(TARGET revode::hdf5)
  target_link_libraries(revode_command PRIVATE revode::hdf5)
  target_compile_definitions(revode_command PRIVATE REVODE_HDF5)
endif()
if(TARGET revode::random123)
  target_link_libraries(revode_command PRIVATE revode::random123)
  target_compile_definitions(revode_command PRIVATE REVODE_RANDOM123)
endif()
if(TARGET revode::batch AND NOT REVODE_SANITIZED_SUBSET)
  find_package(Threads REQUIRED)
  # Ensembles: a line a source, then problem, components and method; a problem's first method is its
  # default. Gradients are four fifths of the time to compile, so most methods solve alone.
  set(lane_parts "solve_and_gradient: decay 1 tsit5 harmonic 2 tsit5"
                 "solve_and_gradient: lotka_volterra 2 tsit5 lorenz 3 tsit5"
                 "solve_and_gradient: vdpol 2 tsit5 brusselator 2 tsit5"
                 "solve_and_gradient: kepler 4 tsit5 lorenz96 8 tsit5"
                 "solve_alone: rober 3 rodas5p orego 3 rodas5p"
                 "solve_and_gradient: rober 3 rosenbrock23")
  foreach(method bosh3 rk4 vern7 dop853)
    set(others "lorenz 3 ${method} vdpol 2 ${method} kepler 4 ${method}")
    if(method STREQUAL "vern7")
      list(APPEND lane_parts "solve_alone: ${others}" "solve_and_gradient: lotka_volterra 2 ${method}")
    else()
      list(APPEND lane_parts "solve_alone: lotka_volterra 2 ${method} ${others}")
    endif()
  endforeach()
  set(lane_sources)
  set(part 0)
  foreach(line IN LISTS lane_parts)
    string(REGEX MATCH "^[a-z_]+" kind "${line}")
    string(REGEX REPLACE ".*: " "" line "${line}")
    set(one "([a-z0-9_]+) ([0-9]+) ([a-z0-9_]+) ?")
    string(REGEX REPLACE "${one}" "${kind}<\\1, \\2, \\3>(), " entries "${line}")
    string(REGEX REPLACE "${one}" "#include <revode/problems/\\1.hpp>\n#include <revode/solvers/\\3.hpp>\n"
                         includes "${line}")
    set(source ${PROJECT_BINARY_DIR}/lanes/${part}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT [[
#include <cli/lanes_entries.hpp>
@includes@
template <>
auto revode::cli::lane_programs_of<@part@>() -> std::vector<lane_program> {
  return {@entries@};
}
]])
    list(APPEND lane_sources ${source})
    math(EXPR part "${part} + 1")
  endforeach()
  add_library(revode_command_lanes OBJECT ${lane_sources})
  revode_batch_sources(${lane_sources})
  if(NOT REVODE_BATCH_SYSTEM STREQUAL "CUDA")
    target_precompile_headers(revode_command_lanes PRIVATE <cli/lanes_entries.hpp>)
  endif()
  target_link_libraries(revode_command_lanes PRIVATE revode::batch revode::problems revode::solvers)
  target_include_directories(revode_command_lanes PRIVATE ${PROJECT_SOURCE_DIR}/src)
  string(TOLOWER ${REVODE_BATCH_SYSTEM} device)
  target_compile_definitions(revode_command PRIVATE REVODE_LANE_DEVICE="${device}" REVODE_LANE_PARTS=${part})
  target_link_libraries(revode_command PRIVATE revode_command_lanes revode_thrust Threads::Threads)
endif()
# What docs/honesty.md says of every method, the program that writes it, and its tests (tests/cli/honesty.cpp).
set(honesty_folder ${PROJECT_SOURCE_DIR}/bench/honesty)
add_library(
  revode_honesty STATIC EXCLUDE_FROM_ALL ${honesty_folder}/rows.cpp ${honesty_folder}/condition.cpp ${honesty_folder}/invariants.cpp
                                         ${honesty_folder}/page.cpp ${honesty_folder}/gradients.cpp
                                         ${honesty_folder}/gradient_page.cpp src/cli/methods.cpp
                                         src/cli/step_file.cpp src/cli/text.cpp)
target_compile_options(revode_honesty PRIVATE -O1)
target_link_libraries(revode_honesty PUBLIC revode::any revode::revode PRIVATE nlohmann_json::nlohmann_json)
target_include_directories(revode_honesty PUBLIC ${honesty_folder} ${PROJECT_SOURCE_DIR}/src)
add_executable(revode-bench-honesty EXCLUDE_FROM_ALL ${honesty_folder}/main.cpp)
set_target_properties(revode-bench-honesty PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(revode-bench-honesty PRIVATE revode_honesty)
if(REVODE_SANITIZED_SUBSET)
  set_target_properties(revode_command PROPERTIES EXCLUDE_FROM_ALL ON)
elseif(REVODE_INSTALL)
  install(TARGETS revode_command COMPONENT revode_command)
  # What the command itself writes for the manual and for shells.
  set(pages)
  foreach(page IN ITEMS "man ${CMAKE_INSTALL_MANDIR}/man1 revode.1" "bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions revode"
                        "zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _revode"
                        "fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d revode.fish")
    separate_arguments(page)
    list(GET page 0 shell)
    list(GET page 1 folder)
    list(GET page 2 name)
    set(file ${PROJECT_BINARY_DIR}/pages/${shell}/${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/pages/${shell})
    add_custom_command(OUTPUT ${file} COMMAND revode_command completion ${shell} > ${file} DEPENDS revode_command VERBATIM)
    list(APPEND pages ${file})
    install(FILES ${file} DESTINATION ${folder} COMPONENT revode_command)
  endforeach()
  add_custom_target(revode_pages ALL DEPENDS ${pages})
endif()
