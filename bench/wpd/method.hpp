// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/all.hpp>
#include <revode/problems/stiff_accuracy.hpp>

#include "contest.hpp"

namespace revode::wpd {

/// The state that a problem is solved with: of fixed size, or Eigen's.
template <class Problem>
auto state_of(const Problem& f) {
  const auto y0 = f.y0();
  if constexpr (static_size_v<std::remove_const_t<decltype(y0)>> >= 0)
    return y0;
  else
    return Eigen::VectorXd(Eigen::VectorXd::Map(y0.data(), static_cast<Eigen::Index>(y0.size())));
}

/// The method for one more solve: what a sparse algebra works out for a pattern, each solve does anew.
template <class M>
M anew(M m) {
  if constexpr (requires { m.algebra.pattern; })
    m.algebra.pattern = std::make_shared<const sparsity>(*m.algebra.pattern);
  return m;
}

template <class M, class Problem>
void add_run(contest& c, const std::string& solver, const M& m, const Problem& f) {
  c.add(Problem::name, solver, false, [m, f, y0 = state_of(f)](double rtol) {
    const options o{.rtol = rtol, .atol = Problem::atol(rtol), .max_steps = most_steps(length(y0))};
    const auto s = solve_stiff(f, y0, anew(m), o);
    const index attempts = s.stats.accepted + s.stats.rejected;
    const bool counted = s.stats.factorizations > 0 || s.stats.jacobian_evaluations == 0;
    const index lus = counted ? s.stats.factorizations : attempts;
    return ending{{s.y.data(), s.y.data() + s.y.size()},
                  std::string(name(s.status)),
                  s.stats.accepted,
                  s.stats.rejected,
                  s.stats.field_evaluations,
                  s.stats.jacobian_evaluations,
                  lus};
  });
}

template <class M, bool Compact>
void add_method(contest& c) {
  if (!contest::among(c.methods, M::name)) return;
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    constexpr int n = static_size_v<decltype(state_of(f))>;
    if constexpr ((n >= 0 && n <= 8) == Compact) add_run(c, M::name, M{}, f);
  });
}

}  // namespace revode::wpd
