// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/mpi/block/block_questions.hpp>
#include <revode/mpi/over_blocks.hpp>
#include <revode/solve/events/event_names.hpp>
#include <revode/solve/events/event_set.hpp>

namespace revode {

/// Does an event occur by numbers of blocks, and does its jump change them?
template <class Local, class T>
concept block_condition = requires(const Local& e, const block_place& b, const T& t,
                                   block_rows<const T> y, const std::vector<T>& p,
                                   std::span<T> numbers, std::span<const T> of_all) {
  e.add(b, t, y, p, numbers);
  T(e.condition(t, of_all, p));
};
template <class Local, class T>
concept block_jump = requires(const Local& e, const block_place& b, const T& t,
                              block_rows<const T> y, const std::vector<T>& p, block_rows<T> y_new) {
  e.jump(b, t, y, p, y_new);
};

/// An event of a spread state (solve/events.hpp), given by what it is in one block:
///
///   struct half_is_burnt {
///     static constexpr auto direction = crossing::falling;
///     template <class T, class P>
///     void add(const block_place& b, const T&, block_rows<const T> y, const P&, std::span<T> sum) const {
///       for (int i = 0; i < b.rows; ++i) sum[0] += y(i);
///     }
///     template <class T, class P>
///     T condition(const T&, std::span<const T> sum, const P& p) const { return sum[0] - p[1]; }
///   };
///   auto s = solve(q, tsit5{}, o, events(block_event{half_is_burnt{}}));
///
///   sums, most  how many numbers `add` is given, 1 and 0 unless the event has constants of these names. Sums are 0 in
///               every block and are added over all of them; behind them lie those of which the greatest counts,
///               −∞ in every block. One element, wherever it is: `if (b.holds(row)) sum[0] += y(b.at(row));`
///   condition   of the numbers of all blocks: the same on every rank, and so is whatever follows from it
///   jump        `jump(b, t, y, p, y_new)`, where it has one, changes the rows of a block
/// direction, terminal, passes, time(p) and times are those of the object. p is a std::vector in add, condition and
/// jump, as in the field of a block; they see the block's rows and no halos, and do not communicate. Where one element
/// is the greatest in several places, derivatives are those of the first.
/// bits    those of a sum by the tree over blocks (spread_layout), on any number of ranks
/// errors  what add or jump throws on one rank is thrown on all; a condition that is NaN is `event_not_resolved`
/// cost    a collective a step taken, for all places and events together, one a trial of a root, and one at a cut
template <class Local>
struct block_event : Local {
  static constexpr int sums = [] {
    if constexpr (requires { Local::sums; })
      return Local::sums;
    else
      return 1;
  }();
  static constexpr int most = [] {
    if constexpr (requires { Local::most; })
      return Local::most;
    else
      return 0;
  }();
  static_assert(sums >= 0 && most >= 0 && sums + most > 0);
  static_assert(
      !requires(const Local& e, const block_place& b, const std::vector<double>& p,
                block_rows<const double> y, block_rows<double> y_new,
                std::vector<double>& p_new) { e.jump(b, 0.0, y, p, y_new, p_new); },
      "a jump of the parameters of a state spread over ranks (a block's jump changes its rows) end "
      "the solve "
      "there, terminal = true, and begin another with new parameters?");

  const Local& of_block() const { return *this; }

  /// What it is for all of a state.
  /// cost    a collective
  template <class T>
  T condition(const T& t, const spread<T>& y,
              const block_parameters<T>& p) const requires block_condition<Local, T> {
    block_questions<T> all(y.layout());
    ask(all, t, y, nullptr, p);
    all.decide();
    return value(all.next(sums, most), t, p);
  }
  /// The part here; where it throws, what comes out is NaN.
  template <class T>
  void jump(const T& t, const spread<T>& y, const block_parameters<T>& p,
            spread<T>& y_new) const requires block_jump<Local, T> {
    const spread_layout& layout = y.layout();
    const std::vector<T> parameters(p.data(), p.data() + p.count());
    const bool ran = layout.alone([&] {
      for (int b = 0; b < layout.block_count(); ++b) {
        const block_place at = place_of(layout, b);
        const int from = layout.element_of(b);
        Local::jump(at, t, block_rows<const T>{y.data() + from, at.width}, parameters,
                    block_rows<T>{y_new.data() + from, at.width});
      }
    });
    if (!ran) fill(y_new, std::numeric_limits<T>::quiet_NaN());
  }

