// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <revode/interop/odeint.hpp>
#include <revode/testing/references.hpp>

// Every stepper, one step after another, without the engine (which odeint_laws_*.heavy.cpp have).

namespace users_code {

/// Ralston's method of order 2, as a user of odeint would write a stepper.
template <class State, class Value = double, class Deriv = State, class Time = Value,
          class Algebra = boost::numeric::odeint::range_algebra,
          class Operations = boost::numeric::odeint::default_operations,
          class Resizer = boost::numeric::odeint::initially_resizer>
class ralston : public boost::numeric::odeint::explicit_stepper_base<
                    ralston<State, Value, Deriv, Time, Algebra, Operations, Resizer>, 2, State,
                    Value, Deriv, Time, Algebra, Operations, Resizer> {
 public:
  template <class System, class In, class Slope, class Out>
  void do_step_impl(System system, const In& in, const Slope& slope, Time t, Out& out, Time dt) {
    using sum2 = typename Operations::template scale_sum2<Value, Time>;
    using sum3 = typename Operations::template scale_sum3<Value, Time, Time>;
    const Value share = Value(2) / 3;
    this->m_algebra.for_each3(stage_, in, slope, sum2(1, share * dt));
    system(stage_, k_, t + share * dt);
    this->m_algebra.for_each4(out, in, slope, k_, sum3(1, dt / Value(4), dt * (Value(3) / 4)));
  }

 private:
  State stage_;
  Deriv k_;
};

template <class State, class Value = double, class Deriv = State, class Time = Value,
          class Algebra = boost::numeric::odeint::range_algebra,
          class Operations = boost::numeric::odeint::default_operations,
          class Resizer = boost::numeric::odeint::initially_resizer>
class miscounted : public ralston<State, Value, Deriv, Time, Algebra, Operations, Resizer> {};

}  // namespace users_code

template <>
struct revode::odeint::family<users_code::ralston> {
  static constexpr const char* name = "ralston";
  static constexpr int calls = 2;
};
template <>
struct revode::odeint::family<users_code::miscounted> {
  static constexpr const char* name = "miscounted";
  static constexpr int calls = 3;
};

namespace revode {
namespace {

namespace library = boost::numeric::odeint;
using state = vec<double, 3>;
using parameters = vec<double, 2>;

struct driven_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = p[0] * (y[1] - y[0]) + cos(t);
    dy[1] = y[0] * (p[1] - y[2]) - t * y[1];
    dy[2] = y[0] * y[1] - y[2] * y[2];
  }
};
template <class Y, class P>
using driven = system<driven_field, Y, P>;

constexpr int steps = 4;
constexpr double start = 0.25, length = 0.01;
double time_of(int i) { return start + length * i; }

/// The state after the steps, over any scalar.
template <class M, class Y, class P>
Y replayed(const M& m, const Y& y, const P& p) {
  driven<Y, P> sys({}, p);
  auto c = make_carry<M>(y);
  auto tape = make_like<typename method_types<M, Y>::tape>(y);
  begin(m, sys, start, y, c);
  for (int i = 0; i < steps; ++i) replay(m, sys, time_of(i), time_of(i + 1), {}, c, tape);
  return c.state;
}

/// The steps with their tapes, and their derivative both ways.
template <class M>
struct run {
  M m{};
  state y{1.0, 0.5, 0.2};
  parameters p{10.0, 28.0};
  driven<state, parameters> sys{driven_field{}, p};
  std::vector<typename method_types<M, state>::tape> tapes;
  typename method_types<M, state>::scratch scratch{y};
  state reached{};

  explicit run(const M& method) : m(method) {
    auto from = make_carry<M>(y), next = from, again = from;
    tapes.assign(steps, typename method_types<M, state>::tape(y));
    auto tape_again = tapes[0];
    begin(m, sys, start, y, from);
    for (int i = 0; i < steps; ++i) {
      auto& tape = tapes[static_cast<std::size_t>(i)];
      const double t = time_of(i), t_new = time_of(i + 1);
      again.state = from.state;
      refresh(m, sys, t, again);
      CHECK(attempt(m, sys, {}, t, t_new, from, tape, next).what == status::success);
      replay(m, sys, t, t_new, {}, again, tape_again);
      CHECK(equal_bits(again.state, next.state));
      CHECK(equal_bits(again.cache, next.cache));
      CHECK(equal_bits(tape_again, tape));
      if constexpr (has_resume_v<M, driven<state, parameters>, state>) {
        const index before = sys.counts.field_evaluations;
        resume(m, sys, t, t_new, tape, again);
        CHECK(equal_bits(again.state, next.state));
        CHECK(equal_bits(again.cache, next.cache));
        CHECK(sys.counts.field_evaluations == before);
      }
      std::swap(from, next);
    }
    reached = from.state;
  }
  state pulled(state bar, parameters& p_bar, step_ends<double>& ends) {
    for (int i = steps - 1; i >= 0; --i)
      pull(m, sys, time_of(i), time_of(i + 1), {}, tapes[static_cast<std::size_t>(i)], scratch,
           nullptr, bar, p_bar, &ends);
    return bar;
  }
  state pushed(state dot, const parameters& p_dot, const step_ends<double>& ends) {
    for (int i = 0; i < steps; ++i)
      push(m, sys, time_of(i), time_of(i + 1), {}, tapes[static_cast<std::size_t>(i)], scratch, dot,
           p_dot, ends);
    return dot;
  }
};

