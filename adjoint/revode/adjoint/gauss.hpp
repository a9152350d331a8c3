// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include <revode/adjoint/continuous/interpolating_path.hpp>
#include <revode/linalg/algebra.hpp>

namespace revode {

template <class M, class F, class Y, class P, class Events>
class gauss_solution;

/// The continuous adjoint whose p̄ is no part of any differential equation: λ alone is integrated
/// backwards along the solve's dense output, and p̄ = ∫ f_pᵀ λ dt is summed up over each of its
/// accepted steps at Gauss–Legendre points of both dense outputs. Best where there are many
/// parameters; with an implicit method the linear systems have the size of y.
///   nodes    a step, 1 to 5; 0: as many as the method's order asks for
///   kronrod  7 Kronrod nodes a step instead, and the difference to the 3 Gauss nodes among them
///            summed up in checked_gradient::quadrature_error
///   every, reverse  as interpolating
/// sources  Kronrod's nodes: Piessens et al., QUADPACK (1983), section 2.2 (the pair 3, 7 by the same
///          construction: Laurie, Math. Comp. 66 (1997) 1133–1145)
struct gauss {
  int nodes = 0;
  bool kronrod = false;
  index every = 0;
  reverse_options reverse{};

  static constexpr const char* name = "gauss";
  static constexpr bool exact = false;

  template <class M, class F, class Y, class P, class Events = no_events>
  using solution_of = gauss_solution<M, F, Y, P, Events>;

  void check(const options& o) const {
    check_along_path(name, every, reverse, o, false);
    if (nodes < 0 || nodes > 5)
      throw std::invalid_argument("gauss with nodes = " + std::to_string(nodes) +
                                  " (a step has 1 to 5) give that many, or 0 for the method's?");
  }
};

/// Nodes in (0, 1), their weights, and those of the embedded rule.
struct quadrature_rule {
  int size;
  double node[7], weight[7], embedded[7];

  /// n = 1 … 5 Gauss–Legendre nodes; 7: Kronrod's, with the three of Gauss embedded.
  static quadrature_rule of(int n) {
    // The positive nodes of [−1, 1] in falling order, 0 where n is odd, then as many weights.
    static constexpr double table[8][8]{
        {},
        {0, 2},
        {0.5773502691896257645, 1},
        {0.7745966692414833770, 0, 5. / 9, 8. / 9},
        {0.8611363115940525752, 0.3399810435848562648, 0.3478548451374538574,
         0.6521451548625461426},
        {0.9061798459386639928, 0.5384693101056830910, 0, 0.2369268850561890875,
         0.4786286704993664680, 128. / 225},
        {},
        {0.9604912687080202835, 0.7745966692414833770, 0.4342437493468025580, 0,
         0.1046562260264672652, 0.2684880898683334407, 0.4013974147759622229,
         0.4509165386584741424}};
    quadrature_rule r{n, {}, {}, {}};
    const int half = (n + 1) / 2;
    for (int i = 0; i < n; ++i) {
      const int j = i < half ? i : n - 1 - i;
      r.node[i] = (1 + (i < half ? -1 : 1) * table[n][j]) / 2;
      r.weight[i] = table[n][half + j] / 2;
    }
    if (n == 7)
      for (int i = 0; i < 3; ++i) r.embedded[2 * i + 1] = of(3).weight[i];
    return r;
  }
};

template <class Path, class F, class Y, class P>
struct gauss_rule {
  static_assert(!has_mass_v<F>,
                "a field with a mass matrix for a continuous adjoint (λ of algebraic variables "
                "jumps) take recursive_checkpoint, which is exact?");
  Path* path;
  system<F, Y, P>* sys;
  Y* y;

  template <system_face<F, Y, P> Face>
  [[gnu::noinline]] void value(Face, const scalar_t<Y>& t, const Y& lambda,
                               const vec<scalar_t<Y>, 0>&, Y& out) const {
    vec<scalar_t<Y>, 0> frozen{};
    const double time = static_cast<double>(t);
    path->at(time, *y);
    fill(out, scalar_t<Y>(0));
    face_of_system(Face{}, *sys).vjp(time, *y, lambda, nullptr, out, frozen);
    negate(out);
  }

