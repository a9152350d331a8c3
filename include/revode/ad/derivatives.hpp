// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/ad/array_calls.hpp>
#include <revode/ad/derivative_source.hpp>
#include <revode/ad/dual.hpp>
#include <revode/ad/dual_sweep.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/ad/recorded_on_host.hpp>
#include <revode/ad/recording/register_recording.hpp>
#include <revode/ad/recording/straight_sweep.hpp>
#include <revode/ad/recording/tracked_sweep.hpp>
#include <revode/ad/rows.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// The derivatives of a field f(t, y, p, dy), and their memory: one object per system and thread.
///   vjp: the field's own f.vjp, else forward duals in one sweep when all sizes are fixed and
///        n + np + 1 <= 16 (no storage), else the reverse recording (on a device duals, a call an
///        input), of a few rows at a time where the field has f.rows and the state's length is known at run
///        time (rows.hpp), of whole arrays where the state is recorded as one (array_calls.hpp).
///   jvp: f.jvp, else one dual direction, likewise.
///   jacobian: f.jacobian, into a matrix of zeros, else duals: tracked_sweep for a vec of 5 to 32 elements where it knows
///        the field's structure, otherwise up to 10 columns a sweep (8 for dynamic sizes); else columns of
///        f.jvp, else rows of f.vjp.
///   second: f.vjp over duals when it accepts them, else nested duals, else recording over duals.
/// The field sees one scalar type. Arrays are kept; with fixed sizes there are none. Finite differences only by name.
template <class F, class Y, class P>
class derivatives {
  using T = scalar_t<Y>;
  static constexpr int n = static_size_v<Y>;
  static constexpr int np = static_size_v<P>;
  static constexpr bool on_stack = n >= 0 && np >= 0;
  using push_scalar = dual<T, 1>;

 public:
  /// Bytes of recordings by rows or of arrays, so far.
  index recording_bytes() const {
    if constexpr (by_arrays)
      return pull_.bytes();
    else
      return rows_.bytes();
  }
  static constexpr bool small = on_stack && n + np + 1 <= 16;
  static constexpr bool straight = [] {
    if constexpr (on_stack && !small)
      return straight_sweep<F, Y, P>::takes;
    else
      return false;
  }();
  static constexpr int sweep_width = small ? n + np + 1 : 1;
  static constexpr int sweeps = (n + 9) / 10;  // of equal length, at most 10 columns
  static constexpr int chunk = n > 0 ? (n + sweeps - 1) / sweeps : 8;
  using chunk_scalar = dual<T, chunk>;
  /// Sizes and numbers that tracked_sweep takes.
  static constexpr bool trackable = std::is_same_v<Y, vec<T, n>> && n > 4 && n <= 32 && np >= 0 &&
                                    np <= 64 && direction_pack<T, 2>::packed;
  static constexpr derivative_source vjp_source = [] {
    if constexpr (has_vjp<F, Y, P, T>) {
      return derivative_source::own;
    } else if constexpr (row_derivatives<F, Y, P>::pulls) {
      return derivative_source::rows;
    } else if constexpr (small) {
      return call_accepts<F, Y, P, dual<T, sweep_width>> ? derivative_source::duals
                                                         : derivative_source::none;
    } else if constexpr (array_call_accepts<F, Y, P, T>) {
      return derivative_source::arrays;
    } else {
      return call_accepts<F, Y, P, variable<T>> ? derivative_source::recording
                                                : derivative_source::none;
    }
  }();
  /// second() goes the same way, over duals.
  static constexpr bool by_arrays = vjp_source == derivative_source::arrays;

  static constexpr bool has_jacobian_by_products = has_jvp<F, Y, P, T> || has_vjp<F, Y, P, T>;
  static constexpr bool own_jacobian =
      requires(const F& f, T t, const Y& y, const P& p, any_matrix<T>& j) {
    f.jacobian(t, y, p, j);
  }
  || requires(const F& f, T t, const Y& y, const P& p, mat<T, n, n>& j) { f.jacobian(t, y, p, j); };
  static constexpr bool has_jacobian =
      own_jacobian || has_jacobian_by_products || call_accepts<F, Y, P, chunk_scalar>;

