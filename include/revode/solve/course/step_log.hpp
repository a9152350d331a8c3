// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/schedule/action.hpp>
#include <revode/solve/course/step_replay.hpp>
#include <revode/solve/course/step_rounding.hpp>

namespace revode {

/// Entries of the same few bytes, in blocks of 4,096 that start with some bytes of their own. With a
/// limit, as many entries as fit into that many bytes, the table of blocks included.
class entry_blocks {
 public:
  static constexpr index block_entries = 4096;

  entry_blocks(index entry_bytes, index header_bytes, index limit)
      : entry_(entry_bytes),
        header_(header_bytes) {
    if (limit == unbounded || entry_ == 0) return;
    const index whole = header_ + entry_ * block_entries + pointer;
    const index rest = limit % whole - header_ - pointer;
    capacity_ = limit / whole * block_entries + (rest > 0 ? rest / entry_ : 0);
    blocks_.reserve(static_cast<std::size_t>((capacity_ + block_entries - 1) / block_entries));
  }

  index capacity() const { return capacity_; }
  std::byte* entry(index i) { return const_cast<std::byte*>(std::as_const(*this).entry(i)); }
  const std::byte* entry(index i) const {
    return block(i) + header_ + entry_ * (i % block_entries);
  }
  std::byte* header(index i) { return blocks_[static_cast<std::size_t>(i / block_entries)].get(); }
  const std::byte* header(index i) const { return block(i); }

  /// Makes room for entry i, the next one; i < capacity().
  void extend(index i) {
    if (i % block_entries != 0) return;
    const index size = header_ + entry_ * std::min(block_entries, capacity_ - i);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size)));
    bytes_ += size;
  }
  /// All that has been allocated.
  index bytes() const { return bytes_ + static_cast<index>(blocks_.capacity()) * pointer; }

 private:
  friend struct kept_parts;
  static constexpr index pointer = sizeof(std::unique_ptr<std::byte[]>);
  const std::byte* block(index i) const {
    return blocks_[static_cast<std::size_t>(i / block_entries)].get();
  }

  index entry_, header_;
  index capacity_ = unbounded;
  index bytes_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

/// The ends and the records of the first known() accepted steps of a solve, for replays that go
/// through them in order. Equal steps are a formula and those of a given grid are there already: they
/// take no memory. Any other grid takes 8, 4 or 1 byte a step, as its steps were rounded, and the record. With a limit in bytes it ends with the
/// last step that fits: those beyond it are replayed by the controller.
///
/// Rounded steps are kept as lengths: of the step that starts at t the end is t + h, and t1 for the
/// last. Octaves are kept as the change of k, with k itself every 64 steps. A length that fits into
/// neither is kept aside (16 bytes); with a limit, it ends the log.
template <class Record>
class step_log {
 public:
  step_log(double t0, double t1, index equal_steps, rounding steps = rounding::none,
           index limit = unbounded, const std::vector<double>* grid = nullptr)
      : t0_(t0),
        t1_(t1),
        grid_(grid == nullptr || grid->size() < 2 ? nullptr : grid->data()),
        fixed_(grid_ == nullptr ? equal_steps : static_cast<index>(grid->size()) - 1),
        span_(t1 - t0),
        count_(static_cast<double>(fixed_)),
        rounding_(steps),
        limited_(limit != unbounded),
        code_(fixed_ > 0 ? 0 : code_bytes(steps)),
        blocks_(code_ + record_bytes, code_ == 1 ? anchors * 2 : 0, limit),
        known_(code_ + record_bytes == 0 ? unbounded : 0) {}

  /// The step i that ends at t_new = t + h, or at t1, is kept if it is the next one and fits.
  bool keep(index i, double t_new, double h, const Record& record) {
    if (i < known_) return true;
    if (i > known_ || i >= blocks_.capacity()) return false;
    if (code_ > 0) {
      if (t_new == t1_) last_ = i;
      blocks_.extend(i);
      if (!encode(i, t_new, h)) return false;
    } else {
      blocks_.extend(i);
    }
    if constexpr (record_bytes > 0) std::memcpy(blocks_.entry(i) + code_, &record, record_bytes);
    ++known_;
    return true;
  }

  /// The end of step i, which starts at t; `extra` steps before it were cut off an equal one. In
  /// order, each costs the same; elsewhere the length of a step in octaves is summed up from the 64
  /// around it.
  double end(index i, double t, index extra = 0) const {
    if (fixed_ > 0) return fixed_end(i - extra);
    if (rounding_ == rounding::none) return read<double>(i);
    if (i == last_) return t1_;
    return t + (rounding_ == rounding::bits24 ? short_length(i) : octave(i));
  }
  /// The end of step i of fixed_steps().
  double fixed_end(index i) const {
    if (grid_ != nullptr) return grid_[i + 1];
    return i + 1 == fixed_ ? t1_ : t0_ + static_cast<double>(i + 1) * span_ / count_;
  }
  /// The same, or t where that is t but for rounding. The last one ends at t1 itself.
  double fixed_end_near(index i, double t) const {
    const double end = fixed_end(i), length = end - (i > 0 ? fixed_end(i - 1) : t0_);
    return i + 1 < fixed_ && std::abs(t - end) <= 1e-9 * std::abs(length) ? t : end;
  }
  Record record(index i) const {
    Record r{};
    if constexpr (record_bytes > 0) std::memcpy(&r, blocks_.entry(i) + code_, record_bytes);
    return r;
  }

