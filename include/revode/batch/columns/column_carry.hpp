// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <revode/batch/columns/round_tape.hpp>
#include <revode/concepts.hpp>
#include <revode/state/samples.hpp>

namespace revode {

/// The carry of a batch at work: state and first stage of every sample under way, side by side in the order
/// of the batch. Columns move only when others leave.
template <class M, class T>
class column_carry {
  using column = sample_column<T>;
  using steps = typename method_types<M, column>::columns;

 public:
  using tape_type = round_tape<T>;
  using snapshot_type = round_carry<T>;

  column_carry(int samples, int rows)
      : samples_(samples),
        rows_(rows),
        now_(samples, at(steps::carry_blocks) * at(samples) * at(rows)) {}

  index round() const { return now_.step; }
  void round(index i) { now_.step = i; }
  int count() const { return now_.count; }
  int sample(int c) const { return now_.which[at(c)]; }
  double t(int c) const { return now_.t[at(c)]; }
  const std::vector<int>& which() const { return now_.which; }
  typename steps::blocks blocks() { return {now_.numbers.data(), samples_, rows_}; }
  column y(int c) { return blocks().at(0, c); }

  /// All samples at their starts.
  template <class Y, class Starts>
  void begin(const Y& y0, const Starts& t0) {
    now_.step = 0;
    now_.count = samples_;
    std::copy_n(y0.data(), at(samples_) * at(rows_), now_.numbers.begin());
    for (int c = 0; c < samples_; ++c) now_.which[at(c)] = c, now_.t[at(c)] = t0(c);
  }
  /// The tape of a round begins as the carry.
  void copy_to(tape_type& tape) const {
    tape.fit(now_.count);
    move_blocks(now_, samples_, tape, tape.count, tape.count);
  }
  /// Column c comes to y at the end of its step.
  void arrive(const tape_type& tape, int c, const column& y_new) {
    now_.t[at(c)] = tape.t_new[at(c)];
    column to = y(c);
    copy(y_new, to);
    if constexpr (steps::fsal) {
      column k = blocks().at(1, c);
      copy(tape_blocks(tape).at(steps::stages, c), k);
    }
  }
  /// Those of whom gone(c) is true leave.
  template <class Gone>
  void leave(const Gone& gone) {
    int kept = 0;
    for (int c = 0; c < now_.count; ++c) {
      if (gone(c)) continue;
      if (kept != c) {
        now_.t[at(kept)] = now_.t[at(c)], now_.which[at(kept)] = now_.which[at(c)];
        for (int b = 0; b < steps::carry_blocks; ++b) {
          column to = blocks().at(b, kept);
          copy(blocks().at(b, c), to);
        }
      }
      ++kept;
    }
    now_.count = kept;
  }

  void save(std::optional<snapshot_type>& slot) const {
    make(slot);
    slot->step = now_.step;
    slot->count = now_.count;
    move_blocks(now_, samples_, *slot, samples_, now_.count);
  }
  /// The carry before the round whose tape this is.
  void save_before(const tape_type& tape, std::optional<snapshot_type>& slot) const {
    make(slot);
    slot->step = now_.step - 1;
    slot->count = tape.count;
    move_blocks(tape, tape.count, *slot, samples_, tape.count);
  }
  void load(const snapshot_type& s) {
    now_.step = s.step;
    now_.count = s.count;
    move_blocks(s, samples_, now_, samples_, s.count);
  }

  /// A tape is written by the round whose it is, and read by everybody else.
  typename steps::blocks tape_blocks(const tape_type& tape) const {
    return {const_cast<T*>(tape.numbers.data()), tape.count, rows_};
  }

 private:
  static std::size_t at(int c) { return static_cast<std::size_t>(c); }
  void make(std::optional<snapshot_type>& slot) const {
    if (!slot) slot.emplace(samples_, now_.numbers.size());
  }
  /// `count` columns of each block of the carry, which lies in blocks of so many columns in both.
  template <class From, class To>
  void move_blocks(const From& from, int of_from, To& to, int of_to, int count) const {
    for (int b = 0; b < steps::carry_blocks; ++b)
      std::memcpy(to.numbers.data() + at(b) * at(of_to) * at(rows_),
                  from.numbers.data() + at(b) * at(of_from) * at(rows_),
                  at(count) * at(rows_) * sizeof(T));
    std::copy_n(from.t.begin(), count, to.t.begin());
    std::copy_n(from.which.begin(), count, to.which.begin());
  }

  int samples_, rows_;
  snapshot_type now_;
};

}  // namespace revode
