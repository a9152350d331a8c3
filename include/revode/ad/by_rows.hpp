// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/state/elements.hpp>

namespace revode {

template <class Kernel>
struct rows_rule : passed_derivatives<Kernel> {
  template <class T, class Y, class P, class DY>
  auto rows(int first, int last, const T& t, const Y& y, const P& p, DY& dy) const
      -> decltype(std::as_const(this->callable)(first, last, t, y, p, dy)) {
    return std::as_const(this->callable)(first, last, t, y, p, dy);
  }
  template <class T, class Y, class P>
  requires requires(const Kernel& k, const T& t, const Y& y, const P& p, Y& dy) {
    k(0, 1, t, y, p, dy);
  }
  void value(whole_face, const T& t, const Y& y, const P& p, Y& dy) const {
    this->callable(0, length(y), t, y, p, dy);
  }
};

/// A large field, told as a function of a run of its rows (rows.hpp):
///   by_rows([](int first, int last, const auto& t, const auto& y, const auto& p, auto& dy) {
///     for (int i = first; i < last; ++i) dy[i] = …; })
/// Its derivatives, where the kernel brings none (its own vjp, jvp and jacobian are of all rows, as any field's), are
/// made of a few rows at a time, in memory that does not grow with the formula (row_sweep), and options::threads
/// share its rows. A kernel given by its name is referred to.
template <class Kernel>
field_by<rows_rule<Kernel>> by_rows(Kernel&& kernel) {
  return {{{std::forward<Kernel>(kernel)}}};
}

}  // namespace revode
