// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

enum class defect {
  none,
  replay_by_another_formula,  // equal in exact arithmetic
  refresh_at_another_time,
  attempt_moves_its_start,
  pull_without_parameters,
  derivatives_without_parameters,  // push and pull agree with each other
  ends_of_other_sign,              // push and pull agree with each other
  first_order
};

/// The trapezoidal rule made explicit, with the slope at the new state kept for the next step:
///   k2 = f(t_new, y + h k1),  y_new = y + h/2 (k1 + k2)
struct heun_with_defect {
  static constexpr const char* name = "heun_with_defect";
  static constexpr int order = 2;
  defect what = defect::none;

  template <class Y>
  struct slopes {
    Y y, k1, k2;
  };
  template <class Y>
  struct slope {
    Y k;
  };
  template <class Y>
  struct types : default_types<Y> {
    using cache = slope<Y>;
    using tape = slopes<Y>;
  };
};

template <class System, class Y>
void refresh(const heun_with_defect& m, System& sys, double t, carry<heun_with_defect, Y>& c) {
  sys(m.what == defect::refresh_at_another_time ? t * (1 + 1e-12) : t, c.state, c.cache.k);
}

template <class System, class Y>
void replay(const heun_with_defect& m, System& sys, double t, double t_new, nothing,
            carry<heun_with_defect, Y>& c, heun_with_defect::slopes<Y>& s) {
  using T = scalar_t<Y>;
  const T h(t_new - t);
  s.y = c.state;
  s.k1 = c.cache.k;
  axpy(h, s.k1, c.state);
  sys(t_new, c.state, s.k2);
  c.state = s.y;
  const bool other = m.what == defect::replay_by_another_formula;
  for (int i = 0; i < Y::size(); ++i) {
    if (m.what == defect::first_order)
      c.state[i] = s.y[i] + h * (0.51 * s.k1[i] + 0.49 * s.k2[i]);
    else if (other)
      c.state[i] = s.y[i] + (h / 2 * s.k1[i] + h / 2 * s.k2[i]);
    else
      c.state[i] = s.y[i] + h / 2 * (s.k1[i] + s.k2[i]);
  }
  sys(t_new, c.state, c.cache.k);
}

template <class System, class Y>
outcome<nothing> attempt(const heun_with_defect& m, System& sys, const tolerance&, double t,
                         double t_new, carry<heun_with_defect, Y>& c,
                         heun_with_defect::slopes<Y>& s, carry<heun_with_defect, Y>& next) {
  next = c;
  heun_with_defect plain = m;
  if (m.what == defect::replay_by_another_formula) plain.what = defect::none;
  replay(plain, sys, t, t_new, nothing{}, next, s);
  if (m.what == defect::attempt_moves_its_start) c.state = next.state;
  return {};
}

template <class System, class Y, class W, class P>
void pull(const heun_with_defect& m, System& sys, double t, double t_new, nothing,
          const heun_with_defect::slopes<Y>& s, W&, const nothing*, Y& y_bar, P& p_bar,
          step_ends<double>* ends) {
  const double h = t_new - t;
  const P p_before = p_bar;
  Y stage = s.y, k = y_bar, stage_bar{};
  double first = 0, second = 0, h_bar = 0;
  axpy(h, s.k1, stage);
  for (int i = 0; i < Y::size(); ++i) {
    h_bar += y_bar[i] * (s.k1[i] + s.k2[i]) / 2;
    k[i] *= h / 2;
  }
  sys.vjp(t_new, stage, k, &second, stage_bar, p_bar);
  h_bar += dot(stage_bar, s.k1);
  axpy(h, stage_bar, k);
  add(stage_bar, y_bar);
  sys.vjp(t, s.y, k, &first, y_bar, p_bar);
  if (m.what == defect::pull_without_parameters || m.what == defect::derivatives_without_parameters)
    p_bar = p_before;
  const double sign = m.what == defect::ends_of_other_sign ? -1 : 1;
  if (ends != nullptr) ends->t += sign * (first - h_bar), ends->t_new += sign * (second + h_bar);
}

template <class System, class Y, class W, class P>
void push(const heun_with_defect& m, System& sys, double t, double t_new, nothing,
          const heun_with_defect::slopes<Y>& s, W&, Y& y_dot, const P& p_dot,
          const step_ends<double>& ends) {
  const double sign = m.what == defect::ends_of_other_sign ? -1 : 1;
  const double h = t_new - t, h_dot = sign * (ends.t_new - ends.t);
  const P p = m.what == defect::derivatives_without_parameters ? zero_like(p_dot) : p_dot;
  Y stage = s.y, stage_dot = y_dot, k1_dot{}, k2_dot{};
  axpy(h, s.k1, stage);
  sys.jvp(t, s.y, sign * ends.t, y_dot, p, k1_dot);
  axpy(h, k1_dot, stage_dot);
  axpy(h_dot, s.k1, stage_dot);
  sys.jvp(t_new, stage, sign * ends.t_new, stage_dot, p, k2_dot);
  for (int i = 0; i < Y::size(); ++i)
    y_dot[i] += h / 2 * (k1_dot[i] + k2_dot[i]) + h_dot / 2 * (s.k1[i] + s.k2[i]);
}

struct driven_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = p[0] * y[1] + t;
    dy[1] = -sin(y[0]) * p[1];
  }
};

/// Which laws a defect breaks: replay, dot product, frozen grid, differences, order, budgets.
std::string broken_by(defect what) {
  const heun_with_defect m{what};
  const problem q{driven_field{}, vec{0.3, 1.0}, 0.1, 2.0, vec{1.1, 0.9}};
  const options o{.fixed_step = 0.07};
  const recursive_checkpoint adjoint{.slots = 2};
  std::string broken;
  if (!replay_law(q, m, o).holds) broken += "r";
  if (!dot_product_law(q, m, o, adjoint, 1).holds) broken += "d";
  if (!frozen_grid_law(q, m, o, adjoint).holds) broken += "g";
  if (!finite_difference_check(q, m, o, adjoint).holds) broken += "f";
  if (!order_law(m, pendulum).holds) broken += "o";
  if (!equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).holds)
    broken += "b";
  return broken;
}

TEST_CASE("the maximum of a law is no number where one of its numbers is none") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(larger(nan, 1)));
  CHECK(std::isnan(larger(1, nan)));
  CHECK(larger(larger(1, 3), 2) == 3);
}

TEST_CASE("the laws hold for a right method, and each wrong one breaks those that name it") {
  CHECK(broken_by(defect::none) == "");
  CHECK(broken_by(defect::replay_by_another_formula) == "rb");
  CHECK(broken_by(defect::refresh_at_another_time) == "rb");
  CHECK(broken_by(defect::pull_without_parameters) == "dgf");
  CHECK(broken_by(defect::derivatives_without_parameters) == "gf");
  CHECK(broken_by(defect::ends_of_other_sign) == "f");
  CHECK(broken_by(defect::first_order) == "gfo");  // its pull is the right method's
  CHECK(broken_by(defect::attempt_moves_its_start).substr(0, 1) == "r");
}

}  // namespace
}  // namespace revode
