// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/implicit/derivative_solve.hpp>
#include <revode/solvers/kvaerno3.hpp>

#include <cmath>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

using states = std::vector<double>;

/// What was asked of a field, and whether its products are of another sign.
struct asked {
  index products = 0, pulls = 0;
  double sign = 1;
};

/// u'ᵢ = p (u_{i−r} − 2 uᵢ + u_{i+r}) + c uᵢ² (1 − uᵢ), 0 outside: a matrix with 2r + 1 diagonals, of which three have
/// numbers. c = 0: linear.
struct far_neighbours {
  int reach;
  double cubic;
  asked* count;

  template <class T, class Y, class P>
  void operator()(const T&, const Y& u, const P& p, Y& du) const {
    for (int i = 0, n = length(u); i < n; ++i) {
      const auto x = u.data()[i];
      du.data()[i] = p.data()[0] * bend(u, i) + cubic * (x * x * (1.0 - x));
    }
  }
  template <class T, class Y, class P, class V, class DP>
  void jvp(const T&, const Y& u, const P& p, const T&, const V& v, const DP& dp, Y& out) const {
    ++count->products;
    for (int i = 0, n = length(u); i < n; ++i) {
      const auto x = u.data()[i];
      out.data()[i] = count->sign * (p.data()[0] * bend(v, i) + slope(x) * v.data()[i]);
      if (dp.size() > 0) out.data()[i] += dp.data()[0] * bend(u, i);
    }
  }
  template <class T, class Y, class P, class W, class GP>
  void vjp(const T&, const Y& u, const P& p, const W& w, T&, Y& gu, GP& gp) const {
    ++count->pulls;
    for (int i = 0, n = length(u); i < n; ++i) {
      gu.data()[i] += p.data()[0] * bend(w, i) + slope(u.data()[i]) * w.data()[i];
      if (gp.size() > 0) gp.data()[0] += w.data()[i] * bend(u, i);
    }
  }

 private:
  template <class X>
  auto bend(const X& u, int i) const {
    auto sum = -2.0 * u.data()[i];
    if (i >= reach) sum += u.data()[i - reach];
    if (i + reach < length(u)) sum += u.data()[i + reach];
    return sum;
  }
  template <class T>
  T slope(const T& x) const {
    return cubic * (x * (2.0 - 3.0 * x));
  }
};

constexpr int reach = 8, n = 40, width = 2 * reach + 1;

auto problem_of(asked& count, double cubic) {
  states y0;
  for (int i = 0; i < n; ++i) y0.push_back(0.5 + 0.4 * std::sin(0.3 * i));
  return problem{far_neighbours{reach, cubic, &count}, y0, 0.0, 1.0, vec{30.0}};
}
template <class M>
with_algebra<M, banded> in_a_band() {
  return {{}, {reach, reach}};
}

