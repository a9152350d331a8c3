// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/all.hpp>
#include <revode/state/elements.hpp>

using namespace revode;

namespace {

/// f at (y, p), in the scalar of y.
template <class F, class T = double>
std::vector<T> rhs(const F& f, const std::vector<T>& y, const std::vector<T>& p) {
  std::vector<T> dy(y.size(), T(99));  // a field fills all of it
  f(T(0), y, p, dy);
  return dy;
}

template <class F>
std::vector<double> rhs(const F& f, const std::vector<double>& y) {
  const auto p = f.parameters();
  return rhs(f, y, std::vector<double>(p.data(), p.data() + p.size()));
}

void equals(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(found[i] - expected[i]) <= 4e-16 * (std::abs(expected[i]) + 1));
  }
}

}  // namespace

TEST_CASE("the linear fields have the values computed by hand") {
  equals(rhs(decay{}, {3}, {2.0}), {-6});
  equals(rhs(harmonic{}, {3, 5}, {2.0}), {5, -12});
  equals(rhs(rotation{}, {3, 5}, {2.0, 7.0, 11.0, 13.0}), {41, 98});
}

TEST_CASE("lotka_volterra, lorenz, vdpol and brusselator have the values computed by hand") {
  equals(rhs(lotka_volterra{}, {2, 3}, {5.0, 7.0, 11.0, 13.0}), {10 - 42, -33 + 78});
  equals(rhs(lorenz{}, {2, 3, 5}, {10.0, 28.0, 2.0}), {10, 56 - 10 - 3, 6 - 10});
  equals(rhs(vdpol{}, {2, 3}, {5.0}), {3, -45 - 2});
  equals(rhs(brusselator{}, {2, 3}, {1.0, 5.0}), {1 + 12 - 12, 10 - 12});
}

TEST_CASE("kepler: at (3, 4) the pull is 1/125 of the position") {
  equals(rhs(kepler{}, {3, 4, 7, 11}, {250.0}), {7, 11, -6, -8});
}

TEST_CASE("arenstorf: on the line through the moon at unit distance from it") {
  // mu = 1/4: earth at -1/4, moon at 3/4, satellite at 7/4, so the distances are 2 and 1
  equals(rhs(arenstorf{}, {1.75, 0, 3, 5}, {0.25}), {3, 5, 1.75 + 10 - 0.75 * 2 / 8 - 0.25, -6});
}

TEST_CASE("pleiades: seven stars on a line attract with m / r^2") {
  std::vector<double> y(28, 0.0);
  for (std::size_t i = 0; i < 7; ++i) y[i] = static_cast<double>(i), y[14 + i] = 0.5;
  const std::vector<double> dy = rhs(pleiades{}, y);

  CHECK(dy[0] == 0.5);
  CHECK(dy[7] == 0.0);
  // star 1: masses 2…7 at distances 1…6, all to the right; star 4: three on each side
  CHECK(dy[14] ==
        doctest::Approx(2 + 3 / 4. + 4 / 9. + 5 / 16. + 6 / 25. + 7 / 36.).epsilon(1e-15));
  CHECK(dy[17] == doctest::Approx((5 - 3) + (6 - 2) / 4. + (7 - 1) / 9.).epsilon(1e-15));
  CHECK(dy[21] == 0.0);
}

TEST_CASE("pleiades: the centre of mass is not accelerated") {
  const pleiades f;
  const auto y0 = f.y0(), dy = [&] {
    auto d = y0;
    f(0.0, y0, f.parameters(), d);
    return d;
  }();

  double x = 0, y = 0;
  for (int i = 0; i < 7; ++i) x += (i + 1) * dy[14 + i], y += (i + 1) * dy[21 + i];

  CHECK(std::abs(x) < 1e-14);
  CHECK(std::abs(y) < 1e-14);
}

TEST_CASE("lorenz96 on a ring of five") {
  // (y2 - y4) y5 - y1 + F, and so on around the ring
  equals(rhs(lorenz96{5}, {1, 2, 3, 5, 7}, {8.0}),
         {(2 - 5) * 7 - 1 + 8, (3 - 7) * 1 - 2 + 8, (5 - 1) * 2 - 3 + 8, (7 - 2) * 3 - 5 + 8,
          (1 - 3) * 5 - 7 + 8});
  CHECK(lorenz96{}.y0()[19] == 8.008);
  CHECK(lorenz96{}.y0()[18] == 8.0);
}

