// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include <revode/concepts.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/linalg/krylov/solve_goal.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// The Jacobian of a state with K tangents, (f_y, 0; C, f_y), for Newton: f_y as L keeps it, and
/// products with C = f_yy ẏ + f_yp ṗ by a JVP of the field of both. It refers to the system of both,
/// which must outlive it.
template <class L, class Y, class Z>
struct tangent_jacobian {
  using T = scalar_t<Y>;

  typename L::template jacobian<Y> of_state{};
  Z z{};
  double t = 0;
  void* system = nullptr;
  void (*push)(void*, double, const Z&, const Z&, Z&) = nullptr;

  template <class System>
  void take(System& both, double at, const Z& there) {
    t = at;
    z = there;
    system = &both;
    push = [](void* s, double time, const Z& place, const Z& way, Z& out) {
      static_cast<System*>(s)->jvp(time, place, T(0), way, vec<T, 0>{}, out);
    };
  }
  auto data() const { return of_state.data(); }
  auto size() const { return of_state.size(); }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.of_state);
    visit(self.z);
  }
};

/// Factors for one part, which serve all K + 1, one after the other from the state on.
template <class Factors, class Y, class Z, int K>
class tangent_factors {
  using T = scalar_t<Y>;

 public:
  template <class L, class... S>
  bool factor_shifted(const tangent_jacobian<L, Y, Z>& j, const S&... shift) {
    z_ = j.z;
    t_ = j.t;
    system_ = j.system;
    push_ = j.push;
    return one_.factor_shifted(j.of_state, shift...);
  }
  template <class X>
  void solve(X& x) const {
    forward([&](part& a) { one_.solve(a); }, x);
  }
  /// The products' place, and solves to a goal each, where L has them (krylov_factors).
  void move(double t, const Z& z, T shift) {
    z_ = z;
    t_ = t;
    one_.move(t, part{z_.data(), length(z_) / (K + 1)}, shift);
  }
  template <class X>
  double solve_to_goal(const solve_goal& goal, X& x) const {
    double left = 0;
    forward([&](part& a) { left = std::fmax(left, one_.solve_to_goal(goal, a)); }, x);
    return left;
  }
  const auto& limits() const { return one_.limits(); }
  status trouble_of_numbers() const requires requires(const Factors& of) {
    of.trouble_of_numbers();
  }
  { return one_.trouble_of_numbers(); }
  bool sign_has_turned(bool backwards) const requires requires(const Factors& of) {
    of.sign_has_turned(false);
  }
  { return one_.sign_has_turned(backwards); }
  template <class X>
  void solve(X& x, X& y) const {
    forward([&](part& a, part& b) { one_.solve(a, b); }, x, y);
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.one_);
    if constexpr (!requires { self.one_.limits(); }) visit(self.z_);  // else it moves
  }

 private:
  struct part {
    T* first;
    int count;
    T* data() const { return first; }
    int size() const { return count; }
  };

  /// x₀ ← W⁻¹ x₀, x_k ← W⁻¹ (x_k + C_k x₀)
  template <class Solve, class... X>
  void forward(const Solve& solve_part, X&... x) const {
    const int n = length(z_) / (K + 1);
    const auto solve_each = [&](int k) {
      [&](auto... a) { solve_part(a...); }(part{x.data() + k * n, n}...);
    };
    solve_each(0);
    (couple(n, x), ...);
    for (int k = 1; k <= K; ++k) solve_each(k);
  }
  template <class X>
  void couple(int n, X& x) const {
    Z way = zero_like(z_), out = z_;
    for (int i = 0; i < n; ++i) way.data()[i] = x.data()[i];
    push_(system_, t_, z_, way, out);
    for (int i = n; i < length(z_); ++i) x.data()[i] += out.data()[i];
  }

  Factors one_;
  Z z_{};
  double t_ = 0;
  void* system_ = nullptr;
  void (*push_)(void*, double, const Z&, const Z&, Z&) = nullptr;
};

/// The linear algebra of a state with K tangents from that of the state, L: n numbers are factored
/// with L's structure, not (K + 1) n without any.
/// cost    a Jacobian and factors as L's, a JVP of the field of both and K + 1 solves a correction
template <class L, class System, int K>
struct tangent_algebra {
  using Y = typename System::state_type;

  static constexpr bool inexact = inexact_v<L>;
  L of_state{};
  System* sys = nullptr;  ///< of the state alone
  Y* y = nullptr;         ///< a place for one

  template <class Z>
  using jacobian = tangent_jacobian<L, Y, Z>;
  template <class Z>
  using factors = tangent_factors<typename L::template factors<Y>, Y, Z, K>;
  template <class Z>
  using complex_factors = tangent_factors<typename L::template complex_factors<Y>, Y, Z, K>;

  template <class Both, class Z>
  void evaluate(Both& both, double t, const Z& z, tangent_jacobian<L, Y, Z>& j) const {
    for (int i = 0, n = length(*y); i < n; ++i) y->data()[i] = z.data()[i];
    ++both.counts.jacobian_evaluations;
    of_state.evaluate(*sys, t, std::as_const(*y), j.of_state);
    j.take(both, t, z);
  }
};

/// A method whose formula contains the Jacobian, as those of Rosenbrock do.
template <class M>
concept jacobian_in_formula = is_linearly_implicit_v<M>;
/// A method that iterates with a Jacobian of the whole field, which it keeps.
template <class M, class Y>
concept newton_method = requires(typename method_types<M, Y>::cache& c) {
  c.jacobian;
  c.factors;
}
&&!requires { typename M::implicit_method; };

/// The method as it solves y with K tangents: of its own kind where matrices are dense.
template <class M, class System, int K>
struct method_with_tangents {
  using type = M;
  static M make(const M& m, System&, typename System::state_type&) { return m; }
};
template <class M, class System, int K>
requires newton_method<M, typename System::state_type> &&
    (!std::is_same_v<algebra_t<M>, dense_algebra>)struct method_with_tangents<M, System, K> {
  using algebra_type = tangent_algebra<algebra_t<M>, System, K>;
  using type = with_algebra<M, algebra_type>;
  static type make(const M& m, System& sys, typename System::state_type& y) {
    return {m, algebra_type{algebra_of(m), &sys, &y}};
  }
};

}  // namespace revode
