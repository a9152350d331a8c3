// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#if __has_include(<klu.h>)
#include <revode/interop/klu.hpp>
#else
#include <revode/interop/eigen/sparse.hpp>
#endif

#include "allocator.hpp"
#include "contest.hpp"
#include "problems.hpp"

namespace revode::bench {

/// Solves piece by piece and pulls back through all of them.
template <class Problem, class Y, class M>
answer gradient_of(const Problem& f, const Y& y0, const M& m, double rtol,
                   const recursive_checkpoint& memory) {
  const heap_count heap;
  const auto p = f.parameters();
  const options o{.rtol = rtol, .atol = Problem::atol(rtol), .max_steps = 100000};
  using solved = decltype(solve(problem{f, y0, 0.0, 1.0, p}, m, o, memory));
  std::vector<std::unique_ptr<solved>> pieces;
  answer a;
  a.good = true;
  const Y* from = &y0;
  for (const auto& [t0, t1] : pieces_of<Problem>()) {
    pieces.push_back(std::make_unique<solved>(solve(problem{f, *from, t0, t1, p}, m, o, memory)));
    a.good = a.good && pieces.back()->status == status::success;
    a.steps += static_cast<long>(pieces.back()->stats.accepted);
    from = &pieces.back()->y;
  }
  Y weight = *from;
  auto sum = p;
  fill(sum, 0.0);
  while (!pieces.empty() && a.good) {
    const auto g = pieces.back()->pullback(weight);
    add(g.p, sum);
    copy(g.y0, weight);
    pieces.pop_back();
  }
  a.back = a.steps;
  a.by_state.assign(weight.data(), weight.data() + weight.size());
  a.by_parameters.assign(sum.data(), sum.data() + sum.size());
  a.bytes = heap.peak();
  return a;
}

#if __has_include(<klu.h>)
using sparse_algebra = klu;
constexpr const char* sparse_name = ", KLU";
#else
using sparse_algebra = eigen_sparse;
constexpr const char* sparse_name = ", SparseLU";
#endif

inline std::vector<std::pair<std::string, recursive_checkpoint>> memories() {
  return {{"8 MiB", {.budget = index{8} << 20}},
          {"64 states", {.slots = 64}},
          {"16 states", {.slots = 16}},
          {"4 states", {.slots = 4}}};
}

template <class Problem, class Y, class M>
void add_contender(std::vector<contender>& all, const std::string& solver, const Problem& f,
                   const Y& y0, const M& m) {
  for (const auto& [setting, memory] : memories())
    all.push_back({solver, setting, [=, memory = memory](double rtol) {
                     return gradient_of(f, y0, m, rtol, memory);
                   }});
}

template <class M>
void add_method(const selection& which, std::vector<contender>& all) {
  const std::string name = M::name;
  if (which.problem == "brusselator_2d") {
    const written_brusselator f{{which.width}};
    const auto y0 = f.y0();
    const auto pattern = std::make_shared<const sparsity>(sparsity_of(f, f.t0, y0, f.parameters()));
    add_contender(all, name + sparse_name, f, y0, with_algebra<M, sparse_algebra>{{}, {pattern}});
    if constexpr (requires { M::tableau; })  // whose iterations need no solve to rounding
      add_contender(all, name + ", BiCGSTAB", f, y0, with_algebra<M, bicgstab<>>{});
  } else if (which.problem == "hires") {
    add_contender(all, name, hires{}, hires{}.y0(), M{});
  } else {
    add_contender(all, name, short_rober{}, short_rober{}.y0(), M{});
  }
}

}  // namespace revode::bench
