// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {
allocation_counts counts;
}

allocation_counts allocations_now() { return counts; }
void watch_peak() { counts.peak_bytes = counts.live_bytes; }

void* operator new(std::size_t bytes) {
  void* memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc{};
  ++counts.calls;
  ++counts.live_blocks;
  counts.live_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  --counts.live_blocks;
  counts.live_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
