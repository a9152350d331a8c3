// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <revode/problems/burgers_1d.hpp>
#include <revode/problems/heat_1d.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

using states = std::vector<double>;

struct shape {
  int n, lower, upper;
};
/// Square corners, bands as wide as the matrix, one sided, long.
const shape shapes[] = {{1, 0, 0},  {2, 1, 0},  {2, 1, 1},   {5, 0, 2},  {5, 4, 4},
                        {7, 2, 0},  {9, 1, 1},  {12, 3, 1},  {12, 1, 3}, {40, 5, 2},
                        {40, 0, 0}, {60, 8, 9}, {200, 2, 2}, {33, 32, 1}};

/// `dominant` leaves every pivot where it is; otherwise nearly every row is exchanged.
banded_matrix<states> random_band(const shape& s, double dominant, random_numbers& random) {
  banded_matrix<states> a;
  a.resize(s.n, s.lower, s.upper);
  for (int i = 0; i < s.n; ++i)
    for (int j = a.first(i); j <= a.last(i); ++j) a(i, j) = random() + (i == j ? dominant : 0.0);
  return a;
}

dense_matrix<double> dense_of(const banded_matrix<states>& a) {
  dense_matrix<double> all(a.rows());
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.rows(); ++j) all(i, j) = a(i, j);
  return all;
}

double relative(const states& a, const states& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::fmax(difference, std::abs(a[i] - b[i]));
    size = std::fmax(size, std::abs(b[i]));
  }
  return difference / size;
}

TEST_CASE(
    "banded matrix: elements outside are 0 and stay so, products are those of the dense one") {
  random_numbers random(2);
  for (const shape& s : shapes) {
    auto a = random_band(s, 0, random);
    CHECK(a.size() == static_cast<std::size_t>(s.n * (s.lower + s.upper + 1)));
    if (s.n > s.upper + 1) {
      a(0, s.n - 1) = 7;
      CHECK(a(0, s.n - 1) == 0);
      CHECK(std::as_const(a)(0, s.n - 1) == 0);
    }
    const auto all = dense_of(a);
    const auto x = random.like(states(static_cast<std::size_t>(s.n)));
    auto y = x, expected = x;
    add_product(a, x, y);
    add_product(all, x, expected);
    CHECK(y == expected);
    add_transposed_product(a, x, y);
    add_transposed_product(all, x, expected);
    CHECK(y == expected);
  }
}

TEST_CASE("banded LU: the dense factorisation's solution bit for bit, its transposed to rounding") {
  random_numbers random(3);
  for (const shape& s : shapes)
    for (const double shift : {0.0, 0.7, 30.0}) {
      CAPTURE(s.n);
      CAPTURE(s.lower);
      CAPTURE(s.upper);
      const auto a = random_band(s, shift == 0 ? 0.0 : -shift, random);
      const auto all = dense_of(a);
      banded_lu<double> factors;
      dense_lu<double> dense;
      REQUIRE((shift == 0 ? factors.factor(a) : factors.factor_shifted(a, shift)));
      REQUIRE((shift == 0 ? dense.factor(all) : dense.factor_shifted(all, shift)));
      const auto b = random.like(states(static_cast<std::size_t>(s.n)));
      const auto w = random.like(b);
      auto x = b, expected = b, v = w;
      factors.solve(x);
      dense.solve(expected);
      CHECK(x == expected);
      factors.solve_transposed(v);
      CHECK(std::abs(dot(w, x) - dot(v, b)) <= 1e-13 * (1 + std::sqrt(dot(v, v) * dot(b, b))));
      expected = w;
      dense.solve_transposed(expected);
      CHECK(relative(v, expected) < 1e-9);  // some of these matrices have large inverses
    }
}

TEST_CASE("banded complex LU: the dense solution, and the dot product law of its adjoint") {
  random_numbers random(4);
  for (const shape& s : shapes)
    for (const double size : {0.5, 20.0}) {
      CAPTURE(s.n);
      const auto a = random_band(s, 0, random);
      const auto all = dense_of(a);
      banded_complex_lu<double> factors;
      complex_lu<double, -1> dense;
      REQUIRE(factors.factor_shifted(a, size * 2.7, size * 3.1));
      REQUIRE(dense.factor_shifted(all, size * 2.7, size * 3.1));
      const auto b = random.like(states(static_cast<std::size_t>(s.n))), c = random.like(b);
      const auto w = random.like(b), z = random.like(b);
      auto x = b, y = c, x_dense = b, y_dense = c, p = w, q = z;
      factors.solve(x, y);
      dense.solve(x_dense, y_dense);
      CHECK(relative(x, x_dense) < 1e-12);
      CHECK(relative(y, y_dense) < 1e-12);
      factors.solve_adjoint(p, q);
      const double forward = dot(w, x) + dot(z, y), back = dot(p, b) + dot(q, c);
      CHECK(std::abs(forward - back) < 1e-13 * s.n);
    }
}

