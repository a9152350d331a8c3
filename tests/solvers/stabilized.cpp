// SPDX-License-Identifier: Apache-2.0
#include "stabilized_laws.hpp"

#include <cmath>

#include <revode/problems/heat_1d.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rkl2.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

TEST_CASE("stabilised methods: the laws, with few and with many stages, and order") {
  check_stabilized_laws(rock4{}, 0.2, 1000);
  check_stabilized_order(rock4{.spectral_radius = 40});
}

/// The stability polynomial by the scheme itself.
double amplification(const stabilized_scheme& s, double z) {
  double before = 1, last = 1;
  for (int j = 1; j <= s.m; ++j) {
    const auto& r = s.rows[j];
    const double y =
        (1 - r.mu - r.nu) + r.mu * last + r.nu * before + z * (r.mu_tilde * last + r.gamma_tilde);
    before = last;
    last = y;
  }
  double k[4], y = last;
  for (int i = 0; i < s.finish; ++i) {
    double at = last;
    for (int j = 0; j < i; ++j) at += s.a[i][j] * k[j];
    k[i] = z * at;
    y += s.b[i] * k[i];
  }
  return y;
}

TEST_CASE_TEMPLATE("stabilised methods: stable as far as the number of stages says", M, rkc, rkl2,
                   rock2, rock4) {
  for (const double z : {5.0, 100.0, 700.0, 5000.0}) {
    const int stages = M::stages_for(z);
    CAPTURE(stages);
    const auto scheme = M::scheme(stages);
    double worst = 0;
    for (int k = 0; k <= 3000; ++k)
      worst = std::fmax(worst, std::abs(amplification(scheme, -z * k / 3000)));
    CHECK(worst <= 1 + 1e-9);
    // consistent: R = e^z + O(z^(order + 1))
    CHECK(std::abs(amplification(scheme, -1e-3) - std::exp(-1e-3)) <
          (M::order == 4 ? 2e-13 : 1e-9));
  }
}

TEST_CASE("ROCK4 on heat_1d:200 takes a tenth of tsit5's evaluations, to the same tolerance") {
  const heat_1d f{200};
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto explicit_one = solve(q, tsit5{}, o), stabilized = solve(q, rock4{}, o);
  double error = 0;
  for (int i = 0; i < 200; ++i)
    error = std::fmax(error, std::abs(stabilized.y[static_cast<std::size_t>(i)] -
                                      f.reference()[static_cast<std::size_t>(i)]));
  CHECK(stabilized.stats.field_evaluations * 10 <= explicit_one.stats.field_evaluations);
  CHECK(error < 1e-5);
}

}  // namespace
}  // namespace revode
