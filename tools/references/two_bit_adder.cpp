// SPDX-License-Identifier: Apache-2.0
// The reference of two_bit_adder: two families by sparse factors, at falling tolerances. Its transistors bend at
// times that nobody knows, so nothing of high order converges as such.
//   g++ -std=c++20 -O2 -Isrc -Iinclude -Isolvers -I/usr/include/eigen3 -I/usr/include/suitesparse
//     tools/references/two_bit_adder.cpp build/release/librevode_core.a -lklu -o two_bit_adder && ./two_bit_adder
// A minute.
#include <cstdio>
#include <iterator>
#include <memory>

#include <revode/interop/eigen.hpp>
#include <revode/interop/klu.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/two_bit_adder.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/rodas5p.hpp>

using namespace revode;

template <class M>
void print(const char* name, double tolerance) {
  const two_bit_adder f;
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  options o{.rtol = tolerance, .atol = tolerance, .max_steps = 1000000};
  o.discontinuities.assign(std::begin(f.jumps), std::end(f.jumps));
  const with_algebra<M, klu> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
  const auto s = solve(q, m, o);
  std::printf("%8s %7.0e %7ld steps ", name, tolerance, static_cast<long>(s.stats.accepted));
  for (const int i : f.reference_components())
    std::printf(" %.14f", s.y[static_cast<std::size_t>(i)]);
  std::printf(s.status == status::success ? "\n" : "  no success\n");
}

int main() {
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-11}) {
    print<bdf5>("bdf5", tolerance);
    print<rodas5p>("rodas5p", tolerance);
  }
}
