// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/options.hpp>
#include <revode/solvers/explicit/hermite_dense.hpp>

namespace revode {

/// Splitting method with S pairs of substeps, for states y = (q, p) of two equal halves whose q'
/// depends on t and p alone, p' on t and q alone (separable Hamiltonians):
///   p ← p + kick_i h p'(t_q, q),  q ← q + drift_i h q'(t_p, p),  i = 1 … S,
/// where t_q = t + h Σ_{j<i} drift_j and t_p = t + h Σ_{j≤i} kick_j go with the other half.
/// Symplectic for Hamiltonian fields; fixed steps only.
/// source  Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), II.5 and V.3
template <int S>
struct splitting {
  double kick[S];
  double drift[S];
};

template <class M>
concept partitioned_method = requires {
  M::substeps;
};

/// The numbers of a splitting, for host and device. A method that ends with a kick keeps that force:
/// q has not moved, so it is the first one of the next step.
template <class M>
struct splitting_numbers {
  static constexpr int pairs = static_cast<int>(sizeof(M::substeps.kick) / sizeof(double));
  static constexpr bool fsal = M::substeps.drift[pairs - 1] == 0 && M::substeps.kick[0] != 0;

  /// The weight of substep 2i (kick i) or 2i + 1 (drift i).
  static constexpr double weight(int k) {
    return k % 2 == 0 ? M::substeps.kick[k / 2] : M::substeps.drift[k / 2];
  }
  /// The share of the step at which that substep calls the field.
  static constexpr double node(int k) {
    double sum = 0;
    for (int j = 1 - k % 2; j < k; j += 2) sum += weight(j);
    const double off = sum - 1;
    return off < 1e-14 && off > -1e-14 ? 1.0 : sum;
  }
};

/// y_n, and the halves of the field at each pair of substeps.
template <class M, class Y>
struct partitioned_tape {
  static constexpr int pairs = splitting_numbers<M>::pairs;
  Y y;
  Y f[pairs];  ///< q' of drift i, p' of kick i
  Y work;      ///< a place for the field, without meaning between steps

  partitioned_tape() = default;
  REVODE_HD explicit partitioned_tape(const Y& like) : y(like), work(like) {
    for (auto& part : f) part = like;
  }
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& part : self.f) visit(part);
  }
};

/// Half 0 or 1 of a state.
template <class Y>
REVODE_HD void copy_half(int half, const Y& from, Y& to) {
  const int n = length(to) / 2;
  for (int i = half * n; i < (half + 1) * n; ++i) to.data()[i] = from.data()[i];
}
template <class Y>
REVODE_HD void axpy_half(int half, scalar_t<Y> a, const Y& from, Y& to) {
  const int n = length(to) / 2;
  for (int i = half * n; i < (half + 1) * n; ++i)
    to.data()[i] = muladd(a, from.data()[i], to.data()[i]);
}
template <class Y>
REVODE_HD scalar_t<Y> dot_half(int half, const Y& x, const Y& y) {
  const int n = length(y) / 2;
  scalar_t<Y> sum(0);
  for (int i = half * n; i < (half + 1) * n; ++i) sum = muladd(x.data()[i], y.data()[i], sum);
  return sum;
}
template <class Y>
REVODE_HD void clear_half(int half, Y& y) {
  const int n = length(y) / 2;
  for (int i = half * n; i < (half + 1) * n; ++i) y.data()[i] = 0;
}

/// The first force, where the last step has it.
template <class Y>
struct partitioned_cache {
  Y f;
  partitioned_cache() = default;
  REVODE_HD explicit partitioned_cache(const Y& like) : f(like) { clear_half(0, f); }
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.f);
  }
};

/// The states that the field was called with, and temporaries.
template <class M, class Y>
struct partitioned_scratch {
  static constexpr int pairs = splitting_numbers<M>::pairs;
  Y at[pairs];  ///< before drift i, behind kick i
  Y stage, part;
  end_slopes<Y> ends;

  partitioned_scratch() = default;
  REVODE_HD explicit partitioned_scratch(const Y& like) : stage(like), part(like), ends(like) {
    for (auto& y : at) y = like;
  }
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    for (auto& y : self.at) visit(y);
    visit(self.stage);
    visit(self.part);
    visit(self.ends);
  }
};

