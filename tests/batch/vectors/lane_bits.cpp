// SPDX-License-Identifier: Apache-2.0
// Built for AVX2 and for AVX-512: lanes of width 1, 16 and 32 and single solves have the same bits in
// each. Ends with 77 (skipped) on a processor without the vectors.
#include <cstdio>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using state = vec<double, 3>;
constexpr index lanes = 70;

template <int W>
auto states_of(const ensemble<lorenz, state, state>& e) {
  ensemble_solver<tsit5, lorenz, state, state, on_host, W, false> solver(e, tsit5{}, {});
  solver.run();
  return solver.result().y;
}

int compare() {
  ensemble<lorenz, state, state> e{.t1 = {10}, .p = {}};
  for (index l = 0; l < lanes; ++l) {
    e.y0.push_back({1, 0.01 * static_cast<double>(l), 0});
    e.p.push_back({10, 20 + 0.1 * static_cast<double>(l), 8.0 / 3});
  }
  const auto one = states_of<1>(e), few = states_of<16>(e), many = states_of<32>(e);
  int wrong = 0;
  for (index l = 0; l < lanes; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const auto alone = solve(problem_of(e, l), tsit5{}, {}).y;
    wrong += !(one[at] == alone && few[at] == alone && many[at] == alone);
  }
  std::printf("%d of %d lanes differ\n", wrong, static_cast<int>(lanes));
  return wrong == 0 ? 0 : 1;
}

bool has_vectors() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
}

}  // namespace
}  // namespace revode

int main() {
  if (revode::has_vectors()) return revode::compare();
  std::puts("skipped: a processor without these vectors");
  return 77;
}
