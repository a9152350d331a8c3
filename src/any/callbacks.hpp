// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <revode/any.hpp>
#include <revode/any/compiled.hpp>

namespace revode::compiled {

using push_scalar = erased_field::push_scalar;
using push_vector = erased_field::push_vector;

inline std::span<const double> seen(const vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
inline std::span<double> filled(vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// Where the entries of a pattern lie by rows, in the order in which its maker gave them.
struct entry_places {
  std::vector<int> of;
};
/// That of a pattern, by columns where it was not made of any.
auto places_in(const sparsity& pattern) -> std::shared_ptr<const entry_places>;

/// A field of callbacks, or the integrand of a quadrature (its dy is as long as q), with every derivative that
/// they give. Second derivatives are differences of the vjp, where differences are asked for.
/// errors  std::invalid_argument for a derivative that cannot be had: who solves looks before
class callback_field {
 public:
  explicit callback_field(std::shared_ptr<const any_callbacks> callbacks)
      : of_(std::move(callbacks)) {}

  void operator()(double t, const vector& y, const vector& p, vector& dy) const {
    of_->f(t, seen(y), seen(p), filled(dy));
  }
  void operator()(const push_scalar& t, const push_vector& y, const push_vector& p,
                  push_vector& dy) const;
  void vjp(double t, const vector& y, const vector& p, const vector& w, double& gt, vector& gy,
           vector& gp) const;
  void vjp(const push_scalar& t, const push_vector& y, const push_vector& p, const push_vector& w,
           push_scalar& gt, push_vector& gy, push_vector& gp) const;
  void jvp(double t, const vector& y, const vector& p, double dt, const vector& dy,
           const vector& dp, vector& out) const;
  void jacobian(double t, const vector& y, const vector& p, erased_field::matrix& jac) const;
  /// By the callback of this shape; where there is the vjp alone, by pulls of rows that share no column.
  bool bring_jacobian(double t, const vector& y, const vector& p, banded_matrix<vector>& jac) const;
  bool bring_jacobian(double t, const vector& y, const vector& p, sparse_matrix<double>& jac) const;

 private:
  bool pulls_alone() const { return of_->vjp && !of_->jvp; }

  std::shared_ptr<const any_callbacks> of_;
  mutable std::vector<double> entries_{};  // in the caller's order
};

/// An event of callbacks. Over duals and recorded it is linear about the point at hand, with the
/// derivatives that the callbacks give.
class callback_event {
 public:
  static constexpr const char* name = "";

  explicit callback_event(std::shared_ptr<const any_event_callbacks> callbacks)
      : of_(std::move(callbacks)) {}

  double condition(double t, const vector& y, const vector& p) const {
    return of_->condition(t, seen(y), seen(p));
  }
  void jump(double t, const vector& y, const vector& p, vector& y_new) const {
    if (of_->jump) of_->jump(t, seen(y), seen(p), filled(y_new));
  }
  template <class S>
  S condition(const S& t, const rebind_t<vector, S>& y, const rebind_t<vector, S>& p) const {
    const vector at = values(y), with = values(p);
    const double when = value_of(t);
    const slopes g = condition_slopes(when, at, with);
    return S(condition(when, at, with)) + moved(g, t, y, p);
  }
  template <class S>
  void jump(const S& t, const rebind_t<vector, S>& y, const rebind_t<vector, S>& p,
            rebind_t<vector, S>& y_new) const {
    if (!of_->jump) return;
    const vector at = values(y), with = values(p);
    const double when = value_of(t);
    vector behind = at;
    jump(when, at, with, behind);
    for (int i = 0; i < length(y); ++i)
      y_new[i] = S(behind[i]) + moved(jump_slopes(i, when, at, with), t, y, p);
  }

 private:
  struct slopes {
    double t = 0;
    vector y, p;
  };
  /// By central differences where the callbacks have none: solves ask for it when they start on an
  /// event's surface, or behind an event, gradients only where it is there.
  slopes condition_slopes(double t, const vector& y, const vector& p) const;
  slopes jump_slopes(int i, double t, const vector& y, const vector& p) const;

  template <class V>
  static vector values(const V& v) {
    vector out(v.size());
    for (int i = 0; i < length(out); ++i) out[i] = value_of(v[i]);
    return out;
  }
  /// Of value 0, with the derivative of the inputs times the slopes.
  template <class S, class V>
  static S moved(const slopes& g, const S& t, const V& y, const V& p) {
    S sum = (t - S(value_of(t))) * g.t;
    for (int i = 0; i < length(y); ++i) sum = sum + (y[i] - S(value_of(y[i]))) * g.y[i];
    for (int i = 0; i < length(p); ++i) sum = sum + (p[i] - S(value_of(p[i]))) * g.p[i];
    return sum;
  }

  std::shared_ptr<const any_event_callbacks> of_;
};

}  // namespace revode::compiled
