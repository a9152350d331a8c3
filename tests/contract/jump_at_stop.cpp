// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {
/// y1' = y2 cos t, y2' = −a sin y1 − b y2 + t
struct driven_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] * cos(t);
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] + t;
  }
};
using vector = vec<double, 2>;
constexpr double r_matrix[2][2] = {{0.5, 0.25}, {-0.75, 1.5}};

/// Two pieces of a solve with the jump y ↦ R y + r between them, at `stop` of the grid.
struct jump_grid {
  std::vector<double> t;
  std::size_t stop = 0;
};

template <class Y>
void jump(Y& y, const Y& r) {
  const Y b = y;
  for (int i = 0; i < 2; ++i) y[i] = r_matrix[i][0] * b[0] + r_matrix[i][1] * b[1] + r[i];
}

/// Begin, steps made by visit, and at the stop a jump with refresh: no stage serves across it.
template <class System, class Y, class Visit>
Y run(System& sys, const jump_grid& grid, const Y& y0, const Y& r, Visit&& visit) {
  auto c = make_carry<tsit5>(y0);
  begin(tsit5{}, sys, grid.t[0], y0, c);
  for (std::size_t i = 0; i + 1 < grid.t.size(); ++i) {
    if (i == grid.stop) {
      jump(c.state, r);
      refresh(tsit5{}, sys, grid.t[i], c);
    }
    visit(i, c, grid.t[i], grid.t[i + 1]);
  }
  return c.state;
}

template <class System, class Y>
Y replayed(System& sys, const jump_grid& grid, const Y& y0, const Y& r) {
  auto tape = make_like<rk_tape<tsit5, Y>>(y0);
  return run(sys, grid, y0, r, [&](std::size_t, auto& c, double t, double t_new) {
    replay(tsit5{}, sys, t, t_new, nothing{}, c, tape);
  });
}

/// The grid of two adaptive solves, the second from the state after the jump.
jump_grid make_grid(const driven_field& f, const vector& y0, const vec<double, 2>& p,
                    const vector& r) {
  jump_grid grid;
  const auto first = grid_of(problem{f, y0, 0.0, 1.1, p}, tsit5{}, {});
  vector y = solve(problem{f, y0, 0.0, 1.1, p}, tsit5{}).y;
  jump(y, r);
  const auto second = grid_of(problem{f, y, 1.1, 2.0, p}, tsit5{}, {});
  grid.t = first.t;
  grid.stop = grid.t.size() - 1;
  grid.t.insert(grid.t.end(), second.t.begin() + 1, second.t.end());
  return grid;
}

struct jump_gradient {
  vector y0{}, p{}, r{};
  double stop = 0;
};

template <class System>
jump_gradient pulled(System& sys, const jump_grid& grid, const vector& y0, const vector& r,
                     vector y_bar) {
  std::vector<rk_tape<tsit5, vector>> tapes(grid.t.size());
  rk_scratch<tsit5, vector> w;
  run(sys, grid, y0, r, [&](std::size_t i, auto& c, double t, double t_new) {
    replay(tsit5{}, sys, t, t_new, nothing{}, c, tapes[i]);
  });
  jump_gradient g;
  for (std::size_t i = grid.t.size() - 1; i-- > 0;) {
    step_ends<double> ends;
    pull(tsit5{}, sys, grid.t[i], grid.t[i + 1], nothing{}, tapes[i], w, nullptr, y_bar, g.p,
         &ends);
    if (i + 1 == grid.stop) g.stop += ends.t_new;
    if (i != grid.stop) continue;
    g.stop += ends.t;
    g.r = y_bar;
    for (int k = 0; k < 2; ++k) y_bar[k] = r_matrix[0][k] * g.r[0] + r_matrix[1][k] * g.r[1];
  }
  g.y0 = y_bar;
  return g;
}

TEST_CASE("a state jump at a stop: replay has the bits of two solves, and a new first stage") {
  const driven_field f;
  const vector y0{0.4, 1.0}, r{0.3, -0.2};
  const vec<double, 2> p{1.5, 0.2};
  const jump_grid grid = make_grid(f, y0, p, r);
  system<driven_field, vector, vec<double, 2>> sys(f, p);
  vector middle = solve(problem{f, y0, 0.0, 1.1, p}, tsit5{}).y;
  jump(middle, r);
  const vector y1 = solve(problem{f, middle, 1.1, 2.0, p}, tsit5{}).y;

  CHECK(replayed(sys, grid, y0, r) == y1);
  CHECK(sys.counts.field_evaluations == 6 * static_cast<index>(grid.t.size() - 1) + 2);
}

TEST_CASE("a state jump at a stop: the gradient of the composed map is that of duals") {
  using D = dual<double, 6>;
  const driven_field f;
  const vector y0{0.4, 1.0}, r{0.3, -0.2}, y_bar{1.0, -0.7};
  const vec<double, 2> p{1.5, 0.2};
  const jump_grid grid = make_grid(f, y0, p, r);
  system<driven_field, vector, vec<double, 2>> sys(f, p);

  const jump_gradient g = pulled(sys, grid, y0, r, y_bar);

  vec<D, 2> y0_d, p_d, r_d;
  for (int i = 0; i < 2; ++i) {
    y0_d[i] = D::input(y0[i], i);
    p_d[i] = D::input(p[i], 2 + i);
    r_d[i] = D::input(r[i], 4 + i);
  }
  system<driven_field, vec<D, 2>, vec<D, 2>> sys_d(f, p_d);
  const auto y1 = replayed(sys_d, grid, y0_d, r_d);
  const double given[] = {g.y0[0], g.y0[1], g.p[0], g.p[1], g.r[0], g.r[1]};
  for (int i = 0; i < 6; ++i) {
    const double expected = y_bar[0] * y1[0].d[i] + y_bar[1] * y1[1].d[i];
    CHECK(given[i] == doctest::Approx(expected).epsilon(1e-13));
  }

  const auto moved = [&](double by) {
    jump_grid other = grid;
    other.t[grid.stop] += by;
    return dot(y_bar, replayed(sys, other, y0, r));
  };
  CHECK(g.stop == doctest::Approx((moved(1e-6) - moved(-1e-6)) / 2e-6).epsilon(1e-8));
}

}  // namespace
}  // namespace revode
