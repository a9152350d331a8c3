// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <revode/linalg/dense/small_elimination.hpp>
#include <revode/solve/system.hpp>

namespace revode {

/// How lanes side by side take a product with a field's Jacobian: in the arithmetic of the single
/// solve, whatever that is.
///   as_alone    its very code (one lane, or a derivative of the field's own, or a recording)
///   recorded    register_sweep, where that is the single solve's choice
///   directions  forward duals, one direction at a time: a dual with several fills vector registers by
///               itself, and then neighbouring lanes cannot share them. The values of all passes are
///               the same numbers, which the compiler computes once
enum class lane_vjp : std::uint8_t { as_alone, recorded, directions };

/// What `derivatives` does for this field; asked on the host, once a solve.
template <class F, class Y, class P>
lane_vjp lane_vjp_of(const F& f, double t, const Y& y, const P& p) {
  if constexpr (derivatives<F, Y, P>::vjp_source != derivative_source::duals) {
    return lane_vjp::as_alone;
  } else {
    const bool fits = register_sweep<F, Y, P>::fits(f, static_cast<scalar_t<Y>>(t), y, p);
    return fits ? lane_vjp::recorded : lane_vjp::directions;
  }
}

/// The same for the Jacobian of a step whose lanes take it in a loop of its own.
///   as_alone    its very code
///   tracked     tracked_sweep, where that is the single solve's choice
///   columns     forward duals, one direction at a time
enum class lane_jacobian : std::uint8_t { as_alone, tracked, columns };

/// The system of one lane among several. As `system`, to the bit.
template <class F, class Y, class P, lane_vjp Kind>
class lane_system {
 public:
  static_assert(!has_mass_v<F>,
                "a field with a mass matrix for lanes (their linear systems are without one) solve "
                "each by itself, on threads?");
  using scalar = scalar_t<Y>;
  using state_type = Y;
  using parameter_type = P;
  static constexpr bool autonomous = system<F, Y, P>::autonomous;
  static constexpr bool goes_on =
      Kind != lane_vjp::as_alone && static_size_v<Y> <= most_written_out;  ///< see goes_on_v
  static constexpr bool own_jacobian =
      requires(const F& f, scalar t, const Y& y, const P& p, mat<scalar, static_size_v<Y>>& j) {
    f.jacobian(t, y, p, j);
  }
  || !call_accepts<F, Y, P, dual<scalar, 1>>;  ///< not by duals

  REVODE_HD lane_system(const F& f, const P& parameters) : p(parameters), f_(f) {}

  REVODE_HD void operator()(double t, const Y& y, Y& dy) {
    ++counts.field_evaluations;
    f_(static_cast<scalar>(t), y, p, dy);
  }

  REVODE_HD void vjp(double t, const Y& y, const Y& w, scalar* t_bar, Y& y_bar, P& p_bar) {
    ++counts.vjp_evaluations;
    if constexpr (Kind == lane_vjp::directions) {
      add_directions(static_cast<scalar>(t), y, w, y_bar, p_bar,
                     std::make_integer_sequence<int, n + np>{});
#if !defined(__CUDA_ARCH__)
    } else if constexpr (Kind == lane_vjp::recorded) {
      register_sweep<F, Y, P>::vjp(f_, static_cast<scalar>(t), y, p, w,
                                   static_cast<scalar*>(nullptr), y_bar, p_bar);
#endif
    } else {
      derivatives_.vjp(f_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar);
    }
  }

  template <class Matrix>
  REVODE_HD void jacobian(double t, const Y& y, Matrix& j) {
    ++counts.jacobian_evaluations;
    constexpr bool as_alone = own_jacobian || !goes_on;
    jacobian_by<as_alone ? lane_jacobian::as_alone : lane_jacobian::columns>(t, y, j);
  }
  template <lane_jacobian By, class Matrix>
  REVODE_HD void jacobian_by(double t, const Y& y, Matrix& j) {
    if constexpr (By == lane_jacobian::columns)
      put_columns(static_cast<scalar>(t), y, j, std::make_integer_sequence<int, n>{});
#if !defined(__CUDACC__)
    else if constexpr (By == lane_jacobian::tracked)
      tracked_sweep<F, Y, P>::jacobian_in_lane(f_, static_cast<scalar>(t), y, p, j);
#endif
    else
      derivatives_.jacobian(f_, static_cast<scalar>(t), y, p, j);
  }
  REVODE_HD void time_derivative(double t, const Y& y, Y& out) {
    derivatives_.time_derivative(f_, static_cast<scalar>(t), y, p, out);
  }
  REVODE_HD void second(double t, const Y& y, const Y& u, scalar t_dot, const Y& k, scalar* t_bar,
                        Y& y_bar, P& p_bar) {
    if constexpr (own_second || !goes_on)
      derivatives_.second(f_, static_cast<scalar>(t), y, p, u, t_dot, k, t_bar, y_bar, p_bar);
    else
      add_second(static_cast<scalar>(t), y, u, t_dot, k, y_bar, p_bar,
                 std::make_integer_sequence<int, n + np>{});
  }

