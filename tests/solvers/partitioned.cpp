// SPDX-License-Identifier: Apache-2.0
#include "partitioned_laws.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <revode/solvers/kahan_li.hpp>
#include <revode/solvers/mclachlan_atela4.hpp>
#include <revode/solvers/mclachlan_atela5.hpp>
#include <revode/solvers/stormer_verlet.hpp>

namespace revode {
namespace {

TEST_CASE("symplectic methods: evaluations, the laws, and order in fixed steps") {
  check_symplectic(stormer_verlet{}, 2 * 100 + 1);
  check_symplectic(mclachlan_atela4{}, 8 * 100);
}

TEST_CASE("symplectic methods: a pull reads nothing of a tape that its step has not written") {
  using state = vec<double, 4>;
  using types = method_types<stormer_verlet, state>;
  const stormer_verlet m;
  const driven_kepler f;
  const state y0{1.0, 0.0, 0.0, 1.1};
  const vec<double, 2> p{1.0, 0.1};
  system<driven_kepler, state, vec<double, 2>> sys(f, p);
  auto from = make_carry<stormer_verlet>(y0), next = from;
  auto tape = make_like<types::tape>(y0);
  for (state& part : tape.f) fill(part, std::nan(""));
  auto scratch = make_like<types::scratch>(y0);
  begin(m, sys, 0.0, y0, from);
  attempt(m, sys, tolerance{}, 0.0, 0.1, from, tape, next);
  state y_bar{1.0, 2.0, 3.0, 4.0};
  vec<double, 2> p_bar{};
  step_ends<double> ends{};
  const types::seeds* none = nullptr;
  pull(m, sys, 0.0, 0.1, nothing{}, tape, scratch, none, y_bar, p_bar, &ends);
  CHECK(all_finite(y_bar));
  CHECK(all_finite(p_bar));
  CHECK(std::isfinite(ends.t + ends.t_new));
}

TEST_CASE("symplectic methods refuse other states and fields, word by word") {
  const auto turn = [](const auto&, const auto& y, const auto&, auto& dy) {
    dy[0] = y[1];
    dy[1] = -y[0] - 0.1 * y[1];
  };
  CHECK_THROWS_WITH_AS(
      solve(problem{turn, vec{1.0, 0.0}, 0.0, 1.0}, stormer_verlet{}, {.fixed_step = 0.1}),
      "method stormer_verlet with a field that is not separable (q' has to follow from t and p "
      "alone, p' from t and q) choose a method such as tsit5?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      solve(problem{turn, vec{1.0, 0.0, 0.0}, 0.0, 1.0}, stormer_verlet{}, {.fixed_step = 0.1}),
      "method stormer_verlet with a state of 3 numbers (its state is q and p, two equal halves) "
      "choose a method such as tsit5?",
      std::invalid_argument);
}

/// Two angles that pull each other apart by their difference times a speed's square: at rest, and where
/// the angles are equal, no small move shows it.
struct coupled_angles {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = y[2];
    dy[1] = y[3];
    const auto apart = p[0] * sin(y[0] - y[1]);
    const auto driven = p[1] * sin(t) * y[2];
    dy[2] = -sin(y[0]) - apart * y[3] * y[3] - driven;
    dy[3] = -2.0 * sin(y[1]) + apart * y[2] * y[2];
  }
};

/// A chain of angles, equal and at rest at the start, whose mass matrix is that of a beam: sums over all the others
/// of the cosine and the sine of differences.
struct small_beam {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::cos, std::sin;
    const int n = length(y) / 2;
    for (int i = 0; i < n; ++i) {
      dy.data()[i] = y.data()[n + i];
      auto sum = -y.data()[i];
      for (int j = 0; j < n; ++j) {
        const auto apart = y.data()[i] - y.data()[j];
        const auto speed = y.data()[n + j];
        sum += cos(apart) - sin(apart) * speed * speed;
      }
      dy.data()[n + i] = sum;
    }
  }
};

/// Separable, and finite near its start alone: √(1 − q²) and a logarithm of p.
struct on_a_part {
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    using std::log, std::sqrt;
    dy[0] = log(1.0 + y[1]);
    dy[1] = -y[0] / sqrt(1.0 - y[0] * y[0]);
  }
};

/// A spring that its field knows up to a length.
struct spring_up_to {
  double most;
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    if (std::abs(y[0]) > most) throw std::domain_error("too long");
    dy[0] = y[1];
    dy[1] = -y[0];
  }
};

