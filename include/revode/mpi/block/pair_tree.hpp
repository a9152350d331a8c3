// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// The sums of K numbers over blocks in the order of pairwise_sum: pairs of neighbours, pairs of pairs, and
/// so on. Blocks may come as whole branches: the order, hence the bits, depends on their number alone.
class pair_tree {
 public:
  explicit pair_tree(std::size_t k) : k_(k) {}

  /// The next 2^level blocks, of which `sums` are the K sums; the blocks before are a multiple of as many.
  void add(const double* sums, int level) {
    sums_.insert(sums_.end(), sums, sums + k_);
    levels_.push_back(level);
    while (levels_.size() > 1 && levels_.back() == levels_[levels_.size() - 2]) {
      join();
      ++levels_.back();
    }
  }
  /// The K sums over all, 0 of no blocks. The tree is empty again.
  std::vector<double> total() {
    while (levels_.size() > 1) join();
    levels_.clear();
    std::vector<double> all = std::move(sums_);
    sums_.clear();
    all.resize(k_);
    return all;
  }

 private:
  void join() {
    const double* last = sums_.data() + sums_.size() - k_;
    double* into = sums_.data() + sums_.size() - 2 * k_;
    for (std::size_t k = 0; k < k_; ++k) into[k] = into[k] + last[k];
    sums_.resize(sums_.size() - k_);
    levels_.pop_back();
  }

  std::size_t k_;
  std::vector<double> sums_;
  std::vector<int> levels_;
};

/// visit(block, level) for the largest whole branches of that tree among the blocks from, …, to − 1, in
/// their order: at most 2 log₂(to − from) + 1.
template <class Visit>
void for_each_branch(index from, index to, const Visit& visit) {
  while (from < to) {
    int level = 0;
    while (from % (index{2} << level) == 0 && from + (index{2} << level) <= to) ++level;
    visit(from, level);
    from += index{1} << level;
  }
}

}  // namespace revode
