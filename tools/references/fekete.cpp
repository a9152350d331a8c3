// SPDX-License-Identifier: Apache-2.0
// The reference of fekete in quadruple precision: the extrapolated midpoint rule, explicit, on the equations of motion,
// into which the multipliers that its constraints ask for are put.
//   g++ -std=gnu++20 -O2 -Iinclude tools/references/fekete.cpp -lquadmath -o fekete && ./fekete
// Needs Boost.Multiprecision and libquadmath. A minute.
#include <boost/multiprecision/float128.hpp>

#include <cstdio>
#include <vector>

#include <revode/problems/fekete.hpp>

#include "extrapolation.hpp"

using namespace revode;
using real = boost::multiprecision::float128;
using vector = std::vector<real>;

namespace {

constexpr int n = fekete::points, half = 3 * n;

/// (x, v), with λ = −(xᵀ force + |v|²)/2 and μ = 0.
struct motion {
  static vector whole(const vector& z) {
    vector y(8 * n, real(0)), dy(8 * n);
    for (int i = 0; i < 2 * half; ++i) y[std::size_t(i)] = z[std::size_t(i)];
    fekete{}(real(0), y, vector{real(0)}, dy);
    for (int i = 0; i < n; ++i)
      for (int k = 3 * i; k < 3 * i + 3; ++k)
        y[std::size_t(2 * half + i)] -= (z[std::size_t(k)] * dy[std::size_t(half + k)] +
                                         z[std::size_t(half + k)] * z[std::size_t(half + k)]) /
                                        2;
    return y;
  }
  void operator()(const real& t, const vector& z, const vector& p, vector& dz) const {
    vector dy(8 * n);
    fekete{}(t, whole(z), p, dy);
    for (int i = 0; i < 2 * half; ++i) dz[std::size_t(i)] = dy[std::size_t(i)];
  }
};

}  // namespace

int main() {
  const fekete f;
  const auto y0 = f.y0();
  vector z;
  for (int i = 0; i < n; ++i) {  // onto the sphere in this precision
    real size(0);
    for (int k = 3 * i; k < 3 * i + 3; ++k) size += real(y0[k]) * real(y0[k]);
    for (int k = 3 * i; k < 3 * i + 3; ++k) z.push_back(real(y0[k]) / sqrt(size));
  }
  z.resize(2 * half, real(0));
  const auto counts = references::extrapolate(motion{}, real(f.t0), real(f.t1), z,
                                              vector{real(f.parameters()[0])}, real(1e-22), 12);
  std::printf("%ld steps, %ld rejected\n", counts.steps, counts.rejected);
  const vector y = motion::whole(z);
  for (int i = 0; i < 8 * n; ++i)
    std::printf("%s,%s", y[std::size_t(i)].str(17).c_str(), i % 4 == 3 ? "\n" : " ");
}
