// SPDX-License-Identifier: Apache-2.0
// The problems M y' = f: their matrices, their starts and their references. (The headers have these from
// quadruple precision, in two ways, fekete in one: dae.cpp, dae_index3.cpp, andrews.cpp, fekete.cpp in tools/references.)
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <revode/problems/andrews.hpp>
#include <revode/problems/car_axis.hpp>
#include <revode/problems/chemakzo.hpp>
#include <revode/problems/fekete.hpp>
#include <revode/problems/pendulum_index1.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/problems/rober_dae.hpp>
#include <revode/problems/transamp.hpp>
#include <revode/problems/water_tube.hpp>

#include "../../tools/references/collocation.hpp"

using namespace revode;

namespace {

using real = long double;
using vector = std::vector<real>;

template <class F>
dense_matrix<double> mass_entries_of(const F& f) {
  dense_matrix<double> m(static_cast<int>(f.y0().size()));
  f.mass(m);
  return m;
}

/// f at (t, y) and the parameters of the problem.
template <class F, class Y>
Y rhs(const F& f, double t, const Y& y) {
  Y dy = y;
  f(t, y, f.parameters(), dy);
  return dy;
}

/// M is diagonal, with ones in all rows but the last, which is 0.
template <class F>
void check_ones_but_the_last(const F& f) {
  const auto m = mass_entries_of(f);
  for (int i = 0; i < m.rows(); ++i)
    for (int k = 0; k < m.rows(); ++k) CHECK(m(i, k) == (i == k && i + 1 < m.rows() ? 1.0 : 0.0));
}

/// The algebraic equation in the last row.
template <class F>
void check_reference_satisfies(const F& f, double bound) {
  CAPTURE(std::string(F::name));
  const auto y = f.reference();
  const int last = static_cast<int>(y.size()) - 1;
  CHECK(std::abs(rhs(f, F::t1, y)[last]) <= bound);
}

/// Every component of the reference to `bound`, relative.
template <class F, class Y>
void check_reference(const F& f, const Y& found, double bound) {
  CAPTURE(std::string(F::name));
  const auto reference = f.reference();
  for (int i = 0; i < static_cast<int>(reference.size()); ++i) {
    CAPTURE(i);
    const real expected = reference[i];
    CHECK(std::abs(found[static_cast<std::size_t>(i)] - expected) <= bound * std::abs(expected));
  }
}

template <class F>
vector collocated(const F& f, int stages, double small, double floor) {
  const auto p = f.parameters();
  const auto y0 = f.y0();
  references::collocation<real, F> run(f, vector(p.data(), p.data() + p.size()), stages, small,
                                       1e-19, floor, 1.0);
  return run.solve(real(F::t0), real(F::t1), vector(y0.data(), y0.data() + y0.size()), 1e-6L);
}

/// cd(u, k) for k² = 1/2, by the arithmetic-geometric mean.
/// source  Abramowitz & Stegun, 16.4
real elliptic_cd(real u) {
  std::vector<real> a{1}, c{std::sqrt(0.5L)};
  for (real b = std::sqrt(0.5L); c.back() > 1e-19L * a.back();) {
    const real mean = (a.back() + b) / 2;
    c.push_back((a.back() - b) / 2);
    b = std::sqrt(a.back() * b);
    a.push_back(mean);
  }
  std::size_t n = a.size() - 1;
  real phi = std::ldexp(a[n] * u, static_cast<int>(n)), before = phi;
  for (; n > 0; --n) {
    before = phi;
    phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  }
  return std::cos(before - phi);  // cn = cos φ₀, dn = cos φ₀ / cos(φ₁ − φ₀)
}

TEST_CASE("mass matrices: one algebraic equation in the last row of three problems") {
  check_ones_but_the_last(chemakzo{});
  check_ones_but_the_last(pendulum_index1{});
  check_ones_but_the_last(rober_dae{});
}

TEST_CASE("transamp: capacitors between two nodes, and to the ground, make M of rank 5") {
  const auto m = mass_entries_of(transamp{});
  dense_matrix<double> expected(8);
  const auto between = [&](int i, int k, double capacity) {
    expected(i, i) -= capacity, expected(k, k) -= capacity;
    expected(i, k) += capacity, expected(k, i) += capacity;
  };
  between(0, 1, 1e-6), between(3, 4, 3e-6), between(6, 7, 5e-6);
  expected(2, 2) = -2e-6, expected(5, 5) = -4e-6;
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 8; ++k) CHECK(m(i, k) == expected(i, k));
}

