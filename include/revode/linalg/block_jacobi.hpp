// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/linalg/dense/elimination.hpp>
#include <revode/linalg/ilu0.hpp>

namespace revode {

/// How n unknowns fall into blocks of `size`: side by side, or as far apart as there are blocks.
struct block_layout {
  int size = 1;
  bool apart = false;

  /// Unknown i of block b, of so many blocks.
  int unknown(int block, int i, int blocks) const {
    return apart ? i * blocks + block : block * size + i;
  }
};

/// A Jacobian on its pattern, of which the blocks on the diagonal count.
template <class T>
struct block_matrix : sparse_matrix<T> {
  block_layout layout{};
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values);
  }
};

/// L U = s I − J, pivots by rows, of each block. S is real or a complex_number; of duals the values count.
/// cost    size³/3 a block to factor, size² a solve, transposed or not
template <class S>
class block_factors {
 public:
  /// False where a block is singular or not finite.
  template <class T>
  bool factor_shifted(const block_matrix<T>& j, const S& shift) {
    layout_ = j.layout;
    n_ = j.rows();
    blocks_ = n_ / layout_.size;
    const auto numbers = static_cast<std::size_t>(n_) * static_cast<std::size_t>(layout_.size);
    values_.resize(numbers);
    reciprocals_.resize(static_cast<std::size_t>(n_));
    pivots_.resize(static_cast<std::size_t>(n_));
    room_.resize(static_cast<std::size_t>(layout_.size));
    for (int b = 0; b < blocks_; ++b) {
      for (int i = 0; i < layout_.size; ++i)
        for (int k = 0; k < layout_.size; ++k) {
          const int entry = j.pattern->find(unknown(b, i), unknown(b, k));
          at(b, i, k) = i == k ? shift : S{};
          if (entry >= 0)
            at(b, i, k) =
                subtract_real(at(b, i, k), value_of(j.values[static_cast<std::size_t>(entry)]));
        }
      const std::size_t first = place(b);
      if (!eliminate(&at(b, 0, 0), &reciprocals_[first], &pivots_[first], layout_.size))
        return false;
    }
    return true;
  }

  template <bool Transposed>
  void solve(S* x) const {
    for (int b = 0; b < blocks_; ++b) {
      const std::size_t first = place(b);
      const auto own = [&](int i) -> S& { return room_[static_cast<std::size_t>(i)]; };
      for (int i = 0; i < layout_.size; ++i) own(i) = x[unknown(b, i)];
      if constexpr (Transposed)
        solve_eliminated_transposed(&at(b, 0, 0), &reciprocals_[first], &pivots_[first],
                                    layout_.size, room_.data());
      else
        solve_eliminated(&at(b, 0, 0), &reciprocals_[first], &pivots_[first], layout_.size,
                         room_.data());
      for (int i = 0; i < layout_.size; ++i) x[unknown(b, i)] = own(i);
    }
  }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.n == n_) return;
    const index each = sizeof(S);
    visit(s.n * s.block * each);
    visit(s.n * each);
    visit(s.n * static_cast<index>(sizeof(int)));
    visit(s.block * each);
  }
  int size() const { return n_; }

 private:
  int unknown(int b, int i) const { return layout_.unknown(b, i, blocks_); }
  /// Of a block's first pivot.
  std::size_t place(int b) const { return static_cast<std::size_t>(b * layout_.size); }
  std::size_t place(int b, int i, int k) const {
    return static_cast<std::size_t>((b * layout_.size + i) * layout_.size + k);
  }
  S& at(int b, int i, int k) { return values_[place(b, i, k)]; }
  const S& at(int b, int i, int k) const { return values_[place(b, i, k)]; }

  block_layout layout_{};
  int n_ = 0, blocks_ = 0;
  std::vector<S> values_, reciprocals_;
  std::vector<int> pivots_;
  mutable std::vector<S> room_;  // of a block's unknowns
};

/// The blocks on the diagonal as the preconditioner of Krylov spaces, of complex shifts as well: chemistry
/// in each cell, whose unknowns lie side by side, or n/size apart.
///   with_algebra<esdirk547, bicgstab<block_jacobi>> m{{}, {.preconditioner = {{2, true}, pattern}}};
/// cost    a product a colour of the pattern a Jacobian, or the field's own sparse_jacobian; block_factors
/// errors  std::invalid_argument for blocks that do not fill the state, or a pattern of another size; a
///         singular block: the step is shortened, and status::linear_solve_failure where that does not help
struct block_jacobi {
  block_layout layout{};
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< one product more a Jacobian, to find entries that the pattern misses

  template <class Y>
  using number = decltype(value_of(scalar_t<Y>{}));
  template <class Y>
  using jacobian = block_matrix<scalar_t<Y>>;
  template <class Y>
  using factors = number_factors<block_factors<number<Y>>, number<Y>, number<Y>>;
  template <class Y>
  using complex_factors = number_factors<block_factors<complex_number<number<Y>>>, number<Y>,
                                         complex_number<number<Y>>>;

  template <class System, class Y, class T>
  void evaluate(System& sys, double t, const Y& y, block_matrix<T>& j) const {
    if (layout.size < 1 || length(y) % layout.size != 0)
      throw std::invalid_argument("blocks of " + std::to_string(layout.size) +
                                  " unknowns for a state of " + std::to_string(length(y)) +
                                  " (each unknown lies in one block) give a divisor?");
    j.layout = layout;
    evaluate_on_pattern(sys, t, y, pattern, check, static_cast<sparse_matrix<T>&>(j));
  }
};

}  // namespace revode
