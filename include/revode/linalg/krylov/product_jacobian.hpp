// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/krylov/gmres_solver.hpp>
#include <revode/linalg/refinement.hpp>

namespace revode {

/// When and how far GMRES goes on.
struct gmres_limits {
  int restart = 30;          ///< products between restarts
  int most = 300;            ///< products a solve
  double tolerance = 1e-12;  ///< of the residual
  double rough = 1e-3;  ///< the same at most where it is looked at again: by Newton, by refinement
  /// The part of Newton's tolerance that a correction's system may leave. 0: `rough` as ever, and J is kept
  /// like a matrix, not taken where the iteration is.
  double goal = 0.3;
};

/// J v = (∂f/∂y) v and Jᵀ v at (t, y) by the field's JVP and VJP: J itself is nowhere. It refers to
/// the system that it was evaluated with, which must outlive it.
template <class L, class Y>
class product_jacobian {
  using T = scalar_t<Y>;

 public:
  typename L::template jacobian<Y> near{};  ///< what the preconditioner takes for J
  gmres_limits limits{};

  template <class System>
  void take(System& sys, double t, const Y& y) {
    t_ = t;
    if (length(y_) == length(y))
      copy(y, y_);
    else
      y_ = product_ = y;
    system_ = &sys;
    push_ = [](void* s, double at, const Y& y0, const Y& v, Y& out) {
      auto& of = *static_cast<System*>(s);
      constexpr vec<T, 0> still{};
      if constexpr (requires { of.jvp(at, y0, T(0), v, still, out); })
        of.jvp(at, y0, T(0), v, still, out);
      else
        of.jvp(at, y0, T(0), v, zero_like(of.p), out);
    };
    if constexpr (!requires { requires !System::pulls; })
      pull_ = [](void* s, double at, const Y& y0, const Y& v, Y& out) {
        auto& of = *static_cast<System*>(s);
        vec<T, 0> none{};
        fill(out, T(0));
        if constexpr (requires { of.vjp(at, y0, v, nullptr, out, none); }) {
          of.vjp(at, y0, v, nullptr, out, none);
        } else {
          auto unused = zero_like(of.p);
          of.vjp(at, y0, v, nullptr, out, unused);
        }
      };
  }

  /// The products of the same system elsewhere.
  template <class X>
  void move(double t, const X& y) {
    t_ = t;
    for (int i = 0, n = rows(); i < n; ++i) y_.data()[i] = y.data()[i];
  }
  /// All but what the preconditioner takes for J.
  void take_place_of(const product_jacobian& other) {
    limits = other.limits;
    t_ = other.t_;
    if (length(y_) == length(other.y_))
      copy(other.y_, y_);
    else
      y_ = product_ = other.y_;
    system_ = other.system_;
    push_ = other.push_;
    pull_ = other.pull_;
  }

  /// out = J v, or Jᵀ v
  template <bool Transposed>
  void multiply(const Y& v, Y& out) const {
    (Transposed ? pull_ : push_)(system_, t_, y_, v, out);
  }
  /// out = out + J v, or Jᵀ v
  template <bool Transposed>
  void add_to(const Y& v, Y& out) const {
    multiply<Transposed>(v, product_);
    add(product_, out);
  }

  /// About as large as the largest element, or a row, of J: by products with two vectors of scattered signs.
  double largest() const {
    double most = 0;
    Y signs = y_;
    std::uint32_t first = 1;
    if constexpr (is_spread_v<Y>) first += static_cast<std::uint32_t>(whole<Y>::first(y_));
    for (const int bit : {20, 25}) {
      for (int i = 0, n = rows(); i < n; ++i) {
        const std::uint32_t scattered = (first + static_cast<std::uint32_t>(i)) * 2654435761u;
        signs.data()[i] = T((scattered >> bit) % 2 == 0 ? 1 : -1);
      }
      multiply<false>(signs, product_);
      most = std::fmax(most, most_of_all(y_, revode::largest(product_)));
    }
    return most;
  }

  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (static_size_v<Y> >= 0 || length(y_) == s.n) return;
    for (int of = 0; of < 2; ++of) visit(s.n * static_cast<index>(sizeof(T)));
  }

  int rows() const { return length(y_); }
  const Y& state() const { return y_; }  ///< where it was taken
  const T* data() const { return y_.data(); }
  std::size_t size() const { return static_cast<std::size_t>(length(y_)); }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y_);
    visit(self.near);
  }

 private:
  using product_of_field = void (*)(void*, double, const Y&, const Y&, Y&);

  double t_ = 0;
  Y y_{};
  mutable Y product_{};
  void* system_ = nullptr;
  product_of_field push_ = nullptr, pull_ = nullptr;
};

template <class L, class Y>
void add_product(const product_jacobian<L, Y>& a, const Y& x, Y& out) {
  a.template add_to<false>(x, out);
}
template <class L, class Y>
void add_transposed_product(const product_jacobian<L, Y>& a, const Y& x, Y& out) {
  a.template add_to<true>(x, out);
}

}  // namespace revode