TEST_CASE("the starts satisfy the algebraic equations to the last bit") {
  CHECK(rhs(chemakzo{}, 0, chemakzo{}.y0())[5] == 0);
  CHECK(rhs(pendulum_index1{}, 0, pendulum_index1{}.y0())[4] == 0);
  CHECK(rhs(rober_dae{}, 0, rober_dae{}.y0())[2] == 0);
  const auto f = rhs(transamp{}, 0, transamp{}.y0());
  CHECK(f[0] + f[1] == 0);
  CHECK(f[3] + f[4] == 0);
  CHECK(f[6] + f[7] == 0);
}

TEST_CASE("the references satisfy the algebraic equations to rounding") {
  check_reference_satisfies(chemakzo{}, 2e-18);
  check_reference_satisfies(pendulum_index1{}, 1e-14);
  check_reference_satisfies(rober_dae{}, 2e-16);
  const auto f =
      rhs(transamp{}, transamp::t1, transamp{}.reference());  // amperes, terms up to 7e-4
  CHECK(std::abs(f[0] + f[1]) < 1e-17);
  CHECK(std::abs(f[3] + f[4]) < 1e-17);
  CHECK(std::abs(f[6] + f[7]) < 1e-17);
}

TEST_CASE("the fields have the values computed by hand") {
  vec<double, 6> akzo{2, 4, 3, 5, 7, 6}, d6{};  // √y2 = 2
  chemakzo{}(0.0, akzo, vec<double, 9>{1, 2, 3, 5, 7, 11, 13, 34, 2}, d6);
  const double r1 = 32, r2 = 30, r3 = 4, r4 = 150, r5 = 360, inflow = 143;
  CHECK(d6[0] == doctest::Approx(-2 * r1 + r2 - r3 - r4).epsilon(1e-15));
  CHECK(d6[1] == doctest::Approx(-r1 / 2 - r4 - r5 / 2 + inflow).epsilon(1e-15));
  CHECK(d6[2] == doctest::Approx(r1 - r2 + r3).epsilon(1e-15));
  CHECK(d6[3] == doctest::Approx(-r2 + r3 - 2 * r4).epsilon(1e-15));
  CHECK(d6[4] == doctest::Approx(r2 - r3 + r5).epsilon(1e-15));
  CHECK(d6[5] == 13 * 2 * 5 - 6);

  vec<double, 8> volts{1, 3, 2, 5, 7, 6, 4, 8}, d8{};  // both transistors: u/UF = 2
  transamp{}(0.0, volts, vec<double, 14>{1, 2, 4, 5, 10, 20, 8, 25, 16, 32, 11, 0.5, 0.75, 2}, d8);
  const double passed = 2 * (std::exp(2.0) - 1);
  CHECK(d8[0] == 1);
  CHECK(d8[1] == doctest::Approx(3 / 2. + (3 - 11) / 4. + passed / 4).epsilon(1e-15));
  CHECK(d8[2] == doctest::Approx(2 / 5. - passed).epsilon(1e-15));
  CHECK(d8[3] == doctest::Approx((5 - 11) / 10. + 0.75 * passed).epsilon(1e-15));
  CHECK(d8[4] == doctest::Approx(7 / 20. + (7 - 11) / 8. + passed / 4).epsilon(1e-15));
  CHECK(d8[5] == doctest::Approx(6 / 25. - passed).epsilon(1e-15));
  CHECK(d8[6] == doctest::Approx((4 - 11) / 16. + 0.75 * passed).epsilon(1e-15));
  CHECK(d8[7] == 8 / 32.);
  transamp{}(1 / 400.0, volts, transamp{}.parameters(), d8);  // the input at its peak
  CHECK(d8[0] == doctest::Approx((1 - 0.1) / 1000).epsilon(1e-15));

  const vec<double, 5> swing{2, 3, 5, 7, 11};
  vec<double, 5> d5{};
  pendulum_index1{}(0.0, swing, vec<double, 2>{8, 2}, d5);
  CHECK(d5 == vec<double, 5>{5, 7, -22, -37, 25 + 49 - 11 * 13 - 12});
}

