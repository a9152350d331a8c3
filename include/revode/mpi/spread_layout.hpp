// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/mpi/block/pair_tree.hpp>
#include <revode/mpi/communicator.hpp>
#include <revode/mpi/together.hpp>

namespace revode {

/// A state as rows of elements: the cells of a line, the rows or planes of a grid.
struct spread_shape {
  index rows = 0;
  int width = 1;         ///< elements a row
  int rows_a_block = 0;  ///< 0: rows of 1,024 elements together, and one at least

  friend bool operator==(const spread_shape&, const spread_shape&) = default;
};

/// Which rows of a state are on which rank. Rows are cut into blocks, which belong to the problem: each rank
/// holds a run of whole ones, sums run over a block and then by pairs of blocks, so that bits do not depend
/// on the number of ranks. A handle: copies are the same layout and communicate nothing.
/// errors  std::invalid_argument, on every rank, for a shape without elements, more ranks than blocks, or
///         more elements on a rank than an int counts
class spread_layout {
 public:
  spread_layout() = default;
  spread_layout(const communicator& ranks, const spread_shape& shape)
      : parts_(std::make_shared<parts>(parts{ranks, checked(shape, ranks.size()), {}, {}})) {}
  /// Parts that are given: so many rows here, none where a rank has none, and one block a rank. Sums, and so
  /// their bits, follow the parts. The width is the same on all ranks.
  /// cost    a collective
  static spread_layout of_parts(const communicator& ranks, index rows_here, int width = 1) {
    parts of{ranks, {.rows = 0, .width = width}, {}, {0}};
    index least = std::numeric_limits<int>::max(), most = 0;
    for (const index rows : ranks.gather(rows_here)) {
      least = std::min(least, rows), most = std::max(most, rows);
      of.starts.push_back(of.starts.back() + rows);
    }
    of.shape.rows = of.starts.back();
    of.shape.rows_a_block = static_cast<int>(least);  // as far as halos may reach
    check_counts(of.shape, most);
    spread_layout layout;
    layout.parts_ = std::make_shared<parts>(std::move(of));
    return layout;
  }

  const communicator& ranks() const { return there().ranks; }
  const spread_shape& shape() const { return there().shape; }
  index blocks() const { return is_given() ? ranks().size() : blocks_of(shape()); }

  /// The first block of a rank, and the first row of a block.
  index first_block(int rank) const { return first_block(blocks(), ranks().size(), rank); }
  index first_row_of(index block) const {
    if (is_given()) return there().starts[static_cast<std::size_t>(block)];
    return std::min(block * shape().rows_a_block, shape().rows);
  }

  // Here.
  index first_block() const { return first_block(ranks().rank()); }
  index first_row() const { return first_row_of(first_block()); }
  int block_count() const {
    return static_cast<int>(first_block(ranks().rank() + 1) - first_block());
  }
  int rows() const { return rows_on(ranks().rank()); }
  std::size_t size() const { return static_cast<std::size_t>(rows()) * width(); }
  /// The first element, here, of the b-th block that is here, and of that behind the last: size().
  int element_of(int b) const {
    return static_cast<int>((first_row_of(first_block() + b) - first_row()) * shape().width);
  }
  std::size_t width() const { return static_cast<std::size_t>(shape().width); }

  /// Elements of all ranks, and of the rank that has most of them.
  index elements() const { return shape().rows * shape().width; }
  std::size_t most_elements() const {
    int most = 0;
    for (int r = 0; r < ranks().size(); ++r) most = std::max(most, rows_on(r));
    return static_cast<std::size_t>(most) * width();
  }
  std::size_t most_blocks() const {
    index most = 0;
    for (int r = 0; r < ranks().size(); ++r)
      most = std::max(most, first_block(r + 1) - first_block(r));
    return static_cast<std::size_t>(most);
  }

  /// The same rows on the same ranks?
  friend bool operator==(const spread_layout& a, const spread_layout& b) {
    return a.parts_ == b.parts_ ||
           (a.parts_ && b.parts_ && a.shape() == b.shape() &&
            a.parts_->starts == b.parts_->starts && a.ranks().handle() == b.ranks().handle());
  }

  /// Runs what may throw on one rank alone, between communications. What it throws is thrown on every rank
  /// by the next decision; until then the parts that follow are left out. Returns whether it ran.
  template <class Body>
  bool alone(Body&& body) const {
    if (!parts_->thrown) parts_->thrown = words_of(body);
    return !parts_->thrown;
  }

  /// What a rank says in a decision, beside the sums of its blocks: as many of each on every rank.
  struct word {
    int code = 0;
    std::span<const double> most{};  ///< of which the greatest is asked for, NaN where one is
    std::span<const double>
        of_most{};  ///< as many for each of these: those of the rank that has the greatest
  };
  /// What all ranks know after it.
  struct decision {
    std::vector<double> of_blocks, most,
        of_most;   ///< of_most: the lowest rank's where some have it
    int code = 0;  ///< that of the lowest rank whose code is not 0
  };
  /// Is x to be taken for the greatest so far? The first NaN stays.
  static bool takes_lead(double x, double most) { return most == most && !(x <= most); }
  /// One decision of all ranks: K sums over all blocks from those of each block here, [block][k], and words.
  /// 2 K log₂(blocks) numbers a rank and a few more are exchanged, whatever the size of the state.
  /// cost    a collective
  /// errors  what `alone` caught, on every rank, of the lowest: as thrown_on_a_rank, or as
  ///         std::invalid_argument where it was one; costs a collective more
  decision decide(std::size_t k, std::span<const double> of_blocks, const word& here) const {
    std::vector<std::uint64_t> words;
    const thrown_words& thrown = parts_->thrown;
    words.push_back(2 * thrown.text.size() + (thrown.misuse ? 1 : 0));
    words.push_back(static_cast<std::uint64_t>(here.code));
    for (const auto& numbers : {here.most, here.of_most})
      for (const double x : numbers) words.push_back(std::bit_cast<std::uint64_t>(x));
    tell_branches(k, of_blocks, words);
    std::vector<index> counts;
    for (int r = 0; r < ranks().size(); ++r)
      counts.push_back(2 + std::ssize(here.most) + std::ssize(here.of_most) +
                       static_cast<index>(k) * branches_of(r));
    const auto all = ranks().gather(std::span<const std::uint64_t>(words), counts);
    raise_thrown(all, counts);
    decision found;
    found.most.resize(here.most.size(), -std::numeric_limits<double>::infinity());
    found.of_most.resize(here.of_most.size());
    read(k, all, counts, found);
    return found;
  }

