// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/problems/honesty.hpp>

namespace revode {

/// y' = λ (y − cos t) − sin t, y = cos t: for large −λ the order of an implicit method falls to that of
/// its stages.
/// source  Prothero & Robinson, Math. Comp. 28 (1974) 145-162
struct prothero_robinson {
  double lambda;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    using std::cos, std::sin;
    dy[0] = lambda * (y[0] - cos(t)) - sin(t);
  }
};

inline erased_problem make_prothero_robinson(double lambda, double t1) {
  erased_problem q = make_problem("decay");
  q.name = "Prothero-Robinson";
  q.t1 = t1;
  q.f = erased_field(prothero_robinson{lambda});
  q.p.resize(0);
  q.y0 = Eigen::VectorXd::Constant(1, 1.0);
  q.reference_components = {0};
  q.reference = Eigen::VectorXd::Constant(1, std::cos(t1));
  return q;
}

/// Success, at most so many tolerances off.
template <method M>
void check_honest(const M& m, const erased_problem& q, double rtol, double atol, double most) {
  const std::string what = std::string(M::name) + " on " + q.name;
  CAPTURE(what);
  CAPTURE(rtol);
  CAPTURE(atol);
  const honest_solve s = solve_honestly(m, q, rtol, atol, 30'000);
  CHECK(s.status == status::success);
  CHECK(s.off <= most);
}

/// rtol = 0, and rtol far below atol.
template <method M>
void check_tolerances_without_rtol(const M& m) {
  for (const char* name : {"vdpol_stiff", "hires", "pollu"}) {
    const erased_problem q = make_problem(name);
    check_honest(m, q, 0, 1e-6, 10);
    check_honest(m, q, 0, 1e-8, 10);
    check_honest(m, q, 1e-30, 1e-6, 10);
  }
  erased_problem rober = make_problem("rober");
  rober.t1 = 100;
  rober.reference.resize(0);
  const auto exact =
      solve(problem{rober.f, rober.y0, 0.0, rober.t1, rober.p}, m, {.rtol = 1e-11, .atol = 1e-15});
  rober.reference_components = {0, 1, 2};
  rober.reference = exact.y;
  check_honest(m, rober, 0, 1e-9, 10);
  check_honest(m, rober, 1e-300, 1e-9, 10);
}

}  // namespace revode