TEST_CASE(
    "banded stages: coupled systems leave a residual of rounding, and so do their transposes") {
  random_numbers random(6);
  const double a[3][3] = {{3.2, 1.2, -0.3}, {-3.6, 0.8, 1.1}, {5.5, -7.5, 5}};
  for (const shape& s : shapes)
    for (const bool transposed : {false, true}) {
      const banded_matrix<states> j[3] = {random_band(s, -9, random), random_band(s, -9, random),
                                          random_band(s, -9, random)};
      const auto like = states(static_cast<std::size_t>(s.n));
      const states right[3] = {random.like(like), random.like(like), random.like(like)};
      states x[3] = {like, like, like};
      CHECK((transposed ? solve_banded_stages<true>(a, nothing{}, j, right, x)
                        : solve_banded_stages<false>(a, nothing{}, j, right, x)));
      for (int i = 0; i < 3; ++i) {
        states rest = right[i];
        for (int k = 0; k < 3; ++k) axpy(-(transposed ? a[k][i] : a[i][k]), x[k], rest);
        transposed ? add_transposed_product(j[i], x[i], rest) : add_product(j[i], x[i], rest);
        CHECK(std::sqrt(dot(rest, rest)) < 1e-14 * s.n);
      }
    }
}

TEST_CASE("banded LU: singular and non-finite matrices are refused, and the object serves again") {
  banded_matrix<states> a;
  a.resize(3, 1, 1);
  banded_lu<double> factors;
  banded_complex_lu<double> complex;
  CHECK_FALSE(factors.factor(a));
  CHECK_FALSE(complex.factor_shifted(a, 0.0, 0.0));
  CHECK(complex.factor_shifted(a, 0.0, 1e-300));
  a(0, 1) = a(1, 0) = a(2, 2) = 1;  // a zero first pivot
  REQUIRE(factors.factor(a));
  states x{3, 4, 5};
  factors.solve(x);
  CHECK(x == states{4, 3, 5});
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    a(2, 1) = bad;
    CHECK_FALSE(factors.factor(a));
    CHECK_FALSE(factors.factor_shifted(a, 1.0));
    CHECK_FALSE(complex.factor_shifted(a, 1.0, 1.0));
  }
  a.resize(4, 0, 0);
  for (int i = 0; i < 4; ++i) a(i, i) = 2;
  REQUIRE(factors.factor(a));
  x = {2, 4, 6, 8};
  factors.solve(x);
  CHECK(x == states{1, 2, 3, 4});
}

/// The Jacobian of heat_1d by hand; `calls` counts.
struct heat_with_jacobian : heat_1d {
  int* calls;
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P& p, J& j) const {
    ++*calls;
    const int n = length(y);
    const T k = p[0] * T((n + 1) * (n + 1));
    for (int i = 0; i < n; ++i) {
      j(i, i) = -2 * k;
      if (i > 0) j(i, i - 1) = k;
      if (i + 1 < n) j(i, i + 1) = k;
    }
  }
};

template <class F, class P>
auto system_of(const F& f, const P& p) {
  return system<F, states, P>(f, p);
}

TEST_CASE("banded Jacobian: one product a diagonal whatever n, and the dense Jacobian's elements") {
  for (const int n : {1, 2, 3, 20, 50}) {
    const burgers_1d f{n};
    const auto y = f.y0();
    const auto p = f.parameters();
    auto sys = system_of(f, p);
    dense_matrix<double> expected(n);
    sys.jacobian(0, y, expected);
    for (const banded& algebra : {banded{1, 1}, banded{2, 1}, banded{1, 3}, banded{19, 19}}) {
      if (algebra.lower >= n || algebra.upper >= n) continue;
      const auto before = sys.counts;
      banded_matrix<states> j;
      algebra.evaluate(sys, 0, y, j);
      CHECK(sys.counts.jvp_evaluations - before.jvp_evaluations ==
            std::min(n, algebra.lower + 1 + algebra.upper));
      CHECK(sys.counts.jacobian_evaluations - before.jacobian_evaluations == 1);
      CHECK(sys.counts.field_evaluations == before.field_evaluations);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) CHECK(std::as_const(j)(i, k) == expected(i, k));
    }
  }
}

