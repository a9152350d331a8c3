// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include <revode/ad/dual.hpp>
#include <revode/nn/flow_field.hpp>
#include <revode/testing/laws.hpp>

#include "module_checks.hpp"

namespace revode::nn {

using batch = Eigen::MatrixXd;
using flat = Eigen::VectorXd;

template <class Matrix>
auto moving_along(const Matrix& x, const Matrix& dx) {
  using S = dual<double, 1>;
  Eigen::Matrix<S, Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime> m(x.rows(), x.cols());
  for (index i = 0; i < x.size(); ++i) {
    m.data()[i] = S(x.data()[i]);
    m.data()[i].d[0] = dx.data()[i];
  }
  return m;
}

/// A point, a direction and weights for a field, all of it random.
template <class Field>
struct field_point {
  batch y, dy, w;
  flat p, dp;
  double t = 0.3, dt = 0.7;

  field_point(const Field& f, index samples, random_numbers& random)
      : y(random.like(batch(f.states(), samples))),
        dy(random.like(y)),
        w(random.like(y)),
        p(0.5 * random.like(flat(f.parameters()))),
        dp(random.like(p)) {}
};

/// Is jvp what one dual direction through the call says, and vjp its transpose?
template <class Field>
void check_field_first_order(const Field& f, index samples, random_numbers& random) {
  using S = dual<double, 1>;
  field_point<Field> at(f, samples, random);
  auto y = moving_along(at.y, at.dy);
  auto p = moving_along(at.p, at.dp);
  S t(at.t);
  t.d[0] = at.dt;
  auto moved = y;
  f(t, y, p, moved);
  batch value = at.y, pushed = at.y;
  f(at.t, at.y, at.p, value);
  f.jvp(at.t, at.y, at.p, at.dt, at.dy, at.dp, pushed);
  for (index i = 0; i < value.size(); ++i) {
    const S& m = moved.data()[i];
    CHECK(std::abs(value.data()[i] - m.value) <= 1e-14 * scale_of(m.value, 0));
    CHECK(std::abs(pushed.data()[i] - m.d[0]) <= 1e-12 * scale_of(m.d[0], 0));
  }
  double gt = 0;
  batch gy = batch::Zero(at.y.rows(), at.y.cols()), again = gy;
  flat gp = flat::Zero(at.p.size());
  f.vjp(at.t, at.y, at.p, at.w, gt, gy, gp);
  const double out = at.w.cwiseProduct(pushed).sum();
  const double in = gy.cwiseProduct(at.dy).sum() + gp.dot(at.dp) + gt * at.dt;
  CHECK(std::abs(out - in) <= 1e-12 * scale_of(out, in));
  vec<double, 0> none;  // for nothing of p: the same bits of the rest
  f.vjp(at.t, at.y, at.p, at.w, gt, again, none);
  CHECK(again == gy);
}

/// vjp over duals: (∇² wᵀ f) v, which is symmetric.
template <class Field>
void check_field_second_order(const Field& f, index samples, random_numbers& random) {
  using S = dual<double, 1>;
  field_point<Field> at(f, samples, random), other(f, samples, random);
  const auto product = [&](const batch& vy, const flat& vp, const batch& uy, const flat& up) {
    const auto y = moving_along(at.y, vy);
    const auto p = moving_along(at.p, vp);
    const auto w = moving_along(at.w, batch(0 * at.w));
    auto gy = moving_along(batch(0 * at.y), batch(0 * at.y));
    auto gp = moving_along(flat(0 * at.p), flat(0 * at.p));
    S gt(0.0);
    f.vjp(S(at.t), y, p, w, gt, gy, gp);
    double sum = 0;
    for (index i = 0; i < gy.size(); ++i) sum += uy.data()[i] * gy.data()[i].d[0];
    for (index i = 0; i < gp.size(); ++i) sum += up[i] * gp[i].d[0];
    return sum;
  };
  const double one = product(at.dy, at.dp, other.dy, other.dp);
  const double two = product(other.dy, other.dp, at.dy, at.dp);
  CHECK(std::abs(one - two) <= 1e-11 * scale_of(one, two));
  CHECK(one != 0);
}

/// The Jacobian of a field of one sample, column by column.
template <class Field>
batch dense_jacobian(const Field& f, double t, const batch& x, const flat& p) {
  const index n = x.size();
  batch J(n, n), unit = batch::Zero(x.rows(), x.cols()), column = unit;
  const flat still = flat::Zero(p.size());
  for (index k = 0; k < n; ++k) {
    unit.setZero();
    unit.data()[k] = 1;
    f.jvp(t, x, p, 0.0, unit, still, column);
    J.col(k) = Eigen::Map<const flat>(column.data(), n);
  }
  return J;
}

/// Are the exact rows of a flow with all of them those of the dense Jacobian, sample by sample?
template <class Field>
void check_rows(const Field& f, index samples, random_numbers& random) {
  const flow_field all(f, {.kinetic_energy = true, .squared_jacobian = true});
  const flow_field density(f);  // in closed form where there is one
  const field_point<flow_field<Field>> at(all, samples, random);
  const batch x = at.y.topRows(f.states());
  batch rate = at.y, below(f.states() + 1, samples), above = below;
  below.topRows(f.states()) = x;
  all(at.t, at.y, at.p, rate);
  density(at.t, below, at.p, above);
  for (index j = 0; j < samples; ++j) {
    batch one = x.col(j), dx = one;
    f(at.t, one, at.p, dx);
    const batch J = dense_jacobian(f, at.t, one, at.p);
    const index n = f.states();
    CHECK((rate.col(j).head(n) - dx).norm() <= 1e-14 * dx.norm());
    CHECK((above.col(j).head(n) - dx).norm() <= 1e-14 * dx.norm());
    CHECK(std::abs(rate(n, j) + J.trace()) <= 1e-13 * scale_of(J.trace(), 0));
    CHECK(std::abs(above(n, j) + J.trace()) <= 1e-13 * scale_of(J.trace(), 0));
    CHECK(std::abs(rate(n + 1, j) - dx.squaredNorm()) <= 1e-13 * scale_of(dx.squaredNorm(), 0));
    CHECK(std::abs(rate(n + 2, j) - J.squaredNorm()) <= 1e-13 * scale_of(J.squaredNorm(), 0));
  }
}

}  // namespace revode::nn
