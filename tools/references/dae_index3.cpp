// SPDX-License-Identifier: Apache-2.0
// References of mechanical systems of index 3 in quadruple precision, in two ways that share no method and no
// form of the equations: Radau IIA collocation of the problem in its header with constraints differentiated
// twice, M y' = f of index 1, with 9 and with 11 stages; and the extrapolated midpoint rule, explicit, on the
// equations of motion in as many coordinates as the system has degrees of freedom, from which multipliers
// follow.
//   g++ -std=gnu++20 -O2 -Iinclude tools/references/dae_index3.cpp -lquadmath -o dae_index3 && ./dae_index3
// Needs Boost.Multiprecision and libquadmath. Minutes.
#include <boost/multiprecision/float128.hpp>

#include <cstdio>
#include <vector>

#include <revode/problems/car_axis.hpp>

#include "collocation.hpp"
#include "extrapolation.hpp"

using namespace revode;
using real = boost::multiprecision::float128;
using vector = std::vector<real>;

namespace {

template <class From>
vector widened(const From& from) {
  return vector(from.data(), from.data() + from.size());
}

template <class T>
struct moving {
  T x, y, vx, vy, ax, ay;
};
/// The right wheel, with its velocity and acceleration.
template <class T, class P>
moving<T> wheel(const T& t, const P& p) {
  const T y = p[2] * sin(p[3] * t), vy = p[2] * p[3] * cos(p[3] * t), ay = -p[3] * p[3] * y;
  const T x = sqrt(p[0] * p[0] - y * y), vx = -y * vy / x;
  return {x, y, vx, vy, -(vy * vy + y * ay + vx * vx) / x, ay};
}

/// car_axis with both constraints differentiated twice.
struct car_of_index1 : car_axis {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    car_axis::operator()(t, y, p, dy);
    const auto b = wheel(t, p);
    dy[8] = b.ax * y[0] + b.ay * y[1] + 2 * (b.vx * y[4] + b.vy * y[5]) +
            (b.x * dy[4] + b.y * dy[5]) / T(k);
    const auto u = y[4] - y[6], v = y[5] - y[7];
    dy[9] =
        u * u + v * v + ((y[0] - y[2]) * (dy[4] - dy[6]) + (y[1] - y[3]) * (dy[5] - dy[7])) / T(k);
  }
};

