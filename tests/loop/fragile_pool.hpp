// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/loop/tiers.hpp>

namespace revode {

struct pool_failure {};

/// What a test sees of its slow pools, and the number of the store or load that throws (0: none).
struct pool_watch {
  index calls = 0, throws_at = 0, stores = 0;
};

/// A slow pool that fails at a given call, a store after half of the bytes are written.
class fragile_pool : public memory_pool {
 public:
  explicit fragile_pool(pool_watch& watch) : watch_(watch) {}

  void store(index slot, std::span<const std::byte> bytes) override {
    ++watch_.stores;
    const bool fails = ++watch_.calls == watch_.throws_at;
    memory_pool::store(slot, fails ? bytes.first(bytes.size() / 2) : bytes);
    if (fails) throw pool_failure{};
  }
  void load(index slot, std::span<std::byte> bytes) override {
    if (++watch_.calls == watch_.throws_at) throw pool_failure{};
    memory_pool::load(slot, bytes);
  }

 private:
  pool_watch& watch_;
};

}  // namespace revode
