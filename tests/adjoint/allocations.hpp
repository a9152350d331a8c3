// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// What this program has taken from the heap and not given back, and how often it asked. Bytes are
/// those that may be used, as the allocator rounds them.
struct allocation_counts {
  long calls = 0;
  long live_blocks = 0;
  std::ptrdiff_t live_bytes = 0;
  std::ptrdiff_t peak_bytes = 0;  ///< most live bytes since the last call of watch_peak
};

allocation_counts allocations_now();
void watch_peak();
/// Is malloc counted, by which Eigen and libraries allocate, beside operator new? Not under sanitizers.
bool counts_malloc();
/// The k-th allocation from now on fails, and no other; 0: none does.
void fail_allocation(long k);