  template <system_face<F, Y, P> Face, class T, class None, class J>
  void matrix(Face, const T& t, const Y&, const None&, J& jac) const {
    const double time = static_cast<double>(t);
    const int n = length(*y);
    J forward = jac;  // its shape
    int lower = n, upper = n;
    if constexpr (requires { jac.lower(); }) {
      lower = jac.lower(), upper = jac.upper();
      forward.resize(n, upper, lower);
    }
    path->at(time, *y);
    face_of_system(Face{}, *sys).jacobian(time, *y, forward);
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - lower); j <= std::min(n - 1, i + upper); ++j)
        jac(i, j) = -forward(j, i);
  }

  template <system_face<F, Y, P> Face, class T, class None>
  void push(Face, const T& t, const Y& lambda, const None&, const T& dt, const Y& d_lambda,
            const None&, Y& out) const {
    vec<T, 0> frozen{};
    const double time = static_cast<double>(t);
    path->at(time, *y);
    fill(out, T(0));
    auto& part = face_of_system(Face{}, *sys);
    part.vjp(time, *y, d_lambda, nullptr, out, frozen);
    if (dt != 0) {
      Y slope = *y, work = *y;
      P unused = sys->p;
      path->slope_at(time, work, slope);
      for (int i = 0, n = length(slope); i < n; ++i) slope.data()[i] *= dt;
      part.second(time, *y, lambda, dt, slope, nullptr, out, unused);
    }
    negate(out);
  }

 private:
  static void negate(Y& out) {
    for (int i = 0, n = length(out); i < n; ++i) out.data()[i] = -out.data()[i];
  }
};

/// λ' = −f_yᵀ λ at y(t) of a path, and that of f's parts; its Jacobian −f_yᵀ and its derivative in t for
/// implicit methods.
template <class Path, class F, class Y, class P>
using gauss_field = field_by<gauss_rule<Path, F, Y, P>>;

/// A solution with the adjoint `gauss`. Refers to the problem unless it is `own`.
template <class M, class F, class Y, class P, class Events>
class gauss_solution : public path_solution<M, F, Y, P, Events> {
 public:
  using base = path_solution<M, F, Y, P, Events>;

  template <class Field>
  gauss_solution(const problem<Field, Y, P>& q, const M& m, const options& o, const gauss& a,
                 std::shared_ptr<const problem<Field, Y, P>> own = {}, const Events& events = {})
      : base(q, m, o, a, own, events),
        rule_(quadrature_rule::of(a.kronrod     ? 7
                                  : a.nodes > 0 ? a.nodes
                                                : std::min(M::order / 2 + 1, 5))),
        tolerance_{this->backwards().rtol, this->backwards().atol} {}

  /// cost    one VJP and one interpolation a stage and attempt of the reverse solves, and one VJP and
  ///         two interpolations a node and step
  /// errors  as differentiable_solution::pullback
  /// status  of the gradient: that of the reverse solve, or non_finite_gradient
  checked_gradient<Y, P> pullback(const cotangents<Y>& w) {
    Y y = this->start(), lambda = y, unused = y;
    P change = this->sys().p;
    const gauss_field<typename base::path_type, F, Y, P> f{{&this->path(), &this->sys(), &y}};
    M m = this->scheme();
    with_own_algebra(m, [](auto& algebra) { algebra = for_transposes(algebra); });
    return this->sweep(w, [&](double t, double to, Y& bar, P& p_bar, checked_gradient<Y, P>& g) {
      const problem q{f, bar, t, to};
      return run_backwards(q, m, this->backwards(), g.backward, bar, [&](auto& loop) {
        g.quadrature_error += integrate(loop, y, lambda, unused, change, p_bar);
      });
    });
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  checked_gradient<Y, P> pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }

 private:
  /// p̄ −= ∫ f_pᵀ λ dt over the step that the reverse solve took (its length is negative where the
  /// solve's are positive).
  template <class Loop>
  double integrate(Loop& loop, Y& y, Y& lambda, Y& unused, P& change, P& p_bar) {
    using T = scalar_t<Y>;
    const auto& tape = std::as_const(loop).work_tape();
    const M& m = this->scheme();
    const double h = tape.t_new - tape.t;
    extend(m, loop.sys(), tape.t, tape.t_new, tape.stages, loop.scratch());
    const bool estimate = rule_.size == 7;
    if (estimate) fill(change, scalar_t<P>(0));
    for (int i = 0; i < rule_.size; ++i) {
      const double t = tape.t + rule_.node[i] * h;
      this->path().at(t, y);
      if constexpr (has_dense_output_v<M>)
        interpolate(m, tape.t, tape.t_new, tape.stages, loop.scratch(), rule_.node[i], lambda);
      const double weight = -h * rule_.weight[i];
      for (int j = 0, n = length(y); j < n; ++j) lambda.data()[j] *= static_cast<T>(weight);
      if (!estimate) {
        this->sys().vjp(t, y, lambda, nullptr, unused, p_bar);
        continue;
      }
      P share = zero_like(p_bar);
      this->sys().vjp(t, y, lambda, nullptr, unused, share);
      add(share, p_bar);
      axpy(static_cast<scalar_t<P>>(1 - rule_.embedded[i] / rule_.weight[i]), share, change);
    }
    if (!estimate) return 0;
    P there = p_bar;
    add(change, there);
    return tolerances_apart(there, p_bar, tolerance_);
  }

  quadrature_rule rule_;
  tolerance tolerance_;
};

}  // namespace revode
