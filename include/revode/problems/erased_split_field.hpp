// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <utility>

#include <revode/problems/erased_field.hpp>

namespace revode {

template <class Face>
concept erased_face = std::same_as<Face, whole_face> || std::same_as<Face, implicit_face> ||
    std::same_as<Face, explicit_face>;

/// A field and its parts, each erased by itself, with all that each brings.
class erased_parts {
 public:
  using vector = erased_field::vector;
  using push_scalar = erased_field::push_scalar;
  using push_vector = erased_field::push_vector;

  explicit erased_parts(const erased_field& f)
      : whole_(f),
        implicit_(part_of(f, true)),
        explicit_(part_of(f, false)) {}

  template <erased_face Face, class... A>
  auto value(Face, A&&... a) const -> decltype(std::declval<const erased_field&>()(a...)) {
    return of<Face>()(a...);
  }
  template <erased_face Face, class... A>
  auto pull(Face, A&&... a) const -> decltype(std::declval<const erased_field&>().vjp(a...)) {
    return of<Face>().vjp(a...);
  }
  template <erased_face Face, class... A>
  auto push(Face, A&&... a) const -> decltype(std::declval<const erased_field&>().jvp(a...)) {
    return of<Face>().jvp(a...);
  }
  template <erased_face Face, class... A>
  auto matrix(Face, A&&... a) const
      -> decltype(std::declval<const erased_field&>().jacobian(a...)) {
    return of<Face>().jacobian(a...);
  }

  template <erased_face Face>
  const erased_field& of() const {
    if constexpr (std::same_as<Face, whole_face>)
      return whole_;
    else if constexpr (std::same_as<Face, implicit_face>)
      return implicit_;
    else
      return explicit_;
  }

 private:
  static erased_field part_of(const erased_field& f, bool implicit) {
    auto model = f.model_->part(implicit);
    if (!model)
      throw std::invalid_argument(
          "a field without parts for erased_split_field (it has no implicit_part and "
          "explicit_part, or a mass matrix) solve it as an erased_field?");
    return erased_field(std::move(model));
  }

  erased_field whole_, implicit_, explicit_;
};

/// Any field that is also there as a sum, behind one type, with every face of it; cost and threads are
/// those of an erased_field.
///   solve(problem{erased_split_field(f), y0, t0, t1, p}, imex<kencarp4>{})
/// errors  an erased_field without parts throws std::invalid_argument
class erased_split_field : public field_by<erased_parts> {
 public:
  explicit erased_split_field(const erased_field& f) : field_by<erased_parts>{erased_parts(f)} {}
};

}  // namespace revode
