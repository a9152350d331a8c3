// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include <adjoint/parted_fields.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp4.hpp>

namespace revode {

using namespace parted_fields;
using vector = erased_field::vector;
using push_scalar = erased_field::push_scalar;

namespace {

/// Counts the calls of its parts' own derivatives.
struct telling : parted {
  int* calls;
  template <class T, class Y, class P>
  void implicit_vjp(const T&, const Y&, const P& p, const Y& w, T&, Y& gy, P&) const {
    ++*calls;
    gy[0] -= p[0] * w[0];
  }
  template <class T, class Y, class P>
  void explicit_jvp(const T&, const Y&, const P&, const T&, const Y& dy, const P&, Y& out) const {
    ++*calls;
    out[0] = 3 * dy[0];
    out[1] = 5 * dy[1];
  }
  template <class T, class Y, class P, class J>
  void implicit_jacobian(const T&, const Y&, const P& p, J& j) const {
    ++*calls;
    j(0, 0) = -p[0];
    j(0, 1) = j(1, 0) = j(1, 1) = 0;
  }
};

/// Every derivative of one face of the erased field, against that of the typed one by duals.
template <class Face, class Part>
void check_face(const erased_field& f, const Part& typed) {
  const double t = 0.4;
  const pair_of y{0.5, 1.1}, p{4, 1.3}, w{0.7, -0.2}, dp{0.3, 2};
  const auto wide = [](const pair_of& x) { return vector{{x[0], x[1]}}; };
  derivatives<Part, pair_of, pair_of> right;
  pair_of gy{0, 0}, gp{0, 0}, out{0, 0};
  double gt = 0;
  right.vjp(typed, t, y, p, w, &gt, gy, gp);
  vector by_y = wide({0, 0}), by_p = by_y, along = by_y;
  double by_t = 0;
  Face::vjp(f, t, wide(y), wide(p), wide(w), by_t, by_y, by_p);
  right.jvp(typed, t, y, p, 0.6, w, dp, out);
  Face::jvp(f, t, wide(y), wide(p), 0.6, wide(w), wide(dp), along);
  mat<double, 2, 2> j;
  right.jacobian(typed, t, y, p, j);
  erased_field::matrix matrix(2, 2);
  Face::jacobian(f, t, wide(y), wide(p), matrix);
  CHECK(std::abs(by_t - gt) < 1e-13);
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(by_y[i] - gy[i]) < 1e-13);
    CHECK(std::abs(by_p[i] - gp[i]) < 1e-13);
    CHECK(std::abs(along[i] - out[i]) < 1e-13);
    for (int k = 0; k < 2; ++k) CHECK(std::abs(matrix(i, k) - j(i, k)) < 1e-13);
  }
  // The derivative of the pull along w, as duals carry it.
  pair_of second_y{0, 0}, second_p{0, 0};
  right.second(typed, t, y, p, w, 0.0, w, static_cast<double*>(nullptr), second_y, second_p);
  erased_field::push_vector at(2), with(2), by(2), gy_pushed(2), gp_pushed(2);
  for (int i = 0; i < 2; ++i) {
    at[i] = push_scalar::input(y[i], 0);
    at[i].d[0] = w[i];
    with[i] = push_scalar(p[i]);
    by[i] = push_scalar(w[i]);
    gy_pushed[i] = gp_pushed[i] = push_scalar(0);
  }
  push_scalar gt_pushed(0);
  Face::vjp(f, push_scalar(t), at, with, by, gt_pushed, gy_pushed, gp_pushed);
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(gy_pushed[i].d[0] - second_y[i]) < 1e-13);
    CHECK(std::abs(gp_pushed[i].d[0] - second_p[i]) < 1e-13);
  }
}

}  // namespace

TEST_CASE("erased parts: every derivative of every face is the field's") {
  const parted f;
  const erased_field erased(f);
  check_face<whole_face>(erased, f);
  check_face<implicit_face>(erased, implicit_part_of<parted>{{f}});
  check_face<explicit_face>(erased, explicit_part_of<parted>{{f}});
}

TEST_CASE("erased parts: derivatives that the parts bring are asked") {
  int calls = 0;
  const erased_field f(telling{{}, &calls});
  const vector y{{0.5, 1}}, p{{4, 1.3}}, w{{2, 1}};
  vector gy = vector::Zero(2), gp = gy, out = gy;
  double gt = 0;
  f.implicit_vjp(0.0, y, p, w, gt, gy, gp);
  CHECK(gy == vector{{-8, 0}});
  f.explicit_jvp(0.0, y, p, 0.0, w, gp, out);
  CHECK(out == vector{{6, 5}});
  erased_field::matrix j(2, 2);
  f.implicit_jacobian(0.0, y, p, j);
  CHECK(j(0, 0) == -4);
  CHECK(calls == 3);
}

TEST_CASE("erased parts: implicit-explicit steps and gradients") {
  const auto typed = problem_of(parted{});
  const problem q{erased_field(parted{}), vector{{0.5, 1}}, 0.0, 1.5, vector{{40, 1.3}}};
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto a = value_and_gradient(typed, imex<kencarp4>{}, o, terminal);
  const auto b = value_and_gradient(q, imex<kencarp4>{}, o, terminal);
  REQUIRE(b.solution.status == status::success);
  CHECK(b.solution.stats.accepted == a.solution.stats.accepted);
  check_near(*b.gradient, *a.gradient, 1e-9);
}

TEST_CASE("erased parts: a field without parts is refused") {
  CHECK(!erased_field(decay{}).has_parts());
  CHECK(erased_field(parted{}).has_parts());
  std::string text;
  const problem q{erased_field(decay{}), vector{{1.0}}, 0.0, 1.0, vector{{0.5}}};
  try {
    solve(q, imex<kencarp4>{});
  } catch (const std::invalid_argument& refused) {
    text = refused.what();
  }
  CHECK(text ==
        "a field without parts for a method of both (it has no implicit_part and explicit_part, or "
        "a mass matrix) take a "
        "method of the whole, esdirk547?");
}

TEST_CASE("erased parts: those of named problems add up") {
  int in_parts = 0;
  for (const catalog_entry& entry : catalog()) {
    const erased_problem q = make_problem(entry.name);
    if (!q.f.has_parts()) continue;
    CAPTURE(entry.name);
    ++in_parts;
    vector whole = q.y0, of_implicit = q.y0, of_explicit = q.y0;
    q.f(q.t0, q.y0, q.p, whole);
    q.f.implicit_part(q.t0, q.y0, q.p, of_implicit);
    q.f.explicit_part(q.t0, q.y0, q.p, of_explicit);
    CHECK((of_implicit + of_explicit - whole).norm() < 1e-13 * whole.norm());
    CHECK(of_implicit.norm() > 0.01 * whole.norm());
    CHECK(of_explicit.norm() > 0.01 * whole.norm());
  }
  CHECK(in_parts == 1);
}

TEST_CASE("erased parts: a copy has its own") {
  const vector y{{0.5, 1}}, p{{4, 1.3}};
  auto first = std::make_unique<erased_field>(parted{});
  vector dy = vector::Zero(2), again = dy;
  first->implicit_part(0.0, y, p, dy);
  const erased_field copy = *first;
  first.reset();
  copy.implicit_part(0.0, y, p, again);
  CHECK(again == dy);
}

}  // namespace revode
