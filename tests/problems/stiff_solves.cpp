// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/problems/beam.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/cusp.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/medakzo.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/ring_modulator.hpp>
#include <revode/problems/rober.hpp>
#include <revode/problems/vdpol_stiff.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

/// −log₁₀ of the largest error relative to atol/rtol + |y|.
template <class F, class Y>
double mixed_digits(const F& f, const Y& y, double rtol) {
  const auto reference = f.reference();
  std::vector<int> components;
  if constexpr (requires { f.reference_components(); }) components = f.reference_components();
  double worst = 0;
  for (int k = 0; k < static_cast<int>(reference.size()); ++k) {
    const int i = components.empty() ? k : components[static_cast<std::size_t>(k)];
    const double expected = reference.data()[k];
    const double scale = F::atol(rtol) / rtol + std::abs(expected);
    worst = std::fmax(worst, std::abs(y.data()[i] - expected) / scale);
  }
  return -std::log10(worst);
}

/// A field that jumps is solved on both sides of its jump.
template <class F, class Y>
double digits_of_solve(const F& f, const Y& y0, double rtol) {
  const options o{.rtol = rtol, .atol = F::atol(rtol)};
  auto s = [&] {
    if constexpr (requires { F::jump; }) {
      const auto first = solve(problem{f, y0, F::t0, F::jump, f.parameters()}, rodas5p{}, o);
      const double past = std::nextafter(F::jump, F::t1);
      return solve(problem{f, first.y, past, F::t1, f.parameters()}, rodas5p{}, o);
    } else {
      return solve(problem{f, y0, F::t0, F::t1, f.parameters()}, rodas5p{}, o);
    }
  }();
  CHECK(s.status == status::success);
  return mixed_digits(f, s.y, rtol);
}

TEST_CASE("Rodas5P solves the small stiff problems from rtol 1e-4 to 1e-10, at most 2 digits off") {
  const auto check = [](const auto& f) {
    CAPTURE(std::string(f.name));
    for (int k = 4; k <= 10; ++k) {
      const double digits = digits_of_solve(f, f.y0(), std::pow(10, -k));
      CAPTURE(k);
      CHECK(digits >= k - 2);
    }
  };
  check(rober{});
  check(orego{});
  check(hires{});
  check(vdpol_stiff{});
  check(pollu{});
}

}  // namespace
}  // namespace revode
