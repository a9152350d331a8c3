// SPDX-License-Identifier: Apache-2.0
// The reference of Andrews' squeezing mechanism in quadruple precision, in two ways that share no method and no
// form of the equations: Radau IIA collocation of the problem in its header with constraints differentiated
// twice, of index 1, with 7 and with 8 stages; and the extrapolated midpoint rule, explicit, on the equation of
// motion of the one coordinate that is free, β, with chains closed by Newton's method. What both take from
// the header are masses, forces and constraints.
//   g++ -std=gnu++20 -O2 -Iinclude tools/references/andrews.cpp -lquadmath -o andrews && ./andrews
// Needs Boost.Multiprecision and libquadmath. Minutes.
#include <boost/multiprecision/float128.hpp>

#include <cstdio>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/problems/andrews.hpp>

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

/// 0 = d²g/dt² in place of g: that of g(q + s v + s² w/2) by s, over duals of duals.
struct andrews_of_index1 : andrews {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using outer = dual<dual<T, 1>, 1>;
    andrews::operator()(t, y, p, dy);
    std::vector<outer> z(27, outer(dual<T, 1>(T(0)))), gap = z, q(3, z[0]);
    for (int i = 0; i < 3; ++i) q[as(i)].value.value = p[as(i)];
    for (int i = 0; i < 7; ++i) {
      z[as(i)].value.value = y[as(i)];
      z[as(i)].value.d[0] = z[as(i)].d[0].value = y[as(7 + i)];
      z[as(i)].d[0].d[0] = y[as(14 + i)];
    }
    andrews::operator()(outer(dual<T, 1>(t)), z, q, gap);
    for (int i = 21; i < 27; ++i) dy[as(i)] = gap[as(i)].d[0].d[0];
  }
  static std::size_t as(int i) { return static_cast<std::size_t>(i); }
};

/// β'' from β and β': the others follow, q = q(β), v = τ β', w = τ β'' + c, and τ M w = τ · forces.
class one_coordinate {
 public:
  void operator()(const real&, const vector& z, const vector& p, vector& dz) const {
    const vector y = whole(z, p);
    dz = {z[1], y[14]};
  }
  /// The whole state of andrews.
  vector whole(const vector& z, const vector& p) const {
    vector y(27, real(0));
    close(z[0], p, y);
    const dense_lu<real> others = others_of(y, p);
    vector tau = minus_g_column(y, p);
    others.solve(tau);
    y[7] = z[1];
    for (int i = 0; i < 6; ++i) y[as(8 + i)] = tau[as(i)] * z[1];
    vector c = rates(y, p);
    for (real& x : c) x = -x;
    others.solve(c);
    // left = M w − forces + Gᵀλ, which is linear in w
    for (int i = 0; i < 6; ++i) y[as(15 + i)] = c[as(i)];
    const real rest = along(tau, left_of(y, p));
    y[14] = 1;
    for (int i = 0; i < 6; ++i) y[as(15 + i)] = c[as(i)] + tau[as(i)];
    y[14] = -rest / (along(tau, left_of(y, p)) - rest);
    for (int i = 0; i < 6; ++i) y[as(15 + i)] = c[as(i)] + tau[as(i)] * y[14];
    vector missing = left_of(y, p), lambda(missing.begin() + 1, missing.begin() + 7);
    others.solve_transposed(lambda);
    for (int i = 0; i < 6; ++i) y[as(21 + i)] = -lambda[as(i)];
    return y;
  }

