// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "rows.hpp"

namespace revode::honesty {
namespace {

constexpr double rtol = 1e-6;
constexpr index times = 32;

double scale(const erased_problem& q, double y) {
  return (q.stiff() ? q.atol(rtol) : rtol) + rtol * std::abs(y);
}

/// At most 6 of the reference's components, spread over them.
auto chosen_components(const erased_problem& q) -> std::vector<int> {
  const auto& all = q.reference_components;
  const std::size_t stride = (all.size() + 5) / 6;
  std::vector<int> chosen;
  for (std::size_t k = 0; k < all.size(); k += stride) chosen.push_back(all[k]);
  return chosen;
}

options accurate(const erased_problem& q, double from) {
  options o{.rtol = 1e-7, .atol = q.stiff() ? q.atol(1e-7) : 1e-7, .max_steps = 100'000};
  for (const double t : q.jumps)
    if (t > from) o.discontinuities.push_back(t);
  return o;
}

}  // namespace

double condition_of(const erased_problem& q) {
  if (q.y0.size() > 100) return 1;
  const cli::method_entry m = cli::find_method("radau_iia9");
  const std::vector<int> components = chosen_components(q);
  std::vector<cli::weighting> weightings;
  for (const int i : components)
    weightings.push_back([i](const cli::solution_type& s) {
      cli::vector w = cli::vector::Zero(s.y.size());
      w[i] = 1;
      return cotangents<cli::vector>{.y = w};
    });
  const cli::vector p = q.p;
  const auto solve_on = [&](double t, const cli::vector& y, const options& o) {
    return m.plain.solve({q.f, y, t, q.t1, p}, o, {});
  };
  const index steps = solve_on(q.t0, q.y0, accurate(q, q.t0)).stats.accepted;
  double most = 1, t = q.t0;
  cli::vector y = q.y0;
  for (index k = 0; k < 2 * times; ++k) {
    const auto d = cli::differentiate(m, {q.f, y, t, q.t1, p}, accurate(q, t), {}, weightings);
    for (std::size_t c = 0; c < d.gradients.size(); ++c) {
      double sum = 0;
      for (int j = 0; j < length(y); ++j)
        sum += std::abs(d.gradients[c].bar.y0[j]) * scale(q, y[j]);
      most = std::max(most, sum / scale(q, d.result.y[components[c]]));
    }
    options some = accurate(q, t);
    some.max_steps = std::max<index>(4, steps / times);
    const cli::solution_type s = solve_on(t, y, some);
    if (s.status != status::max_steps) break;
    t = s.t;
    y = s.y;
  }
  return most;
}

}  // namespace revode::honesty
