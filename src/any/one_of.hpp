// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/growth.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/loop/matrices.hpp>

namespace revode {

// One of several algebras, chosen while a program runs: methods are compiled once for all of them.

/// act(std::integral_constant<std::size_t, which>{}) for one of `Count` numbers.
template <std::size_t Count, std::size_t I = 0, class Act>
decltype(auto) act_on_number(std::size_t which, Act&& act) {
  if constexpr (I + 1 == Count)
    return act(std::integral_constant<std::size_t, I>{});
  else
    return which == I ? act(std::integral_constant<std::size_t, I>{})
                      : act_on_number<Count, I + 1>(which, act);
}

/// The Jacobian, or the factors, of one of the algebras.
template <class... Kept>
class one_kept {
 public:
  /// That of algebra I, made where another was there.
  template <std::size_t I>
  auto& take() {
    if (of_.index() != I) of_.template emplace<I>();
    return std::get<I>(of_);
  }
  template <std::size_t I>
  const auto& get() const {
    return std::get<I>(of_);
  }
  std::size_t which() const { return of_.index(); }
  template <class Act>
  decltype(auto) visit(Act&& act) const {
    return std::visit(act, of_);
  }
  template <class Act>
  decltype(auto) visit(Act&& act) {
    return std::visit(act, of_);
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    std::visit([&](auto& kept) { visit(kept); }, self.of_);
  }
  /// Of the algebra that the shape names, which may be another until its first matrix is made.
  matrix_bytes bytes_of_matrices(const matrix_shape& shape) const {
    return act_on_number<sizeof...(Kept)>(
        shape.which, [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
          if (which() == I) return revode::bytes_of_matrices(get<I>(), shape);
          return revode::bytes_of_matrices(std::variant_alternative_t<I, std::variant<Kept...>>{},
                                           shape);
        });
  }

 private:
  std::variant<Kept...> of_;
};

template <class... J>
struct one_jacobian : one_kept<J...> {
  int rows() const {
    return this->visit([](const auto& j) { return j.rows(); });
  }
  const double* data() const {
    return this->visit([](const auto& j) -> const double* { return j.data(); });
  }
  std::size_t size() const {
    return this->visit([](const auto& j) { return j.size(); });
  }
  /// An element of those that it keeps, for a mass matrix.
  double& operator()(int i, int k) {
    return this->visit([=](auto& j) -> double& { return j(i, k); });
  }
  void clear() {
    this->visit([](auto& j) { j.clear(); });
  }
};

// What methods ask of a Jacobian is told by the one that is there.
template <class... J, class X, class Y>
void add_product(const one_jacobian<J...>& a, const X& x, Y& out) {
  a.visit([&](const auto& j) { add_product(j, x, out); });
}
template <class... J, class X, class Y>
void add_transposed_product(const one_jacobian<J...>& a, const X& x, Y& out) {
  a.visit([&](const auto& j) { add_transposed_product(j, x, out); });
}
template <class... J, class Act>
void each_in_row(one_jacobian<J...>& a, int i, const Act& act) {
  a.visit([&](auto& j) { each_in_row(j, i, act); });
}
template <class... J>
int sweeps_worth_trying(const one_jacobian<J...>& a) {
  return a.visit([](const auto& j) { return sweeps_worth_trying(j); });
}

template <class... F>
struct one_factors : one_kept<F...> {
  template <class... J, class... Shift>
  bool factor_shifted(const one_jacobian<J...>& j, const Shift&... shift) {
    return act_on_number<sizeof...(F)>(
        j.which(), [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
          return this->template take<I>().factor_shifted(j.template get<I>(), shift...);
        });
  }
  template <class... J>
  bool factor_negative(const one_jacobian<J...>& a, const one_jacobian<J...>& b) {
    return act_on_number<sizeof...(F)>(
        a.which(), [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
          return this->template take<I>().factor_negative(a.template get<I>(), b.template get<I>());
        });
  }
  template <class... X>
  void solve(X&... x) const {
    this->visit([&](const auto& f) { f.solve(x...); });
  }
  template <class X>
  void solve_transposed(X& x) const {
    this->visit([&](const auto& f) { f.solve_transposed(x); });
  }
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    this->visit([&](const auto& f) { f.solve_adjoint(x, y); });
  }
  double price() const {
    return this->visit([](const auto& f) { return price_of(f); });
  }
  bool sign_has_turned(bool backwards) const {
    return this->visit([=](const auto& f) { return steps_over_growth(f, backwards ? -1 : 1); });
  }
};

/// The algebra (algebra.hpp) that is `chosen` among L, in the bits of that one; but ESDIRK methods ask at compile time
/// whether factors have a price, which these have, and divide by h/h_factors, 1 to rounding, where banded ones have none.
/// cost    its own, and a choice a call
template <class... L>
struct one_of {
  std::variant<L...> chosen{};

  template <class Y>
  using jacobian = one_jacobian<typename L::template jacobian<Y>...>;
  template <class Y>
  using factors = one_factors<typename L::template factors<Y>...>;
  template <class Y>
  using complex_factors = one_factors<typename L::template complex_factors<Y>...>;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, jacobian<Y>& j) const {
    act_on_number<sizeof...(L)>(chosen.index(),
                                [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
                                  std::get<I>(chosen).evaluate(sys, t, y, j.template take<I>());
                                });
  }

  /// x = (a ⊗ M − diag J)⁻¹ right, or its transpose, over the stages of a step.
  template <bool Transposed, int S, class Mass, class Y, class... J>
  static bool solve_stages(const scalar_t<Y> (&a)[S][S], const Mass& mass,
                           const one_jacobian<J...> (&j)[S], const Y (&right)[S], Y (&x)[S]) {
    return act_on_number<sizeof...(L)>(
        j[0].which(), [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
          using algebra = std::variant_alternative_t<I, std::variant<L...>>;
          typename algebra::template jacobian<Y> own[S];
          for (int i = 0; i < S; ++i) own[i] = j[i].template get<I>();
          return algebra::template solve_stages<Transposed>(a, mass, own, right, x);
        });
  }
};

template <class... L>
matrix_shape shape_of(const one_of<L...>& algebra, index n) {
  matrix_shape shape =
      std::visit([=](const auto& one) { return shape_of(one, n); }, algebra.chosen);
  shape.which = algebra.chosen.index();
  return shape;
}

/// The algebra of the transposes.
template <class... L>
one_of<L...> for_transposes(one_of<L...> algebra) {
  std::visit([](auto& one) { one = for_transposes(one); }, algebra.chosen);
  return algebra;
}

}  // namespace revode