  static constexpr derivative_source jvp_source = [] {
    if constexpr (has_jvp<F, Y, P, T>) {
      return derivative_source::own;
    } else if constexpr (row_derivatives<F, Y, P>::pushes) {
      return derivative_source::rows;
    } else {
      return call_accepts<F, Y, P, push_scalar> ? derivative_source::duals
                                                : derivative_source::none;
    }
  }();

  /// out = f_t dt + f_y dy + f_p dp. DP is P, or empty (static size 0) when p stands still.
  template <class DP>
  REVODE_HD void jvp(const F& f, T t, const Y& y, const P& p, T dt, const Y& dy, const DP& dp,
                     Y& out) {
    static_assert(field_with_jvp<jvp_source>::there);
    if constexpr (jvp_source == derivative_source::own) {
      own_jvp(f, t, y, p, dt, dy, dp, out);
    } else if constexpr (jvp_source == derivative_source::rows) {
      rows_.push(f, t, y, p, dt, dy, dp, out);
    } else if constexpr (jvp_source == derivative_source::duals) {
      decltype(auto) a = fitted<push_scalar>(push_, y, p);
      seed_direction(a, y, p, dy, dp);
      push_scalar moving(t);
      moving.d[0] = dt;
      f(moving, a.y, a.p, a.dy);
      for (int i = 0, size = length(y); i < size; ++i) out.data()[i] = a.dy.data()[i].d[0];
    }
  }

  /// gt += wᵀ f_t (skipped when gt is null), gy += wᵀ f_y, gp += wᵀ f_p. GP is P, or empty (static
  /// size 0) when the parameters are frozen: nothing is stored or computed for them.
  template <class GP>
  REVODE_HD void vjp(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt, Y& gy, GP& gp) {
    static_assert(field_with_vjp<vjp_source>::there);
    constexpr int tracked = static_size_v<GP> == 0 ? 0 : np;
    if constexpr (vjp_source == derivative_source::own) {
      own_vjp(f, t, y, p, w, gt, gy, gp);
    } else if constexpr (vjp_source == derivative_source::rows) {
      rows_.pull(f, t, y, p, w, gt, gy, gp);
    } else if constexpr (vjp_source == derivative_source::duals) {
#if !defined(__CUDA_ARCH__)
      using sweep = register_sweep<F, Y, P>;
      if (sweep::fits(f, t, y, p)) return sweep::vjp(f, t, y, p, w, gt, gy, gp);
#endif
      if (gt != nullptr)
        dual_sweep<Y, P>::template vjp<n + tracked + 1>(f, t, y, p, w, gt, gy, gp);
      else
        dual_sweep<Y, P>::template vjp<n + tracked>(f, t, y, p, w, gt, gy, gp);
    } else if constexpr (vjp_source == derivative_source::arrays) {
      pull_.pull(f, t, y, p, w, gt, gy, gp);
    } else if constexpr (vjp_source == derivative_source::recording) {
#if !defined(__CUDACC__)
      if constexpr (straight)
        if (straight_sweep<F, Y, P>::vjp(f, t, y, p, w, gt, gy, gp)) return;
#endif
      pull_.vjp(f, t, y, p, w, gt, gy, gp);
    }
  }

  /// jac(i, j) = df_i/dy_j, every element overwritten. Cost: 2 to 4 evaluations of f where
  /// tracked_sweep does it (one call of f, and one more the first time), otherwise n/10 calls of f
  /// over duals, each with the arithmetic of about 30 evaluations.
  template <class J>
  REVODE_HD void jacobian(const F& f, T t, const Y& y, const P& p, J& jac) {
    if constexpr (requires { f.jacobian(t, y, p, jac); }) {
      clear(jac);
      f.jacobian(t, y, p, jac);
    } else if constexpr (call_accepts<F, Y, P, chunk_scalar>) {
#if !defined(__CUDACC__)
      if constexpr (trackable) {
        if (tracked_sweep<F, Y, P>::jacobian(f, t, y, p, jac)) return;
      }
#endif
      decltype(auto) a = fitted<chunk_scalar>(chunk_, y, p);
      jacobian_by_duals<n>(f, t, y, p, a, jac);
    } else {
      jacobian_by_products(f, t, y, p, jac);
    }
  }

