// SPDX-License-Identifier: Apache-2.0
// The reference of advection_diffusion_3d in quadruple precision, by extrapolation of the midpoint rule:
// two runs that differ in order and steps, with how far apart they are. On 5 x 5 x 5 points the problem is
// not stiff.
//   g++ -std=gnu++20 -O2 -Iinclude tools/references/advection_diffusion_3d.cpp -lquadmath -o reference && ./reference
// Needs Boost.Multiprecision and libquadmath. A second.
#include <boost/multiprecision/float128.hpp>

#include <cstdio>
#include <vector>

#include <revode/problems/advection_diffusion_3d.hpp>

#include "extrapolation.hpp"

using namespace revode;
using real = boost::multiprecision::float128;
using vector = std::vector<real>;

namespace {

vector solved(const advection_diffusion_3d& f, double tolerance, int columns) {
  const auto start = f.y0();
  const auto parameters = f.parameters();
  vector y(start.begin(), start.end());
  const vector p(parameters.data(), parameters.data() + parameters.size());
  const auto counts =
      references::extrapolate(f, real(f.t0), real(f.t1), y, p, real(tolerance), columns);
  std::printf("%d columns: %ld steps, %ld rejected\n", columns, counts.steps, counts.rejected);
  return y;
}

}  // namespace

int main() {
  const advection_diffusion_3d f;
  const vector one = solved(f, 1e-28, 12), other = solved(f, 1e-27, 10);
  for (const int i : f.reference_components()) {
    const auto k = static_cast<std::size_t>(i);
    std::printf("  %d: %s   differs by %.1e\n", i, one[k].str(17).c_str(),
                static_cast<double>(abs(one[k] / other[k] - 1)));
  }
}
