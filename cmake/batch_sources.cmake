# SPDX-License-Identifier: Apache-2.0
# revode_batch_sources(file...): these sources of the calling folder run lanes; a CUDA build gives them
# to nvcc. The project's languages must then include CUDA.
function(revode_batch_sources)
  if(REVODE_BATCH_SYSTEM STREQUAL "CUDA")
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()
