// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace revode {

/// Seconds that this thread has had of the processor: other programs at work make them longer by what
/// they take of caches alone.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace revode
