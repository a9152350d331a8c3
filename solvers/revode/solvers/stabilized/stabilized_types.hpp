// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <revode/solve/options.hpp>
#include <revode/solvers/explicit/hermite_dense.hpp>

namespace revode {

/// A stabilised explicit method of s stages, its stability interval [−β(s), 0] growing as s²:
///   y_j = (1 − μ_j − ν_j) y_0 + μ_j y_{j−1} + ν_j y_{j−2} + h μ̃_j k_{j−1} + h γ̃_j k_0,  j = 1 … m,
///   k_j = f(t + c_j h, y_j).
/// Where finish > 0, that many stages of an explicit Runge–Kutta method with weights b and the same h
/// take y_split to another value; where rows follow, y_{split−1} likewise, and these go on from there:
/// in a linear problem all of these commute, and the rows damp what the finish has magnified.
/// The estimate: Σ error y_j over `looks`, if there are any (stage `split` before the finish, and m + 1
/// after a finish at the end); else where finish > 0, e of its stages and the field at the end; else that of a cubic,
/// 4/5 (y_0 − y_new) + 2/5 h (f_0 + f_new).
struct stabilized_scheme {
  static constexpr int longest = 208;
  struct row {
    double mu, nu, mu_tilde, gamma_tilde;
  };
  struct look {
    int stage;
    double weights[3];  ///< in the estimate and, if `smooth`, in h times the slopes at both ends
  };
  row rows[longest + 1];
  double c[longest + 1],
      unfinished[2] = {};  ///< of y_split and y_{split−1} as the finish meets them
  int m = 0, split = 0, finish = 0;
  double a[4][4] = {}, b[4] = {}, e[5] = {};
  look looks[12] = {};
  int look_count = 0;
  bool smooth = false;  ///< slopes of the dense output are made of looks, not of the field

  /// All rows, split and finish are there: c_j by the recurrence itself.
  void set_nodes() {
    if (split == 0) split = m;
    c[0] = 0;
    double before = 0, finished = 0;
    for (int i = 0; i < finish; ++i) finished += b[i];
    for (int j = 1; j <= m; ++j) {
      const row& r = rows[j];
      c[j] = r.mu * c[j - 1] + r.nu * before + r.mu_tilde + r.gamma_tilde;
      before = c[j - 1];
      if (j == split) {
        unfinished[0] = c[j];
        unfinished[1] = before;
        if (j < m) c[j] += finished, before += finished;
      }
    }
  }
  /// How many values the finish takes on.
  int branches() const { return finish == 0 ? 0 : split < m ? 2 : 1; }
  /// The share of the step at which stage j of the recurrence, or i of a finish, calls the field.
  double node(int j) const { return c[j]; }
  double finish_node(int branch, int i) const {
    double sum = unfinished[branch];
    for (int j = 0; j < i; ++j) sum += a[i][j];
    return sum;
  }
};

/// A tag with
///   int stages_for(double z)             the fewest stages that are stable for h ρ = z
///   stabilized_scheme scheme(int stages)
///   max_stages, and spectral_radius: a number of the user's, or 0: estimated by a power method.
template <class M>
concept stabilized_method = requires(const M& m) {
  { m.spectral_radius } -> std::convertible_to<double>;
  M::scheme(2);
  M::stages_for(1.0);
};

/// The spectral radius that the last step went by, and how many steps ago it was estimated; or, after an
/// attempt that failed, one of the two below.
struct stabilized_memo {
  static constexpr std::int64_t rejected = -1;        ///< estimate it again, carefully
  static constexpr std::int64_t estimated_here = -2;  ///< it was estimated at this very state

  double radius = 0;
  std::int64_t age = 0;

  bool due() const { return age == 0 || age >= 25 || age == rejected; }
};

/// What a replay must not decide: the stages, and the memo after the step.
struct stabilized_record {
  double radius;
  std::int32_t stages, age;
};

/// Both ends of a step, with the field at the old one and the slopes of the dense output. The others have
/// no meaning between steps, but for f_new, the field at the end, right behind one.
template <class Y>
struct stabilized_tape {
  Y y, f, y_new, slope[2];
  Y f_new, work[8];

  stabilized_tape() = default;
  explicit stabilized_tape(const Y& like) : y(like), f(like), y_new(like), f_new(like) {
    slope[0] = slope[1] = like;
    for (Y& part : work) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto* part : {&self.y, &self.f, &self.y_new, &self.slope[0], &self.slope[1]}) visit(*part);
  }
  /// What is there for one step at a time and never stored: a budget counts it once.
  template <class Visit>
  void temporaries(Visit&& visit) const {
    visit(f_new);
    for (const Y& part : work) visit(part);
  }
};

template <class Y>
struct stabilized_cache {
  Y f;  ///< f(t, y)
  stabilized_cache() = default;
  explicit stabilized_cache(const Y& like) : f(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.f);
  }
};

/// For pull: two stages in a row where each segment of up to sixteen begins, what the finish began with,
/// and all stages of a segment.
template <class Y>
struct stabilized_scratch {
  static constexpr int apart = 16, pairs = stabilized_scheme::longest / apart + 2;
  Y kept[pairs][2], unfinished[2];
  Y y[apart + 1], k[apart];
  Y weight, other, zero_bar, k_zero_bar, before_bar;
  end_slopes<Y> ends;
  bool pushed_slopes = false;  ///< their tangents are there, from push

  stabilized_scratch() = default;
  /// Dense output is the tape's alone.
  static stabilized_scratch for_dense_output(const Y&) { return {}; }
  explicit stabilized_scratch(const Y& like) : ends(like) {
    parts(*this, [&like](auto& part) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, Y>) part = like;
    });
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& pair : self.kept) {
      visit(pair[0]);
      visit(pair[1]);
    }
    for (auto& part : self.unfinished) visit(part);
    for (auto& part : self.y) visit(part);
    for (auto& part : self.k) visit(part);
    for (auto* part :
         {&self.weight, &self.other, &self.zero_bar, &self.k_zero_bar, &self.before_bar})
      visit(*part);
    visit(self.ends);
  }
};

template <stabilized_method M>
inline constexpr bool takes_spread_v<M> = true;

template <stabilized_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  static_assert(has_no_algebra<M>,
                "an explicit method solves no linear systems (an algebra would never be asked): "
                "take the method without with_algebra?");
  using memo = stabilized_memo;
  using cache = stabilized_cache<Y>;
  using tape = stabilized_tape<Y>;
  using record = stabilized_record;
  using scratch = stabilized_scratch<Y>;
  using seeds = end_seeds<Y>;
};

}  // namespace revode