TEST_CASE("symplectic methods refuse what is not separable beyond its start alone") {
  const char* const words =
      "method kahan_li8 with a field that is not separable (q' has to follow from t and p alone, "
      "p' from t and q) choose a method such as tsit5?";
  const auto try_it = [](const auto& f, const auto& y0, vec<double, 2> p) {
    return solve(problem{f, y0, 0.0, 1.0, p}, kahan_li8{}, {.fixed_step = 0.1}).status;
  };
  const vec<double, 4> at_rest{1.0, 1.0, 0.0, 0.0};
  CHECK_THROWS_WITH_AS(try_it(coupled_angles{}, at_rest, {0.5, 0.0}), words, std::invalid_argument);
  CHECK_THROWS_WITH_AS(try_it(coupled_angles{}, at_rest, {0.0, 0.5}), words, std::invalid_argument);
  CHECK(try_it(coupled_angles{}, at_rest, {0.0, 0.0}) == status::success);
  CHECK_THROWS_WITH_AS(try_it(small_beam{}, vec<double, 10>{}, {}), words, std::invalid_argument);
  CHECK(try_it(on_a_part{}, vec<double, 2>{0.3, 0.1}, {}) == status::success);
  CHECK(try_it(spring_up_to{0.32}, vec<double, 2>{0.3, 0.1}, {}) == status::success);
}

/// q' = p/√(1 + p²), p' = −sin q: a kinetic energy that is not quadratic.
struct fast_pendulum {
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    using std::sin, std::sqrt;
    dy[0] = y[1] / sqrt(1.0 + y[1] * y[1]);
    dy[1] = -sin(y[0]);
  }
};

TEST_CASE("McLachlan and Atela's methods are of order 3 where q' is not linear in p") {
  const problem q{fast_pendulum{}, vec{1.0, 0.7}, 0.0, 2.0};
  const auto exact = solve(q, kahan_li8{}, {.fixed_step = 0.01}).y;
  const auto order = [&](const auto& m) {
    const auto error = [&](double h) {
      const auto y = solve(q, m, {.fixed_step = h}).y;
      return std::hypot(y[0] - exact[0], y[1] - exact[1]);
    };
    return std::log2(error(0.1) / error(0.05));
  };
  CHECK(order(mclachlan_atela4{}) == doctest::Approx(3).epsilon(0.1));
  CHECK(order(mclachlan_atela5{}) == doctest::Approx(3).epsilon(0.1));
  CHECK(order(kahan_li6{}) == doctest::Approx(6).epsilon(0.1));
}

/// The largest |H − H_0| over the first and over the last hundred of a thousand orbits.
template <class M>
vec<double, 2> energy_error(const M& m, index steps, double e) {
  const double pi = std::numbers::pi;
  const problem q{driven_kepler{}, vec{1 - e, 0.0, 0.0, std::sqrt((1 + e) / (1 - e))}, 0.0,
                  2000 * pi, vec{1.0, 0.0}};
  stepper<M, driven_kepler, vec<double, 4>, vec<double, 2>> loop(
      q, m, {.fixed_step = 2 * pi / static_cast<double>(steps), .max_steps = 10'000'000});
  vec<double, 2> worst{0, 0};
  while (!loop.finished()) {
    loop.step(loop.work_tape());
    const vec<double, 4>& y = loop.state();
    const double h = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / std::sqrt(y[0] * y[0] + y[1] * y[1]);
    const index orbit = (loop.position() - 1) / steps;
    if (orbit < 100) worst[0] = std::fmax(worst[0], std::abs(h + 0.5));
    if (orbit >= 900) worst[1] = std::fmax(worst[1], std::abs(h + 0.5));
  }
  return worst;
}

template <class M>
void check_energy(const M& m, index steps) {
  const auto worst = energy_error(m, steps, 0.6);
  CAPTURE(std::string(M::name));
  CAPTURE(worst[0]);
  CAPTURE(worst[1]);
  CHECK(worst[1] <= 1.1 * worst[0]);
  CHECK(worst[0] < 1e-2);
}

TEST_CASE("symplectic methods: energy errors of a thousand Kepler orbits, e = 0.6, do not grow") {
  check_energy(stormer_verlet{}, 400);
  check_energy(mclachlan_atela4{}, 200);
  check_energy(mclachlan_atela5{}, 150);
  check_energy(kahan_li6{}, 60);
  check_energy(kahan_li8{}, 100);
}

}  // namespace
}  // namespace revode
