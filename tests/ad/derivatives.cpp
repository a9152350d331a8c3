// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/state/mat.hpp>

#include "allocations.hpp"
#include "fields.hpp"

using namespace revode;

namespace {

using fixed = vec<double, 3>;
using dynamic = std::vector<double>;
using no_numbers = vec<double, 0>;

const fixed at_y{0.7, 1.3, -0.4}, at_p{1.1, 0.6, 2.2}, at_w{0.3, -1.2, 0.9}, at_v{-0.5, 0.8, 1.4},
    at_q{0.25, -0.6, 1.5};
const double at_t = 0.35, at_kt = 0.75;

template <class Y>
Y as(const fixed& x) {
  if constexpr (std::is_same_v<Y, dynamic>) {
    return {x.begin(), x.end()};
  } else {
    return x;
  }
}

template <class X>
void agree(const X& found, const fixed& expected) {
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(std::abs(found.data()[i] - expected[i]) <= 4e-15 * (1 + std::abs(expected[i])));
  }
}

/// Wᵀ m
fixed pulled(const mat<double, 3>& m, const fixed& w) {
  fixed g{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) g[j] += w[i] * m(i, j);
  }
  return g;
}

}  // namespace

static_assert(derivatives<mixed_field, fixed, fixed>::vjp_source == derivative_source::duals);
static_assert(derivatives<mixed_field, dynamic, dynamic>::vjp_source ==
              derivative_source::recording);
static_assert(derivatives<ring_field, vec<double, 8>, vec<double, 8>>::vjp_source ==
              derivative_source::recording);
static_assert(derivatives<mixed_field, dynamic, dynamic>::jvp_source == derivative_source::duals);
static_assert(std::is_empty_v<derivatives<mixed_field, fixed, fixed>>);

TEST_CASE_TEMPLATE("derivatives equal the ones by hand", Y, fixed, dynamic) {
  const mixed_by_hand hand{at_y, at_p, at_t};
  const mixed_field f;
  const Y y = as<Y>(at_y), p = as<Y>(at_p), w = as<Y>(at_w), v = as<Y>(at_v), q = as<Y>(at_q);
  derivatives<mixed_field, Y, Y> d;

  SUBCASE("vjp adds, with and without time, with and without parameters") {
    Y gy = w, gp = v;
    double gt = 1;
    const fixed of_y = pulled(hand.f_y(), at_w), of_p = pulled(hand.f_p(), at_w);
    d.vjp(f, at_t, y, p, w, &gt, gy, gp);
    agree(gy, {at_w[0] + of_y[0], at_w[1] + of_y[1], at_w[2] + of_y[2]});
    agree(gp, {at_v[0] + of_p[0], at_v[1] + of_p[1], at_v[2] + of_p[2]});
    CHECK(gt == doctest::Approx(1 + dot(at_w, hand.f_t())).epsilon(1e-15));
    Y gy2 = as<Y>({0, 0, 0}), gp2 = gy2, gy3 = gy2;
    no_numbers frozen{};
    d.vjp(f, at_t, y, p, w, nullptr, gy2, gp2);
    agree(gy2, of_y);
    agree(gp2, of_p);
    d.vjp(f, at_t, y, p, w, &gt, gy3, frozen);
    agree(gy3, of_y);
  }
  SUBCASE("jvp overwrites, with and without parameters") {
    const fixed f_t = hand.f_t();
    const auto f_y = hand.f_y(), f_p = hand.f_p();
    fixed in_y{}, in_all{};
    for (int i = 0; i < 3; ++i) {
      in_y[i] = f_t[i] * at_kt;
      for (int j = 0; j < 3; ++j) in_y[i] += f_y(i, j) * at_v[j];
      in_all[i] = in_y[i];
      for (int j = 0; j < 3; ++j) in_all[i] += f_p(i, j) * at_q[j];
    }
    Y out = as<Y>({7, 7, 7});
    d.jvp(f, at_t, y, p, at_kt, v, q, out);
    agree(out, in_all);
    d.jvp(f, at_t, y, p, at_kt, v, no_numbers{}, out);
    agree(out, in_y);
  }
  SUBCASE("jacobian and time derivative overwrite") {
    mat<double, 3> jac{{9, 9, 9, 9, 9, 9, 9, 9, 9}};
    d.jacobian(f, at_t, y, p, jac);
    for (int i = 0; i < 9; ++i) {
      CHECK(jac.elements[i] == doctest::Approx(hand.f_y().elements[i]).epsilon(1e-15));
    }
    Y out = as<Y>({7, 7, 7});
    d.time_derivative(f, at_t, y, p, out);
    agree(out, hand.f_t());
  }
  SUBCASE("second adds the gradient of the directional derivative") {
    const auto expected = hand.second(at_w, at_kt, at_v);
    Y gy = as<Y>({0, 0, 0}), gp = gy, gy2 = gy, gy3 = gy, gp3 = gy;
    double gt = 0;
    no_numbers frozen{};
    d.second(f, at_t, y, p, w, at_kt, v, &gt, gy, gp);
    CHECK(gt == doctest::Approx(expected.t).epsilon(1e-14));
    agree(gy, expected.y);
    agree(gp, expected.p);
    d.second(f, at_t, y, p, w, at_kt, v, &gt, gy2, frozen);
    agree(gy2, expected.y);
    CHECK(gt == doctest::Approx(2 * expected.t).epsilon(1e-14));
    d.second(f, at_t, y, p, w, at_kt, v, nullptr, gy3, gp3);
    agree(gp3, expected.p);
  }
}

