// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace revode {

/// Objects of any type, made when they are first needed and then used again: what operations keep
/// from a recording to its pull, without allocating each time. A copy of a pool is empty. Not
/// shared between threads.
class object_pool {
  template <class Object>
  struct shelf {
    std::vector<std::unique_ptr<Object>> idle;
    std::size_t made = 0;
  };

 public:
  object_pool() = default;
  object_pool(const object_pool&) {}
  object_pool& operator=(const object_pool&) { return *this; }

  /// One object until the lease ends, which calls its release() where it has one. Its content is
  /// what the last user left.
  template <class Object>
  class lease {
   public:
    explicit lease(std::shared_ptr<shelf<Object>> from) : shelf_(std::move(from)) {
      if (shelf_->idle.empty()) {
        shelf_->idle.reserve(shelf_->made + 1);
        object_ = std::make_unique<Object>();
        ++shelf_->made;
      } else {
        object_ = std::move(shelf_->idle.back());
        shelf_->idle.pop_back();
      }
    }
    lease(lease&&) noexcept = default;
    lease& operator=(lease&&) = delete;
    ~lease() {
      if (!object_) return;
      if constexpr (requires { object_->release(); }) object_->release();
      shelf_->idle.push_back(std::move(object_));  // within its capacity
    }
    Object& operator*() const { return *object_; }
    Object* operator->() const { return object_.get(); }

   private:
    std::shared_ptr<shelf<Object>> shelf_;
    std::unique_ptr<Object> object_;
  };

  template <class Object>
  lease<Object> take() {
    for (const entry& e : entries_)
      if (e.type == &type_tag<Object>)
        return lease<Object>(std::static_pointer_cast<shelf<Object>>(e.shelf));
    auto made = std::make_shared<shelf<Object>>();
    entries_.push_back({&type_tag<Object>, made});
    return lease<Object>(std::move(made));
  }

 private:
  template <class Object>
  static inline char type_tag = 0;

  struct entry {
    const void* type;
    std::shared_ptr<void> shelf;
  };
  std::vector<entry> entries_;
};

}  // namespace revode
