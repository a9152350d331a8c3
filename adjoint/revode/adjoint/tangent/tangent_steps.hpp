// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/tangent/check_tangents.hpp>
#include <revode/adjoint/tangent/tangent_algebra.hpp>
#include <revode/adjoint/tangent/tangent_events.hpp>
#include <revode/solve/course/course.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// Throws for what control_gradient_error cannot do.
template <class F, class Y, class P, class Events, std::size_t K>
void check_controlled(const problem<F, Y, P>& q, const options& o, const Events& events,
                      const std::array<tangents<Y, P>, K>& along, double size) {
  if (o.fixed_step > 0 || !o.grid.empty())
    throw std::invalid_argument("control_gradient_error with " +
                                (o.fixed_step > 0
                                     ? "fixed_step = " + std::to_string(o.fixed_step)
                                     : "a grid of " + std::to_string(o.grid.size()) + " times") +
                                " (steps that are given have no error norm for a tangent to join) "
                                "leave it out, or push the "
                                "tangents alone?");
  if (!(size >= 0) || std::isinf(size))
    throw std::invalid_argument("control_gradient_error with size = " + std::to_string(size) +
                                " (errors of tangents are measured against it) give a positive "
                                "number, or 0 to have it found?");
  for (const tangents<Y, P>& one : along) {
    check(q, o, events, one);
    const auto stand = [](const std::vector<double>& moved) {
      return std::all_of(moved.begin(), moved.end(), [](double by) { return by == 0; });
    };
    if (!stand(one.stops))
      throw std::invalid_argument(
          "control_gradient_error with a stop or discontinuity that moves (they stand still for "
          "it) leave tangents::stops at 0, or push the tangents alone?");
    if (!std::all_of(one.times.begin(), one.times.end(), stand))
      throw std::invalid_argument(
          "control_gradient_error with a listed time of an event that moves (they stand still for "
          "it) leave tangents::times at 0, or push the tangents alone?");
  }
}

/// What solve_with_tangents finds: a solution, its tangents, and the steps for a replay of y alone.
template <class Y, std::size_t K, class Record>
struct solved_with_tangents {
  revode::solution<Y> solution;
  std::array<Y, K> y_dot;
  std::vector<std::array<Y, K>> ys_dot{};
  std::vector<std::array<double, K>> events_dot{};
  std::optional<course<Record>> steps{};
  std::array<double, K> sizes{};
  index solves = 0;
};

/// Solves of y with K tangents, as often as it takes to know how large these are.
template <class M, class F, class Y, class P, int K, class Events>
class tangent_solver {
  using T = scalar_t<Y>;
  using field = tangent_field<F, Y, P, K>;
  using Z = typename field::Z;
  using Q = typename field::Q;
  using adapted = method_with_tangents<M, system<F, Y, P>, K>;
  using adapted_type = typename adapted::type;
  using cuts_type = tangent_cuts<F, Y, P, K>;
  using events_type =
      decltype(with_tangents(std::declval<const Events&>(), std::declval<cuts_type&>()));
  using loop_type = stepper<adapted_type, field, Z, Q, events_type>;
  static_assert(field::template over<whole_face, T> || field::template by_products<whole_face, T>,
                "control_gradient_error needs tangents of the field (its call operator accepts one "
                "scalar type only, and it has no member jvp): make operator() a template over the "
                "scalar of t, y, p and dy, or add jvp(t, y, p, dt, dy, dp, out)?");
  static_assert(
      field::template exact_jacobian<whole_face> || !jacobian_in_formula<M>,
      "control_gradient_error with a Rosenbrock method needs the derivative of jvp (the "
      "Jacobian is part of the method's formula): make operator() of the field a template "
      "over the scalar of t, y, p and dy, or its vjp one, or take an ESDIRK or Radau "
      "method?");
  static_assert(
      std::is_same_v<algebra_t<M>, dense_algebra> || newton_method<M, Y>,
      "control_gradient_error with a Rosenbrock or IMEX method of sparse, banded or "
      "matrix-free algebra (the Jacobian of a state and its tangents, which it takes whole, "
      "is dense): use it without with_algebra, or take an ESDIRK or Radau method?");

