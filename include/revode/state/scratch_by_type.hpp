// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace revode {

template <class T>
inline constexpr char type_mark = 0;

/// One object of each type that is asked for, made the first time and kept.
class scratch_by_type {
 public:
  template <class T, class Make>
  T& get(Make&& make) {
    for (auto& [mark, object] : kept_)
      if (mark == &type_mark<T>) return *static_cast<T*>(object.get());
    kept_.emplace_back(&type_mark<T>, std::make_shared<T>(make()));
    return *static_cast<T*>(kept_.back().second.get());
  }

 private:
  std::vector<std::pair<const char*, std::shared_ptr<void>>> kept_;
};

}  // namespace revode
