// SPDX-License-Identifier: Apache-2.0
// Where the consistent start of M y' = f, the rank of M and events on algebraic variables went wrong once.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <revode/solve/mass/implicit_problem.hpp>
#include <revode/solve/step_by_step.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

/// What has one differential element, the first.
struct first_alone {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 1;
  }
};

/// y' = p (1 + sin(3t)/2), 0 = z + z³/5 − eʸ: z rises through 1.7 once, where p doubles.
struct rising : first_alone {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    using std::sin;
    dy[0] = p[0] * (1.0 + 0.5 * sin(3.0 * t));
    dy[1] = y[1] + 0.2 * y[1] * y[1] * y[1] - exp(y[0]);
  }
};
struct on_algebraic {
  static constexpr auto direction = crossing::rising;
  auto condition(const auto&, const auto& y, const auto&) const { return y[1] - 1.7; }
  void jump(const auto&, const auto&, const auto& p, auto&, auto& p_new) const {
    p_new[0] = 2.0 * p[0];
  }
};
struct only_seen {
  static constexpr auto direction = crossing::rising;
  auto condition(const auto&, const auto& y, const auto&) const { return y[1] - 1.7; }
};

TEST_CASE_TEMPLATE("an event on an algebraic variable happens once", M, rodas5p, radau_iia5, bdf5) {
  random_numbers random(4);
  for (int k = 0; k < 30; ++k) {
    const double tol = std::pow(10.0, -4 - k % 5);
    const problem q{rising{}, vec{0.05 * random(), 0.0}, 0.0, 2.0, vec{0.65 + 0.05 * random()}};
    const options o{.rtol = tol, .atol = tol};
    CHECK(solve(q, M{}, o, events(on_algebraic{})).events.size() == 1);
    CHECK(solve(q, M{}, o, events(only_seen{})).events.size() == 1);
  }
}

/// 0 = (5 − v)/1000 − I (e^(v/V) − 1) beside x' = −x/1000
struct diode : first_alone {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::exp;
    dy[0] = -1e-3 * y[0];
    dy[1] = (5.0 - y[1]) / 1000.0 - 1e-12 * (exp(y[1] / 0.025) - 1.0);
  }
};
/// 0 = 10⁻¹⁶ y − z
struct tiny : first_alone {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -1e-3 * y[0];
    dy[1] = 1e-16 * y[0] - y[1];
  }
};
template <class F, class Y>
Y start_of(const F& f, const Y& y0) {
  const auto s = solve(problem{f, y0, 0.0, 0.0}, rodas5p{});
  CHECK(s.status == status::success);
  return s.y;
}

TEST_CASE("starts are judged element by element, whatever stands beside them") {
  for (const double beside : {1.0, 1e4, 1e6})
    for (const double guess : {1.0, 0.0, -3.0})
      CHECK(start_of(diode{}, vec{beside, guess})[1] == doctest::Approx(0.555374039).epsilon(1e-8));
  CHECK(start_of(tiny{}, vec{1e6, 5e-10})[1] == doctest::Approx(1e-10).epsilon(1e-14));
}

/// A bridge in balance, by deviations from its voltages: what is left of its equations is rounding.
struct bridge : first_alone {
  double v, a, b, scale;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    const double half = v * a / (a + b);
    dy[0] = y[1] - y[2] - y[0];
    dy[1] = (v - (y[1] + half)) * a - (y[1] + half) * b - y[0];
    dy[2] = (v - (y[2] + half)) * (a * scale) - (y[2] + half) * (b * scale) + y[0];
  }
};

TEST_CASE("a start that is consistent but for rounding is one, at 0 too") {
  random_numbers random(1);
  const auto size = [&] { return 5 + 4.9 * random(); };
  for (int k = 0; k < 300; ++k) {
    const bridge f{{}, size(), size(), size(), size()};
    CHECK(solve(problem{f, vec{0.0, 0.0, 0.0}, 0.0, 0.0}, rodas5p{}).status == status::success);
  }
}

