// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <revode/solvers/radau/radau_types.hpp>
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>

namespace revode {

/// The collocation methods on 3, 5 and 7 right Radau points, of orders 5, 9 and 13, as one: how many
/// stages a step has is decided from step to step by how fast iterations converge (decide_stages). Each
/// step is one of the fixed methods': its estimate, its iterations, its length's rule, its derivative.
/// Starts with `first` stages, also behind events and jumps; equal steps and those of a grid, whose
/// iterations nobody looks at, keep to them: order and estimate are theirs.
/// cost    of a step, what the fixed method costs; memory is that of 7 stages: a snapshot holds y, where J
///         was taken and 7 stages of the last step, 9 states; a tape 8, used or not
/// errors  std::invalid_argument where a number of stages is not 3, 5 or 7, or out of order
/// source  Hairer & Wanner, J. Comput. Appl. Math. 111 (1999) 93–111
struct radau {
  static constexpr const char* name = "radau";
  static constexpr const char* source = "Hairer & Wanner, J. Comput. Appl. Math. 111 (1999) 93-111";
  static constexpr int order = 5, embedded_order = 3, dense_order = 3;
  static constexpr int most_stages = 7;

  int first = 3;            ///< stages of the first step
  int least = 3, most = 7;  ///< stages of any other
  double newton = 0;        ///< as in radau_iia
};

/// It, or it with another algebra.
template <class M>
concept variable_radau_method = std::derived_from<M, radau>;

/// act(stages_constant<S>) for S = stages, one of 3, 5, 7.
template <class Do>
decltype(auto) with_stages(int stages, Do&& act) {
  if (stages == 3) return act(stages_constant<3>{});
  if (stages == 5) return act(stages_constant<5>{});
  return act(stages_constant<7>{});
}

/// The method of a step of S stages.
template <int S, variable_radau_method M>
auto radau_of(const M& m) {
  if constexpr (requires { m.algebra; })
    return with_algebra<radau_iia<S>, algebra_t<M>>{{m.newton}, m.algebra};
  else
    return radau_iia<S>{m.newton};
}

/// What a step leaves to the next one to decide by. Set by propose alone.
struct radau_decisions : newton_decisions {
  int stages = 3;    ///< of the next step
  int age = 0;       ///< attempts since the number changed
  double theta = 0;  ///< of the iterations so far: the last, or half of what it was before

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    newton_decisions::parts(self, visit);
    visit(self.stages);
    visit(self.age);
    visit(self.theta);
  }
};

/// newton_memo of a step with that many stages: of the last one, whose factors are kept.
template <class Y>
struct variable_radau_memo {
  double t_jacobian = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is none
  double h_factors = 0, h = 0;
  int stages = 3;
  Y y_jacobian;
  Y past[radau::most_stages];  ///< those beyond are 0
  radau_decisions next{};

  variable_radau_memo() = default;
  explicit variable_radau_memo(const Y& like) : stages(radau::most_stages), y_jacobian(like) {
    for (Y& part : past) part = like;
    keep(3);
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.t_jacobian);
    visit(self.h_factors);
    visit(self.h);
    visit(self.stages);
    visit(self.y_jacobian);
    for (auto& part : self.past) visit(part);
    visit(self.next);
  }
  /// The first `live` of `past` are those of a step; up to now so many were.
  void keep(int live) {
    for (int i = live; i < stages; ++i) fill(past[i], scalar_t<Y>(0));
    stages = live;
  }
};
/// to ← from, as take_memo of newton.hpp; what is 0 in both is not copied.
template <class Y>
void take_memo(const variable_radau_memo<Y>& from, bool tried, double t, const Y& y,
               variable_radau_memo<Y>& to) {
  to.h_factors = from.h_factors;
  to.h = from.h;
  to.keep(from.stages);
  for (int i = 0; i < from.stages; ++i) copy(from.past[i], to.past[i]);
  to.next = from.next;
  to.t_jacobian = tried ? t : from.t_jacobian;
  copy(tried ? y : from.y_jacobian, to.y_jacobian);
}

/// newton_record<1>, and the stages: 8 bytes.
struct variable_radau_record {
  float rate;
  std::uint8_t iterations, flags, stages, unused;

  newton_record<1> of_step() const { return {rate, {iterations}, flags}; }
};

/// y_n and the stages less y_n; those beyond the step's are 0.
template <class Y>
struct variable_radau_tape {
  Y y, z[radau::most_stages];
  index stages = 3;

  variable_radau_tape() = default;
  explicit variable_radau_tape(const Y& like) : y(like) {
    for (Y& part : z) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& part : self.z) visit(part);
    visit(self.stages);
  }
  void clear() {
    fill(y, scalar_t<Y>(0));
    for (Y& part : z) fill(part, scalar_t<Y>(0));
  }
};
template <class Y, int S>
void copy_stages(const radau_stages<Y, S>& from, variable_radau_tape<Y>& to) {
  copy(from.y, to.y);
  for (int i = 0; i < S; ++i) copy(from.z[i], to.z[i]);
  for (int i = S; i < radau::most_stages; ++i) fill(to.z[i], scalar_t<Y>(0));
  to.stages = S;
}
template <class Y, int S>
void copy_stages(const variable_radau_tape<Y>& from, radau_stages<Y, S>& to) {
  copy(from.y, to.y);
  for (int i = 0; i < S; ++i) copy(from.z[i], to.z[i]);
}