 private:
  struct parts {
    communicator ranks;
    spread_shape shape;
    thrown_words thrown;
    std::vector<index> starts;  ///< of given parts: the first row of each rank, and all rows
  };

  bool is_given() const { return !there().starts.empty(); }
  const parts& there() const {
    if (!parts_)
      throw std::invalid_argument(
          "a layout of no ranks and rows (one made without arguments waits for another) assign "
          "spread_layout(communicator(), {.rows = ...})?");
    return *parts_;
  }
  static index blocks_of(const spread_shape& s) {
    return (s.rows + s.rows_a_block - 1) / s.rows_a_block;
  }
  static index first_block(index blocks, int ranks, int rank) { return blocks * rank / ranks; }
  int rows_on(int rank) const {
    return static_cast<int>(first_row_of(first_block(rank + 1)) - first_row_of(first_block(rank)));
  }

  static spread_shape checked(spread_shape s, int ranks) {
    check_counts(s, 0);
    if (s.rows_a_block == 0) s.rows_a_block = std::max(1, 1024 / s.width);
    const index blocks = blocks_of(s);
    if (blocks < ranks)
      throw std::invalid_argument(std::to_string(ranks) + " ranks for " + std::to_string(blocks) +
                                  " blocks of " + std::to_string(s.rows_a_block) +
                                  " rows (each rank holds one at least, and they are not cut) "
                                  "start fewer, or choose smaller blocks?");
    s.rows_a_block = static_cast<int>(std::min<index>(s.rows_a_block, s.rows));
    check_counts(s, (blocks + ranks - 1) / ranks * s.rows_a_block);
    return s;
  }
  static void check_counts(const spread_shape& s, index most) {
    if (s.rows < 1 || s.width < 1 || s.rows_a_block < 0)
      throw std::invalid_argument(std::to_string(s.rows) + " rows of " + std::to_string(s.width) +
                                  " elements in blocks of " + std::to_string(s.rows_a_block) +
                                  " rows (a state has some of each) count them again?");
    if (most > std::numeric_limits<int>::max() / 2 / s.width)
      throw std::invalid_argument(std::to_string(most) + " rows of " + std::to_string(s.width) +
                                  " elements on a rank (a part is counted by an int) start more "
                                  "ranks, or choose smaller blocks?");
  }

  index branches_of(int rank) const {
    index n = 0;
    for_each_branch(first_block(rank), first_block(rank + 1), [&](index, int) { ++n; });
    return n;
  }
  /// The branches that are whole here.
  void tell_branches(std::size_t k, std::span<const double> of_blocks,
                     std::vector<std::uint64_t>& words) const {
    pair_tree branch(k);
    const double* sums = of_blocks.data();
    for_each_branch(first_block(), first_block(ranks().rank() + 1), [&](index, int level) {
      for (index b = 0; b < index{1} << level; ++b, sums += k) branch.add(sums, 0);
      for (const double x : branch.total()) words.push_back(std::bit_cast<std::uint64_t>(x));
    });
  }
  void raise_thrown(const std::vector<std::uint64_t>& all, const std::vector<index>& counts) const {
    const std::uint64_t* from = all.data();
    for (int r = 0; r < ranks().size(); from += counts[static_cast<std::size_t>(r++)]) {
      if (*from < 2) continue;
      std::string text = std::exchange(parts_->thrown, {}).text;
      thrown_words{ranks().text_of(r, std::move(text), *from / 2), *from % 2 == 1}.raise();
    }
  }
  /// Those of the next rank; returns what is behind them.
  static const std::uint64_t* read_most(const std::uint64_t* x, decision& found) {
    const std::size_t n = found.most.size(), each = n > 0 ? found.of_most.size() / n : 0;
    const std::uint64_t* with = x + n;
    for (std::size_t i = 0; i < n; ++i, with += each)
      if (const double of = std::bit_cast<double>(x[i]); takes_lead(of, found.most[i])) {
        found.most[i] = of;
        for (std::size_t j = 0; j < each; ++j)
          found.of_most[i * each + j] = std::bit_cast<double>(with[j]);
      }
    return with;
  }
  void read(std::size_t k, const std::vector<std::uint64_t>& all, const std::vector<index>& counts,
            decision& found) const {
    pair_tree tree(k);
    std::vector<double> sums(k);
    const std::uint64_t* from = all.data();
    for (int r = 0; r < ranks().size(); ++r) {
      const std::uint64_t* x = from + 1;
      if (found.code == 0) found.code = static_cast<int>(*x);
      ++x;
      x = read_most(x, found);
      for_each_branch(first_block(r), first_block(r + 1), [&](index, int level) {
        for (double& sum : sums) sum = std::bit_cast<double>(*x++);
        tree.add(sums.data(), level);
      });
      from += counts[static_cast<std::size_t>(r)];
    }
    found.of_blocks = tree.total();
  }

  std::shared_ptr<parts> parts_;
};

}  // namespace revode