/// Capacities between nodes: rows and columns of M sum to 0 in each net that floats.
struct nets {
  int n;
  std::vector<double> capacity;
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i + 1 < n; ++i) {
      if (i == n / 2) continue;  // the first of two nets ends here
      const double c = capacity[static_cast<std::size_t>(i)];
      m(i, i) += c, m(i + 1, i + 1) += c, m(i, i + 1) += -c, m(i + 1, i) += -c;
    }
  }
};

TEST_CASE("rows of M that others make are found through rounding") {
  random_numbers random(2);
  for (const double decades : {1.5, 5.0})
    for (const int n : {4, 10, 30, 100})
      for (int k = 0; k < 40; ++k) {
        nets f{n, {}};
        for (int i = 0; i < n; ++i) f.capacity.push_back(std::pow(10.0, -9 + decades * random()));
        mass_matrix m(f);
        m.resize(n);
        CHECK(m.constraints().size() == 2);
      }
}

/// Index 2 in coordinates in which w ∂f/∂y is singular but for rounding.
struct turned {
  static constexpr double s[3][3] = {{0.7, 0.2, 0.1}, {0.3, 0.9, -0.2}, {-0.4, 0.6, 1.1}};
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k) m(i, k) = s[i][k];
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& x, const P&, Y& dy) const {
    using std::sin;
    Y y = x;
    for (int i = 0; i < 3; ++i) y[i] = s[i][0] * x[0] + s[i][1] * x[1] + s[i][2] * x[2];
    dy[0] = -y[1] - 0.8 * y[2];
    dy[1] = y[0] - 0.6 * y[2];
    dy[2] = 0.8 * y[0] + 0.6 * y[1] - sin(t);
  }
};

TEST_CASE("index 2 is refused where only rounding makes it regular") {
  for (const auto& x : {vec{0.0, 0.0, 0.0}, vec{0.1, 0.3, 0.2}})
    CHECK_THROWS_AS(solve(problem{turned{}, x, 0.0, 1.0}, rodas5p{}), std::invalid_argument);
}

/// 0 = z² − y
struct root : first_alone {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
    dy[1] = y[1] * y[1] - y[0];
  }
};
/// The first step's probe leaves the domain of the equation.
struct narrow : first_alone {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::log;
    dy[0] = -1e6 * (y[0] - 0.99995);
    dy[1] = y[1] - 1e-6 * log(y[0] - 0.9999);
  }
};
struct at_half {
  double time(const auto&) const { return 0.5; }
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[0] = y[0]; }
};
/// The equation becomes singular at an event.
struct vanishing : first_alone {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -y[0];
    dy[1] = p[0] * y[1] - y[0];
  }
};
struct to_zero {
  double time(const auto&) const { return 0.5; }
  void jump(const auto&, const auto&, const auto&, auto&, auto& p_new) const { p_new[0] = 0.0; }
};

TEST_CASE("trouble of a start is told where it is, and nowhere else") {
  step_by_step walk(problem{root{}, vec{1.0, 1.0}, 0.0, 1.0}, rodas5p{});
  walk.step_to(0.25);
  walk.set_state(vec{-1.0, 0.5});
  CHECK(walk.status() == status::newton_failure);
  CHECK(walk.finished());

  const problem q{narrow{}, vec{1.0, 0.0}, 0.0, 1.0};
  CHECK(solve(q, rodas5p{}, {}, events(at_half{})).status == status::success);

  const problem ends{vanishing{}, vec{1.0, 1.0}, 0.0, 1.0, vec{1.0}};
  const auto s = solve(ends, rodas5p{}, {}, events(to_zero{}));
  CHECK(s.status == status::linear_solve_failure);
  CHECK(s.t == 0.5);
}

TEST_CASE("an implicit problem has a slope for each element") {
  const auto left = [](const auto&, auto y, auto slope, const auto&, auto& out) {
    out[0] = slope[0] + y[0];
  };
  CHECK_THROWS_WITH_AS(
      implicit_problem(left, std::vector<double>{1, 2}, std::vector<double>{0}, 0.0, 1.0),
      "a slope of 1 elements for a state of 2 (each has one) give as many?", std::invalid_argument);
}

}  // namespace
}  // namespace revode