TEST_CASE("direction by direction, as a device takes them: products and second derivatives") {
  using sweep = direction_sweep<fixed, fixed>;
  const mixed_by_hand hand{at_y, at_p, at_t};
  const auto expected = hand.second(at_w, at_kt, at_v);
  const fixed of_y = pulled(hand.f_y(), at_w), of_p = pulled(hand.f_p(), at_w);
  fixed gy{}, gp{}, gy2{}, hy{}, hp{}, hy2{};
  no_numbers frozen{};
  double gt = 1, ht = 0;
  sweep::vjp(mixed_field{}, at_t, at_y, at_p, at_w, &gt, gy, gp);
  sweep::vjp(mixed_field{}, at_t, at_y, at_p, at_w, static_cast<double*>(nullptr), gy2, frozen);
  CHECK(gt == doctest::Approx(1 + dot(at_w, hand.f_t())).epsilon(1e-15));
  agree(gy, of_y);
  agree(gy2, of_y);
  agree(gp, of_p);
  sweep::second(mixed_field{}, at_t, at_y, at_p, at_w, at_kt, at_v, &ht, hy, hp);
  sweep::second(mixed_field{}, at_t, at_y, at_p, at_w, at_kt, at_v, &ht, hy2, frozen);
  CHECK(ht == doctest::Approx(2 * expected.t).epsilon(1e-14));
  agree(hy, expected.y);
  agree(hy2, expected.y);
  agree(hp, expected.p);
}

TEST_CASE_TEMPLATE("the dot-product law holds to 1e-14 for every source", Y, vec<double, 5>,
                   vec<double, 11>, dynamic) {
  Y y{}, p{}, w{}, v{}, q{}, out{}, gy{}, gp{};
  if constexpr (std::is_same_v<Y, dynamic>) {
    for (Y* x : {&y, &p, &w, &v, &q, &out, &gy, &gp}) x->resize(23);
  }
  for (int i = 0; i < length(y); ++i) {
    y.data()[i] = std::sin(1.0 + i);
    p.data()[i] = std::cos(2.0 + 3 * i);
    w.data()[i] = std::sin(5.0 * i);
    v.data()[i] = std::cos(7.0 * i + 1);
    q.data()[i] = std::sin(11.0 * i + 2);
  }
  double gt = 0;
  derivatives<ring_field, Y, Y> d;
  d.vjp(ring_field{}, at_t, y, p, w, &gt, gy, gp);
  d.jvp(ring_field{}, at_t, y, p, at_kt, v, q, out);
  const double pushed = dot(w, out), pulled = gt * at_kt + dot(gy, v) + dot(gp, q);
  const double scale =
      std::sqrt(dot(w, w) * dot(out, out)) +
      std::sqrt((gt * gt + dot(gy, gy) + dot(gp, gp)) * (at_kt * at_kt + dot(v, v) + dot(q, q)));
  CHECK(std::abs(pushed - pulled) <= 1e-14 * scale);
}