  /// How many steps it knows, from the first; `unbounded` for a formula.
  index known() const { return known_; }
  /// The steps of a grid known beforehand, of equal steps or given; 0 for any other.
  index fixed_steps() const { return fixed_; }
  /// Those of them that are equal and move with t0 and t1.
  index equal_steps() const { return grid_ == nullptr ? fixed_ : 0; }
  index bytes() const {
    return blocks_.bytes() + static_cast<index>(escapes_.capacity() * sizeof(escape));
  }
  /// Bytes of an entry, and of the log of n steps.
  static index entry_bytes(bool equal, rounding steps) {
    return (equal ? 0 : code_bytes(steps)) + record_bytes;
  }
  static index bytes_for(index n, bool equal, rounding steps) {
    n = std::min(n, index{1} << 52);  // of more the bytes are no number any more
    const index entry = entry_bytes(equal, steps), code = entry - record_bytes;
    if (entry == 0) return 0;
    const index blocks = (n + entry_blocks::block_entries - 1) / entry_blocks::block_entries;
    return n * entry + blocks * ((code == 1 ? anchors * 2 : 0) + static_cast<index>(sizeof(void*)));
  }

 private:
  friend struct kept_parts;
  static constexpr index record_bytes = std::is_empty_v<Record> ? 0 : sizeof(Record);
  static constexpr index spacing = 64;  // of the anchors
  static constexpr index anchors = entry_blocks::block_entries / spacing;
  static constexpr std::int8_t escaped = -128;
  struct escape {
    index step;
    double h;
  };
  static constexpr index code_bytes(rounding steps) {
    return steps == rounding::none ? 8 : steps == rounding::bits24 ? 4 : 1;
  }

  template <class T>
  T read(index i) const {
    T code;
    std::memcpy(&code, blocks_.entry(i), sizeof(T));
    return code;
  }
  template <class T>
  bool write(index i, T code) {
    std::memcpy(blocks_.entry(i), &code, sizeof(T));
    return true;
  }

  bool encode(index i, double t_new, double h) {
    if (rounding_ == rounding::none) return write(i, t_new);
    if (rounding_ == rounding::bits24) {
      const auto brief = static_cast<float>(h);
      const bool fits = static_cast<double>(brief) == h || i == last_;
      return (fits || set_aside(i, h)) && write(i, fits ? brief : 0.0f);
    }
    const bool normal = std::isnormal(h), anchored = i % spacing == 0;
    const int k = normal && i != last_ ? octave_number(h) : k_;
    const int change = anchored ? 0 : k - k_;
    const bool fits = (normal || i == last_) && change > escaped && change <= 127;
    if (!fits && !set_aside(i, h)) return false;
    write(i, static_cast<std::int8_t>(fits ? change : escaped));
    k_ = k;
    const auto anchor = static_cast<std::int16_t>(k);
    if (anchored) std::memcpy(anchor_of(i), &anchor, sizeof anchor);
    return true;
  }
  bool set_aside(index i, double h) {
    if (limited_) return false;
    escapes_.push_back({i, h});
    return true;
  }
  double length_aside(index i) const {
    return std::lower_bound(escapes_.begin(), escapes_.end(), i,
                            [](const escape& e, index step) { return e.step < step; })
        ->h;
  }
  std::byte* anchor_of(index i) const {
    return const_cast<std::byte*>(blocks_.header(i)) +
           2 * (i % entry_blocks::block_entries / spacing);
  }

  double short_length(index i) const {
    const auto h = read<float>(i);
    return h != 0 ? static_cast<double>(h) : length_aside(i);
  }

  double octave(index i) const {
    if (i != at_ + 1 || i % spacing == 0) {
      std::int16_t anchor;
      std::memcpy(&anchor, anchor_of(i), sizeof anchor);
      k_ = anchor;
      for (at_ = i - i % spacing; at_ < i - 1;) change(++at_);
    }
    if (i % spacing != 0) change(i);
    at_ = i;
    const auto code = read<std::int8_t>(i);
    return code == escaped ? length_aside(i) : std::copysign(octave_length(k_), t1_ - t0_);
  }
  /// k of step i, from that of the one before.
  void change(index i) const {
    const auto code = read<std::int8_t>(i);
    if (code != escaped)
      k_ += code;
    else if (const double h = length_aside(i); std::isnormal(h))
      k_ = octave_number(h);
  }

  double t0_, t1_;
  const double* grid_;
  index fixed_;
  double span_, count_;  // t1 − t0, and fixed_ as a number
  rounding rounding_;
  bool limited_;
  index code_;
  entry_blocks blocks_;
  index known_;
  index last_ = -1;  // the step that ends at t1, if it is known
  std::vector<escape> escapes_;
  mutable index at_ = -2;  // the step whose k is k_
  mutable int k_ = 0;
};

}  // namespace revode