  /// Adds its question of a state, which moves along y_dot where the numbers are duals (null: not at all).
  template <class S, class T>
  void ask(block_questions<S>& all, const S& t, const spread<T>& y,
           const std::type_identity_t<spread<T>>* y_dot, const block_parameters<T>& p) const {
    const std::vector<S> parameters(p.data(), p.data() + p.count());
    std::vector<S> rows;
    all.ask(sums, most, [&](int b, std::span<S> numbers) {
      const block_place at = place_of(y.layout(), b);
      const int from = y.layout().element_of(b);
      rows.assign(y.data() + from, y.data() + from + at.rows * at.width);
      if constexpr (differentiable<S>)
        for (int i = 0; y_dot != nullptr && i < length(rows); ++i)
          rows[static_cast<std::size_t>(i)].d[0] = (*y_dot)[from + i];
      Local::add(at, t, block_rows<const S>{rows.data(), at.width}, parameters, numbers);
    });
  }
  template <class S, class T>
  S value(const typename block_questions<S>::answer& a, const S& t,
          const block_parameters<T>& p) const {
    return Local::condition(t, std::span<const S>(a.numbers),
                            std::vector<S>(p.data(), p.data() + p.count()));
  }
};
template <class Local>
block_event(Local) -> block_event<Local>;
template <class Local>
inline constexpr bool is_event_of_another<block_event<Local>> = true;

/// The condition as a field of the numbers of all blocks: out = (condition, 0, …).
template <class Local>
struct condition_of_numbers {
  const Local& event;
  template <class T>
  void operator()(const T& t, const std::vector<T>& numbers, const std::vector<T>& p,
                  std::vector<T>& out) const {
    fill(out, T(0));
    out[0] = event.condition(t, std::span<const T>(numbers), p);
  }
};
/// What a block says, by weights that are 0 where it says nothing, as a field of its rows: out = (Σ, 0, …).
template <class Local>
struct numbers_of_block {
  const Local& event;
  block_place at;
  std::span<const double> weights;
  int sums;
  template <class T>
  void operator()(const T& t, const std::vector<T>& rows, const std::vector<T>& p,
                  std::vector<T>& out) const {
    std::vector<T> numbers(weights.size(), T(-std::numeric_limits<double>::infinity()));
    std::fill(numbers.begin(), numbers.begin() + sums, T(0));
    event.add(at, t, block_rows<const T>{rows.data(), at.width}, p, std::span<T>(numbers));
    fill(out, T(0));
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (weights[k] != 0) out[0] = out[0] + weights[k] * numbers[k];
  }
};
/// The jump of a block as a field of its rows.
template <class Local>
struct jump_of_block {
  const Local& event;
  block_place at;
  template <class T>
  void operator()(const T& t, const std::vector<T>& rows, const std::vector<T>& p,
                  std::vector<T>& out) const {
    out = rows;
    event.jump(at, t, block_rows<const T>{rows.data(), at.width}, p,
               block_rows<T>{out.data(), at.width});
  }
};

/// One event of a spread state and its derivatives, block by block. Cotangents of times are shares of blocks; those of a
/// condition by its time and along a solution are numbers.
template <class Local, class T>
class differentiable_event<block_event<Local>, spread<T>, block_parameters<T>>
    : public known_event<block_event<Local>, block_parameters<T>> {
  using base = known_event<block_event<Local>, block_parameters<T>>;
  using state = spread<T>;
  using parameters = block_parameters<T>;
  using numbers = std::vector<T>;
  using moving = dual<T, 1>;

 public:
  using base::base, base::event;
  static constexpr bool located = block_condition<Local, T>;
  static constexpr bool moves_parameters = false;
  static constexpr bool jumps = block_jump<Local, T>;
  static constexpr bool terminal = is_terminal_v<Local>;
  static constexpr bool sees_all = true;

  double condition(double t, const state& y, const parameters& p) const {
    return static_cast<double>(event.condition(static_cast<T>(t), y, p));
  }
  /// The same of several events and places in one collective: first all ask, then each is told.
  void ask(block_questions<T>& all, double t, const state& y, const parameters& p) const {
    event.ask(all, static_cast<T>(t), y, nullptr, p);
  }
  double told(block_questions<T>& all, double t, const parameters& p) const {
    return static_cast<double>(event.value(next(all), static_cast<T>(t), p));
  }
  double slope(double t, const state& y, const parameters& p, const state& along) const {
    const moving at = moving::input(static_cast<T>(t), 0);
    return static_cast<double>(event.value(look(at, y, &along, p), at, p).d[0]);
  }
  void pull_condition(double t, const state& y, const parameters& p, double& t_bar, state& y_bar,
                      parameters& p_bar) {
    const moving at = moving::input(static_cast<T>(t), 0);
    const auto all = look(at, y, nullptr, p);
    t_bar += static_cast<double>(event.value(all, at, p).d[0]);
    y.layout().alone([&] { pull_numbers(t, all, y, p, y_bar, p_bar); });
  }

  template <class Q>
  void jump(double t, state& y, Q& p) const {
    if constexpr (jumps) event.jump(static_cast<T>(t), state(y), p, y);
  }
  void pull_jump(double t, const state& y, const parameters& p, block_shares& t_bar, state& y_bar,
                 parameters& p_bar) {
    if constexpr (jumps)
      y.layout().alone([&] {
        for (int b = 0; b < y.layout().block_count(); ++b) {
          const int from = y.layout().element_of(b), to = y.layout().element_of(b + 1);
          const numbers behind(y_bar.data() + from, y_bar.data() + to);
          std::fill(y_bar.data() + from, y_bar.data() + to, T(0));
          jump_.pull({event.of_block(), place_of(y.layout(), b)}, static_cast<T>(t),
                     numbers(y.data() + from, y.data() + to), values(p), behind.data(), true, true);
          t_bar.of_block(b) += static_cast<double>(jump_.of_time());
          add_to(jump_, from, to, b, y_bar, p_bar);
        }
      });
  }

 private:
  template <class S>
  static auto next(block_questions<S>& all) {
    return all.next(block_event<Local>::sums, block_event<Local>::most);
  }
  auto look(const moving& at, const state& y, const state* along, const parameters& p) const {
    block_questions<moving> all(y.layout());
    event.ask(all, at, y, along, p);
    all.decide();
    return next(all);
  }
  static numbers values(const parameters& p) { return numbers(p.data(), p.data() + p.count()); }
  template <class Recorded>
  static void add_to(const Recorded& pulled, int from, int to, int b, state& y_bar,
                     parameters& p_bar) {
    for (int i = from; i < to; ++i) y_bar[i] += pulled.of_state(i - from);
    for (int j = 0; j < p_bar.count(); ++j)
      p_bar.of_block(b)[static_cast<std::size_t>(j)] += pulled.of_parameter(j);
  }

  void pull_numbers(double t, const typename block_questions<moving>::answer& all, const state& y,
                    const parameters& p, state& y_bar, parameters& p_bar) {
    const spread_layout& layout = y.layout();
    numbers of_all;
    for (const moving& x : all.numbers) of_all.push_back(x.value);
    numbers one(of_all.size(), T(0));
    one[0] = T(1);
    of_numbers_.pull({event.of_block()}, static_cast<T>(t), of_all, values(p), one.data(), false,
                     true);
    std::vector<double> weights(of_all.size());
    for (int b = 0; b < layout.block_count(); ++b) {
      for (std::size_t k = 0; k < weights.size(); ++k)
        weights[k] = of_numbers_.of_state(static_cast<int>(k));
      for (std::size_t k = 0; k < all.blocks.size(); ++k)
        if (all.blocks[k] != layout.first_block() + b) weights[block_event<Local>::sums + k] = 0;
      const int from = layout.element_of(b), to = layout.element_of(b + 1);
      if (from == to) continue;  // parts that are given may have no rows
      numbers first(static_cast<std::size_t>(to - from), T(0));
      first[0] = T(1);
      of_block_.pull({event.of_block(), place_of(layout, b), weights, block_event<Local>::sums},
                     static_cast<T>(t), numbers(y.data() + from, y.data() + to), values(p),
                     first.data(), false, true);
      add_to(of_block_, from, to, b, y_bar, p_bar);
    }
    if (layout.first_block() == 0)
      for (int j = 0; j < p_bar.count(); ++j) p_bar[j] += of_numbers_.of_parameter(j);
  }

  template <class Field>
  using recorded = recorded_field<Field, numbers, numbers, T>;
  recorded<condition_of_numbers<Local>> of_numbers_;
  recorded<numbers_of_block<Local>> of_block_;
  recorded<jump_of_block<Local>> jump_;
};

}  // namespace revode
