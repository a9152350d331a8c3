// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include <revode/any/compiled.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/loop/matrices.hpp>
#include <revode/loop/snapshots.hpp>

namespace revode::compiled {

// Parts of a method whose type is known to the method alone (erased_method.hpp).

/// Bytes that a part keeps outside itself, as plans count them: an array of which nothing but its size is asked.
class kept_bytes {
 public:
  explicit kept_bytes(std::size_t bytes) : bytes_(bytes) {}
  kept_bytes(const kept_bytes& other) : bytes_(other.bytes_) {}  // what is trivial keeps nothing
  std::size_t size() const { return bytes_; }
  const std::byte* data() const { return nullptr; }

 private:
  std::size_t bytes_;
};

/// A part, and what loops ask of one, who do not know by what its matrices are made.
class held_part {
 public:
  using piece = std::function<void(void*, std::size_t)>;
  using array = std::function<void(kept_bytes)>;
  virtual ~held_part() = default;
  virtual auto copied() const -> std::unique_ptr<held_part> = 0;
  virtual void assign(const held_part& other) = 0;  ///< of the same type
  virtual void clear() = 0;
  virtual bool keeps_factors() const = 0;
  virtual void pieces(const piece& visit) = 0;
  virtual void arrays(const array& visit) const = 0;
  virtual void temporaries(const array& visit) const = 0;
  virtual auto matrices() const -> matrix_bytes = 0;
};

template <class Part>
class held_part_of final : public held_part {
 public:
  Part part;
  held_part_of(Part made, const matrix_shape& by) : part(std::move(made)), shape_(by) {}

  auto copied() const -> std::unique_ptr<held_part> override {
    return std::make_unique<held_part_of>(part, shape_);
  }
  void assign(const held_part& other) override {
    part = static_cast<const held_part_of&>(other).part;
  }
  void clear() override {
    if constexpr (requires { part.clear(); }) part.clear();
  }
  bool keeps_factors() const override { return revode::keeps_factors(part); }
  void pieces(const piece& visit) override { for_each_piece(part, visit); }
  void arrays(const array& visit) const override {
    visit(kept_bytes(sizeof(*this)));
    visit_arrays(part, visit);
  }
  void temporaries([[maybe_unused]] const array& visit) const override {
    if constexpr (requires { part.temporaries([](const auto&) {}); })
      part.temporaries([&](const auto& each) { visit_arrays(each, visit); });
  }

  auto matrices() const -> matrix_bytes override { return bytes_of_matrices(part, shape_); }

 private:
  matrix_shape shape_;
  template <class Each>
  static void visit_arrays(const Each& each, const array& visit) {
    for_each_array(
        each, [&](const auto& of) { visit(kept_bytes(static_cast<std::size_t>(bytes_of(of)))); });
  }
};

/// The memo, cache, tape, scratch, what dense output alone needs of it, or seeds of an erased method.
enum class part_kind : unsigned char { memo, cache, tape, scratch, scratch_of_dense, seeds };
template <part_kind Kind>
class boxed_part {
 public:
  static constexpr part_kind kind = Kind;
  boxed_part() = default;
  explicit boxed_part(std::unique_ptr<held_part> made) : held_(std::move(made)) {}
  boxed_part(const boxed_part& other) : held_(other.held_ ? other.held_->copied() : nullptr) {}
  boxed_part(boxed_part&&) noexcept = default;
  boxed_part& operator=(const boxed_part& other) {
    if (this == &other) return *this;
    if (held_ && other.held_)
      held_->assign(*other.held_);
    else
      held_ = other.held_ ? other.held_->copied() : nullptr;
    return *this;
  }
  boxed_part& operator=(boxed_part&&) noexcept = default;
  ~boxed_part() = default;

  template <class Part>
  Part& as() {
    return static_cast<held_part_of<Part>&>(*held_).part;
  }
  template <class Part>
  const Part& as() const {
    return static_cast<const held_part_of<Part>&>(*held_).part;
  }
  void clear() { held_->clear(); }
  bool keeps_factors() const { return held_->keeps_factors(); }
  template <class Visit>
  void pieces(Visit&& visit) {
    if (held_) held_->pieces([&](void* data, std::size_t bytes) { visit(data, bytes); });
  }
  template <class Visit>
  void arrays(Visit&& visit) const {
    if (held_) held_->arrays([&](kept_bytes of) { visit(of); });
  }
  template <class Visit>
  void temporaries(Visit&& visit) const {
    if (held_) held_->temporaries([&](kept_bytes of) { visit(of); });
  }
  matrix_bytes bytes_of_matrices(const matrix_shape&) const {
    return held_ ? held_->matrices() : matrix_bytes{};
  }

 private:
  std::unique_ptr<held_part> held_;
};

}  // namespace revode::compiled
