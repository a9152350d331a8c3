// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

#include "contest.hpp"
#include "problems.hpp"

namespace revode::peers {

template <class Solution>
wpd::ending ending_of(const Solution& s, const auto& y) {
  return {{y.data(), y.data() + y.size()},
          std::string(name(s.status)),
          s.stats.accepted,
          s.stats.rejected,
          s.stats.field_evaluations};
}

/// The gradient by y0 and then by p. What is exact has no status of its own.
template <class Problem, class M, class Adjoint>
wpd::ending gradient_of(const Problem& q, const M& m, const options& o, const Adjoint& a) {
  auto s = solve(q, m, o, a);
  if (s.status != status::success) return ending_of(s, s.y);
  const auto g = s.pullback(s.y);
  wpd::ending e = ending_of(s, g.y0);
  e.y.insert(e.y.end(), g.p.data(), g.p.data() + g.p.size());
  if constexpr (requires { g.status; }) e.status = std::string(name(g.status));
  return e;
}

template <class M, class Problem, class Adjoint>
void add_gradient(contest& c, const std::string& problem, const Problem& q, const char* stored,
                  const Adjoint& a) {
  c.gradients.add(problem, std::string(M::name) + ", " + stored, false, [q, a](double rtol) {
    return gradient_of(q, M{}, {.rtol = rtol, .atol = rtol, .max_steps = most_steps}, a);
  });
}

template <class M>
void add_method(contest& c) {
  if (!wpd::contest::among(c.solves.methods, M::name)) return;
  for_each_peer_problem([&](const std::string& problem, const auto& f, double t1) {
    const revode::problem q{f, f.y0(), 0.0, t1, f.parameters()};
    c.solves.add(problem, M::name, false, [q](double rtol) {
      const auto s = solve(q, M{}, {.rtol = rtol, .atol = rtol, .max_steps = most_steps});
      return ending_of(s, s.y);
    });
    add_gradient<M>(c, problem, q, "all tapes",
                    recursive_checkpoint{.schedule = schedule_kind::store_all});
    add_gradient<M>(c, problem, q, "default", recursive_checkpoint{});
    add_gradient<M>(c, problem, q, "20 states", recursive_checkpoint{.slots = 20});
    if constexpr (has_dense_output_v<M> && M::order < 8) {
      add_gradient<M>(c, problem, q, "gauss", gauss{});
      add_gradient<M>(c, problem, q, "interpolating", interpolating{});
    }
  });
}

}  // namespace revode::peers
