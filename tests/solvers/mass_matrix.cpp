// SPDX-License-Identifier: Apache-2.0
// M y' = f, M singular or not: consistent starts, that neither mixed rows nor elimination change a gradient,
// and what is misuse.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/chemakzo.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/references.hpp>

#include "mass_problems.hpp"

namespace revode {
namespace {

template <class M>
void check_null_space() {
  CAPTURE(std::string(M::name));
  const problem q{blended{}, blended{}.start(), 0.0, 1.5, vec{0.7, 1.3}};
  const auto g = solve(q, M{}, {.rtol = 1e-6, .atol = 1e-6}, recursive_checkpoint{})
                     .pullback(vec{0.3, -0.8, 1.1});
  const vec<double, 3> null = blended::null_vector();
  CHECK(std::abs(dot(null, g.y0)) <= 1e-12 * std::sqrt(dot(g.y0, g.y0)));
}

TEST_CASE("what M does not see of y0 has no derivative, whichever method") {
  check_null_space<rodas5p>();
  check_null_space<radau_iia5>();
  check_null_space<bdf5>();
}

TEST_CASE("a start is made consistent, and one that is so keeps its bits") {
  const problem q{semi_explicit{}, vec{0.4, 100.0}, 0.0, 1.0, vec{0.7, 1.3}};
  problem given = q;
  given.y0[1] = semi_explicit::algebraic(0.0, 0.4, q.p);
  system<semi_explicit, vec<double, 2>, vec<double, 2>> sys(q.f, q.p);
  vec<double, 2> y = q.y0, same = given.y0;
  make_consistent(sys, 0.0, y);
  make_consistent(sys, 0.0, same);
  CHECK(y[0] == 0.4);
  CHECK(y[1] == doctest::Approx(given.y0[1]).epsilon(1e-14));
  CHECK(equal_bits(same, given.y0));
  const auto one = solve(q, rodas5p{}), other = solve(given, rodas5p{});
  CHECK(one.y[0] == doctest::Approx(other.y[0]).epsilon(1e-12));
}

TEST_CASE("a solve without steps ends at the consistent state, with its derivative") {
  const problem q{semi_explicit{}, vec{0.4, 0.0}, 1.0, 1.0, vec{0.7, 1.3}};
  const law_result law = dot_product_law(q, rodas5p{}, {}, recursive_checkpoint{}, 3);
  CHECK_MESSAGE(law.holds, law.worst);
  const auto s = solve(q, rodas5p{});
  CHECK(s.y[1] == doctest::Approx(semi_explicit::algebraic(1.0, 0.4, q.p)).epsilon(1e-12));
}

TEST_CASE("rows may be mixed and algebraic variables eliminated: one gradient") {
  const options tight{.rtol = 1e-10, .atol = 1e-12};
  const vec<double, 2> p{0.7, 1.3};
  const auto gradient_of = [&](const auto& f, const auto& y0, const auto& w) {
    return solve(problem{f, y0, 0.0, 1.5, p}, rodas5p{}, tight, recursive_checkpoint{}).pullback(w);
  };
  const auto plain = gradient_of(semi_explicit{}, vec{0.4, 0.0}, vec{0.6, -0.7});
  const auto mixed = gradient_of(mixed_rows{}, vec{0.4, 0.0}, vec{0.6, -0.7});
  for (int i = 0; i < 2; ++i) {
    CHECK(mixed.p[i] == doctest::Approx(plain.p[i]).epsilon(1e-9));
    CHECK(mixed.y0[i] == doctest::Approx(plain.y0[i]).epsilon(1e-9));
  }
  // z = G(t, y, p): the loss w₁ y + w₂ G of the ODE y' = f(t, y, G)
  auto s =
      solve(problem{eliminated{}, vec{0.4}, 0.0, 1.5, p}, rodas5p{}, tight, recursive_checkpoint{});
  dual<double, 3> y(s.y[0]), a(p[0]), b(p[1]);
  y.d[0] = a.d[1] = b.d[2] = 1;
  const auto z = semi_explicit::algebraic(1.5, y, vec<dual<double, 3>, 2>{a, b});
  const auto g = s.pullback(vec{0.6 - 0.7 * z.d[0]});
  for (int i = 0; i < 2; ++i)
    CHECK(plain.p[i] == doctest::Approx(g.p[i] - 0.7 * z.d[i + 1]).epsilon(1e-8));
  CHECK(plain.y0[0] == doctest::Approx(g.y0[0]).epsilon(1e-8));
}

/// The five equations of chemakzo with FLB.ZHU = Ks y1 y4 in their place.
struct chemakzo_eliminated {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using S = std::remove_cvref_t<decltype(y[0])>;
    vec<S, 6> all, slope;
    for (int i = 0; i < 5; ++i) all[i] = y[i];
    all[5] = p[6] * (y[0] * y[3]);
    chemakzo{}(t, all, p, slope);
    for (int i = 0; i < 5; ++i) dy[i] = slope[i];
  }
};
/// chemakzo, each row with parts of the others: M has no row of zeros, but its rank is 5.
struct chemakzo_mixed {
  static constexpr double part(int i, int j) {
    return i == j ? 1.0 : 0.1 * (1 + (2 * i + 3 * j) % 5);
  }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 5; ++j) m(i, j) = part(i, j);
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    Y rows = dy;
    chemakzo{}(t, y, p, rows);
    for (int i = 0; i < 6; ++i) {
      dy[i] = rows[0] * part(i, 0);
      for (int j = 1; j < 6; ++j) dy[i] = dy[i] + rows[j] * part(i, j);
    }
  }
};