TEST_CASE("heat_1d, burgers_1d and brusselator_1d on three points") {
  equals(rhs(heat_1d{3}, {1, 2, 5}, {0.5}), {0.5 * 16 * 0, 0.5 * 16 * 2, 0.5 * 16 * -8});
  // (n+1)² = 16, (n+1)/4 = 1
  equals(rhs(burgers_1d{3}, {1, 2, 5}, {0.5}), {0 - 4, 16 - 24, -64 + 4});
  // u = 1, 2, 4 and v = 3, 5, 1 between the ends u = 1, v = 3; c = 1/8 · 16 = 2
  equals(rhs(brusselator_1d{3}, {1, 3, 2, 5, 4, 1}, {1.0, 3.0, 0.125}),
         {1 + 3 - 4 + 2 * 1, 3 - 3 + 2 * 2, 1 + 20 - 8 + 2 * 1, 6 - 20 + 2 * -6,
          1 + 16 - 16 + 2 * -5, 12 - 16 + 2 * 6});
}

TEST_CASE("heat_1d on one point, brusselator_1d on one point: both neighbours are ends") {
  equals(rhs(heat_1d{1}, {3}, {1.0}), {4 * -6});
  equals(rhs(brusselator_1d{1}, {2, 5}, {1.0, 3.0, 0.25}), {1 + 20 - 8 - 2, 6 - 20 - 4});
}

TEST_CASE("advection_diffusion_3d on one point and on two a side, by hand") {
  // (n+1)² = 4, (n+1)/2 = 1: all neighbours are faces
  equals(rhs(advection_diffusion_3d{1}, {0.5}, {0.25, 3.0, 5.0, 7.0, 8.0}), {-3 + 8 * 0.25});
  // (n+1)² = 9, (n+1)/2 = 3/2; point 0 has neighbours 1, 2, 4, all of them above
  const auto dy =
      rhs(advection_diffusion_3d{2}, {1, 2, 3, 5, 7, 11, 13, 17}, {2.0, 10.0, 100.0, 1000.0, 1.0});
  CHECK(dy[0] == 18 * (2 + 3 + 7 - 6.0) - 1.5 * (20 + 300 + 7000) + 0);
  // 6: below it along y is 4, along z 2, above it along x is 7
  CHECK(dy[6] == 18 * (17 + 7 + 3 - 78.0) - 1.5 * (170 - 700 - 3000) + 13 - 169);
}

TEST_CASE("advection_diffusion_3d tells its seven diagonals") {
  const advection_diffusion_3d f{3};
  const auto y0 = f.y0();
  CHECK(sparsity_of(f, 0.0, y0, f.parameters()).entries() == 27 + 2 * 3 * 18);
  CHECK(y0[13] == 1);  // the middle
}

TEST_CASE("neural_spiral: one hidden unit alive") {
  std::vector<double> p(252, 0.0);
  p[2 * 7] = 0.5, p[2 * 7 + 1] = 0.25, p[100 + 7] = -1;  // unit 7: weights and bias
  p[150 + 7] = 3, p[200 + 7] = 5, p[250] = 11, p[251] = 13;
  const double unit = std::tanh(0.5 * 8 + 0.25 * 27 - 1);

  equals(rhs(neural_spiral{}, {2, 3}, p), {3 * unit + 11, 5 * unit + 13});
}

TEST_CASE("neural_spiral: weights are those of splitmix64 from seed 0, biases are zero") {
  const auto p = neural_spiral{}.parameters();
  const double bound = std::sqrt(6.0 / 52.0);

  // its first output is 0xE220A8397B1DCDAF
  CHECK(p[0] == doctest::Approx(bound * (0xE220A8397B1DCDAFp-63 - 1)).epsilon(1e-15));
  for (int i = 0; i < 252; ++i) {
    CHECK(std::abs(p[i]) <= bound);
    if ((i >= 100 && i < 150) || i >= 250) CHECK(p[i] == 0);
  }
}

