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
#include <revode/solve/events/event_names.hpp>
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

/// A gradient with respect to (y, q) as that of y.
template <class Z, class P, class Y>
gradient<Y, P> shorten(gradient<Z, P>& g, const Y& like) {
  gradient<Y, P> of_y{shorten(g.y0, like),
                      std::move(g.p),
                      g.t0,
                      g.t1,
                      std::move(g.ts),
                      g.reverse,
                      std::move(g.stops),
                      std::move(g.events),
                      std::move(g.times),
                      g.status};
  if (auto& e = g.error)
    of_y.error.emplace(gradient_error<Y, P>{shorten(e->y0, like), std::move(e->p), e->t0, e->t1,
                                            std::move(e->ts), std::move(e->stops),
                                            std::move(e->events), std::move(e->times), e->loss,
                                            e->relative, e->looser, e->tighter, e->reverse});
  return of_y;
}
/// A solution (y, q) as that of y.
template <class Z, class Y>
solution<Y> shorten(solution<Z>& s, const Y& like) {
  solution<Y> of_y{.status = s.status,
                   .t = s.t,
                   .y = shorten(s.y, like),
                   .ts = std::move(s.ts),
                   .events = std::move(s.events),
                   .stats = s.stats};
  for (const Z& z : s.ys) of_y.ys.push_back(shorten(z, like));
  return of_y;
}
/// A direction in which the integral begins at 0, wherever y does.
template <class Y, class P>
tangents<lengthened_t<Y>, P> lengthen(const tangents<Y, P>& along) {
  return {lengthen(along.y0), along.p, along.t0, along.t1, along.ts, along.stops, along.times};
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
template <class E, class Y>
inline constexpr bool is_event_of_another<event_beside_cost<E, Y>> = true;
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

/// ask(q, o[, events], L) with the integral beside the state: what becomes of a loss with a running cost.
template <class F, class Y, class P, class... E, class Terminal, class Running, class Ask>
auto ask_beside_cost(const problem<F, Y, P>& q, const options& o, const event_list<E...>& events,
                     const loss_with_running_cost<Terminal, Running>& loss, const Ask& ask) {
  static_assert(is_loss_over<Terminal, Y, P>,
                "a loss_with_running_cost whose terminal part is no number of y, of y and the save "
                "points, or of these and the times of events (the integral is added to it) write "
                "[](const auto& y) { return y[0]; }?");
  static_assert(
      std::is_invocable_r_v<scalar_t<Y>, const Running&, const scalar_t<Y>&, const Y&, const P&>,
      "a running cost that is no number running(t, y, p) (it is integrated beside the state, over "
      "its scalar) write [](const auto& t, const auto& y, const auto& p) { return y[0] * y[0]; }?");
  const field_with_running_cost<std::remove_cvref_t<F>, Running, Y> f{
      {q.f, {loss.running}, q.y0, {}}};
  const problem longer{f, lengthen(q.y0), q.t0, q.t1, q.p};
  const options with_cost = with_more_elements(o, length(q.y0), 1, loss.outside_norm);
  const terminal_and_cost<Terminal, Y> sum{loss.terminal, q.y0};
  const auto both = [&] {
    if constexpr (is_loss_of_solution<Terminal>)
      return loss_of_solution{[&](const auto& s) { return sum.all(s); }};
    else
      return sum;
  }();
  if constexpr (sizeof...(E) == 0)
    return ask(longer, with_cost, both);
  else
    return ask(longer, with_cost, events_beside_cost(events, q.y0), both);
}

}  // namespace revode
