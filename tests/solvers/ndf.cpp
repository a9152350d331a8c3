// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include <revode/solvers/ndf.hpp>

#include "implicit_fields.hpp"
#include "multistep_checks.hpp"

namespace revode {
namespace {

TEST_CASE("NDF: replays, products and duals agree, mild and stiff") {
  for (const double stiffness : {40.0, 4e4})
    check_implicit_laws(ndf5{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
}

TEST_CASE(
    "NDF: each order is observed on uneven steps, with errors smaller than BDF's by Table 1") {
  // (κ_q γ_q + 1/(q + 1)) (q + 1), γ_q = 1 + 1/2 + … + 1/q
  const double smaller[] = {0, 0.630, 0.500, 0.396, 0.568, 1};
  for (int q = 1; q <= 5; ++q) {
    CAPTURE(q);
    const auto order = static_cast<std::uint8_t>(q);
    const bdf_record r{1, 1, order, order, 3, 3};
    const int n = 160;
    const double of_ndf = error_on_uneven_steps(ndf5{}, r, n);
    const double slope = std::log2(of_ndf / error_on_uneven_steps(ndf5{}, r, 2 * n));
    CHECK(std::abs(slope - q) < 0.15);
    CHECK(of_ndf / error_on_uneven_steps(bdf5{}, r, n) ==
          doctest::Approx(smaller[q]).epsilon(0.02));
  }
}

/// The greatest α, in degrees, of a wedge |arg(−hλ)| < α in which equal steps of order q are stable: the
/// array's map P + l (hλ P₀ − P₁)/(lead − hλ) has an eigenvalue ζ on the unit circle where
///   hλ = (lead + (P x)₁)/(1 + (P x)₀),  x = (ζ − P)⁻¹ l,  P Pascal's triangle.
template <class M>
double angle_of_stability(int q) {
  using complex = std::complex<double>;
  double tau[5] = {1, 1, 1, 1, 1};
  const typename M::formula by(q, 1, tau);
  const double lead = lead_of<M>(q, by.l[1]);
  double least = 90;
  for (int k = 1; k < 20'000; ++k) {
    const complex zeta = std::polar(1.0, 3.14159265358979 * k / 20'000);
    complex x[6], px[6];
    for (int i = q; i >= 0; --i) {
      double binomial = 1;
      px[i] = 0;
      for (int j = i + 1; j <= q; ++j) px[i] += (binomial *= j / static_cast<double>(j - i)) * x[j];
      x[i] = (by.l[i] + px[i]) / (zeta - 1.0);
      px[i] += x[i];
    }
    const complex z = (lead + px[1]) / (1.0 + px[0]);
    if (z.real() < 0)
      least = std::fmin(least, std::atan2(std::abs(z.imag()), -z.real()) * 57.29577951);
  }
  return least;
}

TEST_CASE("NDF: sectors of stability are those of Shampine and Reichelt's Table 1") {
  const double of_bdf[] = {0, 90, 90, 86.03, 73.35, 51.84}, of_ndf[] = {0, 90, 90, 80, 66, 51};
  for (int q = 1; q <= 5; ++q) {
    CAPTURE(q);
    CHECK(std::abs(angle_of_stability<bdf5>(q) - of_bdf[q]) < 0.02);
    MESSAGE(angle_of_stability<ndf5>(q));
    CHECK(std::abs(angle_of_stability<ndf5>(q) - of_ndf[q]) < 1);
  }
}

TEST_CASE("NDF: Robertson's problem takes fewer steps than by BDF") {
  const problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
  const options o{.rtol = 1e-4, .atol = 1e-10};
  const auto n = solve(q, ndf5{}, o), b = solve(q, bdf5{}, o);
  CHECK(n.status == status::success);
  CHECK(std::abs(n.y[0] / 0.2083340149701255e-7 - 1) < 0.05);
  CHECK(n.stats.accepted < b.stats.accepted);
}

}  // namespace
}  // namespace revode
