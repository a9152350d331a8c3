// SPDX-License-Identifier: Apache-2.0
// Lanes of large states and of stiff methods on a device, whose derivatives are recordings on the host: compared
// with single solves. `device`, as test_cuda_ensemble; ends with 77 (skipped) where there is none.
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

#include "half_square.hpp"

namespace revode {

/// Lanes off by more than `bound` from their single solve, or twice that in their gradient: another processor rounds in
/// its own way.
template <class M, class F, class Y, class P>
int wrong_lanes(const ensemble<F, Y, P>& e, const M& m, const options& o, double bound) {
  ensemble_solver<M, F, Y, P, on_device, 0, false> solver(e, m, o);
  solver.run();
  const auto s = solver.result();
  const auto g = solver.gradient(half_square{});
  int wrong = 0;
  for (index l = 0; l < lanes_of(e); ++l) {
    const auto k = static_cast<std::size_t>(l);
    auto alone = solve(problem_of(e, l), m, o, recursive_checkpoint{});
    const auto bar = alone.pullback(alone.y);
    wrong += s.status[k] != status::success || !(distance(s.y[k], alone.y) < bound) ||
             !(distance(g.y0[k], bar.y0) < 2 * bound) || !(distance(g.p[k], bar.p) < 2 * bound);
  }
  std::printf("%s, %d components: %d of %d lanes differ\n", M::name, static_size_v<Y>, wrong,
              static_cast<int>(lanes_of(e)));
  return wrong;
}

template <int N>
int wrong_rings() {
  ensemble<lorenz96, vec<double, N>, vec<double, 1>> e{.f = {.n = N}, .t1 = {1.0}, .p = {}};
  vec<double, N> y;
  for (double& x : y) x = 8;
  y[N / 2 - 1] = 8.008;
  e.y0 = {y};
  for (index l = 0; l < 100; ++l) e.p.push_back({8 + 0.005 * static_cast<double>(l)});
  return wrong_lanes(e, tsit5{}, {.rtol = 1e-8, .atol = 1e-8}, 1e-9);
}

int wrong_proteins() {
  const hires f;
  ensemble<hires, vec<double, 8>, vec<double, 10>> e{.t1 = {f.t1}, .p = {f.parameters()}};
  for (index l = 0; l < 100; ++l) {
    e.y0.push_back(f.y0());
    e.y0.back()[0] *= 1 + 0.01 * static_cast<double>(l);
  }
  return wrong_lanes(e, rodas5p{}, {.rtol = 1e-6, .atol = 1e-10}, 1e-6);
}

}  // namespace revode

int main() {
  try {
    return revode::wrong_rings<16>() + revode::wrong_rings<24>() + revode::wrong_proteins() == 0
               ? 0
               : 1;
  } catch (const std::runtime_error& none) {
    std::printf("%s\n", none.what());
    return std::strstr(none.what(), "lanes cannot run on the device") != nullptr ? 77 : 1;
  }
}
