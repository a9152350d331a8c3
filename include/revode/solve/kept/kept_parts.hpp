// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/io/byte_stream.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/loop/tapes.hpp>
#include <revode/schedule/action.hpp>
#include <revode/solve/course/cuts.hpp>
#include <revode/solve/kept/run_print.hpp>
#include <revode/solve/solution.hpp>

namespace revode {

/// What the parts of a solve consist of, to be kept in a file or found in it again: all that decides what
/// comes next, and nothing that follows from the request or is rebuilt by `refresh`. A part that is read has
/// been made for the same request.
struct kept_parts {
  /// An object whose pieces have the sizes that they had when it was kept.
  template <class T>
  static void object(byte_stream& s, T& x) {
    for_each_piece(x, [&](void* data, std::size_t size) { s.bytes(data, size); });
  }
  /// Any number of objects shaped like another.
  template <class T>
  static void objects(byte_stream& s, std::vector<T>& all, const T& like) {
    std::size_t size = 0;
    T one = like;
    for_each_piece(one, [&](void*, std::size_t bytes) { size += bytes; });
    all.resize(s.length(all.size(), size), like);
    for (T& x : all) object(s, x);
  }
  template <class T>
  static void maybe(byte_stream& s, std::optional<T>& x, const T& like) {
    bool there = x.has_value();
    s.values(there);
    if (there && !x) x = like;
    if (!there) x.reset();
    if (there) object(s, *x);
  }

  static void counts(byte_stream& s, statistics& c) {
    s.values(c.accepted, c.rejected, c.field_evaluations, c.jacobian_evaluations, c.factorizations,
             c.linear_solves, c.newton_iterations, c.jvp_evaluations, c.equal_bits);
  }
  template <class Y>
  static void points(byte_stream& s, solution<Y>& x, const Y& like) {
    s.values(x.status);
    s.list(x.ts);
    objects(s, x.ys, like);
    s.list(x.events);
    counts(s, x.stats);
  }

  template <class Blocks>
  static void entries(byte_stream& s, Blocks& b, index known) {
    for (index i = 0; i < known; i += Blocks::block_entries) {
      if (s.reads()) b.extend(i);
      const index last = known - i < Blocks::block_entries ? known - i : Blocks::block_entries;
      s.bytes(b.header(i), static_cast<std::size_t>(b.header_ + b.entry_ * last));
    }
  }
  template <class Log>
  static void log(byte_stream& s, Log& l) {
    s.values(l.known_, l.last_, l.at_, l.k_);
    s.list(l.escapes_);
    if (l.known_ != unbounded) entries(s, l.blocks_, l.known_);
  }

  static void cuts(byte_stream& s, cut_list& c) {
    s.values(c.stretch_, c.due_, c.pause_, c.end_, c.cut_after_, c.extra_);
    s.list(c.cuts_);
    s.list(c.events_);
  }
  template <class Stretches>
  static void stretches(byte_stream& s, Stretches& c) {
    cuts(s, c);
    if constexpr (Stretches::set::moves_parameters) {
      object(s, c.p_);
      objects(s, c.kept_, c.p_);
    }
  }
  template <class Search>
  static void search(byte_stream& s, Search& e) {
    if constexpr (requires { e.side; })
      s.values(e.side, e.last, e.residual, e.near, e.theta, e.found);
  }

  /// Where a march is: the carry, and the one before it while an online schedule may ask for that.
  template <class March>
  static void place(byte_stream& s, March& m, bool sweeping) {
    s.values(m.position, m.t, m.t_before_);
    object(s, m.now().state);
    object(s, m.now().memo);
    if (!sweeping || m.position == 0) return;
    if (s.reads()) m.beside() = m.now();
    object(s, m.beside().state);
    object(s, m.beside().memo);
  }

  /// A solve between two steps.
  template <class Stepper>
  [[gnu::noinline, gnu::cold]] static void stepper(byte_stream& s, Stepper& l) {
    s.values(l.ended_, l.attempted_, l.count_, l.rejected_again_);
    object(s, l.control_before_);
    object(s, l.control_after_log_);
    stretches(s, l.cuts_.stretches);
    s.values(l.cuts_.stuck_, l.cuts_.t_event_);
    search(s, l.cuts_.search_);
    place(s, l.march_, !l.ended_);
    maybe(s, l.memo_after_log_, l.march_.now().memo);
    auto control = l.attempts_.control();
    object(s, control);
    if (s.reads()) l.attempts_.control(control);
    log(s, l.log_);
    s.values(l.points_.next_, l.points_.waits_);
    s.list(l.points_.steps_);
    points(s, l.result_, l.y0());
    object(s, l.tape_);
    auto counts = l.sys().counts;
    s.values(counts);
    if (!s.reads()) return;
    l.tape_.calls = {};
    l.march_.refresh_cache();
    l.sys().counts = counts;
  }

