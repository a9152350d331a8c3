// SPDX-License-Identifier: Apache-2.0
#include <revode/ad/derivatives.hpp>
#include <revode/linalg/dense/lu.hpp>
#include <revode/state/mat.hpp>
#include <revode/state/powers.hpp>
#include <revode/state/vec.hpp>

namespace {

using revode::vec;

struct every_function {
  template <class T>
  REVODE_HD void operator()(const T& t, const vec<T, 3>& y, const vec<T, 3>& p,
                            vec<T, 3>& dy) const {
    using std::abs;
    using std::atan2;
    using std::exp;
    using std::expm1;
    using std::hypot;
    using std::log1p;
    using std::max;
    using std::pow;
    using std::sin;
    using std::sqrt;
    using std::tanh;
    dy[0] = p[0] * (y[1] - y[0]) + tanh(y[1]) + hypot(y[0], 1.0) + atan2(y[0], y[1]);
    dy[1] = y[0] * (p[1] - y[2]) - y[1] + sin(t) + sqrt(exp(y[2])) + log1p(expm1(y[0] * y[0]));
    dy[2] = y[0] * y[1] - p[2] * max(y[2], 0.0) + abs(y[2]) + pow(y[0], 2) + pow(y[0], p[0]);
  }
};

template <class T>
__global__ void differentiate(T t, const vec<T, 3>* states, vec<T, 3>* gradients) {
  const vec<T, 3> y = states[threadIdx.x], p{10, 28, 2}, w{1, 2, 3};
  vec<T, 3> gy{}, gp{}, pushed{}, slope{};
  T gt = 0;
  revode::derivatives<every_function, vec<T, 3>, vec<T, 3>> d;
  const every_function f;
  d.vjp(f, t, y, p, w, &gt, gy, gp);
  d.vjp(f, t, y, p, w, static_cast<T*>(nullptr), gy, gp);
  d.jvp(f, t, y, p, T(1), w, gp, pushed);
  d.second(f, t, y, p, w, T(1), pushed, &gt, gy, gp);
  d.time_derivative(f, t, y, p, slope);
  revode::mat<T, 3> jacobian;
  d.jacobian(f, t, y, p, jacobian);
  revode::lu<T, 3> factors;
  const bool regular = factors.factor(jacobian);
  factors.solve(gy);
  factors.solve_transposed(slope);
  const double power = revode::exp2_approx(-0.1 * revode::log2_approx(static_cast<double>(gt)));
  for (int i = 0; i < 3; ++i) {
    gradients[threadIdx.x][i] = regular ? gy[i] + slope[i] : gp[i] + static_cast<T>(power);
  }
}

}  // namespace

void differentiate_on_device(const vec<double, 3>* states, vec<double, 3>* gradients) {
  differentiate<<<1, 32>>>(0.5, states, gradients);
}
void differentiate_on_device(const vec<float, 3>* states, vec<float, 3>* gradients) {
  differentiate<<<1, 32>>>(0.5f, states, gradients);
}
