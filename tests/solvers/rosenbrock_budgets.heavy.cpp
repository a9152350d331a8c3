// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <Eigen/Core>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/testing/laws.hpp>

#include "rosenbrock_methods.hpp"

namespace revode {
namespace {

/// Robertson's reaction: stiff, rates as parameters.
struct reaction {
  static constexpr bool autonomous = true;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto slow = p.data()[0] * y.data()[0];
    const auto back = p.data()[2] * y.data()[1] * y.data()[2];
    const auto fast = p.data()[1] * y.data()[1] * y.data()[1];
    dy.data()[0] = back - slow;
    dy.data()[1] = slow - back - fast;
    dy.data()[2] = fast;
  }
};

template <class M, class Y, class P>
void same_bits(const M& m, const problem<reaction, Y, P>& q) {
  const options o{.rtol = 1e-4, .atol = 1e-9};
  const recursive_checkpoint all{.schedule = schedule_kind::store_all};
  const auto steps = solve(q, m, o).stats.accepted;
  CAPTURE(std::string(M::name));
  CAPTURE(steps);
  for (index slots = 1; slots <= steps; slots = slots < 8 ? slots + 1 : slots * 2) {
    CAPTURE(slots);
    CHECK(equal_gradients_law(q, m, o, recursive_checkpoint{.slots = slots}, all).holds);
  }
}

TEST_CASE("a stiff gradient has the same bits for every budget") {
  const problem q{reaction{}, vec{1.0, 0.0, 0.0}, 0.0, 100.0, vec{0.04, 3e7, 1e4}};
  for_some_rosenbrock([&](const auto& m) { same_bits(m, q); });
  const problem dynamic{reaction{}, Eigen::VectorXd{{1.0, 0.0, 0.0}}, 0.0, 100.0,
                        Eigen::VectorXd{{0.04, 3e7, 1e4}}};
  same_bits(rodas4p2{}, dynamic);
  same_bits(refined<rodas5p>{}, dynamic);
}

TEST_CASE("the gradient of refined stages: reverse is forward, and what the method alone gives") {
  const problem q{reaction{}, vec{1.0, 0.0, 0.0}, 0.0, 100.0, vec{0.04, 3e7, 1e4}};
  const options o{.rtol = 1e-6, .atol = 1e-10};
  CHECK(dot_product_law(q, refined<rodas5p>{}, o, recursive_checkpoint{}, 1).holds);
  const cotangents<vec<double, 3>> w{.y = vec{0.0, 0.0, 1.0}};
  const auto with = solve(q, refined<rodas5p>{}, o, recursive_checkpoint{}).pullback(w);
  const auto without = solve(q, rodas5p{}, o, recursive_checkpoint{}).pullback(w);
  for (int i = 0; i < 3; ++i) CHECK(with.p[i] == doctest::Approx(without.p[i]).epsilon(1e-7));
}

/// y' = −1000 (y − p cos t) − p sin t from y = p: y = p cos t, dy(1)/dp = cos 1, dy(1)/dy0 =
/// e^−1000.
struct relaxation {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = -1000 * (y[0] - p[0] * cos(t)) - p[0] * sin(t);
  }
};

TEST_CASE("1e5 stiff steps in 32 snapshots: the gradient of a solution with known derivative") {
  const problem q{relaxation{}, vec{2.0}, 0.0, 1.0, vec{2.0}};
  auto s = solve(q, rodas5p{}, options{.fixed_step = 1e-5}, recursive_checkpoint{.slots = 32});
  const auto g = s.pullback({.y = vec{1.0}});

  CHECK(s.stats.accepted == 100000);
  CHECK(g.p[0] == doctest::Approx(std::cos(1.0)).epsilon(1e-11));
  CHECK(std::abs(g.y0[0]) < 1e-12);
}

/// dL/dp of ∫-free loss y₀(t1) by n fixed steps.
template <class M>
double gradient_by(const M& m, index n) {
  const problem q{reaction{}, vec{1.0, 0.0, 0.0}, 0.0, 0.1, vec{4.0, 30.0, 10.0}};
  auto s = solve(q, m, options{.fixed_step = 0.1 / static_cast<double>(n)},
                 recursive_checkpoint{.slots = 8});
  return s.pullback({.y = vec{1.0, 0.0, 0.0}}).p[0];
}

struct rodas4_held : rodas4 {
  static constexpr const char* name = "rodas4_held";
  static constexpr bool exact = false;
};

TEST_CASE("J held still: the gradient of a W-method keeps its order, others fall to order 1") {
  const double exact = gradient_by(rodas5p{}, 2000);
  const auto slope = [&](const auto& m) {
    const double coarse = std::abs(gradient_by(m, 50) - exact);
    const double fine = std::abs(gradient_by(m, 200) - exact);
    return std::log2(coarse / fine) / 2;
  };
  CHECK(slope(rodas4{}) > 3.7);
  CHECK(slope(ros34pw2{}) > 2.7);
  CHECK(slope(ros34pw2_held{}) > 2.7);
  CHECK(slope(rodas4_held{}) == doctest::Approx(1).epsilon(0.2));
  CHECK(gradient_by(ros34pw2_held{}, 10) != gradient_by(ros34pw2{}, 10));
}

}  // namespace
}  // namespace revode
