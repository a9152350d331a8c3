# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)

# revode_component(name ROOT dir [GLOB pattern...] [EXCLUDE regex] [SOURCES file...] [LINK target...])
#
# The target revode::name. Its headers are those under ROOT that match GLOB (default revode/*.hpp, in
# all folders below) and not EXCLUDE, both relative to ROOT. A component sees its own root and the
# roots of what it links, so an include in the wrong direction does not compile.
function(revode_component component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ROOT;EXCLUDE" "GLOB;SOURCES;LINK")
  set(root ${PROJECT_SOURCE_DIR}/${arg_ROOT})
  if(NOT arg_GLOB)
    set(arg_GLOB revode/*.hpp)
  endif()
  list(TRANSFORM arg_GLOB PREPEND ${root}/)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${root} ${arg_GLOB})
  if(arg_EXCLUDE)
    list(FILTER headers EXCLUDE REGEX ${arg_EXCLUDE})
  endif()
  set_property(GLOBAL APPEND PROPERTY revode_components ${component})
  set_property(GLOBAL APPEND PROPERTY revode_headers ${headers})
  list(TRANSFORM headers PREPEND ${root}/)

  set(target revode_${component})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(revode::${component} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${component})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${arg_LINK})
  if(REVODE_INSTALL)
    install(TARGETS ${target} EXPORT revode-targets COMPONENT revode_development
            FILE_SET HEADERS COMPONENT revode_development)
  endif()
endfunction()

# What equal bits need of whoever compiles our templates: products are fused where muladd says so and
# nowhere else. And what every solve needs: a NaN is not taken for a number, even with -ffast-math.
set(revode_exact_flags
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-fno-finite-math-only>
    $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-fmad=false>
    $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-ffp-contract=off>)
