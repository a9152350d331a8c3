# SPDX-License-Identifier: Apache-2.0
# cmake -DOBJDUMP=... -DOBJECT=... -DVECTOR=ymm|zmm -P check.cmake
# Is the arithmetic of the loops over lanes done on whole vectors, without a call? One function that is
# not inlined, or one branch, costs the loop its vectorisation; no clock is needed to see that.
if(NOT OBJDUMP OR NOT EXISTS "${OBJDUMP}")
  message("skipped: no objdump")
  return()
endif()
set(arithmetic "v(add|sub|mul|div|sqrt|max|min|fn?m(add|sub)(132|213|231))")
foreach(function attempt_lorenz pull_lorenz attempt_ring pull_ring attempt_wide_ring attempt_stiff pull_stiff eliminate_eight solve_eight)
  execute_process(
    COMMAND ${OBJDUMP} -d --no-show-raw-insn --disassemble=${function} ${OBJECT}
    OUTPUT_VARIABLE text ERROR_VARIABLE trouble RESULT_VARIABLE failed)
  if(failed)
    message("skipped: ${OBJDUMP} says: ${trouble}")
    return()
  endif()
  string(REGEX MATCHALL "${arithmetic}pd[^\n]*%${VECTOR}" vectors "${text}")
  string(REGEX MATCHALL "${arithmetic}(pd[^\n]*%xmm|sd )" scalars "${text}")
  string(REGEX MATCHALL "\tcallq? " calls "${text}")
  list(LENGTH vectors vectors)
  list(LENGTH scalars scalars)
  list(LENGTH calls calls)
  message("${function}: ${vectors} operations on ${VECTOR}, ${scalars} on fewer lanes, ${calls} calls")
  # A step has some hundred operations, a solve of eight rows 64; what does not depend on the lane may
  # be scalar, and unusual controllers have a function of their own, called once.
  math(EXPR most "${vectors} / 25")
  if(vectors LESS 60 OR scalars GREATER most OR calls GREATER 1)
    message(SEND_ERROR "${function}: the loop over lanes is not vectorised")
  endif()
endforeach()