TEST_CASE("the problems are those of the literature: published digits") {
  // Mazzia & Magherini, Test Set for IVP Solvers (2008); transamp's y1 feels how 200 π t is rounded
  check_reference(chemakzo{},
                  vector{0.1150794920661702L, 0.1203831471567715e-2L, 0.1611562887407974L,
                         0.3656156421249283e-3L, 0.1708010885264404e-1L, 0.4873531310307455e-2L},
                  4e-16);
  const auto y = transamp{}.reference();
  CHECK(y[0] == doctest::Approx(-0.5562145012262709e-02).epsilon(4e-13));
  const double published[] = {0.3006522471903042e+01, 0.2849958788608128e+01,
                              0.2926422536206241e+01, 0.2704617865010554e+01,
                              0.2761837778393145e+01, 0.4770927631616772e+01,
                              0.1236995868091548e+01};
  for (int i = 0; i < 7; ++i) CHECK(y[i + 1] == doctest::Approx(published[i]).epsilon(1e-15));
}

TEST_CASE("pendulum_index1: the reference is the closed form") {
  const real square = real(9.81), cd = elliptic_cd(std::sqrt(square) * 2), half = cd * cd / 2;
  const real x = 2 * cd * std::sqrt(0.5L) * std::sqrt(1 - half), y = 2 * half - 1;
  // between three and four quarters of a period: the angle grows
  const real speed = std::sqrt(-2 * square * y), u = -y * speed, v = x * speed;
  check_reference(pendulum_index1{}, vector{x, y, u, v, -3 * square * y}, 2e-16);
}

TEST_CASE("pendulums of index 2 and 3: the same motion, which fulfils every constraint") {
  CHECK(pendulum_index2{}.reference() == pendulum_index1{}.reference());
  CHECK(pendulum_index3{}.reference() == pendulum_index1{}.reference());
  check_ones_but_the_last(pendulum_index2{});
  check_ones_but_the_last(pendulum_index3{});
  for (const auto& y : {pendulum_index1{}.y0(), pendulum_index1{}.reference()}) {
    CHECK(std::abs(rhs(pendulum_index2{}, 0, y)[4]) <= 1e-15);
    CHECK(std::abs(rhs(pendulum_index3{}, 0, y)[4]) <= 4e-16);
    CHECK(std::abs(rhs(pendulum_index1{}, 0, y)[4]) <= 1e-14);
  }
}

TEST_CASE("car_axis: M, a start and an end on the constraints and on their derivatives") {
  const car_axis f;
  const auto m = mass_entries_of(f);
  for (int i = 0; i < 10; ++i)
    for (int k = 0; k < 10; ++k)
      CHECK(m(i, k) == (i != k || i > 7 ? 0 : i < 4 ? 1 : 10 * 1e-2 * 1e-2 / 2));  // M ε²/2
  const auto check = [&](double t, const vec<double, 10>& y) {
    const auto dy = rhs(f, t, y);
    CHECK(std::abs(dy[8]) <= 1e-16);
    CHECK(std::abs(dy[9]) <= 4e-16);
    // (xl xb + yl yb)' and half of ((xl - xr)² + (yl - yr)²)'
    const double yb = 0.1 * std::sin(10 * t), xb = std::sqrt(1 - yb * yb);
    const double vyb = std::cos(10 * t), vxb = -yb * vyb / xb;
    CHECK(std::abs(y[4] * xb + y[0] * vxb + y[5] * yb + y[1] * vyb) <= 1e-15);
    CHECK(std::abs((y[0] - y[2]) * (y[4] - y[6]) + (y[1] - y[3]) * (y[5] - y[7])) <= 1e-15);
    // and the second derivative of the latter, which has the multipliers
    const double u = y[4] - y[6], v = y[5] - y[7];
    const double bend = (y[0] - y[2]) * (dy[4] - dy[6]) + (y[1] - y[3]) * (dy[5] - dy[7]);
    CHECK(std::abs(u * u + v * v + bend / car_axis::k) <= 1e-13);
  };
  check(0, f.y0());
  check(f.t1, f.reference());
}

