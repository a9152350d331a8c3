// SPDX-License-Identifier: Apache-2.0
// A spill file gives what was stored, or throws: stores, loads and damage to the file in any order,
// beside the memory pool.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include <revode/loop/tiers.hpp>

using namespace revode;

namespace {

constexpr std::size_t bytes = 24;  // of a snapshot
constexpr revode::index slots = 8;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Writes a byte into the file behind the pool's back.
void damage(file_pool& pool, long at, std::uint8_t value) {
  if (std::fseek(pool.file(), at, SEEK_SET) == 0) std::fputc(value, pool.file());
  std::fflush(pool.file());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  file_pool file("/dev/shm");
  memory_pool memory;
  std::map<revode::index, bool> stored;
  for (std::size_t i = 0; i + 2 < size; i += 3) {
    const revode::index slot = data[i + 1] % slots;
    if (data[i] % 3 == 0) {
      std::vector<std::byte> x(bytes, std::byte(data[i + 2]));
      x[data[i + 2] % bytes] = std::byte(data[i]);
      file.store(slot, x);
      memory.store(slot, x);
      stored[slot] = true;
    } else if (data[i] % 3 == 1 && stored.contains(slot)) {
      std::vector<std::byte> from_file(bytes), from_memory(bytes);
      memory.load(slot, from_memory);
      try {
        file.load(slot, from_file);
        require(from_file == from_memory);
      } catch (const std::runtime_error&) {  // damaged, and told so
        require(std::memcmp(from_file.data(), from_memory.data(), bytes) != 0);
      }
    } else if (data[i] % 3 == 2) {
      damage(file, data[i + 1], data[i + 2]);
    }
  }
  return 0;
}