struct reverse_calls {
  index steps, products, pulls;
};
template <class M>
reverse_calls calls_of_pull(const M& m, double cubic, const options& o) {
  asked count;
  const auto q = problem_of(count, cubic);
  auto s = solve(q, m, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
  REQUIRE(s.status == status::success);
  count = {};
  REQUIRE(s.pullback(q.y0).status == status::success);
  return {s.stats.accepted, count.products, count.pulls};
}

TEST_CASE("a pull of a linear field takes one Jacobian, and two products a stage that it solves") {
  constexpr index solved = 3;  // kvaerno3 has four stages, the first of them explicit
  const auto one = calls_of_pull(in_a_band<kvaerno3>(), 0, {.fixed_step = 0.1});
  CHECK(one.products == width);
  CHECK(one.pulls == one.steps * (1 + 2 * solved) - 1);  // the stage of the Jacobian has none
  // where lengths differ: factors are another, the Jacobian is not
  const auto other = calls_of_pull(in_a_band<kvaerno3>(), 0, {.rtol = 1e-5, .atol = 1e-7});
  CHECK(other.products == width);
  CHECK(other.pulls <= other.steps * (1 + 3 * solved));
  const auto many = calls_of_pull(in_a_band<bdf5>(), 0, {.fixed_step = 0.02});
  CHECK(many.products == width);
  CHECK(many.pulls == 2 * many.steps);  // and one of the first slope, less that of the Jacobian
}

TEST_CASE(
    "a pull of a field that is not linear takes fewer products than a Jacobian a stage does") {
  const auto check = [](const auto& m, index stages, const options& o) {
    CAPTURE(o.rtol);
    const auto of = calls_of_pull(m, 5, o);
    CHECK(of.products % width == 0);
    CHECK(of.products <= of.steps * width);
    CHECK(of.products + of.pulls < of.steps * stages * width / 2);
  };
  for (const double rtol : {1e-4, 1e-6}) {
    check(in_a_band<kvaerno3>(), 3, {.rtol = rtol, .atol = rtol});
    check(in_a_band<bdf5>(), 1, {.rtol = rtol, .atol = rtol});
  }
}

TEST_CASE("gradients with a held matrix: to rounding, the same bits for every budget") {
  const auto check = [](const auto& m, const auto& dense, const options& o) {
    CAPTURE(o.fixed_step);
    asked count;
    const auto q = problem_of(count, 5);
    const recursive_checkpoint adjoint{.slots = 3};
    CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-13);
    CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).what == "");
    auto s = solve(q, m, o, adjoint);
    const auto g = s.pullback(s.y), h = s.pullback(s.y);
    CHECK(g.y0 == h.y0);
    CHECK(g.p == h.p);
    const auto d = solve(q, dense, o, adjoint).pullback(s.y);
    CHECK(relative_difference(g.y0, d.y0) < 1e-11);
    CHECK(relative_difference(g.p, d.p) < 1e-11);
  };
  for (const options& o : {options{.rtol = 1e-5, .atol = 1e-5}, options{.fixed_step = 0.04}}) {
    check(in_a_band<kvaerno3>(), kvaerno3{}, o);
    check(in_a_band<bdf5>(), bdf5{}, o);
  }
}

TEST_CASE("a preconditioner serves as long as it spares products") {
  const with_algebra<kvaerno3, gmres<banded>> m{{}, {.preconditioner = {reach, reach}}};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const auto of = calls_of_pull(m, 5, o);
  CHECK(of.products % width == 0);
  CHECK(of.products <= of.steps * width);
  asked count;
  const auto q = problem_of(count, 5);
  CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-13);
  CHECK(equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 3},
                            {.schedule = schedule_kind::store_all})
            .what == "");
}

TEST_CASE(
    "products that are not those of the matrix: it is taken a stage, tried more and more seldom") {
  asked count;
  const auto q = problem_of(count, 5);
  auto s = solve(q, in_a_band<kvaerno3>(), {.rtol = 1e-5, .atol = 1e-5},
                 recursive_checkpoint{.schedule = schedule_kind::store_all});
  count = {.sign = -0.2};
  const auto g = s.pullback(q.y0);
  CHECK(g.status == status::success);
  const index stages = 3 * s.stats.accepted;
  CHECK(count.products == stages * width);
  CHECK(count.pulls <= 4 * s.stats.accepted + 40);  // a trial ends behind a few products
}

TEST_CASE("a held matrix is replaced once it costs more than it has on average") {
  held_matrix held;
  held.made(1, 11, 5);
  CHECK(held.is_dear());
  CHECK(held.sweeps() == 9);
  CHECK(!held.is_worn(false));
  held.used(5);  // 16 for the first, 21 for two
  held.used(7);  // 28 for three
  CHECK(!held.is_worn(false));
  CHECK(!held.is_worn(true));  // 7 a stage beside 23/3 without factors
  held.used(9);                // 37 for four
  CHECK(!held.is_worn(false));
  CHECK(held.is_worn(true));
  held.used(10);  // 47 for five
  CHECK(held.is_worn(false));
  held.made(1, 5, 100);
  CHECK(!held.is_dear());
  CHECK(held.sweeps() == 20);
}

TEST_CASE("trials of held matrices that are in vain are made more and more seldom") {
  held_matrix held;
  const auto stages_that_wait = [&] {
    held.made(1, 11, 5);
    held.tried_in_vain();
    int waited = 0;
    while (held.waits()) ++waited;
    return waited;
  };
  CHECK(stages_that_wait() == 1);
  CHECK(stages_that_wait() == 3);
  CHECK(stages_that_wait() == 7);
  for (int k = 0; k < 9; ++k) stages_that_wait();
  CHECK(stages_that_wait() == 63);
  held.used(3);
  held.tried_in_vain();  // it has served
  CHECK(!held.waits());
  CHECK(stages_that_wait() == 1);
}

}  // namespace
}  // namespace revode
