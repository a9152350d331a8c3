// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/config.hpp>
#include <revode/nn/module/whole_samples.hpp>
#include <revode/state/counter_random.hpp>
#include <revode/state/elements.hpp>

namespace revode::nn {

/// The samples of an epoch in an order of its own, cut into batches: order and cuts depend on seed,
/// the number of the epoch and the number of samples alone, so any epoch can be had again.
///   minibatches batches(samples, 32, seed);
///   for (index b = 0; b < batches.count(); ++b)
///     for (index i : batches.of(epoch, b)) …
/// The last batch of an epoch is smaller where they do not go into it.
/// cost    one pass over the samples when the epoch changes (Fisher and Yates), nothing otherwise
/// errors  std::invalid_argument: no samples, a batch of none, a batch that is not there
class minibatches {
 public:
  minibatches(index samples, index size, std::uint64_t seed) : size_(size), seed_(seed) {
    if (samples < 1)
      throw std::invalid_argument("batches of " + std::to_string(samples) +
                                  " samples (there is nothing to learn from) give one or more?");
    if (size < 1)
      throw std::invalid_argument("a batch of " + std::to_string(size) +
                                  " samples (it has no loss) give a size of 1 or more?");
    size_ = std::min(size, samples);
    order_.resize(static_cast<std::size_t>(samples));
  }

  index samples() const { return static_cast<index>(order_.size()); }
  index count() const { return (samples() + size_ - 1) / size_; }

  /// The samples of batch b of an epoch; they lie here until another epoch is asked for.
  std::span<const index> of(index epoch, index b) {
    if (epoch < 0 || b < 0 || b >= count())
      throw std::invalid_argument("batch " + std::to_string(b) + " of epoch " +
                                  std::to_string(epoch) + " (an epoch has " +
                                  std::to_string(count()) +
                                  ", both are counted from 0) ask for "
                                  "one of these?");
    if (epoch != shuffled_) shuffle(epoch);
    const index first = b * size_;
    return std::span<const index>(order_).subspan(
        static_cast<std::size_t>(first),
        static_cast<std::size_t>(std::min(size_, samples() - first)));
  }

 private:
  void shuffle(index epoch) {
    std::iota(order_.begin(), order_.end(), index{0});
    for (index i = samples() - 1; i > 0; --i) {
      const double u = counter_uniform(seed_, static_cast<std::uint64_t>(epoch) + 1, i);
      const auto j = static_cast<index>(u * static_cast<double>(i + 1));
      std::swap(order_[static_cast<std::size_t>(i)], order_[static_cast<std::size_t>(j)]);
    }
    shuffled_ = epoch;
  }

  index size_;
  std::uint64_t seed_;
  std::vector<index> order_;
  index shuffled_ = -1;
};

/// Column k of batch ← column chosen[k] of all, each a sample of `rows` numbers.
/// errors  std::invalid_argument: a batch of another size than was chosen, a sample that is not there, arrays
///         that hold samples another way
template <class All, class Batch>
void take_samples(const All& all, index rows, std::span<const index> chosen, Batch& batch) {
  const index there = whole_samples("data", all, rows), room = whole_samples("batch", batch, rows);
  if (room != static_cast<index>(chosen.size()))
    throw std::invalid_argument("a batch of " + std::to_string(room) + " samples (" +
                                std::to_string(chosen.size()) +
                                " are chosen; the last of an epoch may be fewer) resize it?");
  for (const index sample : chosen)
    if (sample < 0 || sample >= there)
      throw std::invalid_argument("sample " + std::to_string(sample) + " (there are " +
                                  std::to_string(there) +
                                  ", counted from 0) make minibatches of as many?");
  auto* to = batch.data();
  for (const index sample : chosen)
    for (index i = 0; i < rows; ++i) *to++ = all.data()[sample * rows + i];
}

}  // namespace revode::nn
