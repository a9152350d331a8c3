// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/solve/system.hpp>
#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {

using state = vec<double, 1>;

struct linear {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
  }
};

/// err² of a step with h λ = z from y = 1, and Σ eⱼ z kⱼ / λ of the differences of weights, twice.
template <class M, class Differences>
double sum_of_stages(double z, const Differences& e) {
  constexpr int stages = static_cast<int>(std::size(M::tableau.b));
  double k[stages], sum = 0;
  for (int i = 0; i < stages; ++i) {
    k[i] = 1;
    for (int j = 0; j < i; ++j) k[i] += z * M::tableau.a[i][j] * k[j];
    sum += z * e(i) * k[i];
  }
  return sum;
}
template <class M>
double error_squared_of(double z, const tolerance& tol) {
  const linear f;
  const state p{z}, y0{1};
  system<linear, state, state> sys(f, p);
  auto from = make_carry<M>(y0), next = from;
  auto tape = make_like<typename method_types<M, state>::tape>(y0);
  begin(M{}, sys, 0.0, y0, from);
  return attempt(M{}, sys, tol, 0.0, 1.0, from, tape, next).error_squared;
}

template <class M>
void check_difference() {
  const auto e = [](int i) {
    const auto at = static_cast<std::size_t>(i);
    return M::tableau.b[at] - M::tableau.b_embedded[at];
  };
  for (const double z : {-0.7, 0.4, 1.1}) {
    const double error = sum_of_stages<M>(z, e);
    CHECK(error_squared_of<M>(z, {0.0, 1e-3}) ==
          doctest::Approx(1e6 * error * error).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("the error of a step is the difference of its two sums, in tolerances") {
  check_difference<bosh3>();
  check_difference<tsit5>();
}

TEST_CASE("the tolerance of an element is atol + rtol times the larger end of the step") {
  const auto e = [](int i) {
    const auto at = static_cast<std::size_t>(i);
    return tsit5::tableau.b[at] - tsit5::tableau.b_embedded[at];
  };
  for (const double z : {-0.7, 0.4}) {
    const double error = sum_of_stages<tsit5>(z, e),
                 scale = 1e-3 + 1e-2 * std::exp(std::fmax(z, 0));
    CHECK(error_squared_of<tsit5>(z, {1e-2, 1e-3}) ==
          doctest::Approx(error * error / (scale * scale)).epsilon(1e-4));
  }
}

TEST_CASE("dop853: the error is e5² / √(e5² + e3² / 100), where orders 5 and 3 tell the same") {
  for (const double z : {-0.9, 0.5, 1.5}) {
    const double high = sum_of_stages<dop853>(z, [](int i) {
      const auto at = static_cast<std::size_t>(i);
      return dop853::tableau.b[at] - dop853::tableau.b_embedded[at];
    });
    const double low = sum_of_stages<dop853>(z, [](int i) {
      const auto at = static_cast<std::size_t>(i);
      return dop853::tableau.b[at] - dop853::b_embedded_low[at];
    });
    const double five = high * high, three = low * low;
    const double expected = five * five / (five + 0.01 * three);
    CHECK(0.01 * three > five);  // so that it counts
    CHECK(error_squared_of<dop853>(z, {0.0, 1e-6}) ==
          doctest::Approx(1e12 * expected).epsilon(1e-6));
  }
}

}  // namespace revode
