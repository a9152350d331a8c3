// SPDX-License-Identifier: Apache-2.0
// Consistent starts whose equations are factored in the band of the method: as many as there may be, as scaled as they
// may be, and refused where they determine nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

using states = std::vector<double>;
template <class M>
using in_band = with_algebra<M, banded>;
const banded bands{.lower = 1, .upper = 1};

/// y' = p₀ (y_{i−1} − 2 y + y_{i+1}) at every other element; between them 0 = scale (y³ + y − p₁ (y_{i−1} + y_{i+1}) − own y),
/// which does not determine y where Determined is false.
template <bool Determined = true>
struct every_other {
  int n;
  double scale = 1;
  bool algebraic(int i) const { return i % 2 == 1; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < n; i += 2) m(i, i) = 1.0;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      auto beside = y[k] * 0.0;
      if (i > 0) beside = beside + y[k - 1];
      if (i < n - 1) beside = beside + y[k + 1];
      if (!algebraic(i))
        dy[k] = p[0] * (beside - 2.0 * y[k]);
      else if (Determined)
        dy[k] = scale * (y[k] * y[k] * y[k] + y[k] - p[1] * beside);
      else
        dy[k] = scale * (beside - p[1]);
    }
  }
};
states start_of(int n) {
  states y0;
  for (int i = 0; i < n; ++i) y0.push_back(0.3 + 0.1 * std::sin(i));
  return y0;
}
auto posed(int n, double t1, double scale = 1) {
  return problem{every_other<>{n, scale}, start_of(n), 0.0, t1, vec{2.0, 0.4}};
}

TEST_CASE("ten thousand algebraic equations are solved in the band of the method") {
  const auto q = posed(20001, 0.0);
  const auto s = solve(q, in_band<rodas5p>{{}, bands});
  CHECK(s.status == status::success);
  CHECK(s.stats.jvp_evaluations == 3 * s.stats.jacobian_evaluations);
  CHECK(s.stats.factorizations == s.stats.jacobian_evaluations);
  CHECK(s.stats.factorizations <= 4);
  states left(s.y.size());
  q.f(0.0, s.y, q.p, left);
  double most = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i % 2 == 1) most = std::fmax(most, std::abs(left[i]));
    if (i % 2 == 0) CHECK(s.y[i] == q.y0[i]);
  }
  CHECK(most < 1e-15);
}

TEST_CASE_TEMPLATE("a start in a band is that of dense matrices, and so are its derivatives", M,
                   rodas5p, radau_iia5, bdf5) {
  const auto q = posed(11, 0.5);
  const options o{.rtol = 1e-7, .atol = 1e-7};
  const states weight = random_numbers(3).like(q.y0);
  auto narrow = solve(q, in_band<M>{{}, bands}, o, recursive_checkpoint{});
  auto wide = solve(q, M{}, o, recursive_checkpoint{});
  CHECK(narrow.stats.accepted == wide.stats.accepted);
  const auto g = narrow.pullback(weight), h = wide.pullback(weight);
  REQUIRE(g.status == status::success);
  for (std::size_t i = 0; i < q.y0.size(); ++i) {
    CHECK(narrow.y[i] == doctest::Approx(wide.y[i]).epsilon(1e-11));
    CHECK(g.y0[i] == doctest::Approx(h.y0[i]).epsilon(1e-7));
  }
  random_numbers random(4);
  const states along = random.like(q.y0);
  const vec of_p{random(), random()};
  const auto pushed = solve(q, in_band<M>{{}, bands}, o, tangents{along, of_p});
  const double there = dot(pushed.y_dot, weight),
               back = dot(g.y0, along) + g.p[0] * of_p[0] + g.p[1] * of_p[1];
  CHECK(there == doctest::Approx(back).epsilon(1e-12));
}

TEST_CASE("equations a power of two times as large change no bit of a start") {
  const auto found = [](double scale) {
    return solve(posed(11, 0.0, scale), in_band<radau_iia5>{{}, bands}).y;
  };
  const states y = found(1);
  for (const int power : {-900, -60, 60, 900}) CHECK(found(std::ldexp(1.0, power)) == y);
}

TEST_CASE(
    "equations below the least normal number are solved with the digits that they have left") {
  const auto q = posed(11, 0.0);
  const states y = solve(q, in_band<radau_iia5>{{}, bands}).y;
  for (const int power : {-1022, -1024, -1030, -1050}) {
    CAPTURE(power);
    const auto small =
        solve(posed(11, 0.0, std::ldexp(1.0, power)), in_band<radau_iia5>{{}, bands});
    CHECK(small.status == status::success);
    const double digits = std::ldexp(1.0, -1074 - power);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(small.y[i] - y[i]) <= 16 * digits);
  }
}

TEST_CASE(
    "equations that do not determine their elements are told, and those that are no numbers") {
  const problem wrong{every_other<false>{11}, start_of(11), 0.0, 1.0, vec{2.0, 0.4}};
  CHECK_THROWS_WITH_AS(solve(wrong, in_band<rodas5p>{{}, bands}),
                       doctest::Contains("algebraic equations that do not determine"),
                       std::invalid_argument);
  auto lost = posed(11, 1.0);
  lost.p[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(solve(lost, in_band<rodas5p>{{}, bands}).status == status::non_finite_field);
}

}  // namespace
}  // namespace revode
