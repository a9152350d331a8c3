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
#include <revode/adjoint/tangent/tangent_field.hpp>
#include <revode/solve/course/course.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// Throws for what control_gradient_error cannot do.
template <class F, class Y, class P, std::size_t K>
void check_controlled(const problem<F, Y, P>& q, const options& o,
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
    check(q, o, one);
    for (const double moved : one.stops)
      if (moved != 0)
        throw std::invalid_argument(
            "control_gradient_error with a stop or discontinuity that moves (they stand still for "
            "it) leave tangents::stops at 0, or push the tangents alone?");
  }
}

/// What solve_with_tangents finds: a solution, its tangents, and the steps for a replay of y alone.
template <class Y, std::size_t K, class Record>
struct solved_with_tangents {
  revode::solution<Y> solution;
  std::array<Y, K> y_dot;
  std::vector<std::array<Y, K>> ys_dot{};
  std::optional<course<Record>> steps{};
  std::array<double, K> sizes{};
  index solves = 0;
};

/// Solves of y with K tangents, as often as it takes to know how large these are.
template <class M, class F, class Y, class P, int K>
class tangent_solver {
  using T = scalar_t<Y>;
  using field = tangent_field<F, Y, P, K>;
  using Z = typename field::Z;
  using Q = typename field::Q;
  using adapted = method_with_tangents<M, system<F, Y, P>, K>;
  using adapted_type = typename adapted::type;
  using loop_type = stepper<adapted_type, field, Z, Q>;
  static_assert(field::template over<T> || field::template by_products<T>,
                "control_gradient_error needs tangents of the field (its call operator accepts one "
                "scalar type only, and it has no member jvp): make operator() a template over the "
                "scalar of t, y, p and dy, or add jvp(t, y, p, dt, dy, dp, out)?");
  static_assert(
      field::exact_jacobian || !jacobian_in_formula<M>,
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
  tangent_solver(const problem<Field, Y, P>& q, const M& m, const options& o,
                 const std::array<tangents<Y, P>, K>& along)
      : sys_(q.f, q.p),
        place_(q.y0),
        m_(adapted::make(m, sys_, place_)),
        o_(with_tangents(o, length(q.y0))),
        n_(length(q.y0)),
        inside_(o_.norm.atol),
        f_{q.f, q.y0, q.p},
        z_(stacked<Z>((K + 1) * n_)),
        q_(stacked<Q>((K + 1) * length(q.p))),
        along_(along),
        t0_(q.t0),
        t1_(q.t1) {
    if constexpr (requires { m_.newton; })
      if (m_.newton == 0) m_.newton = newton_share(o.rtol);
    for (int k = 0; k < K; ++k) {
      Y y_dot = along[std::size_t(k)].y0;
      move(t0_, q.y0, -along[std::size_t(k)].t0, y_dot);
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
  static options with_tangents(const options& o, int n) {
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

  void move(double t, const Y& y, double t_dot, Y& y_dot) {
    if (t_dot == 0) return;
    Y slope = y;
    sys_(t, y, slope);
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
    loop_type loop(both, m_, o);
    found.steps.emplace(loop, [&](auto& solved) {
      const double h = solved.work_tape().t_new - solved.work_tape().t;
      for (std::size_t k = 0; k < K; ++k)
        mean[k] += std::abs(h) * std::sqrt(size_of(value(solved.scheme(), solved.state()), int(k)));
    });
    for (std::size_t k = 0; k < K; ++k) {
      const double root = mean[k] / std::abs(t1_ - t0_);
      mean[k] = std::fmax(unit[k] * root * root, least_[k]);
    }
    ++found.solves;
    found.sizes = unit;
    take(loop.result(), unit, found);
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
  void take(const solution<Z>& both, const std::array<double, K>& unit, found_type& found) {
    solution<Y>& s = found.solution;
    s = {.status = both.status, .t = both.t, .y = f_.y, .ts = both.ts, .stats = both.stats};
    unstack(both.y, 0, s.y);
    const bool complete = s.status == status::success;
    const auto split = [&](const Z& z, double t, const Y& y, const auto& t_dot,
                           std::array<Y, K>& y_dot) {
      for (std::size_t k = 0; k < K; ++k) {
        y_dot[k] = f_.y;
        unstack(z, (static_cast<int>(k) + 1) * n_, y_dot[k]);
        for (int i = 0; i < n_; ++i) y_dot[k].data()[i] *= static_cast<T>(unit[k]);
        move(t, y, t_dot(along_[k]), y_dot[k]);
      }
    };
    split(
        both.y, s.t, s.y, [&](const auto& a) { return complete ? a.t1 : 0.0; }, found.y_dot);
    found.ys_dot.clear();
    const std::size_t first = o_.save.t0 ? 1 : 0, size = both.ys.size();
    for (std::size_t j = 0; j < size; ++j) {
      s.ys.push_back(f_.y);
      unstack(both.ys[j], 0, s.ys[j]);
      const bool last = complete && o_.save.t1 && j + 1 == size;
      split(
          both.ys[j], both.ts[j], s.ys[j],
          [&](const auto& a) {
            return last ? a.t1 : a.ts.empty() || j < first ? 0.0 : a.ts[j - first];
          },
          found.ys_dot.emplace_back());
      for (std::size_t k = 0; j < first && k < K; ++k) found.ys_dot[j][k] = along_[k].y0;
    }
  }

  system<F, Y, P> sys_;
  Y place_;
  adapted_type m_;
  options o_;
  int n_;
  std::vector<double> inside_;
  field f_;
  Z z_;
  Q q_;
  const std::array<tangents<Y, P>, K>& along_;
  std::array<Y, K> start_;
  std::array<double, K> least_;
  double t0_, t1_;
};

/// The solve behind control_gradient_error.
template <method M, class F, class Y, class P, std::size_t K>
auto solve_with_tangents(const problem<F, Y, P>& q, const M& m, const options& o,
                         const std::array<tangents<Y, P>, K>& along, double size) {
  validate(q, m, o);
  check_controlled(q, o, along, size);
  tangent_solver<M, std::remove_cvref_t<F>, Y, P, static_cast<int>(K)> solver(q, m, o, along);
  return solver.run(size);
}

}  // namespace revode
