# SPDX-License-Identifier: Apache-2.0
# revode::any, the compiled interface: every method over one type of problem. Implicit ones are optimised but inlined
# where the compiler sees fit: fields behind a virtual call and matrices gain nothing by more.
find_package(Threads REQUIRED)
file(GLOB any_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/any/*.cpp)
# But for four they see what is compiled, and compile none of it.
set_source_files_properties(${any_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
foreach(name IN ITEMS adjoints with_factors with_factors_and_mass with_products)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/any/${name}.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS OFF)
endforeach()
set(method_parts 12) # sources over which the methods are spread, in their order
math(EXPR last_part "${method_parts} - 1")
foreach(part RANGE ${last_part})
  set(source ${PROJECT_BINARY_DIR}/methods/${part}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT [[
#include <any/method_list.hpp>
template auto revode::compiled::entries_of_part<@part@>() -> std::vector<method_entry>;
]])
  if(part LESS 4) # explicit methods: long states are summed by vectors, all in one piece
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-UREVODE_HD;-O3" SKIP_PRECOMPILE_HEADERS ON)
  endif()
  list(APPEND any_sources ${source})
endforeach()
# The loops that drive methods, by systems, traits of methods, and whether there are events (src/any/loops.hpp).
foreach(of IN ITEMS plain_system/without_estimate plain_system/resuming plain_system/recording massive_system/resuming massive_system/recording)
  string(REPLACE "/" ";" of "${of}")
  list(GET of 0 system)
  list(GET of 1 traits)
  foreach(events IN ITEMS false true)
    set(source ${PROJECT_BINARY_DIR}/methods/loops_${system}_${traits}_${events}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT [[
#include <any/loops_of.hpp>
template auto revode::compiled::uses_by_loops<@events@>(const erased_method<@system@, @traits@>&) -> method_uses;
]])
    set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    list(APPEND any_sources ${source})
  endforeach()
endforeach()
revode_component(any ROOT include GLOB revode/any.hpp revode/any/*.hpp SOURCES ${any_sources} LINK revode::solvers revode::adjoint revode::catalog Threads::Threads)
target_sources(revode_any PUBLIC FILE_SET HEADERS FILES ${PROJECT_SOURCE_DIR}/include/revode.h)
if(REVODE_INSTALL) # a module is compiled by whoever uses it
  install(FILES ${PROJECT_SOURCE_DIR}/include/revode.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT revode_development)
endif()
target_compile_definitions(revode_any PRIVATE REVODE_METHOD_PARTS=${method_parts} REVODE_HD=inline)
target_compile_options(revode_any PRIVATE -O2 -ftree-vectorize)
target_compile_definitions(revode_any PRIVATE REVODE_WITH_KLU=$<BOOL:${REVODE_WITH_KLU}>)
if(REVODE_WITH_KLU) # the algebra "klu"
  target_include_directories(revode_any SYSTEM PRIVATE ${KLU_INCLUDE_DIR})
  target_link_libraries(revode_any PUBLIC $<BUILD_INTERFACE:${KLU_LIBRARY}> $<INSTALL_INTERFACE:klu>)
endif()
target_precompile_headers(revode_any PRIVATE <any/method_list.hpp>)
target_include_directories(revode_any PRIVATE ${PROJECT_SOURCE_DIR}/src)
if(REVODE_SANITIZED_SUBSET)
  set_target_properties(revode_any PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
