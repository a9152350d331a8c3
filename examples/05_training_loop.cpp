// SPDX-License-Identifier: Apache-2.0
// prints: iteration +0: loss [0-9]+\.
// prints: found 1\.500 1\.000 3\.000 1\.000
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/problems/lotka_volterra.hpp>
#include <revode/revode.hpp>

using namespace revode;

// Fits the four rates of predators and prey to 40 observations, by gradient descent (Adam).
int main() {
  const lotka_volterra truth;
  options o{.rtol = 1e-7, .atol = 1e-7};
  for (int k = 1; k <= 40; ++k) o.save.ts.push_back(0.125 * k);
  problem q{truth, truth.y0(), 0.0, 5.0, truth.parameters()};
  const auto observed = solve(q, tsit5{}, o).ys;

  const auto loss = [&](const auto& y, const auto& ys) {
    auto sum = 0.0 * y[0];
    for (std::size_t k = 0; k < ys.size(); ++k)
      for (int i = 0; i < 2; ++i) sum += (ys[k][i] - observed[k][i]) * (ys[k][i] - observed[k][i]);
    return sum / 40.0;
  };

  q.p = {1.2, 0.8, 2.5, 1.3};  // a poor guess
  vec<double, 4> mean{}, square{};
  double value = 0;
  for (int n = 0; n <= 1000; ++n) {
    const auto r = value_and_gradient(q, tsit5{}, o, loss, {.slots = 10});
    assert(r.solution.status == status::success);
    value = *r.value;
    if (n % 100 == 0) std::printf("iteration %4d: loss %.3e\n", n, value);
    const double rate = 0.03 * std::pow(0.995, n);
    for (int i = 0; i < 4; ++i) {
      const double g = r.gradient->p[i];
      mean[i] += 0.1 * (g - mean[i]);
      square[i] += 0.01 * (g * g - square[i]);
      const double m = mean[i] / (1 - std::pow(0.9, n + 1));
      const double s = square[i] / (1 - std::pow(0.99, n + 1));
      q.p[i] -= rate * m / (std::sqrt(s) + 1e-12);
    }
  }
  std::printf("found %.3f %.3f %.3f %.3f\n", q.p[0], q.p[1], q.p[2], q.p[3]);
  assert(value < 1e-6);
}
