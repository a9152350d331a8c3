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

/// How many tolerances an error of one tolerance in every element becomes until the end, where that is
/// more than 10, rounded up: what a method that keeps each step to its tolerance cannot help. By
/// pullbacks of accurate solves (docs/honesty.md, Conditions).
inline double condition_of(std::string_view name) {
  struct entry {
    std::string_view name;
    double condition;
  };
  constexpr entry all[] = {{"A5", 17},  {"B1", 26},   {"B4", 16},  {"B5", 41},
                           {"C5", 30},  {"D1", 220},  {"D2", 380}, {"D3", 470},
                           {"D4", 540}, {"D5", 2500}, {"E3", 13}};
  for (const entry& e : all)
    if (e.name == name) return e.condition;
  return 1;
}

/// A hundred tolerances, or 20 where each has become `condition_of` of them at the end.
inline double most_off(std::string_view name) { return std::fmax(100, 20 * condition_of(name)); }

/// Where it is more: each step errs by 0.22 and 0.12 tolerances (over 591 and 296 steps, times the
/// condition), all of one sign.
struct exception {
  std::string_view method, problems;
};
inline constexpr exception exceptions[] = {{"esdirk54i8", "B1 B4"}};

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
      const double drift = 0.25 * static_cast<double>(s.stats.accepted) * condition_of(c.name);
      CHECK(error <= (excepted(M::name, c.name) ? drift : most_off(c.name)) * 1e-8);
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
