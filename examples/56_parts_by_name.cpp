// SPDX-License-Identifier: Apache-2.0
// A field in two parts by the compiled interface: a species spreads along a line and grows. Spreading is stiff and linear,
// growth neither: "kencarp5_imex" takes the first implicitly, by its own Jacobian, and the second explicitly. How many
// there are at last depends on how fast they spread and grow.
//
// prints: in all 23\.654, of spreading 34\.70, of growth 19\.704
// prints: both parts: 6[0-9] steps; explicit steps of the sum: 6[23][0-9]
#include <cmath>
#include <cstdio>

#include <revode/any.hpp>

namespace {

constexpr std::size_t cells = 60;

/// y' = D ∂²y/∂x², nothing passes the ends; p = (D, r)
revode::any_callbacks spreading() {
  const auto differences = [](auto y, std::size_t i) {  // of y in cell i, in units of dx²
    return static_cast<double>(cells * cells) *
           ((i > 0 ? y[i - 1] - y[i] : 0.0) + (i + 1 < cells ? y[i + 1] - y[i] : 0.0));
  };
  return {.f =
              [=](double, auto y, auto p, auto dy) {
                for (std::size_t i = 0; i < cells; ++i) dy[i] = p[0] * differences(y, i);
              },
          .vjp =
              [=](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
                for (std::size_t i = 0; i < cells; ++i) {
                  gy[i] += p[0] * differences(w, i);  // it is symmetric
                  gp[0] += w[i] * differences(y, i);
                }
              },
          .jacobian =
              [](double, auto, auto p, auto jac) {
                const double rate = p[0] * static_cast<double>(cells * cells);
                for (std::size_t i = 0; i + 1 < cells; ++i) {
                  jac[i * cells + i] -= rate;
                  jac[i * cells + i + 1] += rate;
                  jac[(i + 1) * cells + i] += rate;
                  jac[(i + 1) * cells + i + 1] -= rate;
                }
              }};
}

/// y' = r y (1 − y)
revode::any_callbacks growth() {
  return {.f =
              [](double, auto y, auto p, auto dy) {
                for (std::size_t i = 0; i < cells; ++i) dy[i] = p[1] * y[i] * (1 - y[i]);
              },
          .vjp =
              [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
                for (std::size_t i = 0; i < cells; ++i) {
                  gy[i] += w[i] * p[1] * (1 - 2 * y[i]);
                  gp[1] += w[i] * y[i] * (1 - y[i]);
                }
              }};
}

}  // namespace

int main() {
  using namespace revode;
  any_problem line;
  line.f = any_field(spreading(), growth());
  line.y0 = any_state(cells, 0.0);
  line.y0[0] = 0.5;
  line.t1 = 1.5;
  line.p = {0.1, 3};

  const options accurate{.rtol = 1e-6, .atol = 1e-8};
  const auto sum_of = [](const any_state& y) {
    double all = 0;
    for (const double each : y) all += each;
    return all;
  };
  const any_loss in_all = [&](const any_solution& s, any_cotangents& bar) {
    bar.y = any_state(cells, 1.0);
    return sum_of(s.y);
  };
  const auto r = value_and_gradient(line, "kencarp5_imex", accurate, in_all);
  std::printf("in all %.3f, of spreading %.2f, of growth %.3f\n", *r.value, r.gradient->p[0],
              r.gradient->p[1]);
  const auto whole = solve(line, "tsit5", accurate);  // other methods take the sum
  std::printf("both parts: %d steps; explicit steps of the sum: %d\n",
              static_cast<int>(r.solution.stats.accepted), static_cast<int>(whole.stats.accepted));
  return std::abs(sum_of(whole.y) - *r.value) < 1e-4 ? 0 : 1;
}
