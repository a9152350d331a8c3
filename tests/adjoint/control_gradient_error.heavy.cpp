// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/implicit/esdirk.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/rosenbrock.hpp>

namespace revode {
namespace {

using two = vec<double, 2>;

/// Van der Pol's oscillator, y₁'' = p₀ (1 − y₁²) y₁' − p₁ y₁, in both times of the named problems: one
/// field, so that each method is compiled once. Slow time: p = (1/ε, 1/ε); fast: (μ, 1).
struct vdpol_either {
  static constexpr bool autonomous = true;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * ((1 - y[0] * y[0]) * y[1]) - p[1] * y[0];
  }
};

struct row {
  bool fast;
  double rtol, right;  ///< the derivative of the sum of the final state by the parameter
};
constexpr row rows[] = {{false, 1e-4, 855.5667},
                        {false, 1e-6, 855.5667},
                        {true, 1e-4, 0.001787598},
                        {true, 1e-6, 0.001787598}};

/// With the tangent in the norm right within 10 rtol, forward and reverse; without at least so many of
/// the four rows are wrong by more.
template <class M>
void compare(const M& m, int wrong) {
  const auto sum = [](const auto& y) { return y[0] + y[1]; };
  int off = 0;
  for (const row& r : rows) {
    const problem<vdpol_either, two, two> q{
        vdpol_either{}, {2, 0}, 0, r.fast ? 2000.0 : 2.0, r.fast ? two{1000, 1} : two{1e6, 1e6}};
    const tangents<two, two> along{.y0 = {}, .p = r.fast ? two{1, 0} : two{-1e12, -1e12}};
    const options o{.rtol = r.rtol, .atol = r.rtol};
    const auto plain = solve(q, m, o, along);
    const auto s = solve(q, m, o, control_gradient_error{along});
    const auto g = value_and_gradient(q, m, o, sum, control_gradient_error{along});
    CAPTURE(std::string(M::name));
    CAPTURE(r.fast);
    CAPTURE(r.rtol);
    REQUIRE(s.status == status::success);
    CHECK(std::abs(sum(s.y_dot) / r.right - 1) < 10 * r.rtol);
    const double reverse = dot(g.gradient->p, along.p);
    CHECK(std::abs(reverse / r.right - 1) < 10 * r.rtol);
    off += std::abs(sum(plain.y_dot) / r.right - 1) > 10 * r.rtol ? 1 : 0;
    MESSAGE(std::string(M::name) << ", " << std::string(r.fast ? "vdpol_fast" : "vdpol_stiff")
                                 << ", rtol " << r.rtol << ": plain " << plain.stats.accepted
                                 << " steps, " << sum(plain.y_dot) << "; controlled "
                                 << s.stats.accepted << " steps, " << s.solves << " solves, "
                                 << sum(s.y_dot) << ", reverse " << reverse);
  }
  CHECK(off >= wrong);
}

}  // namespace

TEST_CASE("control_gradient_error: relaxation oscillations, five methods, two tolerances") {
  compare(rodas5p{}, 4);
  compare(esdirk547{}, 4);
  compare(kencarp4{}, 4);
  compare(radau_iia5{}, 4);
  compare(radau_iia9{}, 4);
}

}  // namespace revode
