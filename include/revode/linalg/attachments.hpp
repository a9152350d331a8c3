// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace revode {

/// Constants that belong to an object, each made when first asked for and then shared, also between
/// threads. Copies of the object start without.
class attachments {
 public:
  attachments() = default;
  attachments(const attachments&) {}
  attachments& operator=(const attachments&) { return *this; }

  /// The A of this object; make() gives the shared_ptr<const A>.
  template <class A, class Make>
  std::shared_ptr<const A> get(const Make& make) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const void>& place = of_type_[std::type_index(typeid(A))];
    if (place == nullptr) place = std::shared_ptr<const A>(make());
    return std::static_pointer_cast<const A>(place);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::type_index, std::shared_ptr<const void>> of_type_;
};

/// A place for factors that copies share until one of them wants to write. What a copy had before waits for the next of
/// them that does, so that two carries in exchange allocate nothing.
template <class F>
class shared_place {
 public:
  shared_place() = default;
  shared_place(const shared_place&) = default;
  shared_place(shared_place&&) = default;
  shared_place& operator=(const shared_place& other) {
    if (current_ == other.current_) return *this;
    if (other.waiting_ != nullptr) waiting_ = other.waiting_;
    if (current_.use_count() == 1) waiting_->put(std::move(current_));
    current_ = other.current_;
    return *this;
  }
  shared_place& operator=(shared_place&&) = default;

  const F* get() const { return current_.get(); }
  /// What all who share it may complete.
  F* shared() const { return current_.get(); }
  /// A place that nobody else reads.
  F& own() {
    if (current_.use_count() == 1) return *current_;
    if (waiting_ == nullptr) waiting_ = std::make_shared<places>();
    current_ = waiting_->take();
    if (current_ == nullptr) current_ = std::make_shared<F>();
    return *current_;
  }

 private:
  class places {
   public:
    void put(std::shared_ptr<F> place) {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(place));
    }
    std::shared_ptr<F> take() {
      const std::lock_guard lock(mutex_);
      if (free_.empty()) return nullptr;
      std::shared_ptr<F> place = std::move(free_.back());
      free_.pop_back();
      return place;
    }

   private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<F>> free_;
  };

  std::shared_ptr<F> current_;
  std::shared_ptr<places> waiting_;
};

}  // namespace revode
