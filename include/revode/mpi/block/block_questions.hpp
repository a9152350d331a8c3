// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/mpi/spread_layout.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Numbers of all of a spread state, for several who ask at once: sums by the tree over blocks, and the greatest of
/// what blocks say. S is double, or a dual of one direction, which the answers then have as well.
/// cost    a collective, however many ask
template <class S>
class block_questions {
  static constexpr bool moves = differentiable<S>;
  static constexpr std::size_t parts = moves ? 2 : 1;  // of a number
  static constexpr double none = -std::numeric_limits<double>::infinity();

 public:
  explicit block_questions(const spread_layout& layout)
      : layout_(layout),
        of_blocks_(static_cast<std::size_t>(layout.block_count())) {}

  /// One more: of_block(b, numbers) for every block here, `sums` numbers that are 0 and to which it adds, then `most`
  /// that are −∞ and that it replaces by what is greater. What it throws, the decision throws on all ranks.
  template <class OfBlock>
  void ask(int sums, int most, const OfBlock& of_block) {
    const auto summed = static_cast<std::size_t>(sums), first = most_.size();
    sums_ += summed;
    most_.resize(first + static_cast<std::size_t>(most), none);
    of_most_.resize(parts * most_.size());
    layout_.alone([&] {
      for (int b = 0; b < layout_.block_count(); ++b) {
        std::vector<S> numbers(summed, S(0));
        numbers.resize(summed + static_cast<std::size_t>(most), S(none));
        of_block(b, std::span<S>(numbers));
        auto& told = of_blocks_[static_cast<std::size_t>(b)];
        for (std::size_t k = 0; k < summed; ++k) tell(numbers[k], told);
        for (std::size_t k = summed; k < numbers.size(); ++k)
          follow(numbers[k], layout_.first_block() + b, first + k - summed);
      }
    });
    for (auto& told : of_blocks_) told.resize(parts * sums_);
  }

  /// Asks all ranks.
  /// errors  as spread_layout::decide
  void decide() {
    std::vector<double> blocks;
    for (const auto& told : of_blocks_) blocks.insert(blocks.end(), told.begin(), told.end());
    found_ = layout_.decide(parts * sums_, blocks, {.most = most_, .of_most = of_most_});
  }

  /// What the next who asked is told, in their order.
  struct answer {
    std::vector<S> numbers;     ///< sums, then the greatest
    std::vector<index> blocks;  ///< of which block each of these is, the first where several are
  };
  answer next(int sums, int most) {
    answer a;
    for (int k = 0; k < sums; ++k, ++sum_)
      a.numbers.push_back(number(&found_.of_blocks[parts * sum_]));
    for (int k = 0; k < most; ++k, ++greatest_) {
      const double* with = &found_.of_most[parts * greatest_];
      S x(found_.most[greatest_]);
      if constexpr (moves) x.d[0] = with[1];
      a.numbers.push_back(x);
      a.blocks.push_back(static_cast<index>(*with));
    }
    return a;
  }

 private:
  static void tell(const S& x, std::vector<double>& to) {
    to.push_back(static_cast<double>(value_of(x)));
    if constexpr (moves) to.push_back(static_cast<double>(x.d[0]));
  }
  static S number(const double* x) {
    S s(*x);
    if constexpr (moves) s.d[0] = x[1];
    return s;
  }
  void follow(const S& x, index block, std::size_t k) {
    if (!spread_layout::takes_lead(static_cast<double>(value_of(x)), most_[k])) return;
    most_[k] = static_cast<double>(value_of(x));
    of_most_[parts * k] = static_cast<double>(block);
    if constexpr (moves) of_most_[parts * k + 1] = x.d[0];
  }

  const spread_layout& layout_;
  std::vector<std::vector<double>> of_blocks_;  // of each block what it says to every question
  std::vector<double> most_, of_most_;          // of the greatest its block, and how it moves
  spread_layout::decision found_;
  std::size_t sums_ = 0, sum_ = 0, greatest_ = 0;
};

}  // namespace revode
