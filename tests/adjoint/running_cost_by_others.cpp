// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include <revode/adjoint/all.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

// A loss with a running cost by every adjoint beside recursive_checkpoint, with events and without, and its Hessian.

namespace revode {
namespace {

/// A ball; p: gravity and restitution.
struct falling {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy.data()[0] = y.data()[1];
    dy.data()[1] = -p.data()[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y.data()[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new.data()[1] = -(p.data()[1] * y.data()[1]);
  }
};

const auto energy = [](const auto&, const auto& y, const auto& p) {
  return p.data()[0] * y.data()[0] * y.data()[0] + y.data()[1] * y.data()[1];
};
const auto end = [](const auto& y) { return y.data()[0] * y.data()[0] + y.data()[1]; };
const auto all_of_it =
    loss_of_solution{[](const auto& s) { return s.y.data()[0] * s.p.data()[1] + s.t + s.t0; }};

/// The same gradient, to a share of it.
template <class Mine, class Expected>
void check_near(const Mine& mine, const Expected& expected, double share) {
  REQUIRE(mine.gradient);
  CHECK(mine.gradient->status == status::success);
  CHECK(*mine.value == doctest::Approx(*expected.value).epsilon(share));
  const auto near = [&](double a, double b) { CHECK(a == doctest::Approx(b).epsilon(share)); };
  for (int i = 0; i < 2; ++i) {
    near(mine.gradient->y0.data()[i], expected.gradient->y0.data()[i]);
    near(mine.gradient->p.data()[i], expected.gradient->p.data()[i]);
  }
  near(mine.gradient->t0, expected.gradient->t0);
  near(mine.gradient->t1, expected.gradient->t1);
  for (std::size_t k = 0; k < expected.gradient->ts.size(); ++k)
    near(mine.gradient->ts[k], expected.gradient->ts[k]);
  CHECK(length(mine.solution.y) == 2);
  CHECK(mine.solution.ys.size() == expected.solution.ys.size());
  CHECK(mine.solution.events.size() == expected.solution.events.size());
}

/// ask(q, o[, events], L[, adjoint]) for each adjoint, against the exact one.
template <class Y, class M, class Loss, class... Events>
void by_others(const Y& y0, const M& m, const Loss& loss, const Events&... events) {
  const falling f;
  const problem q{f, y0, 0.0, 1.0, vec{9.81, 0.8}};
  const options o{.rtol = 1e-9, .atol = 1e-9, .save = {.ts = {0.3, 0.9}}};
  const auto expected = value_and_gradient(q, m, o, events..., loss);
  REQUIRE(expected.solution.events.size() == sizeof...(Events));
  check_near(value_and_gradient(q, m, o, events..., loss, gauss{}), expected, 1e-6);
  check_near(value_and_gradient(q, m, o, events..., loss, interpolating{}), expected, 1e-6);
  if constexpr (!std::is_same_v<M, rodas5p>)
    check_near(value_and_gradient(q, m, o, events..., loss, backsolve{}), expected, 1e-6);
  const auto checked = value_and_checked_gradient(q, m, o, events..., loss, gauss{});
  check_near(checked, expected, 1e-6);
  CHECK(checked.gradient->error->relative < 1e-6);
  CHECK(checked.gradient->backward.accepted > 0);
}

template <class Y>
void by_every_loss(const Y& y0) {
  const loss_with_running_cost plain{end, energy};
  const loss_with_running_cost given{all_of_it, energy};
  by_others(y0, tsit5{}, plain);
  by_others(y0, tsit5{}, plain, events(bounce{}));
  by_others(y0, tsit5{}, given, events(bounce{}));
}

const problem<falling, vec<double, 2>, vec<double, 2>> ball{falling{}, {1, 0}, 0, 1, {9.81, 0.8}};
const options tight{.rtol = 1e-9, .atol = 1e-9};
const tangents<vec<double, 2>, vec<double, 2>> ahead{.y0 = {1, 0}, .p = {0, 1}, .t1 = 0.5};

}  // namespace

TEST_CASE("a running cost by continuous adjoints: the exact gradient, to the tolerances") {
  by_every_loss(vec{1., 0.});
  by_every_loss(std::vector{1., 0.});
  by_every_loss(Eigen::VectorXd(Eigen::Vector2d(1, 0)));
  by_others(vec{1., 0.}, rodas5p{}, loss_with_running_cost{end, energy});
}

TEST_CASE("a running cost by steps that are undone: the exact gradient") {
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const loss_with_running_cost loss{end, energy};
  check_near(value_and_gradient(ball, reversible_heun{}, o, loss, reversible{}),
             value_and_gradient(ball, reversible_heun{}, o, loss), 1e-10);
}

TEST_CASE("a running cost on steps that resolve its gradient along directions of y and p") {
  const loss_with_running_cost loss{end, energy};
  const auto through = events(bounce{});
  const auto plain = value_and_gradient(ball, tsit5{}, tight, loss),
             bounces = value_and_gradient(ball, tsit5{}, tight, through, loss);
  const auto check = [&](const auto& controlled) {
    check_near(value_and_gradient(ball, tsit5{}, tight, loss, controlled), plain, 1e-6);
    check_near(value_and_gradient(ball, tsit5{}, tight, through, loss, controlled), bounces, 1e-6);
  };
  check(control_gradient_error{random_directions{}});
  const tangents still{ahead.y0, ahead.p};
  check(control_gradient_error{still});
  check(control_gradient_error{std::array{still, still}});
}

TEST_CASE("the Hessian of a running cost times a direction: how its gradient changes") {
  const auto check = [](const auto& loss, const auto&... events) {
    const auto r = hessian_vector_product(ball, tsit5{}, tight, events..., loss, ahead);
    const auto here = value_and_gradient(ball, tsit5{}, tight, events..., loss);
    CHECK(*r.value == *here.value);
    check_near(r, here, 1e-12);
    const auto there = [&](double h) {
      const problem<falling, vec<double, 2>, vec<double, 2>> q{
          falling{}, {1 + h, 0}, 0, 1 + 0.5 * h, {9.81, 0.8 + h}};
      return *value_and_gradient(q, tsit5{}, tight, events..., loss).gradient;
    };
    const double h = 1e-4;
    const auto up = there(h), down = there(-h);
    const auto near = [&](double mine, double of_up, double of_down) {
      CHECK(mine == doctest::Approx((of_up - of_down) / (2 * h)).epsilon(1e-4));
    };
    for (int i = 0; i < 2; ++i) {
      near(r.product->y0[i], up.y0[i], down.y0[i]);
      near(r.product->p[i], up.p[i], down.p[i]);
    }
    near(r.product->t1, up.t1, down.t1);
  };
  check(loss_with_running_cost{end, energy});
  check(loss_with_running_cost{end, energy}, events(bounce{}));
  check(loss_with_running_cost{all_of_it, energy}, events(bounce{}));
}

TEST_CASE("a running cost by backsolve: an integral that does not come back to 0 has no gradient") {
  // At t1 it is 10⁶ and more, of which atol is nothing: the limit says how far off 0 it may be.
  const loss_with_running_cost loss{
      end, [](const auto&, const auto& y, const auto&) { return 1e6 * y.data()[0] * y.data()[0]; }};
  const options o{.rtol = 1e-6, .atol = 1e-12};
  const auto refused = value_and_gradient(ball, tsit5{}, o, loss, backsolve{});
  CHECK(refused.gradient->status == status::reconstruction_failure);
  CHECK(refused.gradient->reconstruction_error > 1e3);
  const double limit = 10 * refused.gradient->reconstruction_error;
  check_near(value_and_gradient(ball, tsit5{}, o, loss, backsolve{.limit = limit}),
             value_and_gradient(ball, tsit5{}, o, loss), 1e-5);
}

}  // namespace revode