  /// out = f_t
  REVODE_HD void time_derivative(const F& f, T t, const Y& y, const P& p, Y& out) {
    const vec<T, 0> still{};
    if constexpr (jvp_source != derivative_source::none) {
      decltype(auto) a = fitted<T>(plain_, y, p);
      fill(a.y, T(0));
      jvp(f, t, y, p, T(1), a.y, still, out);
    } else {
      decltype(auto) a = fitted<T>(plain_, y, p);
      vec<T, 0> none{};
      for (int i = 0, size = length(y); i < size; ++i) {
        fill(a.y, T(0));
        a.y.data()[i] = T(1);
        T gt(0);
        vjp(f, t, y, p, a.y, &gt, a.dy, none);
        out.data()[i] = gt;
      }
    }
  }

  /// Adds the gradient in (t, y, p) of uᵀ(f_t kt + f_y k), with u, kt and k held: the derivative
  /// of the vjp with weights u in the direction (kt, k). gt may be null, gp empty as in vjp.
  template <class GP>
  REVODE_HD void second(const F& f, T t, const Y& y, const P& p, const Y& u, T kt, const Y& k,
                        T* gt, Y& gy, GP& gp) {
    constexpr int tracked = static_size_v<GP> == 0 ? 0 : np;
    if constexpr (by_arrays || has_vjp<F, Y, P, push_scalar>) {
      second_by_vjp(f, t, y, p, u, kt, k, gt, gy, gp);
    } else if constexpr (row_derivatives<F, Y, P>::pulls_moving) {
      rows_.pull_moving(f, t, y, p, u, kt, k, gt, gy, gp);
    } else if constexpr (small && call_accepts<F, Y, P, dual<push_scalar, sweep_width>>) {
      if (gt != nullptr)
        dual_sweep<Y, P>::template second<n + tracked + 1>(f, t, y, p, u, kt, k, gt, gy, gp);
      else
        dual_sweep<Y, P>::template second<n + tracked>(f, t, y, p, u, kt, k, gt, gy, gp);
    } else if constexpr (!small && call_accepts<F, Y, P, variable<push_scalar>>) {
#if !defined(__CUDACC__)
      if constexpr (straight)
        if (straight_sweep<F, Y, P>::second(f, t, y, p, u, kt, k, gt, gy, gp)) return;
#endif
#if defined(__CUDA_ARCH__)
      direction_sweep<Y, P>::second(f, t, y, p, u, kt, k, gt, gy, gp);
#else
      second_by_recording(f, t, y, p, u, kt, k, gt, gy, gp);
#endif
    } else {
      static_assert(always_false<GP>,
                    "this field has no second derivative (neither operator() nor a member vjp "
                    "accepts duals): make one of them a template over the scalar of its "
                    "arguments?");
    }
  }

  /// The field's own products, of the call that left this tape, if there is one.
  template <class DP, class... Tape>
  REVODE_HD void own_jvp(const F& f, T t, const Y& y, const P& p, T dt, const Y& dy, const DP& dp,
                         Y& out, const Tape*... tape) {
    if constexpr (std::is_same_v<DP, P>) {
      f.jvp(t, y, p, dt, dy, dp, out, tape...);
    } else {
      decltype(auto) a = fitted<T>(frozen_, y, p);
      fill(a.p, T(0));
      f.jvp(t, y, p, dt, dy, static_cast<const P&>(a.p), out, tape...);
    }
  }
  template <class Bar, class GP, class... Tape>
  REVODE_HD void own_vjp(const F& f, T t, const Y& y, const P& p, const Y& w, Bar* gt, Y& gy,
                         GP& gp, const Tape*... tape) {
    Bar unused(0);
    Bar& time = gt != nullptr ? *gt : unused;
    if constexpr (std::is_same_v<GP, P> || vjp_without_parameters_v<F>) {
      f.vjp(t, y, p, w, time, gy, gp, tape...);
    } else {
      decltype(auto) a = fitted<T>(frozen_, y, p);
      fill(a.p, T(0));
      f.vjp(t, y, p, w, time, gy, a.p, tape...);
    }
  }

 private:
  template <class>
  static constexpr bool always_false = false;

  template <int Tag>
  struct nothing {};  // tagged, so that all of them share one address
  template <class S, int Tag>
  using kept = std::conditional_t<on_stack, nothing<Tag>, field_arrays<Y, P, S>>;
  template <class S, int Tag>
  using kept_recording = std::conditional_t<
      small, nothing<Tag>,
      std::conditional_t<by_arrays, array_call<F, Y, P, S>, recorded_on_host<F, Y, P, S>>>;

