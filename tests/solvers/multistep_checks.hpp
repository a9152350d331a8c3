// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/solve/system.hpp>
#include <revode/testing/laws.hpp>

namespace revode {

/// The error at t = 1 of a multistep method whose order is held, by the record of each step, on the latter half
/// of n steps whose lengths vary smoothly by a factor of 2, from exact derivatives of the solution sin ωt.
template <class M, class T = double, class Record>
double error_on_uneven_steps(const M& m, const Record& r, int n, double omega = 3) {
  using Y = vec<T, 1>;
  const int q = r.order;
  const auto field = [omega](const auto& t, const auto& y, const auto&, auto& dy) {
    using std::cos;
    using std::sin;
    dy[0] = -2.0 * (y[0] - sin(omega * t)) + omega * cos(omega * t);
  };
  const auto at = [n](int i) {
    const double x = static_cast<double>(i) / n;
    return x + 0.33 / 6.283185307179586 * std::sin(6.283185307179586 * x);
  };
  const problem q0{field, Y{T(0)}, 0.0, 1.0};
  system<std::remove_cvref_t<decltype(field)>, Y, decltype(q0.p)> sys(q0.f, q0.p);
  auto c = make_carry<M>(q0.y0);
  auto tape = make_like<typename method_types<M, Y>::tape>(q0.y0);
  const int start = n / 2;
  const T x = T(omega) * T(at(start)), sine = std::sin(x), cosine = std::cos(x);
  begin(m, sys, at(start), Y{sine}, c);
  c.memo.order = q;
  for (int j = 0; j < q; ++j) c.memo.tau[j] = at(start - j) - at(start - j - 1);
  const T derivatives[] = {sine, cosine, -sine, -cosine};
  T power = 1;
  for (int j = 0; j <= q; ++j) {  // hʲ y⁽ʲ⁾/j!
    c.state.z[j][0] = power * derivatives[j % 4];
    power *= T(omega * c.memo.tau[0]) / T(j + 1);
  }
  for (int i = start; i < n; ++i) replay(m, sys, at(i), at(i + 1), r, c, tape);
  return std::abs(static_cast<double>(c.state.z[0][0] - std::sin(T(omega))));
}

/// Not a number from t = 0.5 on.
struct breaking {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
    if (t >= 0.5) dy[0] = dy[0] * std::numeric_limits<double>::quiet_NaN();
  }
};

/// An attempt that is not finite leaves the carry it starts from alone, and the next one its bits.
template <class M>
void check_attempt_without_numbers(const M& m) {
  using Y = vec<double, 1>;
  const problem q{breaking{}, Y{1.0}, 0.0, 1.0, Y{2.0}};
  system<breaking, Y, Y> sys(q.f, q.p);
  const tolerance tol{1e-3, 1e-3, true};
  auto from = make_carry<M>(q.y0), next = from;
  auto tape = make_like<typename method_types<M, Y>::tape>(q.y0);
  begin(m, sys, 0, q.y0, from);
  const auto before = from;
  REQUIRE(attempt(m, sys, tol, 0, 0.01, from, tape, next).error_squared <= 1);
  const auto good = next;
  const auto found = attempt(m, sys, tol, 0, 0.6, from, tape, next);
  CHECK((found.what != status::success || !(found.error_squared <= 1)));
  CHECK(equal_bits(from.state, before.state));
  CHECK(equal_bits(from.memo, before.memo));
  REQUIRE(attempt(m, sys, tol, 0, 0.01, from, tape, next).error_squared <= 1);
  CHECK(equal_bits(next.state, good.state));
  CHECK(equal_bits(next.memo, good.memo));
}

}  // namespace revode
