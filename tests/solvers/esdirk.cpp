// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/implicit/implicit.hpp>
#include <revode/solvers/implicit/implicit_conditions.hpp>

#include <algorithm>
#include <vector>

#include "implicit_fields.hpp"

namespace revode {
namespace {

template <class Function>
void for_each_esdirk(Function&& fn) {
  [&]<class... M>(M... m) { (fn(m), ...); }(
      implicit_euler{}, trapezoid{}, tr_bdf2{}, kvaerno3{}, kvaerno4{}, kvaerno5{}, kencarp3{},
      kencarp4{}, kencarp5{}, esdirk325{}, esdirk436{}, esdirk547{}, esdirk54i8{});
}

TEST_CASE("ESDIRK: the error falls with the order, on an autonomous and on a driven problem") {
  for_each_esdirk([](const auto& m) {
    using M = std::remove_cvref_t<decltype(m)>;
    for (const auto& f : {pendulum, driven_pair}) {
      // Stages beyond the end (kvaerno5: c = 1.23) need shorter steps to show it.
      const double t1 = M::order == 5 ? 0.3 : 1.3;
      const law_result end = order_law(m, f, -0.7, t1);
      const law_result inside =
          dense_order_law(m, f, std::min(M::order, M::dense_order + 1), -0.7, t1);
      CHECK_MESSAGE(end.holds, end.what);
      CHECK_MESSAGE(inside.holds, inside.what);
    }
  });
}

/// y(θ) of y' = λ y, y = 1, with h λ = z.
template <class M>
double dense_factor(double z, double theta) {
  constexpr int stages = esdirk_numbers<M>::stages;
  const esdirk_weights<M> at(theta);
  double k[stages], y = 1;
  for (int i = 0; i < stages; ++i) {
    double sum = 1;
    for (int j = 0; j < i; ++j) sum += M::tableau.a[i][j] * k[j];
    k[i] = z * sum / (1 - z * M::tableau.a[i][i]);
    y += at.b[i] * k[i];
  }
  return y;
}

TEST_CASE("ESDIRK: estimates are enlarged where the step leaves more than they measure") {
  CHECK(esdirk_numbers<esdirk547>::honesty == 1);
  CHECK(esdirk_numbers<esdirk54i8>::honesty == 1);
  CHECK(esdirk_numbers<tr_bdf2>::honesty == 1);
  CHECK(std::sqrt(esdirk_numbers<kencarp5>::honesty) == doctest::Approx(38.875 / 2).epsilon(1e-3));
  CHECK(std::sqrt(esdirk_numbers<kencarp4>::honesty) == doctest::Approx(6.674 / 2).epsilon(1e-3));
}

TEST_CASE("ESDIRK: dense output has its order, and stays bounded off a smooth solution") {
  for_each_esdirk([](const auto& m) {
    using M = std::remove_cvref_t<decltype(m)>;
    CAPTURE(M::name);
    if constexpr (esdirk_numbers<M>::stages > 2) {
      constexpr esdirk_rows<M> rows;
      CHECK(dense_order_of(rows, M::dense_order + 1) == M::dense_order);
      for (int i = 0; i < rows.stages; ++i) {
        double sum = 0;
        for (const double weight : rows.weights[i]) sum += weight;
        CHECK(std::abs(sum - M::tableau.a[rows.stages - 1][i]) < 1e-14);
      }
      for (double theta = 0.05; theta < 1; theta += 0.1)
        CHECK(std::abs(dense_factor<M>(-1e8, theta)) < 1.6);
    } else {
      CHECK(std::abs(dense_factor<M>(-1e8, 0.5)) > 1e6);  // a Hermite polynomial
    }
  });
}

TEST_CASE("ESDIRK: the damping methods solve Robertson's problem over eleven decades") {
  const problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
  for_each_esdirk([&](const auto& m) {
    using M = std::remove_cvref_t<decltype(m)>;
    if constexpr (M::order >= 2 && !std::is_same_v<M, trapezoid>) {
      CAPTURE(M::name);
      const auto s = solve(q, m, options{.rtol = 1e-5, .atol = 1e-11});
      CHECK(s.status == status::success);
      CHECK(s.stats.accepted < 2000);
      CHECK(std::abs(s.y[0] / 0.2083340149701255e-7 - 1) < 0.05);
      // Two or three iterations a stage: the predictors are good.
      CHECK(s.stats.field_evaluations <
            (s.stats.accepted + s.stats.rejected) * 3 * esdirk_numbers<M>::stages);
    }
  });
}

TEST_CASE("ESDIRK: a gradient of 100,000 stiff steps in 32 snapshots") {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 200.0, vec{1000.0, 1.3}};
  auto s = solve(q, tr_bdf2{}, options{.fixed_step = 0.002}, recursive_checkpoint{.slots = 32});
  REQUIRE(s.stats.accepted == 100'000);
  const auto g = s.pullback(vec{1.0, -1.0});
  CHECK(g.reverse.peak_states <= 32);
  CHECK(all_finite(g.p));
}

}  // namespace
}  // namespace revode
