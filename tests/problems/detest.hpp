// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <revode/problems/detest.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/vern9.hpp>

namespace revode {
struct detest_case {
  std::string name;
  detest f;
  Eigen::VectorXd y0, reference;
};

inline auto problem_of(const detest_case& c) {
  return problem{erased_field(c.f), c.y0, detest::t0, detest::t1, Eigen::VectorXd(0)};
}

/// The end of each problem by vern9, to 1e-13.
inline std::vector<detest_case> detest_cases() {
  std::vector<detest_case> all;
  for (const char family : std::string_view("ABCDE")) {
    for (int number = 1; number <= 5; ++number) {
      detest_case c{std::string(1, family) + std::to_string(number), {family, number}, {}, {}};
      c.y0.resize(c.f.size());
      c.f.start(c.y0);
      c.reference = solve(problem_of(c), vern9{}, {.rtol = 1e-13, .atol = 1e-13}).y;
      all.push_back(c);
    }
  }
  return all;
}

/// The largest difference to the reference, in units of max(1, |y|).
inline double error_of(const detest_case& c, const Eigen::VectorXd& y) {
  double worst = 0;
  for (int i = 0; i < length(y); ++i)
    worst =
        std::fmax(worst, std::abs(y[i] - c.reference[i]) / std::fmax(1, std::abs(c.reference[i])));
  return worst;
}

/// Where the final error is more than a hundred tolerances: orbits and oscillations, whose phase
/// drifts by what each step allows, and kencarp5, whose filtered estimate is small there.
struct exception {
  std::string_view method, problems;
};
inline constexpr exception exceptions[] = {{"tsit5", "D3 D4 D5"},
                                           {"bs5", "D5"},
                                           {"dop853", "D2 D3 D4 D5"},
                                           {"rock4", "D5"},
                                           {"rodas5", "D4 D5"},
                                           {"rodas5p", "B1 D1 D2 D3 D4 D5"},
                                           {"kvaerno4", "B1 D1 D4 D5"},
                                           {"kencarp4", "A5 B4 D2 D3 D4 D5"},
                                           {"esdirk436", "B1 B4 C5 D1"},
                                           {"kvaerno5", "B5 D1 D2 D3 D4 D5"},
                                           {"kencarp5", "A3 A5 B1 B4 B5 C5 D1 D2 D3 D4 D5 E1 E2"},
                                           {"esdirk547", "D1 D2 D3 D5"},
                                           {"esdirk54i8", "B1 B4 B5 D1 D2 D3 D4"},
                                           {"radau_iia5", "D1 D2 D3 D4 D5"}};

inline bool excepted(std::string_view method, std::string_view name) {
  return std::any_of(std::begin(exceptions), std::end(exceptions), [&](const exception& e) {
    return e.method == method && e.problems.find(name) != std::string_view::npos;
  });
}

template <class M>
void check_method(const M& m, const std::vector<detest_case>& all) {
  if constexpr (M::order >= 4 && has_estimate_v<M>) {
    for (const detest_case& c : all) {
      const std::string what = std::string(M::name) + " on " + c.name;
      CAPTURE(what);
      const auto s = solve(problem_of(c), m, {.rtol = 1e-8, .atol = 1e-8});
      CHECK(s.status == status::success);
      const double error = error_of(c, s.y);
      CAPTURE(error);
      CHECK(error <= (excepted(M::name, c.name) ? 5e-4 : 1e-6));
    }
  }
}

/// Every method of the list with an estimate and of order 4 or more.
template <class... Methods>
void check_methods(Methods... methods) {
  const auto all = detest_cases();
  (check_method(methods, all), ...);
}

}  // namespace revode
