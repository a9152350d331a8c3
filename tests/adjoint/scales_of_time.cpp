// SPDX-License-Identifier: Apache-2.0
// A unit of time that is a power of two times another changes no digit: of the solution, of its derivatives by y0, p
// and times, back and forth. Its square is no number here. Radau's complex pivots are scaled then, which rounds once more.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <type_traits>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// A pendulum whose second is `unit`. It is not driven: the field's derivative by time would be of the unit's square.
template <class R>
struct swing {
  R unit;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = y[1] / unit;
    dy[1] = (-p[1] * y[1] - p[0] * sin(y[0])) / unit;
  }
};

template <class T, class M>
void check_scale(const M& m, int exponent) {
  CAPTURE(std::string(M::name));
  CAPTURE(exponent);
  using state = vec<T, 2>;
  const auto differentiate = [&](T unit) {
    const problem<swing<T>, state, state> q{{unit}, {1, 0}, 0, 3 * unit, {T(1.5), T(0.1)}};
    const options o{.rtol = 1e-4, .atol = 1e-6, .first_step = static_cast<double>(unit) / 64};
    auto s = solve(q, m, o, recursive_checkpoint{});
    const auto g = s.pullback(state{1, 2});
    const auto pushed =
        solve(q, m, o, tangents<state, state>{.y0 = {1, 1}, .p = {1, 1}, .t1 = unit});
    REQUIRE(s.status == status::success);
    CHECK(pushed.tangent_status == status::success);
    return vec<double, 10>{s.y[0],
                           s.y[1],
                           g.y0[0],
                           g.y0[1],
                           g.p[0],
                           g.p[1],
                           static_cast<double>(g.t0 * unit),
                           static_cast<double>(g.t1 * unit),
                           pushed.y_dot[0],
                           pushed.y_dot[1]};
  };
  const auto here = differentiate(1), there = differentiate(std::ldexp(T(1), exponent));
  for (int i = 0; i < 10; ++i) {
    CAPTURE(i);
    const double off = std::abs(there[i] - here[i]);
    CHECK(off <= (std::is_same_v<M, radau_iia5> ? std::is_same_v<T, double> ? 1e-12 : 1e-4 : 0));
  }
}

TEST_CASE_TEMPLATE("equations in other units of time have the same derivatives, bit for bit", M,
                   tsit5, adams<12>, rodas5p, esdirk547, bdf5, radau_iia5) {
  for (const int exponent : {-530, 530}) check_scale<double>(M{}, exponent);
  for (const int exponent : {-66, 66}) check_scale<float>(M{}, exponent);
}

}  // namespace
}  // namespace revode
