// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solve/request/method_settings.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/order_conditions.hpp>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>

namespace {

using namespace revode;

template <int S>
constexpr int stages(const butcher_tableau<S>&) {
  return S;
}

template <int S, int E, int D>
constexpr int extra_stages(const dense_tableau<S, E, D>&) {
  return E;
}

template <class Method>
std::string readme_row() {
  std::ostringstream row;
  row << "| `" << Method::name << "` | " << Method::order << " | ";
  Method::embedded_order == 0 ? row << "-" : row << Method::embedded_order;
  row << " | " << stages(Method::tableau) << " | " << (is_fsal(Method::tableau) ? "yes" : "no")
      << " | " << Method::dense_order << " | " << extra_stages(Method::dense) << " | "
      << Method::source << " |";
  return row.str();
}

/// Error of one step of y' = −2 t y², y = 1/(1 + t²), from t, at θ of the step, with the stages
/// written out plainly. weight(i) is the weight of stage i.
template <class Method, class Weight>
double error_of_step(double t, double h, double theta, const Weight& weight) {
  const auto table = stages_of(Method::tableau, Method::dense);
  constexpr int n = sizeof(table.c) / sizeof(table.c[0]);
  const auto exact = [](double t) { return 1.0 / (1.0 + t * t); };
  double k[n] = {};
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    double y = exact(t);
    for (int j = 0; j < i; ++j) y += h * table.a[i][j] * k[j];
    k[i] = -2.0 * (t + table.c[i] * h) * y * y;
    sum += weight(i) * k[i];
  }
  return std::abs(exact(t) + h * sum - exact(t + theta * h));
}

/// Slope of the error against the step in a log-log plot. The error is summed over many starts,
/// since the leading term has zeros along the solution.
template <class Method, class Weight>
double slope(double h, double theta, const Weight& weight) {
  double coarse = 0.0;
  double fine = 0.0;
  for (int i = 0; i < 40; ++i) {
    coarse += error_of_step<Method>(0.05 * i, h, theta, weight);
    fine += error_of_step<Method>(0.05 * i, h / 2, theta, weight);
  }
  return std::log2(coarse / fine);
}

/// How much faster it may fall: leading terms of optimised pairs are small beside the next.
double highest(int order) { return order == 6 || order > 8 ? 1.3 : 0.3; }

/// Steps small enough for the leading term of the error, large enough to stay above rounding.
double step_for(int order) {
  return order < 4 ? 0.01 : order < 6 ? 0.04 : order < 8 ? 0.1 : order < 9 ? 0.16 : 0.25;
}

}  // namespace

TEST_CASE("the table in solvers/README.md has exactly one row per method, as its traits say") {
  std::ifstream file(REVODE_SOURCE_DIR "/solvers/README.md");
  std::multiset<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| `", 0) == 0) rows.insert(line);
  }
  std::size_t methods = 0;

  for_each_method(explicit_methods{}, [&]<class M>(M) {
    ++methods;
    INFO("missing: ", readme_row<M>());
    CHECK(rows.count(readme_row<M>()) == 1);
  });

  CHECK(rows.size() == methods);
}

TEST_CASE("what a method can be set to is among its settings") {
  for_each_method(all_methods{}, [](auto m) {
    CAPTURE(std::string(m.name));
    CHECK(settings_of(m).empty() == std::is_empty_v<decltype(m)>);
  });
}

TEST_CASE("one step: the error falls as h^(order + 1)") {
  for_each_method(explicit_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    const auto weight = [](int i) { return i < stages(M::tableau) ? M::tableau.b[i] : 0.0; };
    const double measured = slope<M>(step_for(M::order), 1.0, weight);
    CAPTURE(measured);
    CHECK(measured > M::order + 1 - 0.3);
    CHECK(measured < M::order + 1 + highest(M::order));
  });
}

TEST_CASE("dense output: the error inside the step falls as h^(dense order + 1)") {
  for_each_method(explicit_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    const double theta = 0.4;
    const auto weight = [&](int i) {
      double b = 0.0;
      double power = 1.0;
      for (const double w : M::dense.weights[i]) b += w * (power *= theta);
      return b;
    };
    const double measured = slope<M>(step_for(M::dense_order), theta, weight);
    CAPTURE(measured);
    CHECK(measured > M::dense_order + 1 - 0.3);
    CHECK(measured < M::dense_order + 1 + highest(M::order));
  });
}

TEST_CASE("dense output: slopes at both ends are the field's, but for euler's straight line") {
  for_each_method(explicit_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    CHECK(is_continuous(M::tableau, M::dense));
    CHECK(has_end_slopes(M::tableau, M::dense) == (std::string(M::name) != "euler"));
  });
}

TEST_CASE("the estimate's order is below the method's, none means all zero") {
  for_each_method(explicit_methods{}, []<class M>(M) {
    CAPTURE(std::string(M::name));
    CHECK(has_estimate(M::tableau) == (M::embedded_order != 0));
    CHECK(M::embedded_order < M::order);
  });
  CHECK(order_of(stages_of(dop853::tableau), dop853::b_embedded_low) == 3);
}
