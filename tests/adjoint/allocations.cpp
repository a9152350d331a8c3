// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

allocation_counts counts;
long until_failure = 0;

bool fails() { return until_failure > 0 && --until_failure == 0; }

void* taken(void* memory) {
  if (memory == nullptr) return nullptr;
  ++counts.calls;
  ++counts.live_blocks;
  counts.live_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return memory;
}

void* given_back(void* memory) {
  if (memory == nullptr) return nullptr;
  --counts.live_blocks;
  counts.live_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}

}  // namespace

allocation_counts allocations_now() { return counts; }
void fail_allocation(long k) { until_failure = k; }
void watch_peak() { counts.peak_bytes = counts.live_bytes; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REVODE_TEST_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define REVODE_TEST_SANITIZED
#endif

#if defined(REVODE_TEST_SANITIZED)
bool counts_malloc() { return false; }
void* operator new(std::size_t bytes) {
  void* memory = taken(fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1));
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return taken(fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1));
}
void operator delete(void* memory) noexcept { std::free(given_back(memory)); }
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
#else
bool counts_malloc() { return true; }
// All of the program's memory, that of libraries which do not use operator new included.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) { return fails() ? nullptr : taken(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) {
  return fails() ? nullptr : taken(__libc_calloc(count, bytes));
}
void* aligned_alloc(std::size_t to, std::size_t bytes) {
  return fails() ? nullptr : taken(__libc_memalign(to, bytes));
}
void* memalign(std::size_t to, std::size_t bytes) {
  return fails() ? nullptr : taken(__libc_memalign(to, bytes));
}
int posix_memalign(void** memory, std::size_t to, std::size_t bytes) {
  *memory = aligned_alloc(to, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) { __libc_free(given_back(memory)); }
void* realloc(void* old, std::size_t bytes) {
  void* memory = malloc(bytes);
  if (old != nullptr && memory != nullptr) {
    std::memcpy(memory, old, std::min(bytes, malloc_usable_size(old)));
    free(old);
  }
  return memory;
}
}
#endif
