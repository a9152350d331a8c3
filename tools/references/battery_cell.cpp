// SPDX-License-Identifier: Apache-2.0
// The reference of battery_cell: three families by sparse factors, at falling tolerances.
//   g++ -std=c++20 -O2 -Isrc -Iinclude -Isolvers -I/usr/include/eigen3 -I/usr/include/suitesparse
//     tools/references/battery_cell.cpp build/release/librevode_core.a -lklu -o battery_cell && ./battery_cell
// A minute.
#include <cstdio>
#include <memory>

#include <revode/interop/eigen.hpp>
#include <revode/interop/klu.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/battery_cell.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas5p.hpp>

using namespace revode;

template <class M>
void print(const char* name, double tolerance) {
  const battery_cell f;
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  options o{.rtol = tolerance, .atol = tolerance, .max_steps = 1000000};
  o.discontinuities.assign(f.jumps.begin(), f.jumps.end());
  const with_algebra<M, klu> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
  const auto s = solve(q, m, o);
  std::printf("%10s %7.0e %7ld steps ", name, tolerance, static_cast<long>(s.stats.accepted));
  for (const int i : f.reference_components())
    std::printf(" %.14f", s.y[static_cast<std::size_t>(i)]);
  std::printf(s.status == status::success ? "\n" : "  no success\n");
}

int main() {
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-11, 1e-12}) {
    print<bdf5>("bdf5", tolerance);
    print<rodas5p>("rodas5p", tolerance);
    print<radau_iia9>("radau_iia9", tolerance);
  }
}
