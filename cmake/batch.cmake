# SPDX-License-Identifier: Apache-2.0
# revode::batch: lanes are vectorised by the compiler, which has to unroll a state's loops for it, up to
# most_in_lanes (place.hpp) elements.
thrust_create_target(revode_thrust HOST ${REVODE_BATCH_HOST} DEVICE ${REVODE_BATCH_SYSTEM})
add_library(revode_lanes INTERFACE)
# An installed revode finds Thrust where it is used: see revodeConfig.cmake.in.
target_link_libraries(revode_lanes INTERFACE $<BUILD_INTERFACE:revode_thrust> $<INSTALL_INTERFACE:$<TARGET_NAME_IF_EXISTS:revode::thrust>>)
set(lane_flags -fno-trapping-math -fno-math-errno --param=max-completely-peeled-insns=2000
               --param=max-completely-peel-times=40
               --param=sccvn-max-alias-queries-per-access=100) # 1,000 take a fifth of the time to compile and find no more
target_compile_options(revode_lanes INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${lane_flags}>")
# Loops over lanes that cannot be vectorised, as they call functions, are left alone without a warning.
target_compile_options(revode_lanes INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-fno-math-errno;-Wno-pass-failed>)
# nvcc sees visitors of tapes called where only the host goes, its output has its own pragmas, and
# g++ 12 errs in it about what is not initialised. It also sees recordings that only the host makes
# (#20011), but a field that lacks REVODE_HD gives the same warning: users keep that one. A kernel that calls the
# host in earnest is none, without an error: solves look for lanes that have not ended.
list(APPEND lane_flags -fno-tree-slp-vectorize -Wno-unknown-pragmas -Wno-maybe-uninitialized)
list(TRANSFORM lane_flags PREPEND -Xcompiler=)
target_compile_options(
  revode_lanes INTERFACE "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-diag-suppress=20013,20014,20015;${lane_flags}>")
if(PROJECT_IS_TOP_LEVEL)
  add_compile_options($<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-diag-suppress=20011>)
endif()
set_target_properties(revode_lanes PROPERTIES EXPORT_NAME lanes)
if(REVODE_INSTALL)
  install(TARGETS revode_lanes EXPORT revode-targets COMPONENT revode_development)
endif()
revode_component(batch ROOT include GLOB revode/batch/*.hpp LINK revode::adjoint revode_lanes)
include(${CMAKE_CURRENT_LIST_DIR}/batch_sources.cmake)
