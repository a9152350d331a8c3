// SPDX-License-Identifier: Apache-2.0
#include "../malloc_counts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/gradients.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "../refusal.hpp"

namespace revode {
namespace {

using state = std::vector<double>;  // and vec<double, 3>, whose steps stay in registers
using recursive = recursive_checkpoint;

/// What readers of tapes found.
struct findings {
  long reads = 0, strange = 0;
};

/// yᵢ' = p₀ cos(yᵢ + t) + p₁ yᵢ₊₁, around a ring. A tape has the cosines and sines, and where its call was:
/// whoever reads it looks whether that is where he is.
struct ring {
  findings* found;

  template <class Y, class P>
  int tape_size(const Y& y, const P&) const {
    return 3 * length(y) + 3;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    const int n = length(y);
    for (int i = 0; i < n; ++i)
      dy.data()[i] = p[0] * cos(y.data()[i] + t) + p[1] * y.data()[(i + 1) % n];
  }
  template <class Y, class P>
  void operator()(const double& t, const Y& y, const P& p, Y& dy, double* tape) const {
    const int n = length(y);
    (*this)(t, y, p, dy);
    *tape++ = t;
    *tape++ = p[0];
    *tape++ = p[1];
    for (int i = 0; i < n; ++i) {
      *tape++ = y.data()[i];
      *tape++ = std::cos(y.data()[i] + t);
      *tape++ = std::sin(y.data()[i] + t);
    }
  }
  template <class T, class Y, class P>
  void vjp(const T& t, const Y& y, const P& p, const Y& w, T& gt, Y& gy, P& gp) const {
    using std::cos, std::sin;
    pull(
        t, y, p, w, gt, gy, gp, [&](int i) { return cos(y.data()[i] + t); },
        [&](int i) { return sin(y.data()[i] + t); });
  }
  template <class Y, class P>
  void vjp(const double& t, const Y& y, const P& p, const Y& w, double& gt, Y& gy, P& gp,
           const double* tape) const {
    look(t, y, p, tape);
    pull(
        t, y, p, w, gt, gy, gp, [=](int i) { return tape[3 * i + 4]; },
        [=](int i) { return tape[3 * i + 5]; });
  }
  template <class T, class Y, class P>
  void jvp(const T& t, const Y& y, const P& p, const T& dt, const Y& dy, const P& dp,
           Y& out) const {
    using std::cos, std::sin;
    for (int i = 0, n = length(y); i < n; ++i)
      out.data()[i] = dp[0] * cos(y.data()[i] + t) -
                      p[0] * sin(y.data()[i] + t) * (dy.data()[i] + dt) +
                      dp[1] * y.data()[(i + 1) % n] + p[1] * dy.data()[(i + 1) % n];
  }
  template <class Y, class P>
  void jvp(const double& t, const Y& y, const P& p, const double& dt, const Y& dy, const P& dp,
           Y& out, const double* tape) const {
    look(t, y, p, tape);
    for (int i = 0, n = length(y); i < n; ++i)
      out.data()[i] = dp[0] * tape[3 * i + 4] - p[0] * tape[3 * i + 5] * (dy.data()[i] + dt) +
                      dp[1] * y.data()[(i + 1) % n] + p[1] * dy.data()[(i + 1) % n];
  }

