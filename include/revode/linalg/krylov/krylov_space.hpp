// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/ad/functions.hpp>
#include <revode/linalg/krylov/product_jacobian.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// Solves with a matrix A of K parts that is known by its products, by the solver of a Krylov space (gmres_solver,
/// bicgstab_solver). The preconditioner M is to the right of A, and to the left of Aᵀ, so that the space is that of A M⁻¹,
/// or of M⁻ᵀ Aᵀ, its transpose: a fast element is a large column of A, which M⁻¹ makes small, and would be a large row of
/// Aᵀ M⁻ᵀ, in whose rounding the others are lost. Copies get no memory: it is made at the first solve of a size.
template <class Y, int K, template <class> class Solver>
class krylov_space {
  using T = scalar_t<Y>;

 public:
  using number = decltype(value_of(T{}));
  struct parts_of {
    T* at[K];
  };

  krylov_space() = default;
  krylov_space(const krylov_space&) {}
  krylov_space& operator=(const krylov_space&) { return *this; }

  void fit(const Y& like, const gmres_limits& limits) {
    const int n = length(like);
    if (length(in_[0]) != n || solution_.size() != static_cast<std::size_t>(K * n)) {
      for (int k = 0; k < K; ++k) in_[k] = out_[k] = found_[k] = like;
      right_.resize(static_cast<std::size_t>(K * n));
      solution_.resize(right_.size());
    }
    const double most = std::fmax(K * count_of(like), 1);
    solver_.resize(K * n, limits.restart < most ? limits.restart : static_cast<int>(most));
    most_ = limits.most;
  }

  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    solver_.blocks_to_come(K * s.n, s.restart, visit);
    if (!right_.empty()) return;
    if (static_size_v<Y> < 0)
      for (int of = 0; of < 3 * K; ++of) visit(s.n * static_cast<index>(sizeof(T)));
    for (int of = 0; of < 2; ++of) visit(K * s.n * static_cast<index>(sizeof(number)));
  }

  /// x = A⁻¹ x, or A⁻ᴴ x; multiply(x, out): out = A x, precondition(x): x = M⁻¹ x, or the adjoints. Duals: by two rounds of
  /// solves with the values of A, the second of which brings what the derivative of A does. Values are solved for
  /// once where there is a goal, as they are without duals.
  template <bool Adjoint, class Multiply, class Precondition>
  void solve(const parts_of& x, const solve_goal& goal, const Multiply& multiply,
             const Precondition& precondition) {
    const int n = length(in_[0]);
    for (Y& part : found_) fill(part, T(0));
    for (int round = 0; round < (components > 1 ? 2 : 1); ++round) {
      std::vector<T> rest;
      if constexpr (components > 1) {
        multiply(found_, out_);
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) rest.push_back(x.at[k][i] - out_[k].data()[i]);
      }
      for (int q = round > 0 && goal.absolute > 0 ? 1 : 0; q < components; ++q) {
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) {
            const auto place = static_cast<std::size_t>(k * n + i);
            right_[place] = component(components > 1 ? rest[place] : x.at[k][i], q);
          }
        solve_values<Adjoint>(q == 0 ? goal : solve_goal{goal.relative}, multiply, precondition);
        if (q == 0) left_ = left_of_last_;
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) {
            T& to = found_[k].data()[i];
            component(to, q) = component(to, q) + value_of(in_[k].data()[i]);
          }
      }
    }
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < n; ++i) x.at[k][i] = found_[k].data()[i];
  }

  /// |b − A x| of the last values, of transposes times M⁻ᵀ.
  double left() const { return left_; }
  /// The last right side, in a place that the next solve takes.
  auto last_right() -> Y (&)[K] {
    spread(right_.data(), in_);
    return in_;
  }

 private:
  void spread(const number* from, Y (&to)[K]) const {
    for (int k = 0, n = length(in_[0]); k < K; ++k)
      for (int i = 0; i < n; ++i) to[k].data()[i] = T(from[k * n + i]);
  }
  void gather(const Y (&from)[K], number* to) const {
    for (int k = 0, n = length(in_[0]); k < K; ++k)
      for (int i = 0; i < n; ++i) to[k * n + i] = value_of(from[k].data()[i]);
  }

  /// Σ xᵢ yᵢ over all of a state.
  struct dot_of_whole {
    const krylov_space& of;
    number operator()(const number* x, const number* y) const {
      return dot_in_eight(x, y, K * length(of.in_[0]));
    }
  };
  /// The same of a spread one, in blocks; of many vectors x, `apart` numbers from each other, at once.
  struct dot_of_blocks {
    const krylov_space& of;
    number operator()(const number* x, const number* y) const {
      number sum;
      many(x, 1, 0, y, &sum);
      return sum;
    }
    void many(const number* x, int count, std::ptrdiff_t apart, const number* y,
              number* sums) const {
      const int n = length(of.in_[0]);
      const auto of_block = [&](int from, int size, double* to) {
        for (int v = 0; v < count; ++v)
          for (int k = 0; k < K; ++k)
            to[v] += dot_in_eight(x + v * apart + k * n + from, y + k * n + from, size);
      };
      const auto all = whole<Y>::sums_of_blocks(of.in_[0], count, of_block);
      for (int v = 0; v < count; ++v)
        sums[v] = static_cast<number>(all[static_cast<std::size_t>(v)]);
    }
  };
  using dot_type = std::conditional_t<is_spread_v<Y>, dot_of_blocks, dot_of_whole>;

  /// By which power of two right sides are multiplied whose squares are no numbers, and solutions divided; 1 of others,
  /// and of spread ones, which are not seen as a whole.
  static number scale_of(const std::vector<number>& right) {
    number largest(0);
    for (const number& x : right) largest = std::fmax(largest, std::abs(x));
    const int exponent = largest > 0 && largest - largest == 0 ? std::ilogb(largest) : 0;
    constexpr int most = std::numeric_limits<number>::max_exponent - 2;
    const int by = exponent < -most ? most : -exponent;  // of a number that is not normal, too
    return 4 * std::abs(exponent) > most && !is_spread_v<Y> ? std::ldexp(number(1), by) : number(1);
  }
  /// in = A⁻¹ right, in values
  template <bool Adjoint, class Multiply, class Precondition>
  void solve_values(solve_goal goal, const Multiply& multiply, const Precondition& precondition) {
    const number scale = scale_of(right_);
    if (scale != 1) {
      for (number& x : right_) x *= scale;
      goal.absolute *= static_cast<double>(scale);
    }
    if constexpr (Adjoint) {
      spread(right_.data(), in_);
      precondition(in_);
      gather(in_, right_.data());
    }
    solver_.solve(
        right_.data(), solution_.data(),
        [&](const number* in, number* out) {
          spread(in, in_);
          if constexpr (!Adjoint) precondition(in_);
          multiply(in_, out_);
          if constexpr (Adjoint) precondition(out_);
          gather(out_, out);
        },
        dot_type{*this}, goal, most_);
    left_of_last_ = static_cast<double>(solver_.left()) / static_cast<double>(scale);
    if (scale != 1)
      for (number& x : solution_) x /= scale;
    spread(solution_.data(), in_);
    if constexpr (!Adjoint) precondition(in_);
  }

  /// Component q of a number: its value, then its derivatives.
  template <class S>
  static S& component(S& x, int) requires std::is_floating_point_v<S> {
    return x;
  }
  template <class S, int N>
  static S& component(dual<S, N>& x, int q) {
    static_assert(std::is_floating_point_v<S>,
                  "GMRES with duals of duals: take another algebra for second derivatives?");
    return q == 0 ? x.value : x.d[q - 1];
  }
  static constexpr int components = [] {
    if constexpr (std::is_floating_point_v<T>)
      return 1;
    else
      return 1 + T::directions;
  }();

  Y in_[K], out_[K], found_[K];
  std::vector<number> right_, solution_;
  double left_ = 0, left_of_last_ = 0;
  int most_ = 0;
  Solver<number> solver_;
};

}  // namespace revode
