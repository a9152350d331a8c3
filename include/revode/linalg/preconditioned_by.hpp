// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include <revode/linalg/algebra.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// A user's preconditioner of n unknowns: P ≈ I − γ J(t, y).
///   setup(t, y, γ, fresh)   false: there is none here. Not fresh: t and y are those of the last setup of
///                           this object; what comes of it may not depend on that
///   apply(x)                x = P⁻¹ x, n numbers
///   apply_transposed(x)     x = P⁻ᵀ x
/// It is copied with the carries of a solve, so it may refer to what it does not change (grids, fields).
template <class P>
concept preconditioner = std::semiregular<P> &&
    requires(P p, const P c, const double* y, double* x) {
  { p.setup(0.0, y, 0.0, true) } -> std::convertible_to<bool>;
  c.apply(x);
  c.apply_transposed(x);
};

/// Where a user's preconditioner is set up.
template <class P, class T>
struct preconditioner_place {
  P user{};
  double t = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> y{};
  bool transposed = false;

  /// See matrix_shape; what the user's own take is not known.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (y.empty()) visit(s.n * static_cast<index>(sizeof(double)));
  }
  const double* data() const { return y.data(); }
  std::size_t size() const { return y.size(); }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
  }
};

/// P for s I − J with γ = 1/s. For (α + iβ) I − J it is that of γ = 1/|α + iβ|, on both parts.
template <class P, class Y>
class user_factors {
  using T = scalar_t<Y>;

 public:
  bool factor_shifted(const preconditioner_place<P, T>& j, const T& shift) {
    return set_up(j, static_cast<double>(value_of(shift)));
  }
  bool factor_shifted(const preconditioner_place<P, T>& j, const T& alpha, const T& beta) {
    return set_up(
        j, std::hypot(static_cast<double>(value_of(alpha)), static_cast<double>(value_of(beta))));
  }
  template <class X>
  void solve(X& x) const {
    apply(transposed_, x);
  }
  template <class X>
  void solve_transposed(X& x) const {
    apply(!transposed_, x);
  }
  template <class X>
  void solve(X& x, X& y) const {
    apply(transposed_, x);
    apply(transposed_, y);
  }
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    apply(!transposed_, x);
    apply(!transposed_, y);
  }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    for (const std::vector<double>* of : {&y_, &std::as_const(work_)})
      if (of->empty()) visit(s.n * static_cast<index>(sizeof(double)));
  }
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}

 private:
  bool set_up(const preconditioner_place<P, T>& j, double shift) {
    const bool fresh = !(t_ == j.t && y_ == j.y);
    if (fresh) user_ = j.user;
    transposed_ = j.transposed;
    t_ = j.t;
    y_ = j.y;
    const bool there = user_.setup(t_, y_.data(), 1 / shift, fresh);
    if (!there) t_ = std::numeric_limits<double>::quiet_NaN();  // the next one is fresh
    return there;
  }
  template <class X>
  void apply(bool transposed, X& x) const {
    work_.resize(y_.size());
    for (std::size_t i = 0; i < work_.size(); ++i)
      work_[i] = static_cast<double>(value_of(x.data()[i]));
    if (transposed)
      user_.apply_transposed(work_.data());
    else
      user_.apply(work_.data());
    for (std::size_t i = 0; i < work_.size(); ++i) x.data()[i] = static_cast<T>(work_[i]);
  }

  P user_{};
  double t_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> y_;
  bool transposed_ = false;
  mutable std::vector<double> work_;
};

/// A user's preconditioner of Krylov spaces, of transposed solves as well:
///   with_algebra<esdirk547, gmres<preconditioned_by<two_grid>>> m{{}, {.preconditioner = {two_grid{64}}}};
/// It works from the right, so that residuals are true ones: a poor P, or one whose transpose is none,
/// costs products; the solution and its gradient are as exact as ever.
/// cost    a setup wherever methods take a Jacobian or a step length of their own, an apply a product
/// errors  setup says false, or apply gives NaN: the step is shortened, and status::linear_solve_failure
///         where that does not help. Exceptions pass through
template <preconditioner P>
struct preconditioned_by {
  P user{};
  bool transposed = false;  ///< of the transposed equations, as continuous adjoints have them

  template <class Y>
  using jacobian = preconditioner_place<P, scalar_t<Y>>;
  template <class Y>
  using factors = user_factors<P, Y>;
  template <class Y>
  using complex_factors = user_factors<P, Y>;

  template <class System, class Y, class T>
  void evaluate(System&, double t, const Y& y, preconditioner_place<P, T>& j) const {
    j.user = user;
    j.transposed = transposed;
    j.t = t;
    j.y.resize(static_cast<std::size_t>(length(y)));
    for (int i = 0; i < length(y); ++i)
      j.y[static_cast<std::size_t>(i)] = static_cast<double>(value_of(y.data()[i]));
  }
};

/// The algebra of the transposes.
template <class P>
preconditioned_by<P> for_transposes(preconditioned_by<P> algebra) {
  algebra.transposed = !algebra.transposed;
  return algebra;
}

}  // namespace revode
