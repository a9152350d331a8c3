// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/solvers/euler.hpp>

namespace revode {
namespace {

/// y' = −p y over any dense state.
struct decay_each {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < length(y); ++i) dy.data()[i] = -(p.data()[0] * y.data()[i]);
  }
};
template <class Y>
auto solution_of(const Y& y0) {
  return solve(problem{decay_each{}, y0, 0.0, 1.0, vec{1.0}}, euler{},
               {.fixed_step = 0.5, .save = {.ts = {0.5}}}, recursive_checkpoint{});
}
/// One step multiplies by ½, two by ¼: the cotangents w of y(1) and of y(½) come back as w/4 and w/2.
template <class Y>
void takes_every_form(const Y& w) {
  auto s = solution_of(w);
  CHECK(s.pullback({.y = w}).y0.data()[0] == 0.25 * w.data()[0]);
  CHECK(s.pullback({.y = w, .ys = {w}}).y0.data()[0] == 0.75 * w.data()[0]);
  CHECK(s.pullback({.ys = {w}}).y0.data()[0] == 0.5 * w.data()[0]);
  CHECK(s.pullback(w).y0.data()[0] == 0.25 * w.data()[0]);
  CHECK(s.pullback(cotangents<Y>{.y = w}).y0.data()[0] == 0.25 * w.data()[0]);
}

}  // namespace

TEST_CASE("cotangents by name, by type and as a state, whatever the state is") {
  takes_every_form(vec{1.0});
  takes_every_form(std::vector{1.0, 2.0});
  takes_every_form(Eigen::VectorXd{{1., 2.}});
  takes_every_form(Eigen::Vector2d{1, 2});
  takes_every_form(Eigen::MatrixXd{{1., 2.}, {3., 4.}});
}

TEST_CASE("elements in braces, and expressions of Eigen, are states as well") {
  CHECK(solution_of(vec{1.0, 2.0}).pullback({4.0, 8.0}).y0[1] == 2);
  CHECK(solution_of(std::vector{1.0, 2.0}).pullback({4.0, 8.0}).y0[1] == 2);
  auto s = solution_of(Eigen::VectorXd{{1., 2.}});
  CHECK(s.pullback(16 * s.y).y0[1] == 4 * s.y[1]);
}

}  // namespace revode