TEST_CASE("car_axis is the problem of the literature: published digits") {
  // Mazzia & Magherini, Test Set for IVP Solvers (2008), as deTestSet has them: good to 12 decimals in
  // positions, to 11 in velocities, to 8 in multipliers
  const double published[] = {0.4934557842755629e-1, 0.4969894602303324,     0.1041742524885400e+1,
                              0.3739110272652214,    -0.7705836840321485e-1, 0.7446866596327776e-2,
                              0.1755681574942899e-1, 0.7703410437794031,     -0.4736886750784630e-2,
                              -0.1104680411345730e-2};
  const auto y = car_axis{}.reference();
  for (int i = 0; i < 10; ++i)
    CHECK(std::abs(y[i] - published[i]) <= (i < 4 ? 2e-12 : i < 8 ? 1e-11 : 2e-9));
}

TEST_CASE("andrews: a start and an end on the constraints, in balance, published digits") {
  const andrews f;
  const auto check = [&](const vec<double, 27>& y, double forces, double gaps) {
    const auto dy = rhs(f, 0, y);
    for (int i = 0; i < 14; ++i) CHECK(dy[i] == y[7 + i]);
    for (int i = 14; i < 21; ++i) CHECK(std::abs(dy[i]) <= forces);
    for (int i = 21; i < 27; ++i) CHECK(std::abs(dy[i]) <= gaps);
  };
  check(f.y0(), 1e-14, 3e-17);
  check(f.reference(), 1e-13, 1e-16);
  // Mazzia & Magherini, Test Set for IVP Solvers (2008), by PSIDE: 10 digits of angles
  const double published[] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                              -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                              1.048080741042263,   1139.920302151208,  -1424.379294994111,
                              11.03291221937134,   19.29337464421385,  0.5735699284790808};
  for (int i = 0; i < 12; ++i)
    CHECK(f.reference()[i] == doctest::Approx(published[i]).epsilon(i < 7 ? 1e-9 : 1e-6));
}

TEST_CASE("fekete: a start on the sphere, an end at rest, published digits") {
  const fekete f;
  const int n = fekete::points, v = 3 * n, lambda = 6 * n;
  const auto check = [&](const vec<double, 160>& y, bool rests) {
    const auto dy = rhs(f, 0, y);
    for (int i = 0; i < v; ++i) CHECK(dy[i] == 0);
    for (int i = v; i < lambda && rests; ++i) CHECK(std::abs(dy[i]) <= 1e-14);
    for (int i = lambda; i < 8 * n; ++i) CHECK(std::abs(dy[i]) <= 3e-16);
    // where nothing moves, what bends a path on the sphere is the force along the radius
    for (int i = 0; i < n; ++i) {
      double along = 0;
      for (int k = 3 * i; k < 3 * i + 3; ++k) along += y[k] * dy[v + k];
      CHECK(std::abs(along) <= 1e-14);
    }
  };
  check(f.y0(), false);
  check(f.reference(), true);
  // Mazzia & Magherini, Test Set for IVP Solvers (2008), as deTestSet has them
  const double published[] = {
      -0.4070263380333202, 0.3463758772791802,     0.8451942450030429,  0.7752934752521549e-1,
      -0.2628662719972299, 0.9617122871829146,     0.7100577833343567,  0.1212948055586120,
      0.6936177005172217,  0.2348267744557627,     0.7449277976923311,  0.6244509285956391,
      -0.4341114738782885, 0.8785430442262876,     0.1992720444237660,  -0.9515059600312596,
      0.2203508762787005,  0.2146669498274008,     -0.6385191643609878, -0.4310833259390688,
      0.6375425027722121,  -0.1464175087914336,    -0.9380871635228862, 0.3139337298744690,
      0.5666974065069942,  -0.6739221885076542,    0.4740073135462156,  0.9843259538440293,
      -0.1696995357819996, -0.4800504290609090e-1, 0.1464175087914331,  0.9380871635228875,
      -0.3139337298744656, -0.7092757549979014,    0.5264062637139616,  -0.4688542938854929,
      -0.8665731819284478, -0.4813878059756024,    -0.1315929352982178, -0.2347897778700538,
      -0.8594340408013130, -0.4541441287957579,    0.5530976940074118,  -0.7674370265615124,
      -0.3242273140037833, 0.7711050969896927,     0.6357041816577034,  0.3573685519777001e-1,
      0.7103951209379591,  0.2403570431280519,     -0.6614886725910596, -0.3038208738735660e-1,
      0.4501923293640461,  -0.8924145871442046,    -0.5772996158107093, -0.1766763414971813,
      -0.7971892020969544, 0.2414481766969039,     -0.3416456818373135, -0.9082846503446250};
  for (int i = 0; i < v; ++i) CHECK(std::abs(f.reference()[i] - published[i]) <= 3e-12);
}

