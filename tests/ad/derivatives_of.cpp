// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <revode/ad/derivatives_of.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// y' = −p y, in every way a field can be written.
struct generic {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < length(y); ++i) dy.data()[i] = -p[0] * y.data()[i];
  }
};
struct with_products : generic {
  template <class T, class Y, class P>
  void vjp(const T&, const Y& y, const P& p, const Y& w, T&, Y& gy, P& gp) const {
    for (int i = 0; i < length(y); ++i) {
      gy.data()[i] -= p[0] * w.data()[i];
      gp[0] -= w.data()[i] * y.data()[i];
    }
  }
  template <class T, class Y, class P>
  void jvp(const T&, const Y& y, const P& p, const T&, const Y& dy, const P& dp, Y& out) const {
    for (int i = 0; i < length(y); ++i) out.data()[i] = -p[0] * dy.data()[i] - dp[0] * y.data()[i];
  }
};
struct of_double {
  using state = std::vector<double>;
  void operator()(double, const state& y, const vec<double, 1>& p, state& dy) const {
    for (std::size_t i = 0; i < y.size(); ++i) dy[i] = -p[0] * y[i];
  }
};

}  // namespace

TEST_CASE("a field's derivatives are named in one line") {
  const vec p{0.5};
  const std::vector<double> y{1, 2, 3};
  CHECK(derivatives_of(generic{}, 0.0, y, p) ==
        "vjp: recording, jvp: duals, Jacobian: duals, second: recording over duals");
  CHECK(derivatives_of(with_products{}, 0.0, y, p) ==
        "vjp: own, jvp: own, Jacobian: duals, second: own vjp over duals");
  CHECK(derivatives_of(of_double{}, 0.0, y, p) ==
        "vjp: none, jvp: none, Jacobian: none, second: none");
  const lorenz f;
  const problem q{f, f.y0(), 0.0, 0.1, f.parameters()};
#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
  CHECK(derivatives_of(q) ==
        "vjp: recording in registers, jvp: duals, Jacobian: duals, second: nested duals");
#else
  CHECK(derivatives_of(q) == "vjp: duals, jvp: duals, Jacobian: duals, second: nested duals");
#endif
}

TEST_CASE(
    "a solve names the Jacobian's source, a gradient that of its products, where there were any") {
  const std::vector<double> y{1, 2, 3};
  const problem q{generic{}, y, 0.0, 1.0, vec{0.5}};
  CHECK(solve(q, tsit5{}).stats.jacobian_source.empty());
  CHECK(solve(problem{of_double{}, y, 0.0, 1.0, vec{0.5}}, tsit5{}).stats.jacobian_source.empty());
  CHECK(solve(q, rosenbrock23{}).stats.jacobian_source == "duals");
  auto s = solve(q, tsit5{}, {}, recursive_checkpoint{});
  CHECK(s.pullback(y).reverse.vjp_source == "recording");
}

}  // namespace revode
