// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include <revode/solvers/radau/radau_step.hpp>
#include <revode/solvers/radau/variable_control.hpp>
#include <revode/solvers/radau/variable_types.hpp>

namespace revode {

/// The parts of a carry that a step of S stages sees.
template <class L, class Y, int S>
struct radau_carry {
  Y& state;
  variable_radau_memo<Y>& memo;
  radau_work<L, Y, S>& cache;
};
/// Those that it starts from: factors are of S stages, slope and Jacobian whatever the last step had.
template <class L, class Y, int S>
struct radau_start {
  struct kept {
    const Y& slope;
    const typename L::template jacobian<Y>& jacobian;
    const radau_factors<L, Y, S>& factors;
  };
  const Y& state;
  const variable_radau_memo<Y>& memo;
  kept cache;
};

template <class Y>
const Y& last_change(const variable_radau_memo<Y>& memo) {
  return memo.past[memo.stages - 1];
}

/// z ← the last step's polynomial at the stages of this one, less its end, whatever their numbers.
template <class Y, int S>
void predict_radau_stages(const variable_radau_memo<Y>& memo, double h, Y (&z)[S]) {
  if (memo.h == 0) {
    for (Y& part : z) fill(part, scalar_t<Y>(0));
    return;
  }
  with_stages(memo.stages, [&](auto past) { extrapolate_stages<past()>(memo.past, memo.h, h, z); });
}

/// Throws where the numbers of stages cannot be.
inline void require_stages(const radau& m) {
  const auto is_one = [](int s) { return s == 3 || s == 5 || s == 7; };
  if (is_one(m.first) && is_one(m.least) && is_one(m.most) && m.least <= m.first &&
      m.first <= m.most)
    return;
  const auto text = [](int s) { return std::to_string(s); };
  throw std::invalid_argument("radau has " + text(m.least) + ", " + text(m.first) + " and " +
                              text(m.most) +
                              " stages at least, at first and at most (each is 3, 5 or 7, in this "
                              "order) take e.g. 3, 3 and 7?");
}

template <variable_radau_method M, class System, class Y>
void refresh(const M& m, System& sys, double t, carry<M, Y>& c) {
  with_stages(c.memo.stages, [&](auto s) {
    radau_carry<algebra_t<M>, Y, s()> own{c.state, c.memo, c.cache.template take<s()>(c.state)};
    refresh_radau(algebra_of(m), sys, t, own);
  });
}

template <variable_radau_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  require_stages(m);
  c.state = y;
  if constexpr (is_massive_v<System>) make_consistent(sys, t, c.state);
  c.memo = variable_radau_memo<Y>(c.state);
  c.memo.t_jacobian = t;
  for (int i = c.memo.stages; i < m.first; ++i) copy(c.state, c.memo.past[i]);
  c.memo.stages = c.memo.next.stages = m.first;
  refresh(m, sys, t, c);
}

template <variable_radau_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, const variable_radau_record& r,
            carry<M, Y>& c, variable_radau_tape<Y>& tape) {
  with_stages(r.stages, [&](auto s) {
    auto& work = c.cache.template take<s()>(c.state);
    radau_carry<algebra_t<M>, Y, s()> own{c.state, c.memo, work};
    replay_radau_step(radau_of<s()>(m), sys, t, t_new, r.of_step(), own, work.stages);
    c.memo.keep(s());
    copy_stages(work.stages, tape);
  });
}

template <variable_radau_method M, class System, class Y>
outcome<variable_radau_record> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                       double t_new, const carry<M, Y>& from,
                                       variable_radau_tape<Y>& tape, carry<M, Y>& next) {
  using L = algebra_t<M>;
  return with_stages(from.memo.next.stages, [&](auto s) {
    constexpr int S = s();
    const auto& factors = from.cache.template of<S>().factors;
    auto& work = next.cache.template take<S>(from.state);
    radau_carry<L, Y, S> to{next.state, next.memo, work};
    const auto own = with_stages(from.cache.stages, [&](auto last) {
      const auto& kept = from.cache.template of<last()>();
      const radau_start<L, Y, S> start{from.state, from.memo, {kept.slope, kept.jacobian, factors}};
      return attempt_radau_step(radau_of<S>(m), sys, tol, t, t_new, start, work.stages, to);
    });
    if (own.what == status::success && own.error_squared <= 1) {
      next.memo.keep(S);
      copy_stages(work.stages, tape);
    }
    const auto& r = own.record;
    return outcome<variable_radau_record>{
        own.error_squared,
        own.what,
        {r.rate, r.iterations[0], r.flags, static_cast<std::uint8_t>(S), 0}};
  });
}

}  // namespace revode