TEST_CASE("every field gives in float and in Eigen vectors what it gives in double") {
  for_each_problem([]<class F>(const F& f) {
    CAPTURE(std::string(F::name));
    const auto y0 = f.y0();
    const auto p = f.parameters();
    std::vector<float> y(static_cast<std::size_t>(y0.size())),
        q(static_cast<std::size_t>(p.size()));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(y0.data()[i]);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<float>(p.data()[i]);
    const std::vector<double> wide =
        rhs(f, std::vector<double>(y.begin(), y.end()), std::vector<double>(q.begin(), q.end()));

    const std::vector<float> narrow = rhs(f, y, q);
    Eigen::VectorXd ye(length(y0)), pe(length(p)), dy(length(y0));
    copy(std::vector<double>(y.begin(), y.end()), ye);
    copy(std::vector<double>(q.begin(), q.end()), pe);
    f(0.0, ye, pe, dy);

    double scale = 1;
    for (const double v : wide) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < y.size(); ++i) {
      CHECK(dy[static_cast<Eigen::Index>(i)] == wide[i]);
      // differences of neighbours on a grid lose the digits of (n+1)²
      CHECK(std::abs(narrow[i] - wide[i]) < 3e-3 * scale);
    }
  });
}

TEST_CASE("a pull written by hand is the pull of the recording") {
  const auto check = []<class F>(const F& f) {
    CAPTURE(std::string(F::name));
    using vector = std::vector<double>;
    const auto y0 = f.y0();
    const auto p0 = f.parameters();
    vector y(y0.data(), y0.data() + y0.size()), p(p0.data(), p0.data() + p0.size());
    vector w(y.size()), gy(y.size(), 0.25), gp(p.size(), 0.5);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] += 0.1 * std::sin(1.0 + 3.0 * static_cast<double>(i));
      w[i] = std::cos(2.0 + 5.0 * static_cast<double>(i));
    }
    recorded_field<F, vector, vector, double> recorded;

    recorded.pull(f, 0.0, y, p, w.data(), true, true);
    double gt = 0;
    f.vjp(0.0, y, p, w, gt, gy, gp);

    double size_y = 0, size_p = 0, error_y = 0, error_p = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double of_state = recorded.of_state(static_cast<int>(i));
      size_y = std::max(size_y, std::abs(of_state));
      error_y = std::max(error_y, std::abs(gy[i] - 0.25 - of_state));
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double of_parameter = recorded.of_parameter(static_cast<int>(i));
      size_p = std::max(size_p, std::abs(of_parameter));
      error_p = std::max(error_p, std::abs(gp[i] - 0.5 - of_parameter));
    }
    CHECK(gt == 0);
    CHECK(size_y > 0);
    CHECK(error_y <= 1e-14 * size_y + 1e-15);
    CHECK(error_p <= 1e-13 * size_p + 1e-15);

    vec<double, 0> frozen{};
    f.vjp(0.0, y, p, w, gt, gy, frozen);
  };
  check(pleiades{});
  check(lorenz96{7});
  check(brusselator_1d{1});
  check(brusselator_1d{9});
  check(heat_1d{1});
  check(heat_1d{9});
  check(burgers_1d{1});
  check(burgers_1d{9});
  check(advection_diffusion_3d{1});
  check(advection_diffusion_3d{3});
}

TEST_CASE(
    "a push written by hand is that of duals, with parameters that move and that stand still") {
  const advection_diffusion_3d f{3};
  using number = dual<double, 1>;
  const auto y0 = f.y0();
  const auto p0 = f.parameters();
  std::vector<double> y(y0), p(p0.data(), p0.data() + 5), dy(y.size()), dp(5), out(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] += 0.1 * std::sin(1.0 + 3.0 * static_cast<double>(i));
    dy[i] = std::cos(2.0 + 5.0 * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < 5; ++i) dp[i] = std::sin(4.0 + static_cast<double>(i));
  for (const bool moving : {true, false}) {
    std::vector<number> z(y.size()), q(5), dz(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) z[i] = number(y[i]), z[i].d[0] = dy[i];
    for (std::size_t i = 0; i < 5; ++i) q[i] = number(p[i]), q[i].d[0] = moving ? dp[i] : 0;
    f(number(0), z, q, dz);
    f.jvp(0.0, y, p, 0.0, dy, moving ? dp : std::vector<double>{}, out);
    double scale = 1;
    for (const double x : out) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(std::abs(out[i] - dz[i].d[0]) <= 1e-14 * scale);
  }
}
