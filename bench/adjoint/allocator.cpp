// SPDX-License-Identifier: Apache-2.0
// malloc and its kin, counted; the C library's own do the work.
#include "allocator.hpp"

#include <malloc.h>

#include <cerrno>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* place);
}

namespace {

std::size_t live = 0, most = 0;

void* counted(void* place) {
  live += place == nullptr ? 0 : malloc_usable_size(place);
  most = live > most ? live : most;
  return place;
}
void released(void* place) { live -= place == nullptr ? 0 : malloc_usable_size(place); }

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) { return counted(__libc_calloc(count, bytes)); }
void* realloc(void* old, std::size_t bytes) {
  released(old);
  return counted(__libc_realloc(old, bytes));
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** place, std::size_t alignment, std::size_t bytes) {
  *place = memalign(alignment, bytes);
  return *place == nullptr ? ENOMEM : 0;
}
void free(void* place) {
  released(place);
  __libc_free(place);
}
}

namespace revode::bench {

heap_count::heap_count() : before_(live) { most = live; }
std::size_t heap_count::peak() const { return most - before_; }

}  // namespace revode::bench
