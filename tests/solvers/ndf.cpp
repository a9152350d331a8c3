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
    CHECK(std::abs(angle_of_stability<ndf5>(q) - of_ndf[q]) < 1);
  }
}

/// The size of an array of order q behind n steps of y' = 0, each so many times as long as the one before.
template <class M>
double size_behind_growing_steps(int q, double growth, int n) {
  nordsieck_memo<vec<double, 1>, 5, bdf_decisions> memo;
  nordsieck<vec<double, 1>, 5> s(vec{0.0});
  nordsieck_tape<vec<double, 1>, 5> tape(vec{0.0});
  memo.order = q;
  for (int j = 0; j < 5; ++j) memo.tau[j] = std::pow(growth, -j - 1);
  for (int j = 0; j <= q; ++j) s.z[j][0] = 1 - 0.3 * j;
  for (int i = 0; i < n; ++i) {  // in units of the step at hand
    const typename M::formula by(q, 1.0, memo.tau);
    predict_array<M>(memo, q, 1.0, by, s, s, tape);
    correct_array(tape, 0, q, vec{-s.z[1][0] / lead_of<M>(q, by.l[1])}, s);
  }
  double size = 0;
  for (int j = 0; j <= q; ++j) size = larger(size, std::abs(s.z[j][0]));
  return size;
}

TEST_CASE_TEMPLATE("multistep: orders are taken on given steps as far as they are stable there", M,
                   bdf5, ndf5) {
  for (int q = 2; q <= 5; ++q) {
    CAPTURE(q);
    CHECK(size_behind_growing_steps<M>(q, M::stretch(q), 1000) <
          1.1 * size_behind_growing_steps<M>(q, M::stretch(q), 500));
    CHECK_FALSE(size_behind_growing_steps<M>(q, 1.25 * M::stretch(q), 500) < 1e6);
  }
}

TEST_CASE("NDF: given steps that grow, and such as come in no order, leave errors as they should") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  const auto exact = solve(q, ndf5{}, options{.rtol = 1e-11, .atol = 1e-12}).y;
  const auto error = [&](auto&& length, double first) {
    options o{.grid = {0.0}};
    double t = first;
    for (int i = 1; t < 1.5; t += first * length(i++)) o.grid.push_back(t);
    o.grid.push_back(1.5);
    const auto y = solve(q, ndf5{}, o).y;
    return std::abs(y[0] - exact[0]) + std::abs(y[1] - exact[1]);
  };
  CHECK(error([](int i) { return std::pow(1.05, i); }, 1e-4) < 2e-4);
  CHECK(error([](int i) { return std::pow(1.2, i); }, 1e-4) < 5e-3);
  CHECK(error([](int i) { return std::pow(1.5, i); }, 1e-4) < 5e-2);
  CHECK(error([](int i) { return i % 2 == 0 ? 2.0 : 1.0; }, 1e-3) < 1e-3);
  CHECK(error([](int i) { return 1 + 0.9 * std::sin(0.3 * i); }, 1e-3) < 1e-3);
}

/// y' = -s (y² − cos² t), whose transient is much faster than a given step.
struct squares {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] * y[0] - cos(t) * cos(t));
  }
};

TEST_CASE("NDF: given steps begin from the state where h f is far from it, to the same gradients") {
  for (const double stiffness : {1e5, 1e9}) {
    CAPTURE(stiffness);
    const problem q{squares{}, vec{1.2}, 0.0, 1.0, vec{stiffness}};
    const options o{.fixed_step = 0.02, .discontinuities = {0.4}};
    const auto s = solve(q, ndf5{}, o);
    REQUIRE(s.status == status::success);
    CHECK(std::abs(s.y[0] - std::cos(1.0)) < 2e-5);
    const recursive_checkpoint adjoint{.slots = 3};
    CHECK(replay_law(q, ndf5{}, options{.fixed_step = 0.02}).what == "");
    CHECK(dot_product_law(q, ndf5{}, o, adjoint, 1).worst < 1e-12);
    CHECK(equal_gradients_law(q, ndf5{}, o, adjoint, {.slots = 1}).what == "");
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
