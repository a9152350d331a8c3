// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta_dense.hpp>
#include <revode/state/samples.hpp>

namespace revode {

/// A step of many samples at once, a column each with a start and an end of its own: stages are computed
/// column by column, and the field is called with all columns of a stage. What a column gets are the sums
/// of take_step, scaled_error_squared, interpolate and pull_step, by the same functions.
///   call(times, at, out)         out ← f(times(c), at)            at, out: sample_columns
///   vjp(times, at, w, out)       out += wᵀ f_y, and what p gets
template <class M, class T>
struct rk_columns {
  using column = sample_column<T>;
  using columns = sample_columns<T>;
  using tape_type = rk_tape<M, column>;
  using scratch_type = rk_scratch<M, column>;
  using seeds_type = rk_seeds<M, column>;
  static constexpr int stages = coefficients<M>::stages, all = coefficients<M>::all;
  static constexpr bool fsal = coefficients<M>::fsal;

  /// Blocks of columns beside each other: of a tape y and its stages; the carry is y and, of methods whose
  /// last stage is the next step's first, that.
  static constexpr int tape_blocks = 1 + stages, carry_blocks = fsal ? 2 : 1;
  static constexpr int scratch_blocks = 2 + all + (all - stages), seed_blocks = 1 + all;

  /// Blocks of `columns` each, from `numbers` on.
  struct blocks {
    T* numbers;
    int columns_of_each, rows;

    column at(int block, int c) const {
      return {numbers + (static_cast<index>(block) * columns_of_each + c) * rows, rows};
    }
    columns of(int block, int count) const { return {at(block, 0).numbers, count, rows}; }
  };

  static tape_type tape_of(const blocks& b, int c) {
    tape_type tape;
    tape.y = b.at(0, c);
    for (int i = 0; i < stages; ++i) tape.k[i] = b.at(1 + i, c);
    return tape;
  }
  static scratch_type scratch_of(const blocks& b, int c) {
    scratch_type w;
    w.stage = b.at(0, c);
    w.k_bar = b.at(1, c);
    for (int i = 0; i < all; ++i) w.theta[i] = b.at(2 + i, c);
    for (int i = stages; i < all; ++i) w.k_extra[i - stages] = b.at(2 + all + i - stages, c);
    return w;
  }
  static seeds_type seeds_of(const blocks& b, int c) {
    seeds_type seeds;
    seeds.y = b.at(0, c);
    for (int i = 0; i < all; ++i) seeds.k[i] = b.at(1 + i, c);
    return seeds;
  }

  /// The ends of a step of each column.
  struct ends {
    const double *t, *t_new;
    T length(int c) const { return static_cast<T>(t_new[c] - t[c]); }
    template <int I>
    auto times() const {
      return [e = *this](int c) { return stage_time<M, I>(e.t[c], e.t_new[c]); };
    }
  };

  /// Stages I, I + 1, … of `count` columns whose y, and with fsal first stage, lie on the tape; `next` ends as
  /// the new states.
  template <int I = fsal ? 1 : 0, class Call>
  static void take(const Call& call, const ends& e, const blocks& tape, int count, T* next) {
    const int rows = tape.rows;
    if constexpr (I == 0) {
      call(e.template times<I>(), tape.of(0, count), tape.of(1, count));
    } else if constexpr (I < stages) {
      advance<stage_row<M, I>, I>(e, tape, count, next);
      call(e.template times<I>(), columns{next, count, rows}, tape.of(1 + I, count));
    } else if constexpr (!fsal) {
      advance<solution_row<M>, stages>(e, tape, count, next);
    }
    if constexpr (I < stages) take<I + 1>(call, e, tape, count, next);
  }
  template <class Row, int Last>
  static void advance(const ends& e, const blocks& tape, int count, T* next) {
    for (int c = 0; c < count; ++c) {
      const T* k[Last];
      for (int j = 0; j < Last; ++j) k[j] = tape.at(1 + j, c).numbers;
      column out{next + static_cast<index>(c) * tape.rows, tape.rows};
      advance_state<Row, Last>(tape.at(0, c), e.length(c), k, out);
    }
  }

  static double error_squared(const tolerance& tol, double h, const tape_type& tape,
                              const column& y_new) {
    if (tol.each != nullptr) return component_error_squared<M>(*tol.each, h, tape, y_new);
    return scaled_error_squared<M>(tol, h, tape, y_new);
  }

  /// The stages that only dense output needs, of the first `count` columns, into their scratch.
  template <int I = stages, class Call>
  static void extend(const Call& call, const ends& e, const tape_type* tapes, const blocks& scratch,
                     scratch_type* w, int count) {
    if constexpr (I < all) {
      if (count == 0) return;
      for (int c = 0; c < count; ++c)
        stage_value<M, I>(e.length(c), tapes[c], pointers(tapes[c], w[c]).k, w[c]);
      call(e.template times<I>(), scratch.of(0, count), scratch.of(2 + all + I - stages, count));
      extend<I + 1>(call, e, tapes, scratch, w, count);
    }
  }

  /// The transpose of a step of `count` columns, of which the first `seeded` have seeds of dense output:
  /// lambda[c] becomes the cotangent of the column's start.
  template <class Vjp>
  static void pull(const Vjp& vjp, const ends& e, const tape_type* tapes, const blocks& scratch,
                   scratch_type* w, const seeds_type* seeds, int seeded, int count,
                   column* lambda) {
    pull_stages<all - 1>(vjp, e, tapes, scratch, w, seeds, seeded, count, lambda);
    for (int c = 0; c < count; ++c) {
      if (c < seeded) {
        add_stage_cotangents<M, all - 1, all>(w[c], lambda[c]);
        add(seeds[c].y, lambda[c]);
      } else {
        add_stage_cotangents<M, stages - 1, 0>(w[c], lambda[c]);
      }
    }
  }

 private:
  static stage_pointers<M, column> pointers(const tape_type& tape, const scratch_type& w) {
    return stage_pointers<M, column>(tape, w);
  }

  template <int I, class Vjp>
  static void pull_stages(const Vjp& vjp, const ends& e, const tape_type* tapes,
                          const blocks& scratch, scratch_type* w, const seeds_type* seeds,
                          int seeded, int count, column* lambda) {
    if constexpr (I >= 0) {
      const int reached = coefficients<M>::reached(I) ? count : seeded;
      for (int c = 0; c < reached; ++c) {
        const T h = e.length(c);
        if (c < seeded)
          stage_cotangent<M, I, all>(h, lambda[c], seeds + c, w[c]);
        else if constexpr (coefficients<M>::reached(I))
          stage_cotangent<M, I, 0>(h, lambda[c], nullptr, w[c]);
        if constexpr (I == 0)
          copy(tapes[c].y, w[c].stage);
        else
          stage_value<M, I>(h, tapes[c], pointers(tapes[c], w[c]).k, w[c]);
        fill(w[c].theta[I], T(-0.0));
      }
      if (reached > 0)
        vjp(e.template times<I>(), scratch.of(0, reached), scratch.of(1, reached),
            scratch.of(2 + I, reached));
      pull_stages<I - 1>(vjp, e, tapes, scratch, w, seeds, seeded, count, lambda);
    }
  }
};

}  // namespace revode
