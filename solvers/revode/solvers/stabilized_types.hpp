// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <revode/solve/options.hpp>
#include <revode/solvers/hermite_dense.hpp>

namespace revode {

/// A stabilised explicit method of s stages, its stability interval [−β(s), 0] growing as s²:
///   y_j = (1 − μ_j − ν_j) y_0 + μ_j y_{j−1} + ν_j y_{j−2} + h μ̃_j k_{j−1} + h γ̃_j k_0,  j = 1 … m,
///   k_j = f(t + c_j h, y_j),
/// then, where finish > 0, that many stages of an explicit Runge–Kutta method from y_m, of the same
/// h and from t + c_m h, with weights b; e estimates the error from them and the field at the end.
/// With finish = 0 the estimate is that of a cubic: 4/5 (y_0 − y_new) + 2/5 h (f_0 + f_new).
struct stabilized_scheme {
  static constexpr int longest = 208;
  struct row {
    double mu, nu, mu_tilde, gamma_tilde;
  };
  row rows[longest + 1];
  double c[longest + 1];
  int m = 0, finish = 0;
  double a[4][4] = {}, b[4] = {}, e[5] = {};

  /// The rows are there: c_j by the recurrence itself.
  void set_nodes() {
    c[0] = 0;
    for (int j = 1; j <= m; ++j) {
      const row& r = rows[j];
      c[j] = r.mu * c[j - 1] + (j > 1 ? r.nu * c[j - 2] : 0) + r.mu_tilde + r.gamma_tilde;
    }
  }
  /// The share of the step at which stage j of the recurrence, or i of the finish, calls the field.
  double node(int j) const { return c[j]; }
  double finish_node(int i) const {
    double sum = c[m];
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

/// The spectral radius that the last step went by, and how many steps ago it was estimated.
struct stabilized_memo {
  double radius = 0;
  std::int64_t age = 0;
};

/// What a replay must not decide: the stages, and the memo after the step.
struct stabilized_record {
  double radius;
  std::int32_t stages, age;
};

/// Both ends of a step. `work` has no meaning between steps.
template <class Y>
struct stabilized_tape {
  Y y, f, y_new, f_new;
  Y work[8];

  stabilized_tape() = default;
  explicit stabilized_tape(const Y& like) : y(like), f(like), y_new(like), f_new(like) {
    for (Y& part : work) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto* part : {&self.y, &self.f, &self.y_new, &self.f_new}) visit(*part);
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

/// For pull: two stages in a row at each sixteenth of them, and all stages between two such pairs.
template <class Y>
struct stabilized_scratch {
  static constexpr int apart = 16, pairs = stabilized_scheme::longest / apart;
  Y kept[pairs][2];
  Y y[apart + 1], k[apart];
  Y weight, other, zero_bar, k_zero_bar, before_bar;
  end_slopes<Y> ends;

  stabilized_scratch() = default;
  explicit stabilized_scratch(const Y& like)
      : weight(like),
        other(like),
        zero_bar(like),
        k_zero_bar(like),
        before_bar(like),
        ends(like) {
    for (auto& pair : kept) pair[0] = pair[1] = like;
    for (Y& part : y) part = like;
    for (Y& part : k) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& pair : self.kept) {
      visit(pair[0]);
      visit(pair[1]);
    }
    for (auto& part : self.y) visit(part);
    for (auto& part : self.k) visit(part);
    for (auto* part :
         {&self.weight, &self.other, &self.zero_bar, &self.k_zero_bar, &self.before_bar})
      visit(*part);
    visit(self.ends);
  }
};

template <stabilized_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = stabilized_memo;
  using cache = stabilized_cache<Y>;
  using tape = stabilized_tape<Y>;
  using record = stabilized_record;
  using scratch = stabilized_scratch<Y>;
  using seeds = end_seeds<Y>;
};

}  // namespace revode