TEST_CASE("water_tube: a start at rest, an end that keeps what flows, published digits") {
  const water_tube f;
  const auto check = [&](double t, const vec<double, 49>& y, double bound) {
    const auto dy = rhs(f, t, y);
    for (int i = 18; i < 49; ++i)
      if (i != 36 && i != 37) CHECK(std::abs(dy[i]) <= bound);
    // what flows in leaves or fills the buffers, of volume c p with c = 200/(1000 · 9.8)
    const double h = t / 3600, wave = 1 - std::cos(std::exp(-h) - 1);
    const double in = wave / 200 + wave / 80 - h * h * (3 * h * h - 92 * h + 720) / 1e6;
    CHECK(200 / 9800.0 * (dy[36] + dy[37]) == doctest::Approx(in).epsilon(1e-12));
  };
  check(0, f.y0(), 2e-14);
  check(f.t1, f.reference(), 1e-13);
  // Mazzia & Magherini, Test Set for IVP Solvers (2008), as deTestSet has them
  const double published[] = {
      0.2298488296477430e-2, 0.1188984650746585e-2, 0.1109503645730845e-2, 0.1589620100314825e-3,
      0.1030022640715102e-2, 0.8710606306836165e-3, 0.3243571480903489e-2, 0.1109503645730845e-2,
      0.7120986206521341e-3, 0.6414613963833099e-3, 0.9416978549524347e-3, 0.3403428519096511e-2,
      0.2397639310739395e-2, 0.2397639310739395e-2, 0.3348581430454180e-2, 0.1353560017035444e-2,
      0.1995021413418736e-2, 0.5746220741193575e-2, 0.4751940452918529e-1, 0.4751940452918529e-1,
      0.4751940452918529e-1, 0.4751940452918529e-1, 0.4751940452918529e-1, 0.4751940452918529e-1,
      0.4311196778792902e-1, 0.4751940452918529e-1, 0.4751940452918529e-1, 0.4751940452918529e-1,
      0.4751940452918529e-1, 0.4249217433601160e-1, 0.4732336439609648e-1, 0.4732336439609648e-1,
      0.4270002118868241e-1, 0.4751940452918529e-1, 0.4751940452918529e-1, 0.3651427026675656e-1,
      0.1111268591478108e6,  0.1111270045592387e6,  0.1111271078730254e6,  0.1111269851929858e6,
      0.1111269255355337e6,  0.1111269322658045e6,  0.1111269221703983e6,  0.1111270121140691e6,
      0.1111274419515807e6,  0.1111255158881087e6,  0.1111278793439227e6,  0.1111270995171642e6,
      0.1111298338971779e6};
  for (int i = 0; i < 49; ++i)
    CHECK(std::abs(f.reference()[i] - published[i]) <= 2e-11 * (1 + published[i]));
}

TEST_CASE("rober_dae has rober's reference, whose sum is 1") {
  const auto y = rober_dae{}.reference();
  CHECK(y == rober{}.reference());
  CHECK(y[0] + y[1] + y[2] == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("the references are found again by collocation in long double") {
  check_reference(chemakzo{}, collocated(chemakzo{}, 6, 1e-9, 1e-8), 1e-15);
  check_reference(pendulum_index1{}, collocated(pendulum_index1{}, 6, 1e-7, 1e-8), 1e-15);
  check_reference(rober_dae{}, collocated(rober_dae{}, 5, 1e-7, 1e-8), 1e-15);
}

}  // namespace