TEST_CASE("a Jacobian wider than one chunk is complete") {
  dynamic y(19), p(19), e(19, 0.0), column(19);
  for (std::size_t i = 0; i < 19; ++i) {
    y[i] = std::sin(1.0 + static_cast<double>(i));
    p[i] = 1.0 + static_cast<double>(i);
  }
  derivatives<ring_field, dynamic, dynamic> d;
  mat<double, 19> jac;
  d.jacobian(ring_field{}, at_t, y, p, jac);
  for (int j = 0; j < 19; ++j) {
    fill(e, 0.0);
    e.data()[j] = 1;
    d.jvp(ring_field{}, at_t, y, p, 0.0, e, no_numbers{}, column);
    for (int i = 0; i < 19; ++i) CHECK(jac(i, j) == column.data()[i]);
  }
}

TEST_CASE("dynamic states allocate at the first call only") {
  dynamic y = as<dynamic>(at_y), p = as<dynamic>(at_p), w = as<dynamic>(at_w), gy(3), gp(3), out(3);
  derivatives<mixed_field, dynamic, dynamic> d;
  mat<double, 3> jac;
  const mixed_field f;
  double gt = 0;
  const auto all = [&] {
    d.vjp(f, at_t, y, p, w, &gt, gy, gp);
    d.jvp(f, at_t, y, p, 1.0, w, gp, out);
    d.jacobian(f, at_t, y, p, jac);
    d.time_derivative(f, at_t, y, p, out);
    d.second(f, at_t, y, p, w, 1.0, out, &gt, gy, gp);
  };
  all();
  const long before = allocations_so_far();
  for (int i = 0; i < 5; ++i) all();
  CHECK(allocations_so_far() == before);
  y.push_back(1);
  w.push_back(0);
  gy.push_back(0);
  d.vjp(f, at_t, y, p, w, nullptr, gy, gp);  // a new length: arrays follow
  CHECK(gy[3] == 0);
}

TEST_CASE("float fields are differentiated in float") {
  using narrow = vec<float, 3>;
  const narrow y{0.7f, 1.3f, -0.4f}, p{1.1f, 0.6f, 2.2f}, w{0.3f, -1.2f, 0.9f};
  narrow gy{}, gp{};
  derivatives<mixed_field, narrow, narrow> d;
  d.vjp(mixed_field{}, 0.35f, y, p, w, nullptr, gy, gp);
  const fixed expected = pulled(mixed_by_hand{at_y, at_p, at_t}.f_y(), at_w);
  for (int i = 0; i < 3; ++i) CHECK(std::abs(static_cast<double>(gy[i]) - expected[i]) < 1e-6);
}

namespace {

/// y0' = -p y0², y1' = t y0: one scalar type, its own vjp (over any scalar), nothing else.
struct own_vjp_field {
  void operator()(double t, const vec<double, 2>& y, const vec<double, 1>& p,
                  vec<double, 2>& dy) const {
    dy[0] = -p[0] * y[0] * y[0];
    dy[1] = t * y[0];
  }
  template <class T>
  void vjp(const T& t, const vec<T, 2>& y, const vec<T, 1>& p, const vec<T, 2>& w, T& gt,
           vec<T, 2>& gy, vec<T, 1>& gp) const {
    gt += w[1] * y[0];
    gy[0] += w[1] * t - 2 * p[0] * y[0] * w[0];
    gp[0] -= w[0] * y[0] * y[0];
  }
};

struct own_everything {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[0];
  }
  void vjp(double, const vec<double, 1>&, const no_numbers&, const vec<double, 1>&, double& gt,
           vec<double, 1>& gy, no_numbers&) const {
    gt += 100;
    gy[0] += 200;
  }
  void jvp(double, const vec<double, 1>&, const no_numbers&, double, const vec<double, 1>&,
           const no_numbers&, vec<double, 1>& out) const {
    out[0] = 300;
  }
  template <class J>
  void jacobian(double, const vec<double, 1>&, const no_numbers&, J& jac) const {
    jac(0, 0) = 400;
  }
};

}  // namespace

