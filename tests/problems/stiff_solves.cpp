// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include <revode/problems/hires.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/rober.hpp>
#include <revode/problems/stiff_accuracy.hpp>
#include <revode/problems/vdpol_stiff.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

TEST_CASE("Rodas5P solves the small stiff problems from rtol 1e-4 to 1e-10, at most 2 digits off") {
  const auto check = [](const auto& f) {
    CAPTURE(std::string(f.name));
    for (int k = 4; k <= 10; ++k) {
      CAPTURE(k);
      const double rtol = std::pow(10, -k);
      const auto s = solve_stiff(f, f.y0(), rodas5p{}, {.rtol = rtol, .atol = f.atol(rtol)});
      CHECK(s.status == status::success);
      CHECK(mixed_digits(f, s.y, rtol) >= k - 2);
    }
  };
  check(rober{});
  check(orego{});
  check(hires{});
  check(vdpol_stiff{});
  check(pollu{});
}

TEST_CASE("a solution that is no number has no digits") {
  const hires f;
  auto y = f.reference();
  CHECK(mixed_digits(f, y, 1e-4) == doctest::Approx(17));
  y[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(mixed_digits(f, y, 1e-4)));
}

}  // namespace
}  // namespace revode
