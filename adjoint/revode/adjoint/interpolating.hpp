// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/continuous/continuous_pass.hpp>
#include <revode/adjoint/continuous/interpolating_path.hpp>

namespace revode {

template <class M, class F, class Y, class P, class Events>
class interpolating_solution;

/// The continuous adjoint along the solve's own dense output: (λ, p̄) is integrated backwards.
///   every     0: all steps are kept; else a snapshot every so many steps, and two segments of that
///             many are rebuilt as the reverse solve comes by
///   reverse   tolerances and bound of the reverse solves; 0: those of the solve
///   seminorm  p̄ is left out of the error norm, since nothing depends on it
/// For methods with dense output, implicit ones as well. The gradient is that of the solution of the
/// differential equation, to the tolerances: not exact for the steps taken.
/// source  Hindmarsh et al., ACM TOMS 31 (2005) 363–396, section 3.2 (checkpoints and interpolation)
struct interpolating {
  index every = 0;
  reverse_options reverse{};
  bool seminorm = false;

  static constexpr const char* name = "interpolating";
  static constexpr bool exact = false;

  template <class M, class F, class Y, class P, class Events = no_events>
  using solution_of = interpolating_solution<M, F, Y, P, Events>;

  void check(const options& o) const { check_along_path(name, every, reverse, o, seminorm); }
};

template <class Path, class F, class Y, class P>
struct interpolating_rule {
  static_assert(!has_mass_v<F>,
                "a field with a mass matrix for a continuous adjoint (λ of algebraic variables "
                "jumps) take recursive_checkpoint, which is exact?");
  Path* path;
  system<F, Y, P>* sys;
  Y *y, *lambda, *y_bar;
  P* p_bar;
  double scale;

  template <system_face<F, Y, P> Face, class Z>
  requires std::floating_point<scalar_t<Z>>
  [[gnu::noinline]] void value(Face, const scalar_t<Z>& t, const Z& z, const vec<scalar_t<Z>, 0>&,
                               Z& dz) const {
    const double time = static_cast<double>(t);
    path->at(time, *y);
    products<Face>(time, z, dz);
  }

  template <system_face<F, Y, P> Face, class T, class Z, class None, class J>
  requires(!requires(J & j) { j.lower(); })  // a preconditioner's band does not hold all of it
      void matrix(Face, const T& t, const Z&, const None&, J& jac) const {
    const double time = static_cast<double>(t);
    const int n = length(*y), size = n + length(*p_bar);
    Z unit = stacked<Z>(size), row = unit;
    path->at(time, *y);
    for (int j = 0; j < size; ++j) {
      fill(unit, T(0));
      unit.data()[j] = T(1);
      if (j < n)
        products<Face>(time, unit, row);
      else
        fill(row, T(0));
      for (int i = 0; i < size; ++i) jac(i, j) = row.data()[i];
    }
  }

  template <system_face<F, Y, P> Face, class T, class Z, class None>
  void push(Face, const T& t, const Z& z, const None&, const T& dt, const Z& dz, const None&,
            Z& out) const {
    const double time = static_cast<double>(t);
    const int n = length(*y);
    path->at(time, *y);
    products<Face>(time, dz, out);
    if (dt == 0) return;
    Y slope = *y, work = *y;
    path->slope_at(time, work, slope);
    for (int i = 0; i < n; ++i) slope.data()[i] *= dt;
    unstack(z, 0, *lambda);
    fill(*y_bar, T(0));
    fill(*p_bar, T(0));
    face_of_system(Face{}, *sys).second(time, *y, *lambda, dt, slope, nullptr, *y_bar, *p_bar);
    for (int i = 0; i < n; ++i) out.data()[i] -= y_bar->data()[i];
    for (int j = 0; j < length(*p_bar); ++j)
      out.data()[n + j] -= static_cast<T>(scale) * p_bar->data()[j];
  }

 private:
  template <class Face, class Z>
  void products(double t, const Z& z, Z& dz) const {
    using T = scalar_t<Z>;
    unstack(z, 0, *lambda);
    fill(*y_bar, T(0));
    fill(*p_bar, T(0));
    face_of_system(Face{}, *sys).vjp(t, *y, *lambda, nullptr, *y_bar, *p_bar);
    stack(*y_bar, T(-1), 0, dz);
    stack(*p_bar, static_cast<T>(-scale), length(*y), dz);
  }
};

/// (λ, μ)' = −(f_yᵀ λ, f_pᵀ λ) at y(t) of a path, and that of f's parts; μ in units of 1 / scale. Its
/// derivatives in λ and t are there for implicit methods.
template <class Path, class F, class Y, class P>
using interpolating_field = field_by<interpolating_rule<Path, F, Y, P>>;

/// A solution with the adjoint `interpolating`. Refers to the problem unless it is `own`.
template <class M, class F, class Y, class P, class Events>
class interpolating_solution : public path_solution<M, F, Y, P, Events> {
 public:
  using base = path_solution<M, F, Y, P, Events>;

  template <class Field>
  interpolating_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                         const interpolating& a,
                         std::shared_ptr<const problem<Field, Y, P>> own = {},
                         const Events& events = {})
      : base(q, m, o, a, own, events),
        adjoint_(a) {
    using algebra = algebra_t<M>;
    if constexpr (
        requires(algebra l) { l.lower; } || requires(algebra l) { l.pattern; })
      throw std::invalid_argument(
          "interpolating with a band or a sparsity pattern (its adjoint equation carries the "
          "gradient of p along, outside of that) take gauss, whose linear systems have those of "
          "y?");
  }

  /// cost    one VJP and one interpolation a stage and attempt of the reverse solves
  /// errors  as differentiable_solution::pullback
  /// status  of the gradient: that of the reverse solve, or non_finite_gradient
  checked_gradient<Y, P> pullback(const cotangents<Y>& w) {
    using Z = stacked_t<Y, P, 1>;
    Y y = this->start(), lambda = y, y_bar = y;
    P p_bar = this->sys().p;
    const int n = length(y), size = n + length(p_bar);
    options o = this->backwards();
    const double scale = adjoint_.seminorm ? unseen::scale : 1;
    if (adjoint_.seminorm) unseen::leave_out(size, n, o);
    const interpolating_field<typename base::path_type, F, Y, P> f{
        {&this->path(), &this->sys(), &y, &lambda, &y_bar, &p_bar, scale}};
    Z z = stacked<Z>(size);
    return this->sweep(w, [&](double t, double to, Y& bar, P& sum, checked_gradient<Y, P>& g) {
      stack(bar, scalar_t<Y>(1), 0, z);
      stack(sum, static_cast<scalar_t<Y>>(scale), n, z);
      const problem q{f, z, t, to};
      const status s = run_backwards(q, this->scheme(), o, g.backward, z, [](auto&) {});
      unstack(z, 0, bar);
      unstack(z, n, sum);
      if (scale != 1)
        for (int j = 0; j < length(sum); ++j) sum.data()[j] /= static_cast<scalar_t<P>>(scale);
      return s;
    });
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  checked_gradient<Y, P> pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }

 private:
  interpolating adjoint_;
};

}  // namespace revode
