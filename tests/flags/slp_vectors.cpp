// SPDX-License-Identifier: Apache-2.0
// Prints the bits of solutions and gradients of small stiff systems, whose loops over two or three numbers
// are what -ftree-slp-vectorize makes vectors of.
#include <cstdio>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/vdpol.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace {

template <class M>
void print_bits() {
  using namespace revode;
  const vdpol f;
  auto s = solve(problem{f, f.y0(), 0.0, 2.0, f.parameters()}, M{}, {.rtol = 1e-6, .atol = 1e-8},
                 recursive_checkpoint{.slots = 10});
  const auto g = s.pullback(vec{1.0, 1.0});
  std::printf("%s %ld %ld %a %a %a %a %a\n", M::name, static_cast<long>(s.stats.accepted),
              static_cast<long>(s.stats.rejected), s.y[0], s.y[1], g.y0[0], g.y0[1], g.p[0]);
}

}  // namespace

int main() {
  print_bits<revode::radau_iia5>();
  print_bits<revode::rodas5p>();
}
