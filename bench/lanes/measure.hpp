// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#if !defined(__CUDACC__)
#include <boost/numeric/odeint.hpp>
#endif

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>

#include "case.hpp"

namespace revode::lanes {

/// How a case is measured.
struct plan {
  options o, tight;   ///< tight: for the samples
  index alone = 256;  ///< how many lanes are also solved one by one
  recursive_checkpoint memory_alone{.schedule = schedule_kind::store_all};
  lane_memory memory{};
  bool odeint = false;  ///< Boost.Odeint beside it
  bool sorted = false;  ///< also in the order of the last run's counts
};

/// Processor time of the whole program; where lanes run on a device, of the clock on the wall.
inline double now() {
  if (on_device::catches) {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Keeps the least time of a piece of work: a busy machine spoils few of many.
template <class Run>
void keep_least(double& least, Run&& run) {
  const double start = now();
  run();
  least = std::min(least, now() - start);
}

/// What nobody reads would not be computed.
inline void use(double x) { [[maybe_unused]] const volatile double read = x; }

struct half_square {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    auto sum = 0.5 * (y[0] * y[0]);
    for (int i = 1; i < static_size_v<Y>; ++i) sum += 0.5 * (y[i] * y[i]);
    return sum;
  }
};

template <class V>
std::vector<double> numbers(const V& v) {
  return {v.begin(), v.end()};
}

/// |x - r| / |r|
inline double distance(const double* x, const double* r, std::size_t n) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    apart += (x[i] - r[i]) * (x[i] - r[i]);
    size += r[i] * r[i];
  }
  return std::sqrt(apart / size);
}

/// The worst and the median over the samples; error(k) is that of sample k.
template <class Error>
void judge(row& of, const std::vector<sample>& samples, Error&& error) {
  std::vector<double> errors;
  for (const sample& s : samples) errors.push_back(error(s));
  std::sort(errors.begin(), errors.end());
  of.worst = errors.back();
  of.median = errors[errors.size() / 2];
}

/// Of a gradient by y0 (n numbers) and p: the larger of both errors.
inline double gradient_distance(const std::vector<double>& g, const std::vector<double>& r,
                                std::size_t n) {
  return std::max(distance(g.data(), r.data(), n),
                  distance(g.data() + n, r.data() + n, g.size() - n));
}

template <class Problem, class M>
std::pair<std::vector<double>, std::vector<double>> with_gradient(const Problem& q, const M& m,
                                                                  const options& o,
                                                                  const recursive_checkpoint& how) {
  auto s = solve(q, m, o, how);
  const auto g = s.pullback(s.y);
  auto both = numbers(g.y0);
  both.insert(both.end(), g.p.begin(), g.p.end());
  return {numbers(s.y), both};
}

#if !defined(__CUDACC__)
/// The state of a problem at t1 by Boost.Odeint; its first step is revode's usual 1e-3.
template <class Problem>
auto by_odeint(const Problem& q, const options& o, double& attempts) {
  constexpr std::size_t n = static_size_v<std::remove_cvref_t<decltype(q.y0)>>;
  using array = std::array<double, n>;
  array y;
  std::copy(q.y0.begin(), q.y0.end(), y.begin());
  index calls = 0;
  const auto field = [&](const array& at, array& slope, double t) {
    ++calls;
    vec<double, static_cast<int>(n)> from, to;
    std::copy(at.begin(), at.end(), from.begin());
    q.f(t, from, q.p, to);
    std::copy(to.begin(), to.end(), slope.begin());
  };
  namespace odeint = boost::numeric::odeint;
  odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_dopri5<array>>(o.atol, o.rtol), field, y, q.t0,
      q.t1, 1e-3);
  attempts += static_cast<double>(calls) / 6;
  return y;
}
#endif

/// Solves and gradients of an ensemble: on lanes, one by one, and by odeint.
template <class M, class Reference, bool Gradients, class E>
class contest {
 public:
  using F = typename E::field_type;
  using Y = typename E::state_type;
  using P = typename E::parameter_type;
  static constexpr std::size_t n = static_size_v<Y>;

  contest(const E& e, const plan& how)
      : e_(e),
        how_(how),
        lanes_(lanes_of(e)),
        few_(std::min(lanes_, how.alone)) {
    out_.method = M::name, out_.lanes = lanes_, out_.slots = how.memory.slots;
    out_.max_step = how.o.max_step;
    out_.t1 = e.t1[0], out_.rtol = how.o.rtol, out_.atol = how.o.atol;
    out_.fixed_step = how.o.fixed_step;
    for (const Y& y : e.y0) out_.y0.push_back(numbers(y));
    for (const P& p : e.p) out_.p.push_back(numbers(p));
    const index samples = std::min<index>(few_, 64);
    for (index k = 0; k < samples; ++k) {
      const index l = k * lanes_ / samples;
      sample s{l, {}, {}};
      if constexpr (Gradients)
        std::tie(s.y, s.gradient) =
            with_gradient(problem_of(e, l), Reference{}, how.tight, how.memory_alone);
      else
        s.y = numbers(solve(problem_of(e, l), Reference{}, how.tight).y);
      out_.samples.push_back(s);
    }
  }

  measured run(int repeats) {
    on_lanes<on_device>("revode, lanes", repeats);
#if defined(__CUDACC__)
    on_lanes<on_device_by_for_each, false>("revode, Thrust's for_each", repeats);
#endif
    one_by_one(repeats);
#if !defined(__CUDACC__)
    if (how_.odeint) peer(repeats);
#endif
    return out_;
  }