  /// Arrays over S of y's and p's shapes: on the stack when sizes are fixed, else `member`, sized.
  template <class S, class Kept>
  REVODE_HD static decltype(auto) fitted(Kept& member, const Y& y, const P& p) {
    if constexpr (on_stack) {
      static_cast<void>(member);
      return field_arrays<Y, P, S>{};
    } else {
      member.fit(y, p);
      return static_cast<Kept&>(member);
    }
  }

  template <class J>
  REVODE_HD static void clear(J& jac) {
    if constexpr (requires { jac.clear(); })
      jac.clear();
    else
      for (int k = 0, n = static_cast<int>(jac.size()); k < n; ++k) jac.data()[k] = T(0);
  }

  template <class J>
  REVODE_HD void jacobian_by_products(const F& f, T t, const Y& y, const P& p, J& jac) {
    static_assert(field_with_jacobian<has_jacobian_by_products>::there);
    decltype(auto) a = fitted<T>(plain_, y, p);
    const int size = length(y);
    vec<T, 0> none{};
    for (int k = 0; k < size; ++k) {
      fill(a.y, T(0));
      fill(a.dy, T(0));
      a.y.data()[k] = T(1);
      if constexpr (has_jvp<F, Y, P, T>) {
        own_jvp(f, t, y, p, T(0), a.y, none, a.dy);
        for (int i = 0; i < size; ++i) jac(i, k) = a.dy.data()[i];
      } else {
        own_vjp(f, t, y, p, a.y, static_cast<T*>(nullptr), a.dy, none);
        for (int j = 0; j < size; ++j) jac(k, j) = a.dy.data()[j];
      }
    }
  }

  template <class GP>
  REVODE_HD void second_by_vjp(const F& f, T t, const Y& y, const P& p, const Y& u, T kt,
                               const Y& k, T* gt, Y& gy, GP& gp) {
    const vec<T, 0> still{};
    decltype(auto) a = fitted<push_scalar>(push_, y, p);
    decltype(auto) g = fitted<push_scalar>(pushed_, y, p);
    seed_direction(a, y, p, k, still);
    copy(u, a.dy);
    fill(g.y, push_scalar(0));
    fill(g.p, push_scalar(0));
    push_scalar moving(t), of_time(0);
    moving.d[0] = kt;
    if constexpr (by_arrays)
      pull_second_.pull(f, moving, a.y, a.p, a.dy, &of_time, g.y, g.p);
    else
      f.vjp(moving, a.y, a.p, a.dy, of_time, g.y, g.p);
    if (gt != nullptr) *gt = *gt + of_time.d[0];
    for (int j = 0, size = length(y); j < size; ++j) {
      gy.data()[j] = gy.data()[j] + g.y.data()[j].d[0];
    }
    for (int j = 0, size = length(gp); j < size; ++j) {
      gp.data()[j] = gp.data()[j] + g.p.data()[j].d[0];
    }
  }

  template <class GP>
  void second_by_recording(const F& f, T t, const Y& y, const P& p, const Y& u, T kt, const Y& k,
                           T* gt, Y& gy, GP& gp) {
    const vec<T, 0> still{};
    decltype(auto) a = fitted<push_scalar>(push_, y, p);
    seed_direction(a, y, p, k, still);
    copy(u, a.dy);
    push_scalar moving(t);
    moving.d[0] = kt;
    pull_second_.pull(f, moving, a.y, a.p, a.dy.data(), gt != nullptr, static_size_v<GP> != 0);
    pull_second_.add_to(gt, gy, gp, [](const push_scalar& bar) { return bar.d[0]; });
  }

  [[no_unique_address]] kept<push_scalar, 0> push_;
  [[no_unique_address]] kept<push_scalar, 1> pushed_;
  [[no_unique_address]] kept<chunk_scalar, 2> chunk_;
  [[no_unique_address]] kept<T, 3> plain_;
  [[no_unique_address]] kept<T, 4> frozen_;
  [[no_unique_address]] kept_recording<T, 5> pull_;
  [[no_unique_address]] kept_recording<push_scalar, 6> pull_second_;
  [[no_unique_address]] row_derivatives<F, Y, P> rows_;
};

}  // namespace revode
