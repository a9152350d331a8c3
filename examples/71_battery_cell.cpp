// SPDX-License-Identifier: Apache-2.0
// prints: 940 elements, 90 of them at once; 3440 entries of the Jacobian
// prints: pulses: lithium is kept to [0-9.]+e-(0[89]|1[0-9])
// prints: empty after 36[0-9][0-9] s; a tenth more of
// prints: the gradient by reverse mode is that of forward mode to [0-9.]+e-(0[6-9]|1[0-9])
#include <cassert>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/problems/battery_cell.hpp>
#include <revode/revode.hpp>

using namespace revode;

// The cell of revode/problems/battery_cell.hpp: 90 of its 940 equations are algebraic, and a current that jumps makes
// their potentials consistent anew.
using cell = battery_cell;
using parameters = vec<double, 6>;
const char* const names[] = {"diffusion in graphite",        "diffusion in cobalt oxide",
                             "reactions at graphite",        "reactions at cobalt oxide",
                             "diffusion in the electrolyte", "its conductivity"};

/// The cell is empty where its voltage falls to 3.105 V.
struct empty {
  static constexpr bool terminal = true;
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const {
    return y[cell::size - 1] - 3.105;
  }
};

int main() {
  const cell f;
  problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  const eigen_sparse algebra{std::make_shared<sparsity>(sparsity_of(q))};
  std::printf("%d elements, %d of them at once; %d entries of the Jacobian\n", cell::size,
              cell::size - cell::liquid, algebra.pattern->entries());

  options o{.rtol = 1e-6, .atol = 1e-6};
  o.discontinuities.assign(f.jumps.begin(), f.jumps.end());
  o.save.ts = {299, 301, 599, 601, 899, 901, 1199, 1201};
  const auto pulsed = solve(q, with_algebra<bdf5, eigen_sparse>{{}, algebra}, o);
  assert(pulsed.status == status::success);
  for (std::size_t k = 0; k < pulsed.ys.size(); ++k)
    std::printf("%4.0f s %.4f V\n", o.save.ts[k], pulsed.ys[k][cell::size - 1]);
  std::printf("pulses: lithium is kept to %.1e\n",
              std::abs(cell::lithium(pulsed.y) / cell::lithium(q.y0) - 1) + 1e-17);

  const problem hour{cell{false}, q.y0, 0.0, 4000.0, q.p};
  const options loose{.rtol = 1e-5, .atol = 1e-6};
  const with_algebra<rodas5p, eigen_sparse> m{{}, algebra};
  auto s = solve(hour, m, loose, events(empty{}), recursive_checkpoint{.slots = 8});
  assert(s.status == status::terminal_event);
  const auto g = s.pullback(cotangents<std::vector<double>>{.events = {1}});
  std::printf("empty after %.0f s; a tenth more of\n", s.t);
  for (std::size_t i = 0; i < 6; ++i)
    std::printf("  %-30s %+8.3f s\n", names[i], 0.1 * g.p[int(i)]);

  tangents along{std::vector<double>(cell::size), parameters{1, 1, 1, 1, 1, 1}};
  const auto forward = solve(hour, m, loose, events(empty{}), along);
  double sum = 0, terms = 0;
  for (int i = 0; i < 6; ++i) sum += g.p[i], terms += std::abs(g.p[i]);
  std::printf("the gradient by reverse mode is that of forward mode to %.1e\n",
              std::abs(sum - forward.events_dot[0]) / terms + 1e-17);
}
