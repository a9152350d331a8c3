// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace revode {

template <class T>
inline constexpr char type_mark = 0;

/// One object of each type that is asked for, made the first time and kept. A copy has its own: what is copied for
/// another thread shares no memory with it.
class scratch_by_type {
 public:
  scratch_by_type() = default;
  scratch_by_type(const scratch_by_type&) {}
  scratch_by_type(scratch_by_type&&) noexcept = default;
  scratch_by_type& operator=(scratch_by_type other) noexcept {
    kept_.swap(other.kept_);
    return *this;
  }
  ~scratch_by_type() = default;

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

/// use(object), one of type T that the thread keeps and that a call inside of `use` does not find.
template <class T, class Use>
decltype(auto) with_kept(Use&& use) {
  thread_local T kept;
  struct lent {
    T object = std::move(kept);
    ~lent() { kept = std::move(object); }
  } now;
  return use(now.object);
}

}  // namespace revode