template <class M>
void check_derivatives(const M& m, int unreached) {
  CAPTURE(M::name);
  run<M> r(m);
  const state w{1.0, -0.5, 2.0};
  state of_y{};
  parameters of_p{}, p_bar{};
  vec<dual<double, 5>, 3> y{};
  vec<dual<double, 5>, 2> p{};
  for (int i = 0; i < 3; ++i) y[i] = dual<double, 5>::input(r.y[i], i);
  for (int i = 0; i < 2; ++i) p[i] = dual<double, 5>::input(r.p[i], 3 + i);
  const auto end = replayed(m, y, p);
  for (int j = 0; j < 3; ++j) {
    CHECK(end[j].value == r.reached[j]);
    for (int i = 0; i < 3; ++i) of_y[i] += w[j] * end[j].d[i];
    for (int i = 0; i < 2; ++i) of_p[i] += w[j] * end[j].d[3 + i];
  }
  const auto before = r.sys.counts;
  step_ends<double> ends;
  const state y_bar = r.pulled(w, p_bar, ends);

  CHECK(relative_difference(y_bar, of_y) < 1e-13);
  CHECK(relative_difference(p_bar, of_p) < 1e-13);
  const auto calls = r.sys.counts.field_evaluations - before.field_evaluations;
  const int stages = M::calls > 0 ? M::calls : static_cast<int>(calls) / steps;
  CHECK(calls == (M::calls > 0 ? 0 : stages * steps));
  CHECK(r.sys.counts.vjp_evaluations == steps * (stages - unreached));
  const state v{0.3, 0.7, -0.2};
  const parameters u{1.5, -0.4};
  const state y_dot = r.pushed(v, u, {0.8, -0.6});
  CHECK(dot(w, y_dot) ==
        doctest::Approx(dot(y_bar, v) + dot(p_bar, u) + 0.8 * ends.t - 0.6 * ends.t_new)
            .epsilon(1e-13));
}

TEST_CASE(
    "odeint: a stepper's pull is the derivative that duals carry through it; replays repeat its "
    "bits") {
  check_derivatives(odeint::method<library::euler<state>>{}, 0);
  check_derivatives(odeint::method<library::modified_midpoint<state>>{}, 0);
  check_derivatives(odeint::method{library::modified_midpoint<state>(5)}, 0);
  check_derivatives(odeint::method<library::runge_kutta4<state>>{}, 0);
  check_derivatives(odeint::method<library::runge_kutta4_classic<state>>{}, 0);
  check_derivatives(odeint::method<users_code::ralston<state>>{}, 0);
}
TEST_CASE("odeint: the same for its error steppers; a stage of the estimate alone costs no VJP") {
  check_derivatives(odeint::method<library::runge_kutta_cash_karp54<state>>{}, 0);
  check_derivatives(odeint::method<library::runge_kutta_cash_karp54_classic<state>>{}, 0);
  check_derivatives(odeint::method<library::runge_kutta_dopri5<state>>{}, 1);
  check_derivatives(odeint::method<library::runge_kutta_fehlberg78<state>>{}, 1);
  check_derivatives(odeint::method<library::extrapolation_stepper<4, state>>{}, 0);
}

TEST_CASE("odeint: a family that says another number of calls than its stepper makes is refused") {
  CHECK_THROWS_WITH_AS(
      replayed(odeint::method<users_code::miscounted<state>>{}, state{}, parameters{}),
      doctest::Contains("calls = 3 for a stepper that makes fewer in a step"),
      std::invalid_argument);
}

TEST_CASE("odeint: orders are those that the steppers say of themselves") {
  using euler = odeint::method<library::euler<state>>;
  using dopri5 = odeint::method<library::runge_kutta_dopri5<state>>;
  using controlled =
      odeint::method<library::controlled_runge_kutta<library::runge_kutta_fehlberg78<state>>>;
  CHECK((euler::order == 1 && !has_estimate_v<euler>));
  CHECK((dopri5::order == 5 && dopri5::embedded_order == 4 && dopri5::first_same_as_last));
  CHECK((controlled::order == 8 && controlled::embedded_order == 7 && controlled::controlled));
}

}  // namespace
}  // namespace revode