 private:
  template <class T, class Y, class P, class Cos, class Sin>
  static void pull(const T&, const Y& y, const P& p, const Y& w, T& gt, Y& gy, P& gp,
                   const Cos& cosine, const Sin& sine) {
    for (int i = 0, n = length(y); i < n; ++i) {
      const T bend = p[0] * sine(i) * w.data()[i];
      gt -= bend;
      gy.data()[i] -= bend;
      gy.data()[(i + 1) % n] += p[1] * w.data()[i];
      gp[0] += cosine(i) * w.data()[i];
      gp[1] += y.data()[(i + 1) % n] * w.data()[i];
    }
  }
  template <class Y, class P>
  void look(double t, const Y& y, const P& p, const double* tape) const {
    ++found->reads;
    bool right = tape[0] == t && tape[1] == p[0] && tape[2] == p[1];
    for (int i = 0; i < length(y); ++i) right = right && tape[3 * i + 3] == y.data()[i];
    if (!right) ++found->strange;
  }
};

/// y₀ turns back, and the rate with it.
struct turn {
  bool on;
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return on ? y[0] + 0.2 : T(1);
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new, P& p_new) const {
    y_new[0] = 0.5 - y[1];
    p_new[1] = 0.9 * p[1];
  }
};

template <class Y = state>
problem<ring, Y, vec<double, 2>> ring_of(findings& found) {
  Y y0{0, 0, 0};
  y0[0] = 0.4;
  y0[1] = -0.1;
  y0[2] = 0.7;
  return {ring{&found}, y0, 0.0, 6.0, {0.9, -0.7}};
}

std::vector<recursive> ways() {
  const auto store_all = schedule_kind::store_all;
  std::vector<recursive> all{{.schedule = store_all}, {.schedule = store_all, .field_tapes = 30}};
  for (const auto kind : {schedule_kind::binomial, schedule_kind::online, schedule_kind::mixed,
                          schedule_kind::periodic, schedule_kind::nested, schedule_kind::wang_moin})
    for (const std::optional<index> tapes : {std::optional<index>{}, std::optional<index>{4}})
      all.push_back({.slots = 9, .schedule = kind, .field_tapes = tapes});
  all.push_back({.slots = 4, .schedule = schedule_kind::mixed, .field_tapes = 200});
  all.push_back({.slots = 3, .log = step_replay::controller});
  all.push_back({.slots = 5, .schedule = schedule_kind::two_tier, .slow_slots = 3});
  for (index budget : {20000, 24000, 40000, 300000}) all.push_back({.budget = budget});
  return all;
}

/// In every way: the bits of a solve that keeps no tape, and no tape is read where it does not belong.
template <class Y = state, class M, class... Events>
void check_ways(const M& m, const options& o, bool cuts, const Events&... e) {
  findings found;
  const auto q = ring_of<Y>(found);
  const auto pulled = [&](const recursive& how) {
    auto s = solve(q, m, o, e..., how);
    return s.pullback({.y = s.y, .ys = s.ys});
  };
  const auto none = pulled({.schedule = schedule_kind::store_all, .field_tapes = 0});
  CHECK(none.status == status::success);
  CHECK(found.reads == 0);
  for (const recursive& how : ways()) {
    CAPTURE(how.schedule ? std::string(name(*how.schedule)) : "of a budget");
    found.reads = 0;
    const auto g = pulled(how);
    CHECK(g.y0 == none.y0);
    CHECK(g.p == none.p);
    CHECK(g.t0 == none.t0);
    CHECK(g.t1 == none.t1);
    CHECK(g.ts == none.ts);
    CHECK(g.reverse.tape_reads == found.reads);
    CHECK((found.reads > 0 || how.budget));
    if (!how.budget && !how.field_tapes && !cuts)
      CHECK(g.reverse.tape_reads == g.reverse.vjp_evaluations);
    if (how.budget) CHECK(g.reverse.peak_bytes <= *how.budget);
  }
  CHECK(found.strange == 0);
}

TEST_CASE("a tape of the field is read where it belongs: rejections, cuts, replays") {
  const options adaptive{.rtol = 1e-6, .atol = 1e-6, .first_step = 3};
  check_ways(tsit5{}, adaptive, false, events(turn{false}));
  check_ways<vec<double, 3>>(tsit5{}, adaptive, false);
  options saved = adaptive;
  saved.save = {.ts = {0.5, 2.5, 2.6}};
  saved.stops = {1.7};
  check_ways(tsit5{}, saved, true, events(turn{true}));
  check_ways(rk4{}, {.fixed_step = 0.2}, false);
}

TEST_CASE("a tape of the field is read in forward mode, by several losses, and again") {
  findings found;
  const auto q = ring_of(found);
  const options o{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.5, 2.5}}};
  const vec<double, 2> dp{0.3, -0.2};
  const auto pushed = solve(q, tsit5{}, o, events(turn{true}),
                            tangents<state, vec<double, 2>>{.y0 = q.y0, .p = dp});
  CHECK(found.reads > 0);
  auto s = solve(q, tsit5{}, o, events(turn{true}), recursive{.slots = 3});
  state w = s.y;
  const auto one = s.pullback({.y = w});
  const double pulled = one.p[0] * dp[0] + one.p[1] * dp[1] + dot(one.y0, q.y0);
  CHECK(pulled == doctest::Approx(dot(pushed.y_dot, w)).epsilon(1e-12));
  const auto again = s.gradients({{.y = w}, {.y = w, .ys = s.ys}});
  CHECK(again[0].p == one.p);
  const auto other = s.pullback({.y = w, .ys = s.ys});
  CHECK(again[1].p == other.p);
  CHECK(again[1].y0 == other.y0);
  CHECK(found.strange == 0);
}

TEST_CASE("a budget below one state with the tapes asked for is refused, in bytes") {
  findings found;
  const auto q = ring_of(found);
  const auto least = [&](std::optional<index> tapes, index budget) {
    return refusal(
        [&] { solve(q, tsit5{}, {}, recursive{.budget = budget, .field_tapes = tapes}); });
  };
  const std::string text = least(7, 1000);
  CHECK(text.starts_with("budget of 1000 bytes (this gradient needs at least "));
  CHECK(text.find(" for 7 tapes of calls of the field and ") != std::string::npos);
  CHECK(text.ends_with(" for one snapshot) give at least that many, or fewer field_tapes?"));
  const index needed = std::stoll(text.substr(text.find("least ") + 6));
  CHECK(least(7, needed - 1) != "nothing");
  CHECK(least(7, needed) == "nothing");
  CHECK(least({}, needed - 1) == "nothing");
  CHECK(refusal([&] { solve(q, tsit5{}, {}, recursive{.field_tapes = -1}); }) ==
        "field_tapes = -1 (a number of tapes is not negative) give one >= 0?");
}

#ifdef COUNTS_MALLOC
TEST_CASE("tapes of the field are used again: memory does not follow the number of steps") {
  findings found;
  const auto q = ring_of(found);
  const auto allocated_by = [&](double h) {
    const long before = allocations;
    auto s = solve(q, tsit5{}, {.fixed_step = h}, recursive{.slots = 4});
    s.pullback({.y = s.y});
    return allocations - before;
  };
  allocated_by(0.1);
  CHECK(allocated_by(0.01) == allocated_by(0.002));
}
#endif

}  // namespace
}  // namespace revode