/// The axis by s, how far up its left end is, and its angle φ:
///   (xl, yl) = s (−yb, xb)/L, (xr, yr) = (xl, yl) + L (cos φ, sin φ).
/// Forces along the tangents ∂q/∂s, ∂q/∂φ alone move it, multipliers make up the rest.
struct car_by_two {
  struct motion {
    real q[4], v[4], force[4], along_s[4], along_phi[4], rest[4];
  };
  /// Positions, velocities, forces without multipliers; q'' = along_s s'' + along_phi φ'' + rest.
  static motion at(const real& t, const vector& z, const vector& p) {
    const real &s = z[0], &l = p[0];
    const real c = cos(z[1]), d = sin(z[1]);
    const moving<real> b = wheel(t, p);
    motion m{};
    const real up[2] = {-b.y / l, b.x / l}, slope[2] = {-b.vy / l, b.vx / l},
               bend[2] = {-b.ay / l, b.ax / l}, arm[2] = {l * c, l * d}, turn[2] = {-l * d, l * c};
    for (int i = 0; i < 4; ++i) {
      const int k = i % 2;
      const real far = i / 2;
      m.q[i] = s * up[k] + far * arm[k];
      m.v[i] = z[2] * up[k] + s * slope[k] + far * z[3] * turn[k];
      m.along_s[i] = up[k];
      m.along_phi[i] = far * turn[k];
      m.rest[i] = 2 * z[2] * slope[k] + s * bend[k] - far * z[3] * z[3] * arm[k];
    }
    const real rx = m.q[2] - b.x, ry = m.q[3] - b.y;
    const real left = p[1] / sqrt(m.q[0] * m.q[0] + m.q[1] * m.q[1]) - 1;
    const real right = p[1] / sqrt(rx * rx + ry * ry) - 1, weight = real(car_axis::k) * p[4];
    m.force[0] = left * m.q[0], m.force[1] = left * m.q[1] - weight;
    m.force[2] = right * rx, m.force[3] = right * ry - weight;
    return m;
  }
  void operator()(const real& t, const vector& z, const vector& p, vector& dz) const {
    const motion m = at(t, z, p);
    real ss = 0, sp = 0, pp = 0, fs = 0, fp = 0;
    for (int i = 0; i < 4; ++i) {
      const real left = m.force[i] / real(car_axis::k) - m.rest[i];
      ss += m.along_s[i] * m.along_s[i], sp += m.along_s[i] * m.along_phi[i];
      pp += m.along_phi[i] * m.along_phi[i];
      fs += m.along_s[i] * left, fp += m.along_phi[i] * left;
    }
    const real determinant = ss * pp - sp * sp;
    dz = {z[2], z[3], (pp * fs - sp * fp) / determinant, (ss * fp - sp * fs) / determinant};
  }
  /// The state of car_axis.
  vector state(const real& t, const vector& z, const vector& p) const {
    const motion m = at(t, z, p);
    const moving<real> b = wheel(t, p);
    vector dz;
    (*this)(t, z, p, dz);
    real missing[4];
    for (int i = 0; i < 4; ++i)
      missing[i] = real(car_axis::k) * (m.along_s[i] * dz[2] + m.along_phi[i] * dz[3] + m.rest[i]) -
                   m.force[i];
    // of rows ur', vr': −2 λ2 (q0 − q2, q1 − q3); of ul', vl': λ1 (xb, yb) + 2 λ2 (…)
    const real x = m.q[0] - m.q[2], y = m.q[1] - m.q[3];
    const real second = -(missing[2] * x + missing[3] * y) / (2 * (x * x + y * y));
    const real first = ((missing[0] + missing[2]) * b.x + (missing[1] + missing[3]) * b.y) /
                       (b.x * b.x + b.y * b.y);
    return {m.q[0], m.q[1], m.q[2], m.q[3], m.v[0], m.v[1], m.v[2], m.v[3], first, second};
  }
};

template <class F, class G>
void show(const F& f, const G& g, vector z, double small) {
  const vector p = widened(f.parameters());
  const vector y0 = g.state(real(F::t0), z, p);  // in doubles rω is off hidden constraints by 1e-17
  std::vector<vector> found;
  for (const int stages : {9, 11}) {
    references::collocation<real, F> run(f, p, stages, small, 1e-30, 1e-8, 1.0);
    found.push_back(run.solve(real(F::t0), real(F::t1), y0, real((F::t1 - F::t0) * 1e-6)));
    std::printf("%s: %d stages, %ld steps\n", F::name, stages, run.steps);
  }
  const auto counts = references::extrapolate(g, real(F::t0), real(F::t1), z, p, real(1e-26), 12);
  std::printf("%s: extrapolation, %ld steps and %ld rejected\n", F::name, counts.steps,
              counts.rejected);
  const vector other = g.state(real(F::t1), z, p), header = widened(f.reference());
  for (std::size_t i = 0; i < other.size(); ++i) {
    const auto off = [&](const real& x) { return static_cast<double>(abs(x / other[i] - 1)); };
    std::printf("  %s = %.17g   9 stages %.1e   11 stages %.1e   header %.1e\n",
                other[i].str(24).c_str(), static_cast<double>(other[i]), off(found[0][i]),
                off(found[1][i]), off(header[i]));
  }
}

}  // namespace

int main() { show(car_of_index1{}, car_by_two{}, {real(0.5), real(0), real(0), real(0)}, 1e-11); }
