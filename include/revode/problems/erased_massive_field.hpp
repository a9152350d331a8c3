// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include <revode/problems/erased_field.hpp>

namespace revode {

/// Any field of M y' = f(t, y, p) behind one type, as erased_field, whose cost and threads it has.
///   solve(problem{erased_massive_field(q.f), q.y0, q.t0, q.t1, q.p}, rodas5p{})
/// errors  an erased_field without a mass matrix throws std::invalid_argument
class erased_massive_field : private erased_field {
 public:
  using erased_field::vector, erased_field::matrix, erased_field::push_scalar,
      erased_field::push_vector;

  explicit erased_massive_field(const erased_field& f)
      : erased_field(f),
        mass_(f.has_mass() ? f.model_->guarded()->m : refuse()),
        index_(f.model_->guarded()->index) {
    model_ = model_->bare();
  }

  /// m(i, k) = M's elements, as the field wrote them.
  template <class Matrix>
  void mass(Matrix& m) const {
    for (const mass_entries::written& w : mass_.all())
      if (w.adds)
        m(w.row, w.column) += w.value;
      else
        m(w.row, w.column) = w.value;
  }
  /// Its f alone, for what asks for derivatives: solved by itself it would be taken for y'.
  const erased_field& alone() const { return *this; }
  /// As the field said, or empty.
  const std::vector<int>& index() const { return index_; }
  using erased_field::operator();
  using erased_field::add_dependencies, erased_field::vjp, erased_field::jvp,
      erased_field::jacobian;

 private:
  [[noreturn]] static mass_entries refuse() {
    throw std::invalid_argument(
        "a field without a mass matrix for erased_massive_field (it says y' = f) solve it as it "
        "is?");
  }

  mass_entries mass_;
  std::vector<int> index_;
};

}  // namespace revode