 public:
  using found_type = solved_with_tangents<Y, K, typename method_types<M, Y>::record>;

  template <class Field>
  tangent_solver(const problem<Field, Y, P>& q, const M& m, const options& o, const Events& events,
                 const std::array<tangents<Y, P>, K>& along)
      : o_(norm_with_tangents(o, length(q.y0))),
        n_(length(q.y0)),
        inside_(o_.norm.atol),
        f_{{q.f, q.y0, q.p}},
        z_(stacked<Z>((K + 1) * n_)),
        q_(stacked<Q>((K + 1) * length(q.p))),
        motion_{f_, q_, q.t1 < q.t0 ? -1.0 : 1.0},
        events_(with_tangents(events, motion_)),
        sys_(q.f, motion_.p),
        place_(q.y0),
        m_(adapted::make(m, sys_, place_)),
        along_(along),
        t0_(q.t0),
        t1_(q.t1) {
    if constexpr (requires { m_.newton; })
      if (m_.newton == 0) m_.newton = newton_share(o.rtol);
    for (int k = 0; k < K; ++k) {
      Y y_dot = along[std::size_t(k)].y0;
      move(t0_, q.y0, q.p, -along[std::size_t(k)].t0, y_dot);
      start_[std::size_t(k)] = y_dot;
      least_[std::size_t(k)] = 1e-10 * relative_size(q, y_dot, along[std::size_t(k)].p);
    }
  }

  found_type run(double size) {
    found_type found;
    std::array<double, K> sizes;
    sizes.fill(size > 0 ? size : std::numeric_limits<double>::infinity());
    for (;;) {
      const auto mean = solve_once(sizes, found);
      bool known = true;
      for (std::size_t k = 0; k < K; ++k) known = known && !(2 * mean[k] < sizes[k]);
      if (size > 0 || known || found.solution.status != status::success) return found;
      for (std::size_t k = 0; k < K; ++k) sizes[k] = std::fmin(sizes[k], mean[k]);
    }
  }

  tangent_solver(const tangent_solver&) = delete;

 private:
  /// What Newton may leave of a tolerance: less than where it serves y alone, since a tangent in a fast
  /// transition sees the error of its state multiplied by the speed.
  static double newton_share(double rtol) {
    return std::fmax(1e-4, std::fmin(0.03, 10 * std::numeric_limits<double>::epsilon() / rtol));
  }
  /// A tangent's elements have the tolerances of its state's, and those outside the norm stay there.
  static options norm_with_tangents(const options& o, int n) {
    options both = o;
    for (auto each : {&error_norm::rtol, &error_norm::atol})
      for (int k = 0; k < K && !(o.norm.*each).empty(); ++k)
        (both.norm.*each)
            .insert((both.norm.*each).end(), (o.norm.*each).begin(), (o.norm.*each).end());
    both.norm.period = n;
    return both;
  }
  /// That of a change by as much as the largest of its elements, 1 at least where there is one.
  template <class Problem>
  static double relative_size(const Problem& q, const Y& y_dot, const P& p_dot) {
    double most = 0;
    const auto see = [&most](const auto& x, const auto& x_dot) {
      for (int i = 0, n = length(x); i < n; ++i) {
        const double own = std::abs(static_cast<double>(x.data()[i]));
        const double moved = std::abs(static_cast<double>(x_dot.data()[i]));
        most = std::fmax(most, own > 0 ? moved / own : moved);
      }
    };
    see(q.y0, y_dot);
    see(q.p, p_dot);
    return most > 0 ? most : 1.0;
  }

  void move(double t, const Y& y, const P& p, double t_dot, Y& y_dot) {
    if (t_dot == 0) return;
    Y slope = y;
    f_.f(static_cast<T>(t), y, p, slope);
    axpy(static_cast<T>(t_dot), slope, y_dot);
  }