  template <class Pool, class Loop>
  [[gnu::noinline, gnu::cold]] static void snapshots(byte_stream& s, Pool& pool, const Loop& like) {
    const std::size_t slots = s.length(pool.slots_.size(), 1);
    if (slots > 0) pool.at_least(static_cast<index>(slots) - 1);
    s.values(pool.live_, pool.peak_, pool.written_, pool.slow_written_, pool.slow_read_);
    for (std::size_t i = 0; i < slots; ++i) {
      auto& entry = pool.slots_[i];
      const auto slot = static_cast<index>(i);
      s.values(entry.used);
      if (!entry.used) continue;
      const bool slow = slot < pool.slow_;
      if (s.reads()) {
        if (!slow && !entry.content) {
          entry.content = std::make_unique<typename decltype(entry.content)::element_type>();
          ++pool.made_;
        }
        auto& place = slow ? pool.front_ : *entry.content;
        like.save(place);
        if (slow) pool.gather(*place);
      } else if (slow) {
        pool.pool_->load(slot, pool.buffer_);
      }
      if (slow)
        s.bytes(pool.buffer_.data(), pool.buffer_.size());
      else
        object(s, **entry.content);
      if (slow && s.reads()) pool.pool_->store(slot, pool.buffer_);
    }
  }
  template <class Store, class Tape>
  [[gnu::noinline, gnu::cold]] static void tapes(byte_stream& s, Store& t, const Tape& like) {
    Tape one = like;
    if (t.cells_) {
      t.chains_.resize(s.length(t.chains_.size(), 1), unit_cells::none);
      for (index& chain : t.chains_) {
        bool there = chain != unit_cells::none;
        s.values(there);
        if (there && !s.reads()) t.cells_->load(chain, Store::pieces_of(one));
        if (there) object(s, one);
        if (there && s.reads()) t.cells_->store(chain, Store::pieces_of(one));
      }
      return;
    }
    std::size_t size = 0;
    for_each_piece(one, [&](void*, std::size_t bytes) { size += bytes; });
    for (index slot = 0; slot < t.peak_; ++slot)
      if constexpr (Store::in_place)
        s.bytes(t.place(slot, 1), sizeof(Tape));
      else
        s.bytes(t.place(slot, size), size);
  }
  /// The cotangents of w on their way back. Those that are read are w's: anything else is refused.
  template <class Loop, class Cotangents>
  [[gnu::noinline, gnu::cold]] static void cotangents(byte_stream& s, Loop& loop,
                                                      const Cotangents& w) {
    auto& now = loop.pull_.now_;
    auto sum = sum_of_cotangents(w);
    auto left = now.event_weights == nullptr ? 0 : now.event_weights - w.events.data();
    auto trouble = loop.sys().counts.trouble;
    const auto ours = sum;
    s.values(sum, left, trouble);
    if (sum != ours)
      throw std::invalid_argument(
          "cotangents that are not those of the reverse pass in the restart file (it goes on with "
          "them) give the same loss, or remove the file to begin anew?");
    object(s, now.state);
    object(s, now.y);
    object(s, now.p);
    if constexpr (std::is_trivially_copyable_v<decltype(now.t0)>) {  // of others nothing is kept
      s.list(now.ts);
      s.list(now.known);
      s.values(now.next_save, now.t0, now.t1, now.start, now.cuts_left, now.last_cut,
               now.pulled_cut, now.quiet_from, now.quiet_to);
    }
    now.weights = &w;
    now.event_weights = w.events.empty() ? nullptr : w.events.data() + left;
    loop.sys().counts.trouble = trouble;
  }
  template <class Cotangents>
  static std::uint64_t sum_of_cotangents(const Cotangents& w) {
    std::vector<std::uint64_t> sums;
    if (w.y) sums.push_back(sum_of_elements(*w.y));
    for (const auto& y : w.ys) sums.push_back(sum_of_elements(y));
    sums.push_back(sum_of_elements(w.events));
    return sum_of_elements(sums);
  }

  /// A run by a schedule between two actions, or inside an advance: what the schedule has decided by then is
  /// decided again, on integers. `whole`: there is something left to do.
  template <class Executor, class Loop>
  [[gnu::noinline, gnu::cold]] static void run(byte_stream& s, Executor& e, Loop& loop,
                                               bool whole) {
    s.values(e.counts_, e.swept_, e.last_, e.actions_, e.swept_actions_, e.reversing_);
    s.values(e.tapes_.peak_, e.tapes_.live_);
    if (s.reads()) {
      if (e.cells_ && e.cells_->made() == 0) e.measure_cells();
      const index before = e.reversing_ ? e.swept_actions_ : e.actions_;
      for (index k = 0; k < before; ++k) static_cast<void>(e.plan_.next());
      if (e.reversing_) e.plan_.finalize(e.last_ + 1);
      for (index k = before; k < e.actions_; ++k) static_cast<void>(e.plan_.next());
    }
    snapshots(s, e.snapshots_, std::as_const(loop));
    if (whole) tapes(s, e.tapes_, loop.work_tape());
  }
};

}  // namespace revode