TEST_CASE("a field's own derivatives come first") {
  using D = derivatives<own_everything, vec<double, 1>, no_numbers>;
  static_assert(D::vjp_source == derivative_source::own);
  static_assert(D::jvp_source == derivative_source::own);
  D d;
  const own_everything f;
  const vec<double, 1> y{1};
  vec<double, 1> g{0}, out{0};
  no_numbers none{};
  double gt = 0;
  mat<double, 1> jac;
  d.vjp(f, 0.0, y, none, y, &gt, g, none);
  CHECK(g[0] == 200);
  CHECK(gt == 100);
  d.vjp(f, 0.0, y, none, y, nullptr, g, none);
  CHECK(g[0] == 400);
  d.jvp(f, 0.0, y, none, 0.0, y, none, out);
  CHECK(out[0] == 300);
  d.jacobian(f, 0.0, y, none, jac);
  CHECK(jac(0, 0) == 400);
}

TEST_CASE("one own vjp is enough for Jacobian, time derivative and second order") {
  using Y = vec<double, 2>;
  using P = vec<double, 1>;
  using D = derivatives<own_vjp_field, Y, P>;
  static_assert(D::vjp_source == derivative_source::own);
  static_assert(D::jvp_source == derivative_source::none);
  D d;
  const own_vjp_field f;
  const Y y{3, 4}, u{0.5, 0.25}, k{2, 7};
  const P p{0.1};
  mat<double, 2> jac;
  d.jacobian(f, 2.0, y, p, jac);
  CHECK(jac(0, 0) == doctest::Approx(-0.6));
  CHECK(jac(0, 1) == 0);
  CHECK(jac(1, 0) == 2);
  CHECK(jac(1, 1) == 0);
  Y out;
  d.time_derivative(f, 2.0, y, p, out);
  CHECK(out[0] == 0);
  CHECK(out[1] == 3);
  // uᵀ(f_t kt + f_y k) = u1 y0 kt - 2 u0 p y0 k0 + u1 t k0
  Y gy{};
  P gp{};
  double gt = 0;
  d.second(f, 2.0, y, p, u, 3.0, k, &gt, gy, gp);
  CHECK(gt == doctest::Approx(0.25 * 2));
  CHECK(gy[0] == doctest::Approx(0.25 * 3 - 2 * 0.5 * 0.1 * 2));
  CHECK(gy[1] == 0);
  CHECK(gp[0] == doctest::Approx(-2 * 0.5 * 3 * 2));
}

TEST_CASE("push through pull: derivatives work over duals as the scalar") {
  using S = dual<double, 1>;
  using Y = vec<S, 3>;
  const mixed_by_hand hand{at_y, at_p, at_t};
  Y y, p, w, gy{}, gp{};
  for (int i = 0; i < 3; ++i) {
    y[i] = S(at_y[i]);
    y[i].d[0] = at_v[i];
    p[i] = S(at_p[i]);
    w[i] = S(at_w[i]);
  }
  S t(at_t);
  t.d[0] = at_kt;
  derivatives<mixed_field, Y, Y> d;
  d.vjp(mixed_field{}, t, y, p, w, nullptr, gy, gp);
  const auto expected = hand.second(at_w, at_kt, at_v);
  for (int i = 0; i < 3; ++i) {
    CHECK(gy[i].d[0] == doctest::Approx(expected.y[i]).epsilon(1e-14));
    CHECK(gp[i].d[0] == doctest::Approx(expected.p[i]).epsilon(1e-14));
  }
}
