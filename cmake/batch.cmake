# SPDX-License-Identifier: Apache-2.0
# revode::batch: lanes are vectorised by the compiler, which has to unroll a state's loops for it.
thrust_create_target(revode_thrust HOST CPP DEVICE ${REVODE_BATCH_SYSTEM})
add_library(revode_lanes INTERFACE)
target_link_libraries(revode_lanes INTERFACE revode_thrust)
target_compile_options(
  revode_lanes INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-trapping-math;-fno-math-errno;--param=max-completely-peeled-insns=2000;--param=max-completely-peel-times=40>)
set(lanes_install ${REVODE_INSTALL})
set(REVODE_INSTALL OFF) # Thrust's targets are not exported: an installed revode has no batch yet
revode_component(batch ROOT include GLOB revode/batch/*.hpp LINK revode::core revode_lanes)
set(REVODE_INSTALL ${lanes_install})
