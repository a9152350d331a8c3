// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/loss.hpp>
#include <revode/problem.hpp>
#include <revode/solve/events.hpp>
#include <revode/solve/quadrature.hpp>

namespace revode {

/// running(t, y, p), a number, as the integrand of a quadrature. Its vjp and jvp, if it brings them, take
/// and give that number's cotangent and tangent.
template <class Running>
struct cost_integrand {
  static constexpr bool autonomous = says_autonomous<Running>;
  const Running& running;

  template <class T, class Y, class P>
  requires std::invocable<const Running&, const T&, const Y&, const P&>
  void operator()(const T& t, const Y& y, const P& p, vec<T, 1>& dq) const {
    dq[0] = running(t, y, p);
  }
  template <class T, class Y, class P>
  void vjp(const T& t, const Y& y, const P& p, const vec<T, 1>& w, T& gt, Y& gy,
           P& gp) const requires requires(const Running& of) {
    of.vjp(t, y, p, t, gt, gy, gp);
  }
  { running.vjp(t, y, p, w[0], gt, gy, gp); }
  template <class T, class Y, class P>
  void jvp(const T& t, const Y& y, const P& p, const T& dt, const Y& dy, const P& dp,
           vec<T, 1>& out) const requires requires(const Running& of) {
    of.jvp(t, y, p, dt, dy, dp, out[0]);
  }
  { running.jvp(t, y, p, dt, dy, dp, out[0]); }
};

template <class F, class Running, class Y>
using field_with_running_cost =
    field_with_quadrature<const F&, cost_integrand<Running>, Y, vec<scalar_t<Y>, 1>>;
/// The elements of a state Y and one more: of fixed length where Y's is.
template <class Y>
using lengthened_t = with_quadrature_t<Y, vec<scalar_t<Y>, 1>>;

/// (y, 0)
template <class Y>
lengthened_t<Y> lengthen(const Y& y) {
  lengthened_t<Y> z{};
  const int n = length(y);
  if constexpr (static_size_v<Y> < 0) z.resize(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i < n; ++i) z.data()[i] = y.data()[i];
  z.data()[n] = 0;
  return z;
}

/// y of (y, q), in the shape of `like`.
template <class Y, class Z>
Y shorten(const Z& z, const Y& like) {
  Y y = like;
  copy(z, y);
  return y;
}

/// An event of y as one of (y, q), which it leaves alone: its functions see y in its own container.
template <class E, class Y>
struct event_beside_cost : E {
  Y like;
  mutable scratch_by_type scratch{};

  event_beside_cost(const E& e, const Y& y) : E(e), like(y) {}

  template <class T, class Z, class P>
  T condition(const T& t, const Z& z,
              const P& p) const requires located_event<E, rebind_t<Y, scalar_t<Z>>, P> {
    return E::condition(t, before(z), p);
  }
  template <class T, class Z, class P>
  bool inside(const T& t, const Z& z,
              const P& p) const requires domain_predicate<E, rebind_t<Y, scalar_t<Z>>, P> {
    return E::inside(t, before(z), p);
  }
  template <class Z, class P>
  bool after_step(double t, const Z& z,
                  const P& p) const requires step_observer<E, rebind_t<Y, scalar_t<Z>>, P> {
    return E::after_step(t, before(z), p);
  }
  template <class T, class Z, class P>
  void jump(const T& t, const Z& z, const P& p,
            Z& z_new) const requires jumps_state<E, rebind_t<Y, scalar_t<Z>>, P> {
    const auto& y = before(z);
    auto& y_new = states<scalar_t<Z>>().second;
    copy(y, y_new);
    E::jump(t, y, p, y_new);
    for (int i = 0, n = length(y_new); i < n; ++i) z_new.data()[i] = y_new.data()[i];
  }
  template <class T, class Z, class P>
  void jump(const T& t, const Z& z, const P& p, Z& z_new,
            P& p_new) const requires jumps_parameters<E, rebind_t<Y, scalar_t<Z>>, P> {
    const auto& y = before(z);
    auto& y_new = states<scalar_t<Z>>().second;
    copy(y, y_new);
    E::jump(t, y, p, y_new, p_new);
    for (int i = 0, n = length(y_new); i < n; ++i) z_new.data()[i] = y_new.data()[i];
  }

 private:
  template <class S>
  auto& states() const {
    using pair = std::pair<rebind_t<Y, S>, rebind_t<Y, S>>;
    return scratch.template get<pair>(
        [this] { return pair(rebind_like<S>(like), rebind_like<S>(like)); });
  }
  template <class Z>
  const auto& before(const Z& z) const {
    auto& y = states<scalar_t<Z>>().first;
    copy(z, y);
    return y;
  }
};
template <class... E, class Y>
auto events_beside_cost(const event_list<E...>& events, const Y& y) {
  return std::apply(
      [&](const E&... e) {
        return event_list<event_beside_cost<E, Y>...>{
            std::tuple<event_beside_cost<E, Y>...>(event_beside_cost<E, Y>(e, y)...)};
      },
      events.each);
}

/// The loss of (y, q): terminal(y), terminal(y, ys) or terminal(y, ys, times), plus q.
template <class Terminal, class Y>
struct terminal_and_cost {
  const Terminal& terminal;
  const Y& like;

  template <class Z>
  using state = rebind_t<Y, scalar_t<Z>>;
  template <class Z>
  auto operator()(const Z& z) const requires std::is_invocable_v<const Terminal&, state<Z>> {
    return terminal(part(z)) + cost(z);
  }
  template <class Z>
  auto operator()(const Z& z, const std::vector<Z>& zs)
      const requires std::is_invocable_v<const Terminal&, state<Z>, std::vector<state<Z>>> {
    return terminal(part(z), parts(zs)) + cost(z);
  }
  template <class Z>
  auto operator()(const Z& z, const std::vector<Z>& zs, const std::vector<scalar_t<Z>>& times)
      const requires std::is_invocable_v<const Terminal&, state<Z>, std::vector<state<Z>>,
                                         std::vector<scalar_t<Z>>> {
    return terminal(part(z), parts(zs), times) + cost(z);
  }

  template <class Z, class P>
  auto all(const seen_solution<Z, P>& s) const {
    return terminal.function(seen_solution<state<Z>, P>{part(s.y), s.t, parts(s.ys), s.events,
                                                        part(s.y0), s.p, s.t0}) +
           cost(s.y);
  }

 private:
  template <class Z>
  state<Z> part(const Z& z) const {
    state<Z> y = rebind_like<scalar_t<Z>>(like);
    copy(z, y);
    return y;
  }
  template <class Z>
  std::vector<state<Z>> parts(const std::vector<Z>& zs) const {
    std::vector<state<Z>> ys;
    for (const Z& z : zs) ys.push_back(part(z));
    return ys;
  }
  template <class Z>
  scalar_t<Z> cost(const Z& z) const {
    return z.data()[length(like)];
  }
};

}  // namespace revode
