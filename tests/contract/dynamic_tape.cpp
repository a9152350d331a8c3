// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <Eigen/Core>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

/// Euler's method with more on its tape than arrays of the state's size: a number, and a fixed pair.
struct euler_with_notes {
  static constexpr const char* name = "euler_with_notes";
  static constexpr int order = 1;

  template <class Y>
  struct notes {
    Y y, slope;
    double t = 0;
    vec<double, 2> ends{};

    notes() = default;
    explicit notes(const Y& like) : y(like), slope(like) {}
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      visit(self.y);
      visit(self.slope);
      visit(self.t);
      visit(self.ends);
    }
  };
  template <class Y>
  struct types : default_types<Y> {
    using tape = notes<Y>;
    using scratch = notes<Y>;
  };
};

template <class System, class Y>
void replay(const euler_with_notes&, System& sys, double t, double t_new, nothing,
            carry<euler_with_notes, Y>& c, euler_with_notes::notes<Y>& s) {
  copy(c.state, s.y);
  s.t = t;
  s.ends = {t, t_new};
  sys(t, s.y, s.slope);
  axpy(static_cast<scalar_t<Y>>(t_new - t), s.slope, c.state);
}

template <class System, class Y>
outcome<nothing> attempt(const euler_with_notes& m, System& sys, const tolerance&, double t,
                         double t_new, const carry<euler_with_notes, Y>& c,
                         euler_with_notes::notes<Y>& s, carry<euler_with_notes, Y>& next) {
  copy(c.state, next.state);
  replay(m, sys, t, t_new, nothing{}, next, s);
  return {};
}

/// Knows the times from its tape alone.
template <class System, class Y, class P>
void pull(const euler_with_notes&, System& sys, double, double, nothing,
          const euler_with_notes::notes<Y>& s, euler_with_notes::notes<Y>& w, const nothing*,
          Y& y_bar, P& p_bar, step_ends<double>* ends) {
  const double h = s.ends[1] - s.ends[0], h_bar = dot(y_bar, s.slope);
  double t_bar = 0;
  for (int i = 0; i < length(y_bar); ++i) w.y.data()[i] = h * y_bar.data()[i];
  sys.vjp(s.t, s.y, w.y, &t_bar, y_bar, p_bar);
  if (ends != nullptr) ends->t += t_bar - h_bar, ends->t_new += h_bar;
}

template <class System, class Y, class P>
void push(const euler_with_notes&, System& sys, double, double, nothing,
          const euler_with_notes::notes<Y>& s, euler_with_notes::notes<Y>& w, Y& y_dot,
          const P& p_dot, const step_ends<double>& ends) {
  sys.jvp(s.t, s.y, ends.t, y_dot, p_dot, w.y);
  axpy(s.ends[1] - s.ends[0], w.y, y_dot);
  axpy(ends.t_new - ends.t, s.slope, y_dot);
}

struct driven_ring {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    for (int i = 0, n = length(y); i < n; ++i)
      dy.data()[i] = p.data()[0] * y.data()[(i + 1) % n] * sin(t * t) - y.data()[i] * t;
  }
};

template <class Vector>
void check_laws(const Vector& y0, const Vector& p) {
  const problem q{driven_ring{}, y0, 0.0, 1.7, p};
  const options o{.fixed_step = 0.05};
  const recursive_checkpoint adjoint{.slots = 2};

  CHECK(replay_law(q, euler_with_notes{}, o).holds);
  CHECK(dot_product_law(q, euler_with_notes{}, o, adjoint, 1).holds);
  CHECK(frozen_grid_law(q, euler_with_notes{}, o, adjoint).holds);
  CHECK(
      equal_gradients_law(q, euler_with_notes{}, o, adjoint, {.schedule = schedule_kind::store_all})
          .holds);
}

TEST_CASE("a tape of dynamic states keeps its numbers and small parts for every schedule") {
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(5, 0.2, 1.1);
  const Eigen::VectorXd p = Eigen::VectorXd::Constant(1, 1.3);
  check_laws(y0, p);
  check_laws(std::vector<double>{0.2, 0.5, 0.9}, std::vector<double>{1.3});
}

}  // namespace
}  // namespace revode
