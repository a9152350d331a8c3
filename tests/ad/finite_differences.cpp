// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/finite_differences.hpp>
#include <revode/state/mat.hpp>

#include "fields.hpp"

using namespace revode;

namespace {

using Y = vec<double, 3>;

/// mixed_field for those who have double only.
struct closed_field {
  void operator()(double t, const Y& y, const Y& p, Y& dy) const { mixed_field{}(t, y, p, dy); }
};

}  // namespace

static_assert(derivatives<closed_field, Y, Y>::vjp_source == derivative_source::none);

TEST_CASE("differences asked for by name come within 1e-9 of the derivatives") {
  const Y y{0.7, 1.3, -0.4}, p{1.1, 0.6, 2.2}, w{0.3, -1.2, 0.9};
  const mixed_by_hand hand{y, p, 0.35};
  const auto f = by_finite_differences(closed_field{});
  using F = std::remove_cvref_t<decltype(f)>;
  derivatives<F, Y, Y> d;
  static_assert(decltype(d)::vjp_source == derivative_source::own);
  static_assert(decltype(d)::jvp_source == derivative_source::own);

  mat<double, 3> jac;
  d.jacobian(f, 0.35, y, p, jac);
  Y gy{}, gp{}, pushed, expected{}, f_t;
  double gt = 0;
  d.vjp(f, 0.35, y, p, w, &gt, gy, gp);
  d.jvp(f, 0.35, y, p, 0.5, w, p, pushed);
  d.time_derivative(f, 0.35, y, p, f_t);
  const auto f_y = hand.f_y(), f_p = hand.f_p();
  for (int i = 0; i < 3; ++i) {
    double of_y = 0, of_p = 0;
    expected[i] = 0.5 * hand.f_t()[i];
    for (int j = 0; j < 3; ++j) {
      CHECK(std::abs(jac(i, j) - f_y(i, j)) < 1e-9);
      of_y += w[j] * f_y(j, i);
      of_p += w[j] * f_p(j, i);
      expected[i] += f_y(i, j) * w[j] + f_p(i, j) * p[j];
    }
    CHECK(std::abs(gy[i] - of_y) < 1e-9);
    CHECK(std::abs(gp[i] - of_p) < 1e-9);
    CHECK(std::abs(pushed[i] - expected[i]) < 1e-9);
    CHECK(std::abs(f_t[i] - hand.f_t()[i]) < 1e-9);
  }
  CHECK(std::abs(gt - dot(w, hand.f_t())) < 1e-9);
}

TEST_CASE("typical_size keeps the difference step of small components small") {
  struct stiff_field {
    void operator()(double, const vec<double, 1>& y, const vec<double, 0>&,
                    vec<double, 1>& dy) const {
      dy[0] = std::exp(y[0] * 1e5);
    }
  };
  const vec<double, 1> y{2e-5};
  const vec<double, 0> none{};
  mat<double, 1> coarse, fine;
  by_finite_differences(stiff_field{}).jacobian(0.0, y, none, coarse);
  by_finite_differences(stiff_field{}, 1e-5).jacobian(0.0, y, none, fine);
  const double exact = 1e5 * std::exp(2.0);
  CHECK(std::abs(fine(0, 0) - exact) < 1e-9 * exact);
  CHECK(std::abs(coarse(0, 0) - exact) > 1e-3 * exact);
}

TEST_CASE("along a direction no element goes farther than its own difference") {
  struct saturating_field {  // of y in 1e-9, p = (rate, half)
    void operator()(double t, const vec<double, 2>& y, const vec<double, 2>& p,
                    vec<double, 2>& dy) const {
      dy[0] = -p[0] * y[0] / (p[1] + y[0]);
      dy[1] = std::sqrt(y[1]) + 1e-3 * t;
    }
  };
  const vec<double, 2> y{2e-9, 1e6}, p{3, 1e-9}, zero{};
  const double sum = 3e-9, t = 1e4;
  const double of_y = -3e-9 / (sum * sum), of_half = 6e-9 / (sum * sum);
  const auto f = by_finite_differences(saturating_field{}, 1e-9, 1.0);
  vec<double, 2> out;
  f.jvp(t, y, p, 0.0, vec<double, 2>{1, 0}, zero, out);  // beside it t, p and y[1] are large
  CHECK(out[0] == doctest::Approx(of_y).epsilon(1e-9));
  CHECK(out[1] == 0);
  f.jvp(t, y, p, 0.0, vec<double, 2>{0, 1}, zero, out);
  CHECK(out[0] == 0);
  CHECK(out[1] == doctest::Approx(0.5e-3).epsilon(1e-9));
  f.jvp(t, y, p, 0.0, vec<double, 2>{1, 0}, vec<double, 2>{1, 1}, out);  // p[0] moves by 1e-14
  CHECK(out[0] == doctest::Approx(of_y + of_half - 2.0 / 3).epsilon(1e-9));
  f.jvp(t, y, p, 1.0, zero, zero, out);
  CHECK(out[1] == doctest::Approx(1e-3).epsilon(1e-9));
  f.jvp(t, y, p, 0.0, zero, zero, out);
  CHECK(out == zero);
}

TEST_CASE("typical_time is that of t alone") {
  struct slow_field {
    void operator()(double t, const vec<double, 1>& y, const vec<double, 0>&,
                    vec<double, 1>& dy) const {
      dy[0] = y[0] + 1e9 * std::sin(t);
    }
  };
  const vec<double, 1> y{1e9}, w{1}, zero{};
  const vec<double, 0> none{};
  const auto f = by_finite_differences(slow_field{}, 1e9, 1.0);
  for (const double t : {0.0, 0.5}) {
    vec<double, 1> gy{}, out;
    vec<double, 0> gp{};
    double gt = 0;
    f.vjp(t, y, none, w, gt, gy, gp);
    CHECK(gt == doctest::Approx(1e9 * std::cos(t)).epsilon(1e-9));
    CHECK(gy[0] == doctest::Approx(1).epsilon(1e-9));
    f.jvp(t, y, none, 1.0, zero, none, out);
    CHECK(out[0] == doctest::Approx(1e9 * std::cos(t)).epsilon(1e-9));
  }
}

TEST_CASE("a field is kept by reference when it has a name, by value when it has none") {
  closed_field named;
  static_assert(
      std::same_as<decltype(by_finite_differences(named)), finite_difference_field<closed_field&>>);
  static_assert(std::same_as<decltype(by_finite_differences(closed_field{})),
                             finite_difference_field<closed_field>>);
}
