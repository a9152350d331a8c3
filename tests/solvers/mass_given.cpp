// SPDX-License-Identifier: Apache-2.0
// M y' = f of index 2 and 3: states that are taken as given, and misuse.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solve/step_by_step.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

const problem swing{pendulum_index3{}, pendulum_index3{}.y0(), 0.0, 2.0, vec{9.81, 1.0}};
const options tight{.rtol = 1e-9, .atol = 1e-9};

/// At the bottom the rod comes back with half the speed: a state on all constraints.
struct half_the_speed {
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0]; }
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const {
    y_new[2] = -0.5 * y[2];
    y_new[3] = -0.5 * y[3];
  }
};

TEST_CASE("behind an event the solve goes on from the state as it is given") {
  auto s = solve(swing, radau_iia5{}, tight, events(half_the_speed{}), recursive_checkpoint{});
  REQUIRE(s.status == status::success);
  REQUIRE(s.events.size() >= 1);
  // a quarter of a period from the horizontal: K(1/2) √(l/g)
  const double quarter = 1.8540746773013719 / std::sqrt(9.81);
  CHECK(s.events[0].t == doctest::Approx(quarter).epsilon(1e-7));
  CHECK(s.y[0] * s.y[0] + s.y[1] * s.y[1] == doctest::Approx(1).epsilon(1e-8));
  cotangents<vec<double, 5>> of_time;
  of_time.events.assign(s.events.size(), 0.0);
  of_time.events[0] = 1;
  const auto g = s.pullback(of_time);
  CHECK(g.p[0] == doctest::Approx(-quarter / (2 * 9.81)).epsilon(1e-6));
  CHECK(g.p[1] == doctest::Approx(quarter / 2).epsilon(1e-6));
  const law_result law = replay_law(swing, radau_iia5{}, {.rtol = 1e-6, .atol = 1e-6});
  CHECK_MESSAGE(law.holds, law.what);
}

/// Leaves the circle.
struct off_the_circle {
  double time(const auto&) const { return 0.5; }
  void jump(const auto&, const auto&, const auto&, auto& y_new) const { y_new[0] = 2.0; }
};

TEST_CASE("an event that leaves the constraints ends the solve there") {
  const auto s = solve(swing, radau_iia5{}, {}, events(off_the_circle{}));
  CHECK(s.status == status::newton_failure);
  CHECK(s.t == 0.5);
  step_by_step walk(swing, radau_iia5{});
  walk.step_to(0.25);
  walk.set_state(vec{1.0, 1.0, 0.0, 0.0, 0.0});
  CHECK(walk.status() == status::newton_failure);
}

template <class What>
std::string words_of(What&& what) {
  try {
    what();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

struct listed : pendulum_index3 {
  std::vector<int> list;
  const std::vector<int>& index() const { return list; }
};
template <class M>
std::string words_of_list(std::vector<int> list, const M& m) {
  const listed f{{}, std::move(list)};
  return words_of([&] { solve(problem{f, f.y0(), 0.0, 1.0, f.parameters()}, m); });
}

TEST_CASE("misuse of indices is told in words, before any step") {
  CHECK(words_of_list({1, 1, 2, 2, 4}, radau_iia5{}) ==
        "index() of 4 for element 4 (1, 2 and 3 can be solved) write one of them, or lower it by "
        "differentiation?");
  CHECK(words_of_list({0, 1, 2, 2, 3}, radau_iia5{}).starts_with("index() of 0 for element 0 ("));
  CHECK(words_of_list({1, 2, 3}, radau_iia5{}) ==
        "index() of 3 elements for a state of 5 (each has one) give as many?");
  CHECK(
      words_of_list({1, 1, 2, 2, 3}, rodas5p{}) ==
      "method rodas5p for a field with an index() above 1 (its estimates and Newton's iteration "
      "weigh all elements alike) take radau_iia5, or differentiate the algebraic equations by t?");
  const std::string refused =
      "algebraic equations that do not determine the variables whose derivatives M leaves out (of "
      "index 2 or more, or contradictory at y0: w ∂f/∂y is singular there) tell the indices by "
      "index() and take radau_iia5, differentiate the equations by t, with y' = f, until they do, "
      "or choose another y0?";
  CHECK(words_of_list({1, 1, 1, 1, 1}, radau_iia5{}) == refused);
  CHECK(words_of_list({}, radau_iia5{}) == refused);
  CHECK(words_of_list({1, 1, 2, 2, 3}, radau_iia5{}) == "nothing was thrown");
}

TEST_CASE("a start off the constraints is told, in tolerances") {
  auto q = swing;
  q.y0[0] = 1.01;
  CHECK(words_of([&] { solve(q, radau_iia5{}, {.rtol = 1e-6, .atol = 1e-6}); }) ==
        "a start 5e+03 tolerances off the algebraic equation of row 4 (with an index() above 1 "
        "states are taken as they are given) give one that fulfils it, and its derivatives by t?");
  q.y0[0] = 1 + 1e-8;  // less than a tolerance
  CHECK(solve(q, radau_iia5{}, {.rtol = 1e-6, .atol = 1e-6}).status == status::success);
  q.y0 = {0.8, -0.6, 0, 0, 123};  // a multiplier that M does not see is a guess
  CHECK(solve(q, radau_iia5{}, {.rtol = 1e-6, .atol = 1e-6}).status == status::success);
}

}  // namespace
}  // namespace revode
