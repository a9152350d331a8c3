// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

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

}  // namespace revode
