// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "rows.hpp"

namespace revode::honesty {
namespace {

constexpr double rtol = 1e-6;
constexpr int times = 12;

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
  const cli::watched_field f(q.f);
  const std::vector<int> components = chosen_components(q);
  std::vector<cli::weighting> weightings;
  for (const int i : components)
    weightings.push_back([i](const cli::solution_type& s) {
      cli::vector w = cli::vector::Zero(s.y.size());
      w[i] = 1;
      return cotangents<cli::vector>{.y = w};
    });
  double most = 1, t = q.t0;
  cli::vector y = q.y0;
  for (int k = 0; k < times; ++k) {
    const cli::initial_value_problem rest{f, y, t, q.t1, q.p};
    const auto d = m.differentiate(rest, accurate(q, t), {}, weightings);
    for (std::size_t c = 0; c < d.gradients.size(); ++c) {
      double sum = 0;
      for (int j = 0; j < length(y); ++j)
        sum += std::abs(d.gradients[c].bar.y0[j]) * scale(q, y[j]);
      most = std::max(most, sum / scale(q, d.result.y[components[c]]));
    }
    const double next = q.t0 + (q.t1 - q.t0) * (k + 1) / times;
    options o = accurate(q, t);
    std::erase_if(o.discontinuities, [&](double at) { return at >= next; });
    y = m.solve(cli::initial_value_problem{f, y, t, next, q.p}, o, {}).result.y;
    t = next;
  }
  return most;
}

}  // namespace revode::honesty