  const P& p;
  evaluation_counts counts{};

 private:
  static constexpr int n = static_size_v<Y>, np = static_size_v<P>;
  using push_scalar = dual<scalar, 1>;

  static constexpr bool own_second = has_vjp<F, Y, P, push_scalar> || n + np + 1 > 16 ||
                                     !call_accepts<F, Y, P, dual<push_scalar, 1>>;

  template <int... J>
  REVODE_HD void add_directions(scalar t, const Y& y, const Y& w, Y& y_bar, P& p_bar,
                                std::integer_sequence<int, J...>) {
    const scalar g[] = {along<J>(t, y, w)...};
    add_gradient(g, y_bar, p_bar);
  }

  /// wᵀ times column J of (∂f/∂y, ∂f/∂p)
  template <int J>
  REVODE_HD scalar along(scalar t, const Y& y, const Y& w) {
    using D = dual<scalar, 1>;
    field_arrays<Y, P, D> a;
    seed_one<J>(y.data(), p.data(), a);
    f_(D(t), a.y, a.p, a.dy);
    scalar sum(-0.0);  // vanishes in an addition
    for_each_element(
        w, [&](int i) __attribute__((always_inline)) {
          sum = muladd(w.data()[i], a.dy.data()[i].d[0], sum);
        });
    return sum;
  }

  template <class Matrix, int... J>
  REVODE_HD void put_columns(scalar t, const Y& y, Matrix& jac, std::integer_sequence<int, J...>) {
    (put_column<J>(t, y, jac), ...);
  }
  template <int J, class Matrix>
  REVODE_HD void put_column(scalar t, const Y& y, Matrix& jac) {
    field_arrays<Y, P, push_scalar> a;
    seed_one<J>(y.data(), p.data(), a);
    f_(push_scalar(t), a.y, a.p, a.dy);
    for_each_element(
        y, [&](int i) __attribute__((always_inline)) { jac(i, J) = a.dy.data()[i].d[0]; });
  }

  template <int... J>
  REVODE_HD void add_second(scalar t, const Y& y, const Y& u, scalar t_dot, const Y& k, Y& y_bar,
                            P& p_bar, std::integer_sequence<int, J...>) {
    field_arrays<Y, P, push_scalar> moving;
    const vec<scalar, 0> still{};
    seed_direction(moving, y, p, k, still);
    push_scalar time(t);
    time.d[0] = t_dot;
    const scalar g[] = {second_along<J>(time, moving, u)...};
    add_gradient(g, y_bar, p_bar);
  }
  template <int J>
  REVODE_HD scalar second_along(const push_scalar& t, const field_arrays<Y, P, push_scalar>& moving,
                                const Y& u) {
    using D = dual<push_scalar, 1>;
    field_arrays<Y, P, D> a;
    seed_one<J>(moving.y.data(), moving.p.data(), a);
    f_(D(t), a.y, a.p, a.dy);
    scalar sum(0);
    for_each_element(
        u, [&](int i) __attribute__((always_inline)) {
          sum = muladd(u.data()[i], a.dy.data()[i].d[0].d[0], sum);
        });
    return sum;
  }

  /// a = (y, p), input J moving.
  template <int J, class S, class A>
  REVODE_HD static void seed_one(const S* y, const S* p, A& a) {
    using D = dual<S, 1>;
    for_each_element(
        a.y, [&](int i) __attribute__((always_inline)) {
          a.y.data()[i] = i == J ? D::input(y[i], 0) : D(y[i]);
        });
    for_each_element(
        a.p, [&](int i) __attribute__((always_inline)) {
          a.p.data()[i] = n + i == J ? D::input(p[i], 0) : D(p[i]);
        });
  }
  REVODE_HD static void add_gradient(const scalar* g, Y& y_bar, P& p_bar) {
    for_each_element(
        y_bar, [&](int j)
                   __attribute__((always_inline)) { y_bar.data()[j] = y_bar.data()[j] + g[j]; });
    for_each_element(
        p_bar, [&](int j) __attribute__((always_inline)) {
          p_bar.data()[j] = p_bar.data()[j] + g[n + j];
        });
  }

  const F& f_;
  [[no_unique_address]] derivatives<F, Y, P> derivatives_{};
};

}  // namespace revode
