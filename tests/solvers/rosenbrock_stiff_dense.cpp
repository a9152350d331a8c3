// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {

/// y' = −p (y − φ(t)) + φ'(t), φ = sin 3t + eᵗ
/// source  Prothero & Robinson, Math. Comp. 28 (1974) 145-162
struct relaxation {
  static double solution(double t) { return std::sin(3 * t) + std::exp(t); }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::exp;
    using std::sin;
    dy[0] = -p[0] * (y[0] - sin(3 * t) - exp(t)) + 3 * cos(3 * t) + exp(t);
  }
};

/// The largest error at the points `at` of each of n equal steps.
template <class M>
double error_at(const M& m, int n, std::initializer_list<double> at) {
  options o{.fixed_step = 1.0 / n};
  for (int k = 0; k < n; ++k)
    for (const double theta : at) o.save.ts.push_back((k + theta) / n);
  const auto s =
      solve(problem{relaxation{}, vec{relaxation::solution(0)}, 0.0, 1.0, vec{1e4}}, m, o);
  REQUIRE(s.status == status::success);
  double worst = 0;
  for (std::size_t k = 0; k < s.ys.size(); ++k)
    worst = std::fmax(worst, std::abs(s.ys[k][0] - relaxation::solution(s.ts[k])));
  return worst;
}

}  // namespace

// The order conditions leave weights of dense output free, and the error here is theirs.
TEST_CASE(
    "rodas5: errors inside steps of a stiff relaxation are at most twice those at their ends") {
  const double ends = error_at(rodas5{}, 80, {1.0});
  const double inside = error_at(rodas5{}, 80, {0.2, 0.4, 0.6, 0.8});
  CHECK(ends < 1e-7);
  CHECK(inside < 2 * ends);
}

}  // namespace revode
