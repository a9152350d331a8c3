// SPDX-License-Identifier: Apache-2.0
// The references of the stiff problems, found again in long double by collocation of orders 9 and 11.
// (The headers have them from quadruple precision, orders 17 and 21: tools/references/stiff.cpp.)
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <revode/problems/e5.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/rober.hpp>
#include <revode/problems/vdpol_stiff.hpp>

#include "../../tools/references/collocation.hpp"

using namespace revode;

namespace {

using real = long double;
using vector = std::vector<real>;

template <class Problem, class F>
vector solved(const Problem& q, const F& f, const vector& y0, double floor, int stages = 5,
              double small = 1e-7) {
  const auto p = q.parameters();
  references::collocation<real, F> run(f, vector(p.data(), p.data() + p.size()), stages, small,
                                       1e-19, floor);
  const real span = real(Problem::t1) - real(Problem::t0);
  return run.solve(real(Problem::t0), real(Problem::t1), y0, std::min(real(1e-6), span * 1e-6L));
}

/// Every component to `bound`, relative.
template <class Problem>
void check(const Problem& q, const vector& y, double bound) {
  CAPTURE(std::string(Problem::name));
  const auto reference = q.reference();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const real expected = reference.data()[i];
    CHECK(std::abs(y[i] - expected) <= bound * std::abs(expected));
  }
}

template <class Problem>
void check(const Problem& q, double bound, int stages = 5, double small = 1e-7) {
  const auto y0 = q.y0();
  check(q, solved(q, q, vector(y0.data(), y0.data() + y0.size()), 1e-8, stages, small), bound);
}

TEST_CASE("references of the stiff problems are right to 15 digits of every component") {
  check(rober{}, 1e-15);
  check(orego{}, 1e-15);
  check(vdpol_stiff{}, 1e-15);
  check(vdpol_fast{}, 1e-15);
  check(pollu{}, 1e-15, 6, 1e-9);
}

TEST_CASE("the reference of hires is right as far as it amplifies the rounding of long double") {
  check(hires{}, 2e-13);
}

/// Without y3 = y2 − y4, the difference that rounding destroys.
struct e5_reduced {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    Y four(4), d(4);
    four[0] = y[0], four[1] = y[1], four[2] = y[1] - y[2], four[3] = y[2];
    e5{}(t, four, p, d);
    dy[0] = d[0], dy[1] = d[1], dy[2] = d[3];
  }
};

TEST_CASE("e5: y2 and y3 are the reference's to 14 digits, y1 and y4 are gone") {
  const vector y = solved(e5{}, e5_reduced{}, {1.76e-3, 0, 0}, 1e-10);
  const auto reference = e5{}.reference();
  CHECK(std::abs(y[1] / reference[1] - 1) < 1e-14);
  CHECK(reference[2] == reference[1]);
  CHECK(std::abs(y[0]) < 1e-60);
  CHECK(std::abs(y[2]) < 1e-60);
}

TEST_CASE("the problems are those of the literature: published digits") {
  // Mazzia & Magherini, Test Set for IVP Solvers (2008); the last of theirs are rounding
  CHECK(rober{}.reference()[0] == doctest::Approx(0.2083340149701255e-07).epsilon(1e-13));
  CHECK(orego{}.reference()[1] == doctest::Approx(0.1228178521549917e+04).epsilon(1e-12));
  CHECK(hires{}.reference()[0] == doctest::Approx(0.7371312573325668e-03).epsilon(1e-15));
  CHECK(vdpol_stiff{}.reference()[0] == doctest::Approx(0.1706167732170483e+01).epsilon(1e-13));
  CHECK(pollu{}.reference()[0] == doctest::Approx(0.5646255480022769e-01).epsilon(1e-14));
}

}  // namespace
