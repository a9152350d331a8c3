// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <revode/concepts.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// The field can keep a tape of a call, what its derivatives there read (a network's activations):
///   f.tape_size(y, p)                        of how many numbers of the state's scalar
///   f(t, y, p, dy, tape)                     the same dy, and fills the tape, an S*
///   f.vjp(t, y, p, w, gt, gy, gp, tape)      reads it, a const S*: the same bits as without it
///   f.jvp(t, y, p, dt, dy, dp, out, tape)    likewise, where it has that
/// Tapes are aligned to 64 bytes, and belong to whoever calls.
template <class F, class Y, class P>
concept has_tape = requires(const F& f, scalar_t<Y> t, const Y& y, const P& p, Y& dy, P& gp,
                            scalar_t<Y>* tape, const scalar_t<Y>* kept) {
  static_cast<index>(f.tape_size(y, p));
  f(std::as_const(t), y, p, dy, tape);
  f.vjp(std::as_const(t), y, p, y, t, dy, gp, kept);
};

/// Bytes of one tape.
template <class F, class Y, class P>
index tape_bytes_of(const F& f, const Y& y, const P& p) {
  return static_cast<index>(f.tape_size(y, p)) * static_cast<index>(sizeof(scalar_t<Y>));
}

/// Tapes of calls, all of one size, that are used again: memory is taken when there is need of it, up to
/// a number of tapes.
class tape_pool {
  struct block {
    tape_pool* pool = nullptr;
    std::byte* data = nullptr;
    index holders = 0;
    block* next_free = nullptr;
  };

 public:
  /// One of them, or none. It is free again when nobody holds it.
  class held {
   public:
    held() = default;
    held(const held& other) : block_(other.block_) {
      if (block_ != nullptr) ++block_->holders;
    }
    held(held&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    held& operator=(held other) noexcept {
      std::swap(block_, other.block_);
      return *this;
    }
    ~held() {
      if (block_ != nullptr && --block_->holders == 0) block_->pool->free(block_);
    }
    explicit operator bool() const { return block_ != nullptr; }
    template <class S>
    S* as() const {
      return reinterpret_cast<S*>(block_->data);
    }
    tape_pool* pool() const { return block_ != nullptr ? block_->pool : nullptr; }
    bool shared() const { return block_ != nullptr && block_->holders > 1; }

   private:
    friend tape_pool;
    explicit held(block* b) : block_(b) { ++b->holders; }
    block* block_ = nullptr;
  };

  tape_pool() = default;
  tape_pool(const tape_pool&) = delete;
  tape_pool& operator=(const tape_pool&) = delete;
  ~tape_pool() {
    for (std::byte* chunk : chunks_) ::operator delete(chunk, alignment);
  }

  /// So many tapes of so many bytes. Only while nobody holds one.
  void allow(index most, index bytes) {
    most_ = most;
    bytes_ = bytes > 0 ? (bytes + 63) / 64 * 64 : 64;
  }

  /// A tape to be filled, `old` itself where nobody else holds it; none where there are no more.
  void take(held& old) {
    if (old && !old.shared()) return;
    old = {};
    if (free_ == nullptr && made_ < most_) make();
    if (free_ == nullptr) return;
    old = held(std::exchange(free_, free_->next_free));
    peak_ = std::max(peak_, ++held_);
  }

  /// How many more there can be, and how many there were at the most.
  index left() const { return most_ - held_; }
  index peak() const { return peak_; }
  index bytes() const { return made_ * (bytes_ + overhead); }

  /// What a tape takes at the most beside its bytes: in this pool's lists, and of the heap's.
  static constexpr index overhead = static_cast<index>(sizeof(block)) + 64 + 16 + 64 + 32;

 private:
  static constexpr auto alignment = std::align_val_t{64};
  void free(block* b) {
    b->next_free = std::exchange(free_, b);
    --held_;
  }
  /// Half as many as there are, in one piece: an allocator that gives large pieces back to the system keeps
  /// twice the largest one it saw freed (glibc's), so that the next gradient meets few fresh pages.
  void make() {
    const index wanted =
        std::min(std::max<index>(made_ / 2, 8), std::max<index>(largest_chunk / bytes_, 1));
    const index n = std::min(wanted, most_ - made_);
    chunks_.reserve(chunks_.size() + 1);
    blocks_.push_back(std::make_unique<block[]>(static_cast<std::size_t>(n)));
    chunks_.push_back(
        static_cast<std::byte*>(::operator new(static_cast<std::size_t>(n * bytes_), alignment)));
    for (index i = n; i-- > 0;) {
      block& b = blocks_.back()[static_cast<std::size_t>(i)];
      b.pool = this;
      b.data = chunks_.back() + i * bytes_;
      b.next_free = std::exchange(free_, &b);
    }
    made_ += n;
  }
  static constexpr index largest_chunk = index{1} << 25;

  index most_ = 0, bytes_ = 64, made_ = 0, held_ = 0, peak_ = 0;
  std::vector<std::unique_ptr<block[]>> blocks_;
  std::vector<std::byte*> chunks_;
  block* free_ = nullptr;
};

/// Tapes of the calls that a step makes of its field, by stages.
template <int Stages>
struct kept_calls {
  static constexpr int count = Stages;
  tape_pool::held of[Stages];

  void clear() {
    for (auto& one : of) one = {};
  }
  bool any() const {
    return std::any_of(of, of + Stages, [](const auto& one) { return bool(one); });
  }
  /// Is there room for the calls of a further step, beside these?
  bool leave_room() const {
    for (const auto& one : of)
      if (one) return one.pool()->left() >= Stages;
    return true;
  }
};

/// What a system knows of tapes: a pool of them, and where those of the step at hand are.
struct call_keeper {
  tape_pool pool;
  tape_pool::held* fills = nullptr;        // of the step that is being made, by stages
  const tape_pool::held* reads = nullptr;  // of the step that is being pulled or pushed
  tape_pool::held first{};                 // of the call whose result a carry has with it
};

}  // namespace revode
