// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/solvers/partitioned/partitioned_adjoint.hpp>

namespace revode {

/// Number i of a fixed sequence of both signs, between 1/4 and 1 in size, no two alike: what moves by it moves
/// unevenly, so that neither differences nor products vanish by chance.
inline double uneven_share(int i, int turn) {
  const double x = std::fmod(0.6180339887498949 * (i + 1) + 0.3247179572447461 * (turn + 1), 1.0);
  return x < 0.5 ? -1 + 1.5 * x : 1.5 * x - 0.5;
}

/// y's elements `from` to `to` − 1 move, by a part of themselves and by one of 1.
template <class Y>
void move_unevenly(Y& y, int from, int to, double absolute, double relative, int turn) {
  using T = scalar_t<Y>;
  using std::abs;
  for (int i = from; i < to; ++i) {
    T& x = y.data()[i];
    x += T(uneven_share(i, turn)) * (T(absolute) + T(relative) * abs(x));
  }
}

/// Do both halves of the field at (t, y) stand still, bit for bit, when the same half of y moves?
/// Calls where the field is not finite say nothing.
/// cost    three calls of the field
template <class Problem, class Y>
bool halves_ignore_themselves(const Problem& q, double t, const Y& y, int turn) {
  using T = scalar_t<Y>;
  const int n = length(y) / 2;
  Y moved = y, f = y, f_moved = y;
  q.f(T(t), y, q.p, f);
  if (!all_finite(f)) return true;
  for (int half = 0; half < 2; ++half) {
    copy(y, moved);
    move_unevenly(moved, half * n, (half + 1) * n, 0.003, 0.001, turn);
    q.f(T(t), std::as_const(moved), q.p, f_moved);
    if (!all_finite(f_moved)) continue;
    for (int i = half * n; i < (half + 1) * n; ++i)
      if (f.data()[i] != f_moved.data()[i]) return false;
  }
  return true;
}

/// Is a field separable at the start, and at three moved states inside the interval? The factor of a
/// forbidden term may vanish where a problem starts: at rest, where angles are equal, at t = 0.
template <class Problem>
bool looks_separable(const Problem& q) {
  if (!halves_ignore_themselves(q, q.t0, q.y0, 0)) return false;
  constexpr double absolute[] = {0.001, 0.07, 0.6}, relative[] = {0.03, 0.1, 0.4},
                   inside[] = {0.137, 0.423, 0.811};
  for (int k = 0; k < 3; ++k) {
    auto y = q.y0;
    move_unevenly(y, 0, length(y), absolute[k], relative[k], k + 1);
    const double t = q.t0 + inside[k] * (q.t1 - q.t0);
    try {
      if (!halves_ignore_themselves(q, t, std::as_const(y), k + 5)) return false;
    } catch (...) {  // a state that the field does not take says nothing of those that it will see
    }
  }
  return true;
}

/// Splittings take states of two halves (q, p) and separable fields.
/// cost    twelve calls of the field, uncounted; none where it names dq and dp
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
    if (!looks_separable(q))
      throw std::invalid_argument(name +
                                  " with a field that is not separable (q' has to follow from t "
                                  "and p alone, p' from t and q) choose a method such as tsit5?");
}

}  // namespace revode