 private:
  static std::size_t as(int i) { return static_cast<std::size_t>(i); }
  static vector left_of(const vector& y, const vector& p) {
    vector dy(27);
    andrews{}(real(0), y, p, dy);
    return vector(dy.begin() + 14, dy.end());
  }
  static real along(const vector& tau, const vector& left) {
    real sum = left[0];
    for (int i = 0; i < 6; ++i) sum += tau[as(i)] * left[as(1 + i)];
    return sum;
  }
  /// The constraints and their derivative along `speed`, which stands in the velocities of y.
  static std::vector<dual<real, 1>> along_speed(const vector& y, const vector& p, int unit) {
    std::vector<dual<real, 1>> z(27, dual<real, 1>(real(0))), out = z, q(3, z[0]);
    for (int i = 0; i < 3; ++i) q[as(i)].value = p[as(i)];
    for (int i = 0; i < 7; ++i) {
      z[as(i)].value = y[as(i)];
      z[as(i)].d[0] = unit < 0 ? y[as(7 + i)] : real(unit == i ? 1 : 0);
    }
    andrews{}(dual<real, 1>(real(0)), z, q, out);
    return {out.begin() + 21, out.end()};
  }
  static dense_lu<real> others_of(const vector& y, const vector& p) {
    dense_matrix<real> g(6);
    for (int k = 0; k < 6; ++k) {
      const auto column = along_speed(y, p, k + 1);
      for (int i = 0; i < 6; ++i) g(i, k) = column[as(i)].d[0];
    }
    dense_lu<real> lu;
    lu.factor(g);
    return lu;
  }
  static vector minus_g_column(const vector& y, const vector& p) {
    vector column(6);
    const auto found = along_speed(y, p, 0);
    for (int i = 0; i < 6; ++i) column[as(i)] = -found[as(i)].d[0];
    return column;
  }
  /// d²g/dt² without accelerations.
  static vector rates(const vector& y, const vector& p) {
    vector still = y, out(27);
    for (int i = 14; i < 27; ++i) still[as(i)] = 0;
    andrews_of_index1{}(real(0), still, p, out);
    return vector(out.begin() + 21, out.end());
  }
  /// Angles from the last ones, which are near.
  void close(const real& beta, const vector& p, vector& y) const {
    y[0] = beta;
    for (int i = 1; i < 7; ++i) y[as(i)] = near_[as(i - 1)];
    for (int round = 0; round < 60; ++round) {
      const dense_lu<real> others = others_of(y, p);
      const auto gap = along_speed(y, p, 0);
      vector change(6);
      for (int i = 0; i < 6; ++i) change[as(i)] = -gap[as(i)].value;
      others.solve(change);
      real most = 0;
      for (int i = 0; i < 6; ++i) {
        y[as(1 + i)] += change[as(i)];
        most = std::max<real>(most, abs(change[as(i)]));
      }
      if (most < 1e-31) break;
    }
    for (int i = 0; i < 6; ++i) near_[as(i)] = y[as(1 + i)];
  }

  mutable vector near_ = [] {
    const auto y = andrews{}.y0();
    return vector(y.data() + 1, y.data() + 7);
  }();
};

}  // namespace

int main() {
  const andrews f;
  const vector p = widened(f.parameters());
  const one_coordinate g;
  vector z{real(f.y0()[0]), real(0)};
  const vector y0 = g.whole(z, p);
  const auto counts = references::extrapolate(g, real(f.t0), real(f.t1), z, p, real(1e-24), 12);
  const vector other = g.whole(z, p);
  std::printf("extrapolation, %ld steps and %ld rejected\n", counts.steps, counts.rejected);
  for (std::size_t i = 0; i < 27; ++i)
    std::printf("  %s, header %.1e, start %s, header %.1e\n", other[i].str(24).c_str(),
                static_cast<double>(f.reference()[int(i)] - other[i]), y0[i].str(24).c_str(),
                static_cast<double>(f.y0()[int(i)] - y0[i]));
  std::fflush(stdout);
  for (const int stages : {7, 8}) {
    const andrews_of_index1 whole;
    references::collocation<real, andrews_of_index1> run(whole, p, stages, 1e-9, 1e-28, 1e-6, 1.0);
    const vector y = run.solve(real(f.t0), real(f.t1), y0, real(1e-6));
    std::printf("%d stages, %ld steps\n", stages, run.steps);
    for (std::size_t i = 0; i < 27; ++i)
      std::printf("  %.1e", static_cast<double>(abs(y[i] / other[i] - 1)));
    std::printf("\n");
    std::fflush(stdout);
  }
}