TEST_CASE_TEMPLATE("chemakzo: rows may be mixed and its equilibrium eliminated, to the tolerance",
                   M, rodas5p, radau_iia5, bdf5) {
  const chemakzo f;
  const auto solved = [&](const auto& field, const auto& y0) {
    return solve(problem{field, y0, 0.0, 20.0, f.parameters()}, M{}, {.rtol = 1e-8, .atol = 1e-11},
                 recursive_checkpoint{});
  };
  const vec<double, 6> w{1.0, 2.0, -1.0, 3.0, 0.5, 2.0};
  const auto plain = solved(f, f.y0()).pullback(w),
             mixed = solved(chemakzo_mixed{}, f.y0()).pullback(w);
  vec<double, 5> start, five;
  for (int i = 0; i < 5; ++i) start[i] = f.y0()[i], five[i] = w[i];
  auto s = solved(chemakzo_eliminated{}, start);
  five[0] += w[5] * f.parameters()[6] * s.y[3];  // w[5] times the product at the end
  five[3] += w[5] * f.parameters()[6] * s.y[0];
  auto eliminated = s.pullback(five);
  eliminated.p[6] += w[5] * s.y[0] * s.y[3];
  const auto alike = [&](int n, const auto& a, const auto& b, double apart) {
    for (int i = 0; i < n; ++i) CHECK(std::abs(a[i] - b[i]) <= apart * std::abs(b[i]));
  };
  alike(9, mixed.p, plain.p, 1e-12);
  alike(6, mixed.y0, plain.y0, 1e-12);
  alike(9, eliminated.p, plain.p, 1e-7);
  alike(5, eliminated.y0, plain.y0, 1e-7);
}

TEST_CASE("BDF finishes the transistor amplifier at every tolerance") {
  // with Newton's usual part of the tolerance half of all attempts fail at 1e-10, 200,000 of them
  const transamp f;
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
    const auto s = solve(q, bdf5{}, {.rtol = tol, .atol = tol, .first_step = 1e-6});
    REQUIRE(s.status == status::success);
    CHECK(s.stats.accepted <= 16000);
    CHECK(s.stats.rejected <= 1000);
    for (int i = 0; i < 8; ++i)
      CHECK(std::abs(s.y[i] - f.reference()[i]) <= 5 * tol * (1 + std::abs(f.reference()[i])));
  }
}

template <class What>
std::string words_of(What&& what) {
  try {
    what();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST_CASE("misuse of masses is told in words, before any step") {
  CHECK(
      words_of([] {
        solve(problem{of_index_two{}, vec{1.0, 0.0, 0.0}, 0.0, 1.0}, rodas5p{});
      }) ==
      "algebraic equations that do not determine the variables whose derivatives M leaves out (of "
      "index 2 or more, or contradictory at y0: w ∂f/∂y is singular there) tell the indices by "
      "index() and take radau_iia5, differentiate the equations by t, with y' = f, until they do, "
      "or "
      "choose another y0?");
  CHECK(words_of([] {
          solve(problem{too_large{}, vec{1.0, 0.0}, 0.0, 1.0}, rodas5p{});
        }) ==
        "mass(0, 2) of a state of 2 elements (rows and columns count from 0) write within it?");
  CHECK(words_of([] {
          solve(problem{not_finite{}, vec{1.0, 0.0}, 0.0, 1.0}, rodas5p{});
        }) == "mass(0, 0) that is not finite (M is constant) write numbers to it?");
}

TEST_CASE("where no consistent state is near the solve says so") {
  const auto s = solve(problem{unsolvable{}, vec{1.0, 0.0}, 0.0, 1.0}, rodas5p{});
  CHECK(s.status == status::newton_failure);
  CHECK(s.t == 0);
}

}  // namespace
}  // namespace revode
