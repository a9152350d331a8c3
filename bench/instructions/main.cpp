// SPDX-License-Identifier: Apache-2.0
// revode-bench-instructions NAME: runs one workload once, for callgrind to count (count.sh).
#include <cstdio>
#include <map>
#include <string>

#include <revode/problems/all.hpp>
#include <revode/revode.hpp>

namespace {

using namespace revode;

const auto square = [](const auto& y) { return y[0] * y[0]; };
constexpr double tight = 1e-8;

template <class F>
auto problem_of(const F& f, double t1) {
  return problem{f, f.y0(), 0.0, t1, f.parameters()};
}

/// What a workload computes, so that nothing of it is left out.
template <class M, class F>
double solve_once(const M& m, const F& f, double t1, const options& o) {
  const auto q = problem_of(f, t1);
  return static_cast<double>(solve(q, m, o).y[0]);
}
template <class M, class F>
double gradient_once(const M& m, const F& f, double t1, const options& o,
                     const recursive_checkpoint& adjoint = {}) {
  const auto q = problem_of(f, t1);
  return value_and_gradient(q, m, o, square, adjoint).gradient->p[0];
}

double through_events() {
  const bouncing_ball f;
  const auto q = problem_of(f, bouncing_ball::t1);
  return value_and_gradient(q, tsit5{}, {.rtol = tight, .atol = tight}, f.events(), square)
      .gradient->p[0];
}
double hessian() {
  const auto q = problem_of(lorenz{}, 5);
  const tangents<vec<double, 3>, vec<double, 3>> along{.y0 = {1, 0, 0}, .p = {0, 1, 0}};
  return hessian_vector_product(q, tsit5{}, {.rtol = tight, .atol = tight}, square, along)
      .product->p[0];
}
double dense_and_saved() {
  options o{.rtol = tight, .atol = tight};
  for (int i = 1; i < 200; ++i) o.save.ts.push_back(0.1 * i);
  const auto q = problem_of(lorenz{}, 20);
  const auto sum = [](const auto&, const auto& ys) {
    auto total = ys[0][0];
    for (const auto& y : ys) total = total + y[1];
    return total;
  };
  return value_and_gradient(q, vern7{}, o, sum).gradient->p[0];
}

const options at_tight{.rtol = tight, .atol = tight};
const std::map<std::string, double (*)()> workloads{
    {"lorenz_tsit5", [] { return solve_once(tsit5{}, lorenz{}, 20, at_tight); }},
    {"lorenz_tsit5_gradient", [] { return gradient_once(tsit5{}, lorenz{}, 20, at_tight); }},
    {"lorenz_tsit5_budget",
     [] { return gradient_once(tsit5{}, lorenz{}, 20, at_tight, {.budget = 16384}); }},
    {"pleiades_vern9", [] { return solve_once(vern9{}, pleiades{}, 3, at_tight); }},
    {"lorenz_vern7_saved_gradient", dense_and_saved},
    {"ball_tsit5_events_gradient", through_events},
    {"lorenz_tsit5_hessian", hessian},
    {"hires_rodas5p", [] { return solve_once(rodas5p{}, hires{}, 300, at_tight); }},
    {"hires_rodas5p_gradient", [] { return gradient_once(rodas5p{}, hires{}, 300, at_tight); }},
    {"pollu_esdirk547_gradient", [] { return gradient_once(esdirk547{}, pollu{}, 60, at_tight); }},
    {"pollu_radau_iia9_gradient",
     [] { return gradient_once(radau_iia9{}, pollu{}, 60, at_tight); }},
    {"lorenz96_rock4_gradient",
     [] { return gradient_once(rock4{}, lorenz96{8}, 5, {.rtol = 1e-6, .atol = 1e-6}); }},
};

[[gnu::noinline]] double run_workload(double (*workload)()) { return workload(); }

}  // namespace

int main(int count, char** words) {
  const auto found = count == 2 ? workloads.find(words[1]) : workloads.end();
  if (found == workloads.end()) {
    for (const auto& [name, run] : workloads) std::puts(name.c_str());
    return count == 1 ? 0 : 2;
  }
  std::printf("%.17g\n", run_workload(found->second));
}