 private:
  template <class Place, bool Pulls = Gradients>
  void on_lanes(const char* who, int repeats) {
    ensemble_solver<M, F, Y, P, Place, 0, false> solver(e_, M{}, how_.o);
    row ends{who, "solve", 1e300, solver.width}, sorted = ends;
    for (int r = 0; r < repeats; ++r) keep_least(ends.seconds, [&] { solver.run(); });
    const auto s = solver.result();
    count(s.stats);
    ends.attempts = out_.attempts[1];
    judge(ends, out_.samples, [&](const sample& k) {
      return distance(numbers(s.y[static_cast<std::size_t>(k.lane)]).data(), k.y.data(), n);
    });
    out_.rows.push_back(ends);
    if (how_.sorted) {
      solver.sort_by_last_counts();
      for (int r = 0; r < repeats; ++r) keep_least(sorted.seconds, [&] { solver.run(); });
      ends.who += ", sorted by the last counts", ends.seconds = sorted.seconds;
      out_.rows.push_back(ends);
    }
    if constexpr (Pulls) pulls_on_lanes(solver, who, repeats);
  }

  template <class Solver>
  void pulls_on_lanes(Solver& solver, const char* who, int repeats) {
    row pulls{who, "gradient", 1e300, solver.reverse_width, out_.attempts[1]};
    ensemble_gradient<Y, P> g;
    for (int r = 0; r < repeats; ++r)
      keep_least(pulls.seconds, [&] { g = solver.gradient(half_square{}, how_.memory); });
    pulls.bytes = static_cast<double>(g.reverse.bytes);
    judge(pulls, out_.samples, [&](const sample& k) {
      const auto l = static_cast<std::size_t>(k.lane);
      auto both = numbers(g.y0[l]);
      both.insert(both.end(), g.p[l].begin(), g.p[l].end());
      return gradient_distance(both, k.gradient, n);
    });
    out_.rows.push_back(pulls);
  }

  void one_by_one(int repeats) {
    std::vector<double> ends(static_cast<std::size_t>(few_), 1e300), pulls = ends;
    double sink = 0;
    for (int r = 0; r < repeats; ++r)
      for (index l = 0; l < few_; ++l) {
        const auto q = problem_of(e_, l * lanes_ / few_);
        const auto at = static_cast<std::size_t>(l);
        keep_least(ends[at], [&] { sink += solve(q, M{}, how_.o).y[0]; });
        if constexpr (Gradients)
          keep_least(pulls[at],
                     [&] { sink += with_gradient(q, M{}, how_.o, how_.memory_alone).second[0]; });
      }
    use(sink);
    // same bits, same errors as on lanes
    row of = out_.rows.front();
    of.who = "revode, one by one", of.together = 1;
    of.seconds = whole(ends);
    out_.rows.push_back(of);
    if constexpr (!Gradients) return;
    for (const row& pulled : out_.rows)
      if (pulled.kind == "gradient") of = pulled;
    of.who = "revode, one by one", of.together = 1, of.bytes = 0;
    of.seconds = whole(pulls);
    out_.rows.push_back(of);
  }

#if !defined(__CUDACC__)
  void peer(int repeats) {
    std::vector<double> ends(static_cast<std::size_t>(few_), 1e300);
    row of{"Boost.Odeint dopri5, one by one", "solve"};
    double attempts = 0, sink = 0;
    for (int r = 0; r < repeats; ++r)
      for (index l = 0; l < few_; ++l)
        keep_least(ends[static_cast<std::size_t>(l)], [&] {
          sink += by_odeint(problem_of(e_, l * lanes_ / few_), how_.o, attempts)[0];
        });
    use(sink);
    of.seconds = whole(ends);
    of.attempts = attempts / static_cast<double>(repeats * few_);
    judge(of, out_.samples, [&](const sample& k) {
      return distance(by_odeint(problem_of(e_, k.lane), how_.o, attempts).data(), k.y.data(), n);
    });
    out_.rows.push_back(of);
  }
#endif

  /// What all lanes would take.
  double whole(const std::vector<double>& of_few) const {
    double sum = 0;
    for (const double t : of_few) sum += t;
    return sum * static_cast<double>(lanes_) / static_cast<double>(few_);
  }

  void count(const std::vector<lane_statistics>& stats) {
    double least = 1e300, sum = 0, most = 0;
    for (const auto& s : stats) {
      const auto made = static_cast<double>(s.accepted + s.rejected);
      least = std::min(least, made), most = std::max(most, made), sum += made;
    }
    out_.attempts = {least, sum / static_cast<double>(stats.size()), most};
  }

  E e_;
  plan how_;
  index lanes_, few_;
  measured out_;
};

template <class M, class Reference, bool Gradients, class E>
measured measure(const E& e, const plan& how, const request& r) {
  return contest<M, Reference, Gradients, E>(e, how).run(r.repeats);
}

/// l / lanes
inline double part(index l, index lanes) {
  return static_cast<double>(l) / static_cast<double>(lanes);
}
/// Number l of an even sequence in (0, 1) that is in no order: the fractional part of l times the
/// golden ratio's, times a constant that makes several of them differ.
inline double scattered(index l, double factor = 1) {
  const double x = factor * 0.6180339887498949 * static_cast<double>(l + 1);
  return x - std::floor(x);
}

}  // namespace revode::lanes
