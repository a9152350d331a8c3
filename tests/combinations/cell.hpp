// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cell_parts.hpp"

namespace revode::combinations {

struct sides {
  double pushed = 0, pulled = 0, size = 0;

  template <class X, class Z>
  void push(const X& a, const Z& b) {
    add(pushed, a, b);
  }
  template <class X, class Z>
  void pull(const X& a, const Z& b) {
    add(pulled, a, b);
  }
  double apart() const { return std::abs(pushed - pulled) / size; }

 private:
  template <class X, class Z>
  void add(double& sum, const X& a, const Z& b) {
    for (int i = 0, n = length(a); i < n; ++i) {
      const double product = static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
      sum += product;
      size += std::abs(product);
    }
  }
};
/// Cotangents of the end, the save points and the events' times.
template <class Y, class Solution>
cotangents<Y> weights_of(const Solution& s, random_numbers& random) {
  cotangents<Y> w = random_cotangents<Y>(s, random);
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(random());
  return w;
}

/// A gradient that knows its error has the bits of g, and the error is not large.
template <class Q, class M, class E, class A, class G>
void error_law(const Q& q, const M& m, const options& o, const E& e, const A& a,
               const cotangents<std::remove_cvref_t<decltype(q.y0)>>& w, const G& g) {
  auto s = run(q, m, o, e, with_error<A>{.adjoint = a, .unresolved = 1e300});
  const auto known = s.pullback(w);
  CHECK(known.status == status::success);
  CHECK(equal_bits(known.y0, g.y0));
  CHECK(equal_bits(known.p, g.p));
  REQUIRE(known.error);
  CHECK(known.error->relative < 0.5);
  // Orders of multistep methods follow the tolerance: steps of a looser one can be more.
  if (!is_multistep_v<M>) CHECK(known.error->looser.accepted <= s.stats.accepted);
}

/// ⟨w, J v⟩ = ⟨Jᵀ w, v⟩ with every time that can move, and the same bits by every schedule.
template <class Q, class M, class E>
void exact_law(const Q& q, const M& m, const options& o, const E& e) {
  using Y = std::remove_cvref_t<decltype(q.y0)>;
  using P = std::remove_cvref_t<decltype(q.p)>;
  random_numbers random(7);
  auto s = run(q, m, o, e, recursive_checkpoint{.schedule = schedule_kind::store_all});
  REQUIRE(s.status == status::success);
  REQUIRE(s.events.size() == (std::is_same_v<E, no_events> ? 0 : 1));
  const auto w = weights_of<Y>(s, random);
  const auto g = s.pullback(w);
  for (const auto& [kind, text] : schedule_names) {
    const auto& the_text = text;
    CAPTURE(the_text);
    recursive_checkpoint asked{.schedule = kind, .base = 4};
    if (takes_slots(kind)) asked.slots = 4;
    auto other = run(q, m, o, e, asked);
    const auto h = other.pullback(w);
    CHECK(equal_bits(s.y, other.y));
    CHECK(equal_bits(g.y0, h.y0));
    CHECK(equal_bits(g.p, h.p));
    CHECK(equal_bits(vec{g.t0, g.t1}, vec{h.t0, h.t1}));
  }

  tangents<Y, P> v{.y0 = random.like(q.y0), .p = random.like(q.p), .t0 = random(), .t1 = random()};
  for (std::size_t k = 0; k < o.save.ts.size(); ++k) v.ts.push_back(random());
  for (std::size_t k = 0; k < o.stops.size() + o.discontinuities.size(); ++k)
    v.stops.push_back(random());
  const auto pushed = run(q, m, o, e, v);
  sides sum;
  sum.push(*w.y, pushed.y_dot);
  for (std::size_t k = 0; k < w.ys.size(); ++k) sum.push(w.ys[k], pushed.ys_dot[k]);
  sum.push(w.events, pushed.events_dot);
  sum.pull(g.y0, v.y0);
  sum.pull(g.p, v.p);
  sum.pull(vec{g.t0, g.t1}, vec{v.t0, v.t1});
  sum.pull(g.ts, v.ts);
  sum.pull(g.stops, v.stops);
  error_law(q, m, o, e, recursive_checkpoint{.slots = 4}, w, g);
  const bool is_float = sizeof(scalar_t<Y>) == 4;
  CHECK(sum.apart() < (is_float ? 2e-4 : 1e-11));
}

/// The gradient of ⟨w, y(t1)⟩ by tsit5 in double, of the same system.
template <int Situation, int Scalar, class G>
void check_gradient(const G& g, double bound) {
  constexpr int type = Scalar == single ? real : Scalar;
  const auto q = problem_of<Situation, fixed, type>();
  auto s = run(q, tsit5{}, options_of<Situation>(1e-11, 0), events_of<Situation>(),
               recursive_checkpoint{});
  auto w = q.y0;
  fill(w, 1.0);
  const auto exact = s.pullback(w);
  double apart = 0, size = 1;
  const auto compare = [&](const auto& a, const auto& b) {
    for (int i = 0, n = length(b); i < n; ++i) {
      const auto x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
      apart = larger(apart, std::abs(x - y));
      size = std::fmax(size, std::abs(y));
    }
  };
  compare(g.y0, exact.y0);
  compare(g.p, exact.p);
  CHECK(apart <= bound * size);
}

template <int Situation, int Scalar, class Q, class M, class E, class A>
void continuous_law(const Q& q, const M& m, const options& o, const E& e, const A& a,
                    double bound) {
  auto s = run(q, m, o, e, a);
  REQUIRE(s.status == status::success);
  auto w = q.y0;
  fill(w, scalar_t<decltype(w)>(1));
  const auto g = s.pullback(w);
  CHECK(g.status == status::success);
  check_gradient<Situation, Scalar>(g, bound);
  error_law(q, m, o, e, a, {.y = w}, g);
}

/// Two losses at once: the gradient, and linear in the weights to the bit.
template <int Situation, int Scalar, class Q, class M, class E>
void several_law(const Q& q, const M& m, const options& o, const E& e, double bound) {
  using Y = std::remove_cvref_t<decltype(q.y0)>;
  cotangents<Y> w{.y = q.y0}, twice{.y = q.y0};
  fill(*w.y, scalar_t<Y>(1));
  fill(*twice.y, scalar_t<Y>(2));
  const auto g = run(q, m, o, e, recursive_checkpoint{}).gradients({w, twice});
  check_gradient<Situation, Scalar>(g[0], bound);
  for (int i = 0; i < length(g[0].p); ++i)
    CHECK(static_cast<double>(g[1].p.data()[i]) ==
          doctest::Approx(2 * static_cast<double>(g[0].p.data()[i])).epsilon(1e-4));
}

/// uᵀ H v = vᵀ H u.
template <class Q, class M, class E>
void hessian_law(const Q& q, const M& m, const options& o, const E& e) {
  using Y = std::remove_cvref_t<decltype(q.y0)>;
  using P = std::remove_cvref_t<decltype(q.p)>;
  const auto loss = [](const auto& y) {
    return y.data()[0] * y.data()[1] * y.data()[2] + y.data()[3];
  };
  random_numbers random(3);
  const tangents<Y, P> u{.y0 = random.like(q.y0), .p = random.like(q.p)};
  const tangents<Y, P> v{.y0 = random.like(q.y0), .p = random.like(q.p)};
  const auto along = [&](const tangents<Y, P>& direction) {
    return hessian_vector_product(q, m, o, e, loss, direction);
  };
  const auto by_v = along(v), by_u = along(u);
  REQUIRE(by_v.solution.status == status::success);
  REQUIRE(by_u.product);
  const auto &of_v = *by_v.product, &of_u = *by_u.product;
  sides sum;
  sum.push(u.y0, of_v.y0);
  sum.push(u.p, of_v.p);
  sum.pull(v.y0, of_u.y0);
  sum.pull(v.p, of_u.p);
  REQUIRE(sum.size > 0);
  CHECK(sum.apart() < (sizeof(scalar_t<Y>) == 4 ? 1e-2 : 1e-9));
}

/// A loss with a running cost has the bits of the quadrature.
template <class Alone, class Q, class M>
void running_cost_law(const Alone& alone, const Q& q, const M& m, const options& o) {
  const auto none = [](const auto& y) { return 0 * y.data()[0]; };
  const auto r = value_and_gradient(alone, m, o, loss_with_running_cost{none, integrand{}, true});
  auto s = solve(q, m, q.f.outside_norm(o), recursive_checkpoint{});
  auto w = zero_like(s.y);
  w.data()[4] = 1;
  const auto g = s.pullback(w);
  REQUIRE(r.value);
  CHECK(*r.value == static_cast<double>(s.y.data()[4]));
  CHECK(equal_bits(r.gradient->p, g.p));
  CHECK(equal_bits(r.gradient->y0, q.f.state_of(g.y0)));
}

template <int F, int L, int Si, int A, int K, int T>
void run_cell() {
  const auto q = problem_of<Si, K, T>();
  auto m = method_of<F, L, T>();
  const auto give_pattern = [](auto& n) {
    if constexpr (requires { n.algebra.pattern; })
      n.algebra.pattern =
          std::make_shared<sparsity>(sparsity_of(problem_of<Si, std_vector, real>()));
  };
  give_pattern(m);
  if constexpr (requires { m.stiff; }) give_pattern(m.stiff);
  if constexpr (requires { m.newton; } && T != single) m.newton = 1e-8;
  const auto e = events_of<Si>();
  const bool adaptive = F != symplectic && F != low_storage;
  // These change the method, the number of stages, on the way, but at tight tolerances only.
  const bool changes = F == radau357 || F == switching_pair;
  const double rtol = T == single ? 1e-4 : 1e-6, bound = T == single ? 3e-2 : 1e-3;
  const options loose = options_of<Si>(T == single ? 1e-3
                                       : changes   ? 1e-8
                                                   : 1e-4,
                                       adaptive ? 0 : 0.04);
  const options tight = options_of<Si>(rtol, adaptive ? 0 : 0.01);
  const auto integral_outside = [&](options o) {
    if constexpr (requires { q.f.outside_norm(o); })
      return q.f.outside_norm(o);
    else
      return o;
  };
  if constexpr (A == checkpoints && Si == running_cost)
    running_cost_law(problem_of<plain, K, T>(), q, m, loose);
  else if constexpr (A == checkpoints)
    exact_law(q, m, integral_outside(loose), e);
  else if constexpr (A == several)
    several_law<Si, T>(q, m, tight, e, bound);
  else if constexpr (A == hessian)
    hessian_law(q, m, T == single || changes ? loose : options_of<Si>(1e-6, 0.04), e);
  else if constexpr (A == by_gauss)
    continuous_law<Si, T>(q, m, tight, e, gauss{}, bound);
  else if constexpr (A == by_interpolating)
    continuous_law<Si, T>(q, m, tight, e, interpolating{}, bound);
  else
    continuous_law<Si, T>(q, m, tight, e, backsolve{}, bound);
}

template <choice c>
void run_cell_of() {
  CAPTURE(text_of(c));
#if !__has_include(<klu.h>)
  if constexpr (c[algebra] != suite_sparse)
#endif
    run_cell<c[family], c[algebra], c[situation], c[adjoint], c[state], c[scalar]>();
}

/// The covering cells from First to before Past.
template <int First, int Past>
void run_cells() {
  if constexpr (First < Past) {
    run_cell_of<covering[First]>();
    run_cells<First + 1, Past>();
  }
}

}  // namespace revode::combinations
