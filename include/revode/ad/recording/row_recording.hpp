// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/ad/recording/thread_owner.hpp>
#include <revode/ad/recording/variable.hpp>
#include <revode/config.hpp>

namespace revode {

/// The inputs that a block reads, in the order in which they are read, and their adjoints. Two of them never share a
/// line of the cache, since threads write to neighbours at every input.
template <class T>
struct alignas(64) block_adjoints {
  std::vector<int> read;
  std::vector<T> bars;

  std::size_t bytes() const { return read.capacity() * sizeof(int) + bars.capacity() * sizeof(T); }
};

/// The record of a block of a field's rows, for its reverse derivative. Inputs are those that the block
/// reads, noted when they are first read, and their adjoints stay while the block's rows are recorded and
/// pulled a few at a time, last rows first: the order, hence the bits, in which one recording of all of
/// them would be pulled. Memory: 8 + 3 sizeof(T) bytes an operation of those few rows, 4 + sizeof(T) an
/// input of the block, 4 an input of the field. It belongs to one thread: what others write is not recorded, and
/// the pull throws.
template <class T>
class row_recording {
 public:
  using variable_type = variable<T, row_recording>;

  /// A new block, of a field of so many inputs, whose adjoints are put there.
  void begin_block(int inputs, block_adjoints<T>& to) {
    owner_.take();
    to.read.clear();
    to.bars.clear();
    block_ = &to;
    first_ = past_;
    if (slots_.size() != static_cast<std::size_t>(inputs) || first_ > most_slots) {
      slots_.assign(static_cast<std::size_t>(inputs), -1);
      first_ = past_ = 0;
    }
  }
  /// New rows of it.
  void begin_rows() { nodes_.clear(); }

  variable_type input(int k, const T& value) {
    if (!owner_.here()) return value;
    int& slot = slots_[at(k)];
    if (slot < first_) {
      slot = past_++;
      block_->read.push_back(k);
      block_->bars.push_back(T(0));
    }
    return {value, first_input - (slot - first_), this};
  }
  /// For operators: a new node with parents a and b (-1: none).
  int push(int a, int b, const T& slope_a, const T& slope_b) {
    if (!owner_.here()) return -1;
    nodes_.push_back({slope_a, slope_b, a, b});
    return static_cast<int>(nodes_.size()) - 1;
  }

  /// Adds what the rows give to the inputs, weights being the cotangents of their outputs.
  /// errors  std::invalid_argument where other threads wrote to the recording
  void pull(const variable_type* outputs, const T* weights, int count) {
    owner_.expect_alone();
    adjoints_.assign(nodes_.size(), T(0));
    for (int i = 0; i < count; ++i) {
      if (outputs[i].home == nullptr) continue;
      T& bar = bar_of(outputs[i].id);
      bar = bar + weights[i];
    }
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      const node& n = nodes_[k];
      const T bar = adjoints_[k];
      if (n.a != -1) give(n.a, n.slope_a, bar);
      if (n.b != -1) give(n.b, n.slope_b, bar);
    }
  }

  std::size_t operations() const { return nodes_.size(); }
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(node) + adjoints_.capacity() * sizeof(T) +
           slots_.capacity() * sizeof(int);
  }

 private:
  struct node {
    T slope_a, slope_b;
    int a, b;
  };
  static constexpr int first_input = -2, most_slots = 1 << 30;
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  T& bar_of(int id) { return id >= 0 ? adjoints_[at(id)] : block_->bars[at(first_input - id)]; }
  void give(int parent, const T& slope, const T& bar) {
    T& target = bar_of(parent);
    target = muladd(slope, bar, target);
  }

  thread_owner owner_;
  std::vector<node> nodes_;
  std::vector<T> adjoints_;
  block_adjoints<T>* block_ = nullptr;
  std::vector<int> slots_;    // of each input of the field: less than first_ where it was not read
  int first_ = 0, past_ = 0;  // those of this block
};

}  // namespace revode
