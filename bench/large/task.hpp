// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/linalg/sparse/sparsity.hpp>

#include "../adjoint/allocator.hpp"
#include "../wpd/contest.hpp"

namespace revode::large {

using numbers = std::vector<double>;

/// A problem's code, which every method and every library here calls, and how often they did.
struct calls {
  mutable index fields = 0, products = 0, pulls = 0;

  virtual ~calls() = default;
  virtual void field(double t, const numbers& y, const numbers& p, numbers& dy) const = 0;
  virtual void jvp(double t, const numbers& y, const numbers& p, const numbers& d,
                   const numbers& dp, numbers& out) const = 0;
  virtual void vjp(double t, const numbers& y, const numbers& p, const numbers& w, numbers& gy,
                   numbers& gp) const = 0;
};

/// The same as a field: one type for all problems, so that each method is compiled once.
struct called {
  static constexpr bool autonomous = true;
  const calls* of;

  void operator()(double t, const numbers& y, const numbers& p, numbers& dy) const {
    ++of->fields;
    of->field(t, y, p, dy);
  }
  template <class DP>
  void jvp(double t, const numbers& y, const numbers& p, double, const numbers& d, const DP& dp,
           numbers& out) const {
    ++of->products;
    if constexpr (std::is_same_v<DP, numbers>)
      of->jvp(t, y, p, d, dp, out);
    else
      of->jvp(t, y, p, d, {}, out);
  }
  template <class GP>
  void vjp(double t, const numbers& y, const numbers& p, const numbers& w, double&, numbers& gy,
           GP& gp) const {
    ++of->pulls;
    numbers none;
    if constexpr (std::is_same_v<GP, numbers>)
      of->vjp(t, y, p, w, gy, gp);
    else
      of->vjp(t, y, p, w, gy, none);
  }
};

/// A problem at one size, from 0 to t1, where its field does not depend on t.
struct task {
  std::string name, family;
  int n;
  double t1;
  int band;  ///< how far the matrix reaches from its diagonal; 0: as far as it is wide
  numbers y0, p;
  std::shared_ptr<const calls> of;
  std::shared_ptr<const sparsity> pattern;
  double pattern_seconds;  ///< of the processor, to find it
};

/// Sizes up to `largest`, from about 500 on, family by family; `families` names some (empty: all).
struct size {
  std::string family;
  int width, n;
};
std::vector<size> sizes(const std::vector<std::string>& families, double largest);
std::vector<std::string> families();
task make_task(const size& which);

/// Solvers of one task: gradients, of half the square of the end state's norm, by the start and then
/// by the parameters, are the `y` of their endings.
struct contenders {
  std::vector<wpd::contender> solves, gradients;

  void add(std::string solver, bool peer, std::function<wpd::ending(double)> solve,
           std::function<wpd::ending(double)> gradient = {}) {
    if (gradient) gradients.push_back({"", solver, peer, std::move(gradient)});
    if (solve) solves.push_back({"", std::move(solver), peer, std::move(solve)});
  }
};

inline constexpr int slots = 20;
inline constexpr index most_attempts = 20'000;

/// What run() gives, with the counts that all have in common: calls of the problem's code and bytes.
template <class Run>
wpd::ending counted(const task& q, const Run& run) {
  const calls& of = *q.of;
  of.fields = of.products = of.pulls = 0;
  const bench::heap_count heap;
  wpd::ending e = run();
  e.bytes = heap.peak();
  e.fields = of.fields, e.products = of.products, e.pulls = of.pulls;
  return e;
}

/// A method of revode: a translation unit each.
enum class method {
  rock4,
  rock2,
  rkc,
  esdirk_klu,
  bdf_klu,
  esdirk_umfpack,
  bdf_umfpack,
  esdirk_ilu,
  bdf_ilu,
  esdirk_bicgstab,
  bdf_bicgstab,
  esdirk_banded,
  bdf_banded
};
template <method M>
void add_method(const task& q, contenders& all);

// Peers. Each returns what it is, or why it is not there.
std::string add_cvode(const task& q, contenders& all);
std::string add_petsc(const task& q, contenders& all);

}  // namespace revode::large
