// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the calls of malloc: Eigen allocates by it, and everything else by operator new, which calls
// it. The files of a program that include it share one malloc; nothing is counted, and COUNTS_MALLOC not defined,
// under sanitizers, which have a malloc of their own.

#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER
#endif
#if defined(__GLIBC__) && !defined(UNDER_SANITIZER)
#define COUNTS_MALLOC
inline thread_local long allocations = 0;
inline thread_local long allocated = 0;  // bytes
extern "C" void* __libc_malloc(std::size_t);
extern "C" [[gnu::weak]] void* malloc(std::size_t bytes) {
  ++allocations;
  allocated += static_cast<long>(bytes);
  return __libc_malloc(bytes);
}
#endif