  /// rms of ẏᵢ/(atol/rtol + |yᵢ|) in direction k, over the elements inside the norm.
  double size_of(const Z& z, int k) const {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < n_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double atol = inside_.empty() ? o_.atol : inside_[at];
      const double rtol = o_.norm.rtol.empty() ? o_.rtol : o_.norm.rtol[at];
      if (std::isinf(atol)) continue;
      ++count;
      const double y = std::abs(static_cast<double>(z.data()[i]));
      const auto y_dot = static_cast<double>(z.data()[(k + 1) * n_ + i]);
      const double size = (rtol > 0 ? atol / rtol : 1.0) + (rtol > 0 ? y : 0.0);
      if (size > 0) sum += y_dot / size * (y_dot / size);
    }
    return count > 0 ? std::sqrt(sum / count) : 0.0;
  }

  /// One solve in which tangents are divided by their sizes, rounded to powers of two; where these are
  /// infinite, by 1, and tangents are outside the norm. The sizes found.
  std::array<double, K> solve_once(const std::array<double, K>& sizes, found_type& found) {
    std::array<double, K> unit, mean{};
    options o = o_;
    const std::size_t n = static_cast<std::size_t>(n_);
    for (std::size_t k = 0; k < K; ++k) {
      const bool seen = !std::isinf(sizes[k]);
      unit[k] = seen ? std::exp2(std::floor(std::log2(sizes[k]))) : 1.0;
      if (!seen && o.norm.atol.empty()) o.norm.atol.assign((K + 1) * n, o.atol);
      for (std::size_t i = 0; !seen && i < n; ++i)
        o.norm.atol[(k + 1) * n + i] = std::numeric_limits<double>::infinity();
    }
    seed(unit);
    const problem<const field&, Z, Q> both{f_, z_, t0_, t1_, q_};
    motion_.forget();
    loop_type loop(both, m_, o, {}, events_);
    std::array<double, K> size;  // behind the last step
    for (std::size_t k = 0; k < K; ++k) size[k] = size_of(z_, int(k));
    std::size_t cuts = loop.stretches().cut_count();
    found.steps.emplace(loop, [&](auto& solved) {
      // What a jump makes of a tangent is no measure of the step before it.
      const bool jumped = std::exchange(cuts, solved.stretches().cut_count()) != cuts;
      const double h = std::abs(solved.time() - solved.work_tape().t);
      for (std::size_t k = 0; k < K; ++k) {
        const double before = size[k];
        size[k] = size_of(value(solved.scheme(), solved.state()), int(k));
        mean[k] += h * std::sqrt(jumped ? before : size[k]);
      }
    });
    for (std::size_t k = 0; k < K; ++k) {
      const double root = mean[k] / std::abs(t1_ - t0_);
      mean[k] = std::fmax(unit[k] * root * root, least_[k]);
    }
    ++found.solves;
    found.sizes = unit;
    take(loop, unit, found);
    return mean;
  }

  void seed(const std::array<double, K>& unit) {
    stack(f_.y, T(1), 0, z_);
    stack(f_.p, scalar_t<P>(1), 0, q_);
    for (int k = 0; k < K; ++k) {
      const double by = 1 / unit[std::size_t(k)];
      stack(start_[std::size_t(k)], static_cast<T>(by), (k + 1) * n_, z_);
      stack(along_[std::size_t(k)].p, static_cast<scalar_t<P>>(by), (k + 1) * length(f_.p), q_);
    }
  }

  /// The solution in its parts, ends moved.
  void take(loop_type& loop, const std::array<double, K>& unit, found_type& found) {
    const solution<Z>& both = loop.result();
    solution<Y>& s = found.solution;
    s = {.status = both.status, .t = both.t, .y = f_.y, .ts = both.ts, .stats = both.stats};
    s.events = both.events;
    found.events_dot = motion_.events_dot;
    for (auto& dots : found.events_dot)
      for (std::size_t k = 0; k < K; ++k) dots[k] *= unit[k];
    unstack(both.y, 0, s.y);
    P p = f_.p;
    const auto split = [&](const Z& z, double t, const Y& y, const auto& t_dot,
                           std::array<Y, K>& y_dot) {
      for (std::size_t k = 0; k < K; ++k) {
        y_dot[k] = f_.y;
        unstack(z, (static_cast<int>(k) + 1) * n_, y_dot[k]);
        for (int i = 0; i < n_; ++i) y_dot[k].data()[i] *= static_cast<T>(unit[k]);
        move(t, y, p, t_dot(k), y_dot[k]);
      }
    };
    const auto of_end = [&](std::size_t k) {
      return s.status == status::success ? along_[k].t1 : 0.0;
    };
    use_parameters(loop, loop.count(), p);
    split(both.y, s.t, s.y, of_end, found.y_dot);
    if (s.status == status::terminal_event)
      for (std::size_t k = 0; k < K; ++k)
        axpy(static_cast<T>(found.events_dot.back()[k]), motion_.slope_behind, found.y_dot[k]);
    found.ys_dot.clear();
    const std::size_t first = o_.save.t0 ? 1 : 0, size = both.ys.size();
    for (std::size_t j = 0; j < size; ++j) {
      s.ys.push_back(f_.y);
      unstack(both.ys[j], 0, s.ys[j]);
      found.ys_dot.emplace_back();
      if (j < first) {
        for (std::size_t k = 0; k < K; ++k) found.ys_dot[j][k] = along_[k].y0;
      } else if (is_complete(s.status) && o_.save.t1 && j + 1 == size) {
        found.ys_dot[j] = found.y_dot;
      } else {
        use_parameters(loop, loop.save_step(j - first), p);
        split(
            both.ys[j], both.ts[j], s.ys[j],
            [&](std::size_t k) { return time_dot(loop, j - first, k, found); }, found.ys_dot[j]);
      }
    }
  }
  /// Those of a step.
  static void use_parameters(loop_type& loop, index step, P& p) {
    if constexpr (loop_type::event_set_type::moves_parameters) {
      loop.stretches().use_parameters(loop.stretches().cuts_before(step));
      field::take(0, loop.stretches().parameters(), p);
    }
  }
  /// How the j-th save time moves: that of every so many steps may be the time of an event.
  double time_dot(loop_type& loop, std::size_t j, std::size_t k, const found_type& found) const {
    if (o_.save.every == 0) return along_[k].ts.empty() ? 0.0 : along_[k].ts[j];
    const auto& log = found.solution.events;
    for (std::size_t e = 0; e < log.size(); ++e)
      if (log[e].step == loop.save_step(j))
        return found.steps->end(log[e].step) == loop.save_time(j) ? 0.0 : found.events_dot[e][k];
    return 0;
  }

  options o_;
  int n_;
  std::vector<double> inside_;
  field f_;
  Z z_;
  Q q_;
  cuts_type motion_;
  events_type events_;
  system<F, Y, P> sys_;
  Y place_;
  adapted_type m_;
  const std::array<tangents<Y, P>, K>& along_;
  std::array<Y, K> start_;
  std::array<double, K> least_;
  double t0_, t1_;
};

/// The solve behind control_gradient_error.
template <method M, class F, class Y, class P, class Events, std::size_t K>
auto solve_with_tangents(const problem<F, Y, P>& q, const M& m, const options& o,
                         const Events& events, const std::array<tangents<Y, P>, K>& along,
                         double size) {
  validate(q, m, o, events);
  check_controlled(q, o, events, along, size);
  tangent_solver<M, std::remove_cvref_t<F>, Y, P, static_cast<int>(K), Events> solver(
      q, m, o, events, along);
  return solver.run(size);
}

}  // namespace revode
