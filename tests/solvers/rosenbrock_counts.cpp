// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/ros3p.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {

struct pulled {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * (t - y[0] * y[0] * y[1]);
  }
};

struct ring {  // its Jacobian takes no call
  static inline int calls = 0;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    ++calls;
    const auto n = y.size();
    for (std::size_t i = 0; i < n; ++i) dy[i] = p[0] * y[(i + 1) % n] * t - y[i] * y[i] * y[i];
  }
  template <class Y, class P, class Matrix>
  void jacobian(double t, const Y& y, const P& p, Matrix& j) const {
    const int n = static_cast<int>(y.size());
    for (int i = 0; i < n; ++i) {
      j(i, i) = -3 * y[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(i)];
      j(i, (i + 1) % n) = p[0] * t;
    }
  }
};

}  // namespace

TEST_CASE_TEMPLATE("an attempt of a Rosenbrock method solves one system a stage with one matrix", M,
                   rosenbrock23, ros3p, rodas4, rodas5p) {
  constexpr int stages = rosenbrock_numbers<M>::stages;
  const problem q{pulled{}, vec{1.0, 2.0}, 0.0, 2.0, vec{40.0}};
  const auto s = solve(q, M{}, {.rtol = 1e-5, .atol = 1e-6, .first_step = 0.5});
  const index attempts = s.stats.accepted + s.stats.rejected;
  CHECK(s.stats.rejected > 0);
  CHECK(s.stats.linear_solves == stages * attempts);
  CHECK(s.stats.factorizations == attempts);
  // equal steps have no estimate, and no stage for it alone
  const auto equal = solve(q, M{}, {.fixed_step = 0.01});
  CHECK(equal.stats.linear_solves == rosenbrock_numbers<M>::kept * equal.stats.accepted);
}

/// It brings its products, over duals as well.
struct ring_by_products : ring {
  template <class T, class Y, class P>
  void jvp(const T& t, const Y& y, const P& p, const T& dt, const Y& dy, const P& dp,
           Y& out) const {
    ++calls;
    const auto n = y.size();
    for (std::size_t i = 0; i < n; ++i) {
      const auto j = (i + 1) % n;
      out[i] = p[0] * (y[j] * dt + dy[j] * t) + dp[0] * y[j] * t - 3.0 * y[i] * y[i] * dy[i];
    }
  }
};

/// The calls that a tangent of a solve with n elements takes beside the solve, and the tangent.
template <class F>
std::pair<int, std::vector<double>> pushed(const F& f, std::size_t n) {
  const problem q{f, std::vector<double>(n, 0.5), 0.0, 1.0, vec{0.3}};
  const options fixed{.fixed_step = 0.125};
  ring::calls = 0;
  solve(q, rodas4{}, fixed);
  const int alone = ring::calls;
  const auto s = solve(q, rodas4{}, fixed, tangents{std::vector<double>(n, 1.0), vec{0.4}});
  CHECK(s.status == status::success);
  return {ring::calls - 2 * alone, s.y_dot};
}

TEST_CASE("a tangent by a Rosenbrock method takes as many calls for many elements as for few") {
  const auto [few, small] = pushed(ring{}, 4);
  CHECK(few > 0);
  const auto [many, large] = pushed(ring{}, 40);
  CHECK(many == few);
  const auto [products, by_products] = pushed(ring_by_products{}, 40);
  CHECK(products == pushed(ring_by_products{}, 4).first);
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(large[i] == doctest::Approx(small[0]).epsilon(1e-14));  // all elements are alike
    CHECK(by_products[i] == doctest::Approx(small[0]).epsilon(1e-14));
  }
}

}  // namespace revode
