// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <revode/adjoint/error/other_solve.hpp>
#include <revode/adjoint/gradient.hpp>
#include <revode/solve/solution.hpp>

namespace revode {

/// The error of a gradient by that of another solve: (other − x) times `share` is the error of x.
template <class Y, class P>
class error_estimate {
 public:
  error_estimate(const gradient<Y, P>& g, const gradient<Y, P>& other, double share)
      : share_(share),
        known_(other.status == status::success) {
    error_.y0 = each(g.y0, other.y0);
    error_.p = each(g.p, other.p);
    error_.t0 = beside(g.t0, other.t0);
    error_.t1 = beside(g.t1, other.t1);
    error_.ts = each(g.ts, other.ts);
    error_.stops = each(g.stops, other.stops);
    error_.events = each(g.events, other.events);
    for (std::size_t k = 0; k < g.times.size(); ++k)
      error_.times.push_back(each(g.times[k], other.times[k]));
    const double infinity = std::numeric_limits<double>::infinity();
    error_.relative = known_ ? std::fmax(part(error_.y0, g.y0), part(error_.p, g.p)) : infinity;
    error_.reverse = other.reverse;
  }
  const gradient_error<Y, P>& error() const { return error_; }
  double beside(double x, double other) const { return x == other ? 0 : share_ * (other - x); }

 private:
  template <class X>
  X each(const X& x, const X& other) {
    X error = x;
    known_ = known_ && length(x) == length(other);
    for (int i = 0, n = length(x); known_ && i < n; ++i)
      error.data()[i] = static_cast<scalar_t<X>>(
          beside(static_cast<double>(x.data()[i]), static_cast<double>(other.data()[i])));
    return error;
  }
  template <class X>
  static double part(const X& error, const X& of) {
    double errors = 0, sizes = 0;
    for (int i = 0, n = length(of); i < n; ++i) {
      errors = std::hypot(errors, static_cast<double>(error.data()[i]));
      sizes = std::hypot(sizes, static_cast<double>(of.data()[i]));
    }
    return errors == 0 ? 0 : errors / sizes;
  }

  double share_;
  bool known_;
  gradient_error<Y, P> error_{};
};

/// Ends where the other one does, with as many save points and events: their gradients can be compared.
template <class Y>
bool is_comparable(const solution<Y>& other, const solution<Y>& s) {
  return other.status == s.status && other.ys.size() == s.ys.size() &&
         other.events.size() == s.events.size();
}

/// g.error, by this gradient of another solve and how much its loss is larger; null: there is none to
/// compare with. A status says where it is more than `unresolved` of the gradient.
template <class Y, class P>
void tell_error(const gradient<Y, P>* other, double more, double share, double unresolved,
                gradient<Y, P>& g) {
  if (other && std::isfinite(share)) {
    const error_estimate<Y, P> estimate(g, *other, share);
    g.error = estimate.error();
    g.error->loss = estimate.beside(0, more);
  } else {
    g.error = gradient_error<Y, P>{.y0 = g.y0, .p = g.p};
    g.error->relative = std::numeric_limits<double>::infinity();
  }
  if (!(g.error->relative <= unresolved)) g.status = status::gradient_not_resolved;
}

/// What another solve has to be held beside a gradient.
template <class Y, class P>
struct other_gradient {
  std::optional<gradient<Y, P>> bar{};  ///< none: it ended elsewhere, or has no gradient
  double more = 0;                      ///< by which its loss is larger
  statistics stats{};
};

/// g.error by a looser solve, and by a tighter one where that tells more than a tenth of `unresolved` or
/// nothing: where errors are large the looser solve may be on a course of its own, and half of the
/// difference is then no error. find(other_solve) makes the other_gradient; g is of so many steps.
template <class Y, class P, class Find>
void tell_error_by_others(const options& o, int order, index steps, double unresolved,
                          gradient<Y, P>& g, const Find& find) {
  const auto tell_by = [&](const other_solve& how) {
    const other_gradient<Y, P> other = find(how);
    tell_error(other.bar ? &*other.bar : nullptr, other.more,
               how.share(steps, other.stats.accepted), unresolved, g);
    return other.stats;
  };
  const statistics looser = tell_by(looser_solve(o, order));
  statistics tighter{};
  if (g.error->relative > 0.1 * unresolved) {
    const auto first = std::exchange(g.error, {});
    const auto first_status = std::exchange(g.status, status::success);
    tighter = tell_by(tighter_solve(o, order));
    if (std::isinf(g.error->relative)) {
      g.error = first;
      g.status = first_status;
    }
  }
  g.error->looser = looser;
  g.error->tighter = tighter;
}

}  // namespace revode
