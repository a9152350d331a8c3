// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include <revode/solvers/partitioned/partitioned_adjoint.hpp>

namespace revode {

/// Does that half of the field stand still, bit for bit, when the same half of the state moves?
template <class Problem>
bool half_ignores_itself(const Problem& q, int half) {
  using Y = typename Problem::state_type;
  using T = scalar_t<Y>;
  const int n = length(q.y0) / 2;
  Y moved = q.y0, f = q.y0, f_moved = q.y0;
  for (int i = half * n; i < (half + 1) * n; ++i)
    moved.data()[i] += T(0.001) * (1 + std::abs(moved.data()[i]));
  q.f(T(q.t0), q.y0, q.p, f);
  q.f(T(q.t0), moved, q.p, f_moved);
  for (int i = half * n; i < (half + 1) * n; ++i) {
    const T a = f.data()[i], b = f_moved.data()[i];
    if (a != b && (a == a || b == b)) return false;
  }
  return true;
}

/// Splittings take states of two halves (q, p) and separable fields.
/// cost    four calls of the field, uncounted; none where it names dq and dp
template <partitioned_method M, class Problem>
void check_problem(const M&, const Problem& q) {
  std::string name = "method ";
  name += M::name;
  if (length(q.y0) % 2 != 0)
    throw std::invalid_argument(name + " with a state of " + std::to_string(length(q.y0)) +
                                " numbers (its state is q and p, two equal halves) choose a method "
                                "such as tsit5?");
  using Y = typename Problem::state_type;
  if constexpr (!requires(Y & dy, scalar_t<Y> t) { q.f.dq(t, q.y0, q.p, dy); })
    if (!half_ignores_itself(q, 0) || !half_ignores_itself(q, 1))
      throw std::invalid_argument(name +
                                  " with a field that is not separable (q' has to follow from t "
                                  "and p alone, p' from t and q) choose a method such as tsit5?");
}

}  // namespace revode
