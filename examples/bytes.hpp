// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

// Counts what a program takes from malloc, under operator new, Eigen and everything else, by standing
// in for it (glibc only; address sanitizers do the same, so nothing is counted under them). To be
// included by one source file of a program, after Eigen (clang's headers declare posix_memalign).

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
inline constexpr bool bytes_are_counted = true;
#else
inline constexpr bool bytes_are_counted = false;
#endif

/// Bytes that are allocated now, and the most there have been since watch_bytes().
struct byte_counts {
  std::ptrdiff_t live = 0;
  std::ptrdiff_t peak = 0;
  long calls = 0;
};
inline constinit byte_counts bytes;

/// What a piece of the program took at its worst, beyond what was there before it.
template <class Work>
std::ptrdiff_t peak_bytes_of(Work&& work) {
  const std::ptrdiff_t before = bytes.peak = bytes.live;
  work();
  return bytes.peak - before;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

static void* count_bytes(void* memory, std::ptrdiff_t given_back = 0) noexcept {
  if (memory != nullptr) {
    bytes.live += static_cast<std::ptrdiff_t>(malloc_usable_size(memory)) - given_back;
    bytes.peak = std::max(bytes.peak, bytes.live);
    ++bytes.calls;
  }
  return memory;
}
void* malloc(std::size_t n) noexcept { return count_bytes(__libc_malloc(n)); }
void* calloc(std::size_t n, std::size_t m) noexcept { return count_bytes(__libc_calloc(n, m)); }
void* realloc(void* old, std::size_t n) noexcept {
  const auto before = static_cast<std::ptrdiff_t>(old != nullptr ? malloc_usable_size(old) : 0);
  return count_bytes(__libc_realloc(old, n), before);
}
void* memalign(std::size_t to, std::size_t n) noexcept {
  return count_bytes(__libc_memalign(to, n));
}
void* aligned_alloc(std::size_t to, std::size_t n) noexcept { return memalign(to, n); }
int posix_memalign(void** out, std::size_t to, std::size_t n) noexcept {
  return (*out = memalign(to, n)) != nullptr ? 0 : ENOMEM;
}
void free(void* memory) noexcept {
  if (memory != nullptr) bytes.live -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  __libc_free(memory);
}
}
#endif