template <partitioned_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  static_assert(has_no_algebra<M>,
                "an explicit method solves no linear systems (an algebra would never be asked): "
                "take the method without with_algebra?");
  using cache = std::conditional_t<splitting_numbers<M>::fsal, partitioned_cache<Y>, nothing>;
  using tape = partitioned_tape<M, Y>;
  using scratch = partitioned_scratch<M, Y>;
  using seeds = end_seeds<Y>;
};

template <class M>
REVODE_HD double substep_time(int k, double t, double t_new) {
  const double node = splitting_numbers<M>::node(k);
  return node == 0 ? t : node == 1 ? t_new : muladd(node, t_new - t, t);
}

/// Half of the field at y, into the same half of f; `work` is overwritten.
template <class System, class Y>
REVODE_HD void half_of_field(System& sys, int half, double t, const Y& y, Y& work, Y& f) {
  if constexpr (requires { sys.half(half, t, y, work); })
    sys.half(half, t, y, work);
  else
    sys(t, y, work);
  copy_half(half, work, f);
}

template <partitioned_method M, class System, class Y>
REVODE_HD void refresh(const M&, System& sys, double t, carry<M, Y>& c) {
  if constexpr (splitting_numbers<M>::fsal) {
    half_of_field(sys, 1, t, c.state, c.cache.f, c.cache.f);
    clear_half(0, c.cache.f);
  }
}

template <partitioned_method M, class System, class Y>
REVODE_HD void replay(const M&, System& sys, double t, double t_new, nothing, carry<M, Y>& c,
                      partitioned_tape<M, Y>& tape) {
  using T = scalar_t<Y>;
  using numbers = splitting_numbers<M>;
  const T h = static_cast<T>(t_new - t);
  copy(c.state, tape.y);
  for (int k = 0; k < 2 * numbers::pairs; ++k) {
    if (numbers::weight(k) == 0) continue;
    const int half = 1 - k % 2;
    Y& f = tape.f[k / 2];
    if constexpr (numbers::fsal) {
      if (k == 0)
        copy_half(1, c.cache.f, f);
      else
        half_of_field(sys, half, substep_time<M>(k, t, t_new), c.state, tape.work, f);
    } else {
      half_of_field(sys, half, substep_time<M>(k, t, t_new), c.state, tape.work, f);
    }
    axpy_half(half, static_cast<T>(numbers::weight(k)) * h, f, c.state);
  }
  if constexpr (numbers::fsal) copy_half(1, tape.f[numbers::pairs - 1], c.cache.f);
}

template <partitioned_method M, class System, class Y>
REVODE_HD outcome<nothing> attempt(const M& m, System& sys, const tolerance&, double t,
                                   double t_new, const carry<M, Y>& from,
                                   partitioned_tape<M, Y>& tape, carry<M, Y>& next) {
  copy(from.state, next.state);
  if constexpr (splitting_numbers<M>::fsal) copy(from.cache.f, next.cache.f);
  replay(m, sys, t, t_new, nothing{}, next, tape);
  return {};
}

/// y after the substeps before `last`, from y = tape.y.
template <class M, class Y>
REVODE_HD void move_through(const partitioned_tape<M, Y>& tape, scalar_t<Y> h, int first, int last,
                            Y& y) {
  using numbers = splitting_numbers<M>;
  for (int k = first; k < last; ++k)
    if (numbers::weight(k) != 0)
      axpy_half(1 - k % 2, static_cast<scalar_t<Y>>(numbers::weight(k)) * h, tape.f[k / 2], y);
}

template <partitioned_method M, class Y>
REVODE_HD void end_of(const M&, double t, double t_new, const partitioned_tape<M, Y>& tape,
                      const partitioned_scratch<M, Y>&, Y& y) {
  copy(tape.y, y);
  move_through(tape, static_cast<scalar_t<Y>>(t_new - t), 0, 2 * tape.pairs, y);
}

template <partitioned_method M, class System, class Y>
REVODE_HD void resume(const M&, System&, double t, double t_new, const partitioned_tape<M, Y>& tape,
                      carry<M, Y>& c) {
  copy(tape.y, c.state);
  move_through(tape, static_cast<scalar_t<Y>>(t_new - t), 0, 2 * tape.pairs, c.state);
  if constexpr (splitting_numbers<M>::fsal) copy_half(1, tape.f[tape.pairs - 1], c.cache.f);
}

}  // namespace revode
