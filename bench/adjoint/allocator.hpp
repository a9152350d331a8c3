// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace revode::bench {

/// Most bytes that all libraries of this program together held of the heap, beyond what they held
/// when counting began.
class heap_count {
 public:
  heap_count();
  std::size_t peak() const;

 private:
  std::size_t before_;
};

}  // namespace revode::bench
