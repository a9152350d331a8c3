// SPDX-License-Identifier: Apache-2.0
#include <any/callbacks.hpp>

#include <cmath>
#include <stdexcept>

#include <revode/ad/finite_differences.hpp>

namespace revode::compiled {
namespace {

[[noreturn]] void missing(const char* what) {
  throw std::invalid_argument(std::string("no ") + what +
                              " (the callbacks of this field have none) give any_callbacks::vjp or "
                              "::jvp, or ask for by_finite_differences?");
}

/// The field alone: what differences are taken of.
struct values_alone {
  const any_callbacks& of;
  void operator()(double t, const vector& y, const vector& p, vector& dy) const {
    of.f(t, seen(y), seen(p), filled(dy));
  }
};

vector values(const push_vector& v) {
  vector out(v.size());
  for (int i = 0; i < length(out); ++i) out[i] = v[i].value;
  return out;
}
vector directions(const push_vector& v) {
  vector out(v.size());
  for (int i = 0; i < length(out); ++i) out[i] = v[i].d[0];
  return out;
}

/// The central difference of of() in x, which it sees. An event does not know in what units it is: the steps are
/// those of numbers of size 1 and then ever shorter ones, until two differences agree to a thousandth. Where none do,
/// or of() is flat or at its rounding in a shorter step, it is that of the first.
template <class Of>
double resolved_difference(double& x, const Of& of) {
  const double centre = x;
  const auto in_step = [&](double h) {
    x = centre + h;
    const double above = of();
    x = centre - h;
    const double below = of();
    x = centre;
    return (above - below) / (2 * h);
  };
  double h = difference_step(centre, 1.0);
  const double first = in_step(h);
  double longer = first;
  for (int k = 0; k < 8; ++k) {
    const double shorter = in_step(h /= 1024);
    if (shorter == 0) break;
    if (std::abs(shorter - longer) <= 1e-3 * std::abs(shorter)) return longer;
    longer = shorter;
  }
  return first;
}

/// The dot products of an n-vector-valued function's directional derivatives with w.
template <class Push>
double along(const vector& w, vector& out, const Push& push) {
  out.setZero();
  push(out);
  return dot(w, out);
}

}  // namespace

void callback_field::operator()(const push_scalar& t, const push_vector& y, const push_vector& p,
                                push_vector& dy) const {
  const vector at = values(y), with = values(p);
  vector f(dy.size()), moved(dy.size());
  (*this)(t.value, at, with, f);
  jvp(t.value, at, with, t.d[0], directions(y), directions(p), moved);
  for (int i = 0; i < length(f); ++i) {
    dy[i] = push_scalar(f[i]);
    dy[i].d[0] = moved[i];
  }
}

void callback_field::vjp(double t, const vector& y, const vector& p, const vector& w, double& gt,
                         vector& gy, vector& gp) const {
  if (of_->vjp) return of_->vjp(t, seen(y), seen(p), seen(w), gt, filled(gy), filled(gp));
  if (of_->jvp) {
    vector v = vector::Zero(y.size()), u = vector::Zero(p.size()), out(w.size());
    const auto push = [&](double dt) {
      return along(w, out, [&](vector& df) {
        of_->jvp(t, seen(y), seen(p), dt, seen(v), seen(u), filled(df));
      });
    };
    gt += push(1);
    for (int j = 0; j < length(y); ++j, v.setZero()) v[j] = 1, gy[j] += push(0);
    for (int j = 0; j < length(p); ++j, u.setZero()) u[j] = 1, gp[j] += push(0);
    return;
  }
  if (!of_->by_finite_differences) missing("vjp");
  by_finite_differences(values_alone{*of_}, of_->typical_size, of_->typical_time)
      .vjp(t, y, p, w, gt, gy, gp);
}

void callback_field::vjp(const push_scalar& t, const push_vector& y, const push_vector& p,
                         const push_vector& w, push_scalar& gt, push_vector& gy,
                         push_vector& gp) const {
  if (!of_->by_finite_differences) missing("second derivative");
  const vector y_dot = directions(y), p_dot = directions(p), weights = values(w);
  const double longest = difference_step(t.value, values(y), values(p), t.d[0], y_dot, p_dot,
                                         of_->typical_size, of_->typical_time);
  const double h = std::isfinite(longest) ? longest : 0;  // nothing moves
  struct pulled {
    double t = 0;
    vector y, p;
  };
  const auto at = [&](double step, const vector& with) {
    pulled g{0, vector::Zero(y.size()), vector::Zero(p.size())};
    vjp(t.value + step * t.d[0], values(y) + step * y_dot, values(p) + step * p_dot, with, g.t, g.y,
        g.p);
    return g;
  };
  const pulled here = at(0, weights), turned = at(0, directions(w));
  const pulled above = at(h, weights), below = at(-h, weights);
  const auto add = [&](double value, double of_weights, double up, double down, push_scalar& to) {
    push_scalar more(value);
    more.d[0] = of_weights + (h > 0 ? (up - down) / (2 * h) : 0);
    to = to + more;
  };
  add(here.t, turned.t, above.t, below.t, gt);
  for (int j = 0; j < length(y); ++j) add(here.y[j], turned.y[j], above.y[j], below.y[j], gy[j]);
  for (int j = 0; j < length(p); ++j) add(here.p[j], turned.p[j], above.p[j], below.p[j], gp[j]);
}

void callback_field::jvp(double t, const vector& y, const vector& p, double dt, const vector& dy,
                         const vector& dp, vector& out) const {
  if (of_->jvp) return of_->jvp(t, seen(y), seen(p), dt, seen(dy), seen(dp), filled(out));
  if (of_->vjp) {
    vector w = vector::Zero(out.size()), gy(y.size()), gp(p.size());
    for (int i = 0; i < length(out); ++i) {
      w[i] = 1;
      double gt = 0;
      gy.setZero();
      gp.setZero();
      of_->vjp(t, seen(y), seen(p), seen(w), gt, filled(gy), filled(gp));
      out[i] = gt * dt + dot(gy, dy) + dot(gp, dp);
      w[i] = 0;
    }
    return;
  }
  if (!of_->by_finite_differences) missing("jvp");
  by_finite_differences(values_alone{*of_}, of_->typical_size, of_->typical_time)
      .jvp(t, y, p, dt, dy, dp, out);
}

void callback_field::jacobian(double t, const vector& y, const vector& p,
                              erased_field::matrix& jac) const {
  const int n = length(y);
  if (of_->jacobian) {
    jac.setZero();
    of_->jacobian(t, seen(y), seen(p), {jac.data(), static_cast<std::size_t>(jac.size())});
    return jac.transposeInPlace();  // it was filled row by row
  }
  vector one = vector::Zero(n), line(n), none = vector::Zero(p.size());
  for (int k = 0; k < n; ++k, one.setZero()) {
    one[k] = 1;
    line.setZero();
    if (of_->vjp && !of_->jvp) {
      double gt = 0;
      vector gp = none;
      of_->vjp(t, seen(y), seen(p), seen(one), gt, filled(line), filled(gp));
      jac.row(k) = line.transpose();
    } else {
      jvp(t, y, p, 0, one, none, line);
      jac.col(k) = line;
    }
  }
}

callback_event::slopes callback_event::condition_slopes(double t, const vector& y,
                                                        const vector& p) const {
  slopes g{0, vector::Zero(y.size()), vector::Zero(p.size())};
  if (of_->condition_gradient) {
    of_->condition_gradient(t, seen(y), seen(p), g.t, filled(g.y), filled(g.p));
    return g;
  }
  vector at = y, with = p;
  double when = t;
  const auto difference = [&](double& x) {
    return resolved_difference(x, [&] { return condition(when, at, with); });
  };
  g.t = difference(when);
  for (int j = 0; j < length(y); ++j) g.y[j] = difference(at[j]);
  for (int j = 0; j < length(p); ++j) g.p[j] = difference(with[j]);
  return g;
}

callback_event::slopes callback_event::jump_slopes(int i, double t, const vector& y,
                                                   const vector& p) const {
  slopes g{0, vector::Zero(y.size()), vector::Zero(p.size())};
  if (!of_->jump_vjp) missing("derivative of a jump");
  vector w = vector::Zero(y.size());
  w[i] = 1;
  of_->jump_vjp(t, seen(y), seen(p), seen(w), g.t, filled(g.y), filled(g.p));
  return g;
}

}  // namespace revode::compiled