/// Three parts of which a step uses one.
template <class L, class Y, template <class, class, int> class Part>
struct by_stages {
  Part<L, Y, 3> three;
  Part<L, Y, 5> five;
  Part<L, Y, 7> seven;

  by_stages() = default;
  explicit by_stages(const Y& like) : three(like), five(like), seven(like) {}

  template <int S, class Self>
  static auto& at(Self& self) {
    if constexpr (S == 3)
      return self.three;
    else if constexpr (S == 5)
      return self.five;
    else
      return self.seven;
  }
  template <int S>
  auto& of() {
    return at<S>(*this);
  }
  template <int S>
  const auto& of() const {
    return at<S>(*this);
  }
};

/// The cache of steps of S stages, and a place for these.
template <class L, class Y, int S>
struct radau_work : radau_cache<L, Y, S> {
  radau_stages<Y, S> stages;

  radau_work() = default;
  explicit radau_work(const Y& like) : radau_cache<L, Y, S>(like), stages(like) {}

  /// Of vectors, beside those that parts names.
  template <class Visit>
  void temporaries(Visit&& visit) const {
    radau_cache<L, Y, S>::temporaries(visit);
    visit(stages);
  }
  /// Those that are not made yet.
  template <class Visit>
  void blocks_to_come(const matrix_shape& shape, Visit&& visit) const {
    constexpr int vectors = 3 * S + 4;
    if (static_size_v<Y> >= 0 || length(this->stage) == shape.n) return;
    for (int k = 0; k < vectors; ++k) visit(shape.n * static_cast<index>(sizeof(scalar_t<Y>)));
  }
  /// The Jacobian is that of all (variable_radau_cache).
  template <class Self, class Visit>
  static void matrices(Self& self, Visit&& visit) {
    visit(self.factors);
  }
};

/// Of the three, that of the last step is the one of state and memo; those of 5 and 7 stages are sized
/// when first used, as factors are.
template <class L, class Y>
struct variable_radau_cache : by_stages<L, Y, radau_work> {
  int stages = 3;

  variable_radau_cache() = default;
  explicit variable_radau_cache(const Y& like) { this->three = radau_work<L, Y, 3>(like); }

  /// That for S stages of states like this one; the Jacobian, of which there is one, goes with it.
  template <int S>
  radau_work<L, Y, S>& take(const Y& like) {
    auto& own = this->template of<S>();
    if constexpr (static_size_v<Y> < 0)
      if (length(own.stage) != length(like)) own = radau_work<L, Y, S>(like);
    if (stages != S)
      with_stages(stages,
                  [&](auto old) { std::swap(own.jacobian, this->template of<old()>().jacobian); });
    stages = S;
    return own;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.stages);
    with_stages(self.stages, [&](auto s) {
      auto& active = self.template of<s()>();
      radau_cache<L, Y, s()>::parts(active, visit);
    });
  }
  template <class Visit>
  void temporaries(Visit&& visit) const {
    this->three.temporaries(visit);
    this->five.temporaries(visit);
    this->seven.temporaries(visit);
  }
  /// Those of all numbers of stages.
  template <class Self, class Visit>
  static void matrices(Self& self, Visit&& visit) {
    with_stages(self.stages, [&](auto s) { visit(self.template of<s()>().jacobian); });
    visit(self.three);
    visit(self.five);
    visit(self.seven);
  }
};

/// radau_scratch, and places for a step's stages and their cotangents.
template <class L, class Y, int S>
struct radau_pull_work : radau_scratch<L, Y, S> {
  radau_stages<Y, S> stages, seeds;

  radau_pull_work() = default;
  explicit radau_pull_work(const Y& like)
      : radau_scratch<L, Y, S>(like),
        stages(like),
        seeds(like) {}
};
template <class L, class Y>
struct variable_radau_scratch : by_stages<L, Y, radau_pull_work> {
  using base = by_stages<L, Y, radau_pull_work>;
  using base::base;
  static constexpr bool keeps_factors() { return true; }
  /// Dense output is the tape's alone.
  static variable_radau_scratch for_dense_output(const Y&) { return {}; }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    const auto of = [&](auto& part) {
      std::remove_cvref_t<decltype(part)>::parts(part, visit);
      visit(part.stages);
      visit(part.seeds);
    };
    of(self.three);
    of(self.five);
    of(self.seven);
  }
};

template <variable_radau_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using memo = variable_radau_memo<Y>;
  using cache = variable_radau_cache<algebra_t<M>, Y>;
  using tape = variable_radau_tape<Y>;
  using record = variable_radau_record;
  using scratch = variable_radau_scratch<algebra_t<M>, Y>;
  using seeds = variable_radau_tape<Y>;
  static constexpr bool asks_jacobian = std::is_same_v<algebra_t<M>, dense_algebra>;
};

}  // namespace revode
