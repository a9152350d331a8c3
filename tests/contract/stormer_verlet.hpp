// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/solve.hpp>

namespace revode::contract {

/// State (q, p), one half each; q' depends on t and p alone, p' on t and q alone:
///   p½ = p + h/2 p'(t, q),  q_new = q + h q'(t + h/2, p½),  p_new = p½ + h/2 p'(t_new, q_new)
struct stormer_verlet {
  static constexpr const char* name = "stormer_verlet";
  static constexpr const char* source =
      "Hairer, Lubich & Wanner, Acta Numerica 12 (2003) 399–450, (1.5)";
  static constexpr int order = 2;

  template <class Y>
  struct three {
    Y start, middle, end;  // (q, p½), (q_new, p½): what the field is called with
    Y f[3];
    three() = default;
    explicit three(const Y& y) : start(y), middle(y), end(y), f{y, y, y} {}
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      for (auto* part : {&self.start, &self.middle, &self.end}) visit(*part);
      for (auto& part : self.f) visit(part);
    }
  };
  template <class Y>
  struct types : default_types<Y> {
    struct cache {
      Y f;
      cache() = default;
      explicit cache(const Y& y) : f(y) {}
    };
    using tape = three<Y>;
    using scratch = three<Y>;
  };
};

/// to[half] += a from[half], half 0: q, 1: p
template <class T, class Y>
void axpy_half(int half, T a, const Y& from, Y& to) {
  const int n = length(to) / 2;
  for (int i = half * n; i < (half + 1) * n; ++i) to.data()[i] += a * from.data()[i];
}
template <class Y>
void only(int half, Y& y) {
  const int n = length(y) / 2;
  for (int i = (1 - half) * n; i < (2 - half) * n; ++i) y.data()[i] = 0;
}

template <class System, class Y>
void refresh(const stormer_verlet&, System& sys, double t, carry<stormer_verlet, Y>& c) {
  sys(t, c.state, c.cache.f);
  only(1, c.cache.f);  // p½ leaves its mark on the other half
}

template <class System, class Y>
void replay(const stormer_verlet&, System& sys, double t, double t_new, nothing,
            carry<stormer_verlet, Y>& c, stormer_verlet::three<Y>& s) {
  const scalar_t<Y> h(t_new - t);
  copy(c.state, s.start);
  copy(c.cache.f, s.f[0]);
  axpy_half(1, h / 2, s.f[0], c.state);
  copy(c.state, s.middle);
  sys(0.5 * (t + t_new), s.middle, s.f[1]);
  axpy_half(0, h, s.f[1], c.state);
  copy(c.state, s.end);
  sys(t_new, s.end, s.f[2]);
  axpy_half(1, h / 2, s.f[2], c.state);
  copy(s.f[2], c.cache.f);
  only(1, c.cache.f);
}

template <class System, class Y>
outcome<nothing> attempt(const stormer_verlet& m, System& sys, const tolerance&, double t,
                         double t_new, const carry<stormer_verlet, Y>& c,
                         stormer_verlet::three<Y>& s, carry<stormer_verlet, Y>& next) {
  copy(c.state, next.state);
  copy(c.cache.f, next.cache.f);
  replay(m, sys, t, t_new, nothing{}, next, s);
  return {};
}

template <class System, class Y, class P>
void pull(const stormer_verlet&, System& sys, double t, double t_new, nothing,
          const stormer_verlet::three<Y>& s, stormer_verlet::three<Y>& w, const nothing*, Y& y_bar,
          P& p_bar, step_ends<scalar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  const double times[] = {t, 0.5 * (t + t_new), t_new};
  const Y* at[] = {&s.start, &s.middle, &s.end};
  for (int i = 2; i >= 0; --i) {
    const T share(i == 1 ? 1 : 0.5), h = share * T(t_new - t);
    Y& weight = w.start;
    copy(y_bar, weight);
    only(i == 1 ? 0 : 1, weight);
    const T h_bar = share * dot(weight, s.f[i]);
    for (int j = 0; j < length(weight); ++j) weight.data()[j] *= h;
    T t_bar(0);
    sys.vjp(times[i], *at[i], weight, &t_bar, y_bar, p_bar);
    if (ends == nullptr) continue;
    ends->t += (1 - i * T(0.5)) * t_bar - h_bar;
    ends->t_new += i * T(0.5) * t_bar + h_bar;
  }
}

template <class System, class Y, class P>
void push(const stormer_verlet&, System& sys, double t, double t_new, nothing,
          const stormer_verlet::three<Y>& s, stormer_verlet::three<Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  const double times[] = {t, 0.5 * (t + t_new), t_new};
  const Y* at[] = {&s.start, &s.middle, &s.end};
  for (int i = 0; i < 3; ++i) {
    const T share(i == 1 ? 1 : 0.5), t_dot = ends.t + i * T(0.5) * (ends.t_new - ends.t);
    sys.jvp(times[i], *at[i], t_dot, y_dot, p_dot, w.start);
    axpy_half(i == 1 ? 0 : 1, share * T(t_new - t), w.start, y_dot);
    axpy_half(i == 1 ? 0 : 1, share * (ends.t_new - ends.t), s.f[i], y_dot);
  }
}

}  // namespace revode::contract
