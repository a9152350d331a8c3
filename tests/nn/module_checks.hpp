// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include <revode/ad/dual.hpp>
#include <revode/nn/parameters.hpp>
#include <revode/testing/laws.hpp>

namespace revode::nn {

template <class S>
using array_of = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// A module beside its memory: forward, pull and push of one batch, over scalar S.
template <class S, class Module>
struct call_of {
  const Module& module;
  index samples;
  array_of<S> x, p, y, kept, work;

  call_of(const Module& m, index batch)
      : module(m),
        samples(batch),
        x(m.inputs() * batch),
        p(m.parameters()),
        y(m.outputs() * batch),
        kept(m.kept() * batch),
        work(m.work() * batch) {}

  columns_view<const S> input() const { return {x.data(), module.inputs(), samples}; }
  void forward(bool slopes) {
    module.forward(input(), static_cast<const S*>(p.data()),
                   columns_view<S>(y.data(), module.outputs(), samples), kept.data(), slopes);
  }
  /// gx = Jᵀ w, and gp += …
  array_of<S> pull(array_of<S> w, array_of<S>* gp) {
    array_of<S> gx(x.size());
    module.pull(input(), static_cast<const S*>(p.data()), static_cast<const S*>(kept.data()),
                columns_view<S>(w.data(), module.outputs(), samples), gx.data(),
                gp != nullptr ? gp->data() : nullptr, work.data());
    return gx;
  }
  array_of<S> push(const array_of<S>& dx, const array_of<S>* dp) {
    array_of<S> dy(y.size());
    module.push(input(), static_cast<const S*>(p.data()), static_cast<const S*>(kept.data()),
                columns_view<const S>(dx.data(), module.inputs(), samples),
                dp != nullptr ? dp->data() : nullptr,
                columns_view<S>(dy.data(), module.outputs(), samples), work.data());
    return dy;
  }
};

template <class To, class From>
array_of<To> converted(const From& from) {
  array_of<To> to(from.size());
  for (index i = 0; i < from.size(); ++i) to[i] = static_cast<To>(from[i]);
  return to;
}

inline double scale_of(double a, double b) {
  return std::fmax(1.0, std::fmax(std::abs(a), std::abs(b)));
}

/// Is push what one dual direction says, and pull its transpose?
template <class Module>
void check_first_order(const Module& module, index samples, random_numbers& random) {
  using S = dual<double, 1>;
  call_of<double, Module> plain(module, samples);
  call_of<S, Module> moving(module, samples);
  plain.x = random.like(plain.x);
  plain.p = random.like(plain.p);
  const array_of<double> dx = random.like(plain.x), dp = random.like(plain.p),
                         w = random.like(plain.y);
  for (index i = 0; i < dx.size(); ++i) {
    moving.x[i] = S(plain.x[i]);
    moving.x[i].d[0] = dx[i];
  }
  for (index i = 0; i < dp.size(); ++i) {
    moving.p[i] = S(plain.p[i]);
    moving.p[i].d[0] = dp[i];
  }
  moving.forward(false);
  plain.forward(true);
  const array_of<double> pushed = plain.push(dx, &dp);
  for (index i = 0; i < pushed.size(); ++i) {
    CHECK(std::abs(plain.y[i] - moving.y[i].value) <= 1e-14 * scale_of(plain.y[i], 0));
    CHECK(std::abs(pushed[i] - moving.y[i].d[0]) <= 1e-13 * scale_of(pushed[i], 0));
  }
  array_of<double> gp = array_of<double>::Zero(plain.p.size());
  const array_of<double> gx = plain.pull(w, &gp);
  const double out = w.dot(pushed), in = gx.dot(dx) + gp.dot(dp);
  CHECK(std::abs(out - in) <= 1e-13 * scale_of(out, in));
  // Without what is frozen: the same bits of the rest.
  CHECK(plain.pull(w, nullptr) == gx);
  const array_of<double> still = array_of<double>::Zero(dp.size());
  CHECK((plain.push(dx, nullptr) - plain.push(dx, &still)).norm() == 0);
}

/// pull over duals: (∇² wᵀ y) v, which is symmetric.
template <class Module>
void check_second_order(const Module& module, index samples, random_numbers& random) {
  using S = dual<double, 1>;
  call_of<S, Module> call(module, samples);
  const array_of<double> x = random.like(array_of<double>(call.x.size())),
                         p = random.like(array_of<double>(call.p.size())),
                         w = random.like(array_of<double>(call.y.size()));
  const auto product = [&](const array_of<double>& vx, const array_of<double>& vp,
                           const array_of<double>& ux, const array_of<double>& up) {
    for (index i = 0; i < x.size(); ++i) {
      call.x[i] = S(x[i]);
      call.x[i].d[0] = vx[i];
    }
    for (index i = 0; i < p.size(); ++i) {
      call.p[i] = S(p[i]);
      call.p[i].d[0] = vp[i];
    }
    call.forward(true);
    array_of<S> gp = array_of<S>::Constant(p.size(), S(0));
    const array_of<S> gx = call.pull(converted<S>(w), &gp);
    double sum = 0;
    for (index i = 0; i < x.size(); ++i) sum += ux[i] * gx[i].d[0];
    for (index i = 0; i < p.size(); ++i) sum += up[i] * gp[i].d[0];
    return sum;
  };
  const array_of<double> vx = random.like(x), vp = random.like(p), ux = random.like(x),
                         up = random.like(p);
  const double one = product(vx, vp, ux, up), other = product(ux, up, vx, vp);
  CHECK(std::abs(one - other) <= 1e-12 * scale_of(one, other));
  CHECK(one != 0);
}

/// Floats give what doubles give, to 1e-5.
template <class Module>
void check_float(const Module& module, index samples, random_numbers& random) {
  call_of<double, Module> wide(module, samples);
  call_of<float, Module> narrow(module, samples);
  narrow.x = converted<float>(random.like(wide.x));
  narrow.p = converted<float>(random.like(wide.p));
  wide.x = narrow.x.template cast<double>();
  wide.p = narrow.p.template cast<double>();
  wide.forward(true);
  narrow.forward(true);
  const array_of<float> w = converted<float>(random.like(wide.y));
  array_of<float> gp = array_of<float>::Zero(wide.p.size());
  array_of<double> gp_wide = array_of<double>::Zero(wide.p.size());
  const array_of<float> gx = narrow.pull(w, &gp);
  const array_of<double> gx_wide = wide.pull(w.template cast<double>(), &gp_wide);
  const auto close = [](const array_of<float>& a, const array_of<double>& b) {
    CHECK((a.cast<double>() - b).norm() <= 1e-5 * (b.norm() + 1));
  };
  close(narrow.y, wide.y);
  close(gx, gx_wide);
  close(gp, gp_wide);
}

template <class Module>
void check_module(const Module& module) {
  random_numbers random(7);
  for (const index samples : {1, 3, 17}) {
    check_first_order(module, samples, random);
    check_second_order(module, samples, random);
  }
}

}  // namespace revode::nn