TEST_CASE("banded Jacobian: the field's own serves, without a product") {
  int calls = 0;
  const heat_with_jacobian f{{10}, &calls};
  const auto y = f.y0();
  const auto p = f.parameters();
  auto sys = system_of(f, p);
  banded_matrix<states> j, expected;
  banded{1, 1}.evaluate(sys, 0, y, j);
  CHECK(calls == 1);
  CHECK(sys.counts.jvp_evaluations == 0);
  CHECK(sys.counts.jacobian_evaluations == 1);
  const heat_1d plain{10};
  auto by_products = system_of(plain, p);
  banded{1, 1}.evaluate(by_products, 0, y, expected);
  CHECK(equal_bits(j, expected));
  banded{1, 1, true}.evaluate(sys, 0, y, j);
  CHECK(sys.counts.jvp_evaluations == 1);
}

TEST_CASE("banded Jacobian: of duals, the derivative of the Jacobian") {
  using D = dual<double, 1>;
  const burgers_1d f{6};
  const auto value = f.y0();
  const auto p = rebind_like<D>(vec<double, 1>{});
  std::vector<D> y(value.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = D::input(value[i], 0);
  system<burgers_1d, std::vector<D>, vec<D, 1>> sys(f, p);
  banded_matrix<std::vector<D>> j;
  banded{1, 1}.evaluate(sys, 0, y, j);
  for (int i = 0; i + 1 < 6; ++i) {  // ∂fᵢ/∂yᵢ₊₁ = −(n + 1)/2 yᵢ₊₁
    CHECK(j(i, i + 1).d[0] == doctest::Approx(-3.5));
    CHECK(j(i, i).d[0] == 0);
  }
  banded_lu<D> factors;
  CHECK(factors.factor_shifted(j, D(100.0)));
  CHECK(banded_complex_lu<D>{}.factor_shifted(j, D(100.0), D(3.0)));
}

template <class F>
std::string error_of(const F& f, const banded& algebra) {
  const auto y = f.y0();
  const auto p = f.parameters();
  auto sys = system_of(f, p);
  banded_matrix<states> j;
  try {
    algebra.evaluate(sys, 0, y, j);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

/// Heat, and a far coupling of the middle that `from` stands for.
struct far_coupling : heat_1d {
  int from, to;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    heat_1d::operator()(t, y, p, dy);
    dy[static_cast<std::size_t>(from)] += 0.01 * y[static_cast<std::size_t>(to)];
  }
};

TEST_CASE("banded Jacobian: widths that no matrix has are refused word by word") {
  const heat_1d f{4};
  CHECK(error_of(f, {3, 3}) == "");
  CHECK(error_of(f, {4, 1}) ==
        "a band with 4 diagonals below the main one for a state of 4 (a matrix has from 0 to 3) "
        "give those, or band_of(problem)?");
  CHECK(error_of(f, {1, 5}) ==
        "a band with 5 diagonals above the main one for a state of 4 (a matrix has from 0 to 3) "
        "give those, or band_of(problem)?");
  CHECK(error_of(f, {-1, 1}) ==
        "a band with -1 diagonals below the main one for a state of 4 (a matrix has from 0 to 3) "
        "give those, or band_of(problem)?");
  CHECK(error_of(heat_1d{1}, {0, 1}) ==
        "a band with 1 diagonals above the main one for a state of 1 (a matrix has from 0 to 0) "
        "give those, or band_of(problem)?");
}

TEST_CASE("banded Jacobian: check finds every element outside the band, also one of equal colour") {
  const heat_1d f{60};
  CHECK(error_of(f, {1, 1, true}) == "");
  CHECK(
      error_of(f, {0, 1, true}) ==
      "a band with 0 diagonals below the main one and 1 above that misses an element of row 1 "
      "(the Jacobian has one elsewhere, behind a branch perhaps that was not taken where the band "
      "was found) widen it, or take a dense matrix or gmres?");
  CHECK(error_of(f, {1, 0, true}).find("misses an element of row 0 ") != std::string::npos);
  for (int to = 0; to < 60; ++to) {
    const bool inside = to >= 29 && to <= 31;
    const auto found = error_of(far_coupling{{60}, 30, to}, {1, 1, true});
    CHECK((found == "") == inside);
    if (!inside) CHECK(found.find("misses an element of row 30 ") != std::string::npos);
    CHECK(error_of(far_coupling{{60}, 30, to}, {1, 1}) == "");
  }
}

TEST_CASE("band_of: the widths of a problem") {
  const far_coupling f{{12}, 7, 2};
  const banded band = band_of(problem{f, f.y0(), 0.0, 1.0, f.parameters()});
  CHECK(band.lower == 5);
  CHECK(band.upper == 1);
  CHECK(error_of(f, {band.lower, band.upper, true}) == "");
}

}  // namespace
}  // namespace revode
