// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <any/chain.hpp>
#include <revode/any.hpp>
#include <revode/problems/erased_field.hpp>

namespace revode {
namespace {

const options o{.rtol = 1e-6, .atol = 1e-9};
const std::string at_start =
    " (a product with the Jacobian at the start shows one elsewhere, or another) ";
const std::string near_start =
    " (a product with the Jacobian near the start shows one elsewhere, or another) ";

void says(const any_problem& q, const any_method& m, const std::string& text) {
  CHECK_THROWS_WITH_AS(solve(q, m, o), text.c_str(), std::invalid_argument);
}
any_callbacks pulled_alone() {
  any_callbacks c = chain_with_jvp();
  c.jvp = {};
  return c;
}

TEST_CASE("a band or pattern that misses an element of the Jacobian is refused by its row") {
  const chain_pattern of(12);
  std::vector<int> starts{0}, rows;
  for (int j = 0; j < 12; ++j) {
    for (int e = of.starts[static_cast<std::size_t>(j)];
         e < of.starts[static_cast<std::size_t>(j) + 1]; ++e)
      if (const int i = of.rows[static_cast<std::size_t>(e)]; i != 4 || j != 5) rows.push_back(i);
    starts.push_back(static_cast<int>(rows.size()));
  }
  any_problem typed = of_chain(chain_alone());
  typed.f = std::make_shared<const erased_field>(chain{});
  for (const any_problem& q : {of_chain(chain_with_jvp()), typed}) {
    says(q, any_method("bdf5", {.name = "banded", .lower = 1, .upper = 0}),
         "algebra banded with a band that misses an element of row 0" + at_start + "widen it?");
    says(q, any_method("bdf5", {.name = "gmres_ilu0", .pattern = any_pattern(starts, rows)}),
         "algebra gmres_ilu0 with a pattern that misses an element of row 4" + at_start +
             "complete it?");
  }
}

TEST_CASE("by the vjp alone it is refused by its column, and a whole one is not") {
  const any_problem q = of_chain(pulled_alone());
  says(q, any_method("bdf5", {.name = "banded", .lower = 1, .upper = 0}),
       "algebra banded with a band that misses an element of column 1" + at_start + "widen it?");
  CHECK(solve(q, any_method("bdf5", {.name = "banded", .lower = 1, .upper = 1}), o).status ==
        status::success);
  any_callbacks differences = chain_alone();  // whose errors may be as large as elements: not seen
  differences.by_finite_differences = true;
  CHECK_NOTHROW(solve(of_chain(differences),
                      any_method("bdf5", {.name = "banded", .lower = 1, .upper = 0}), o));
}

/// y_0' = p - y_0 + 5 y_1², y_1' = -200 y_1 + 100 y_0² from 0: both couplings are 0 at the start.
any_callbacks coupled_later() {
  any_callbacks c;
  c.f = [](double, auto y, auto p, auto dy) {
    dy[0] = p[0] - y[0] + 5 * y[1] * y[1];
    dy[1] = -200 * y[1] + 100 * y[0] * y[0];
  };
  c.vjp = [](double, auto y, auto, auto w, double&, auto gy, auto gp) {
    gy[0] += -w[0] + 200 * y[0] * w[1];
    gy[1] += 10 * y[1] * w[0] - 200 * w[1];
    if (!gp.empty()) gp[0] += w[0];
  };
  return c;
}
any_callbacks pushed(any_callbacks c) {
  c.jvp = [](double, auto y, auto, double, auto v, auto u, auto out) {
    out[0] = -v[0] + 10 * y[1] * v[1] + (u.empty() ? 0 : u[0]);
    out[1] = -200 * v[1] + 200 * y[0] * v[0];
  };
  return c;
}

TEST_CASE("elements that are zero at the start are seen beside it, by either product") {
  any_problem q{.f = pushed(coupled_later()), .y0 = {0, 0}, .t1 = 1, .p = {0.5}};
  const any_method diagonal("bdf5", {.name = "banded", .lower = 0, .upper = 0}),
      below("bdf5", {.name = "banded", .lower = 1, .upper = 0}),
      whole("bdf5", {.name = "banded", .lower = 1, .upper = 1});
  const std::string missed = "algebra banded with a band that misses an element of ";
  says(q, diagonal, missed + "row 0" + near_start + "widen it?");
  says(q, below, missed + "row 0" + near_start + "widen it?");
  CHECK(solve(q, whole, o).status == status::success);
  q.f = coupled_later();
  says(q, diagonal, missed + "column 0" + near_start + "widen it?");
  CHECK(solve(q, whole, o).status == status::success);
}

TEST_CASE("where the field is not finite beside the start, or throws there, nothing is said") {
  for (const bool throws : {false, true}) {
    any_callbacks c;  // its domain is y_0 ≤ 1, where it starts, and falls
    const auto root = [throws](double x) {
      if (throws && x < 0) throw std::runtime_error("outside");
      return std::sqrt(x);
    };
    c.f = [root](double, auto y, auto, auto dy) {
      dy[0] = -y[0] - root(1 - y[0]);
      dy[1] = -y[1];
    };
    c.jvp = [root](double, auto y, auto, double, auto v, auto, auto out) {
      const double r = root(1 - y[0]);
      out[0] = -v[0] + (r > 0 ? 0.5 / r * v[0] : 0);
      out[1] = -v[1];
    };
    for (const double first : {1.0, 1 - 1e-9, 0.5})
      CHECK_NOTHROW(solve(any_problem{.f = c, .y0 = {first, 1}, .t1 = 0.1},
                          any_method("bdf5", {.name = "banded", .lower = 0, .upper = 0}), o));
  }
}

TEST_CASE("kinks, rounding and small rows beside large ones are no missing elements") {
  any_callbacks c;
  c.f = [](double, auto y, auto, auto dy) {
    dy[0] = -1e9 * (y[0] - std::abs(y[1]));
    dy[1] = -std::max(y[1], 0.0) + 1e-3 * y[2];
    dy[2] = (1e8 + y[2]) - 1e8 - 2 * y[2];
  };
  c.jvp = [](double, auto y, auto, double, auto v, auto, auto out) {
    const double side = y[1] < 0 ? -1 : 1;
    out[0] = -1e9 * (v[0] - side * v[1]);
    out[1] = -(y[1] > 0 ? v[1] : 0) + 1e-3 * v[2];
    out[2] = (1e8 * v[2] + 0.1 * v[2]) - 1e8 * v[2] - 1.1 * v[2];
  };
  for (const double y1 : {0.0, 1e-4, -1e-4, 1.0})
    CHECK_NOTHROW(solve(any_problem{.f = c, .y0 = {0, y1, 1e-3}, .t1 = 0.1},
                        any_method("bdf5", {.name = "banded", .lower = 0, .upper = 1}), o));
}

/// y_0 is moved by y_1 from y_1 = 1.5 on, by a branch of C++ or by a maximum.
template <bool Branch>
struct coupled_above {
  [[maybe_unused]] static constexpr const char* name = "coupled_above";

  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    using std::max;
    const auto above = y[1] - 1.5;
    dy[0] = -1.0 * y[0];
    if constexpr (Branch) {
      if (above > 0) dy[0] = dy[0] + p[0] * above;
    } else {
      dy[0] = dy[0] + p[0] * max(above, 0.0);
    }
    dy[1] = 0.8 * y[1];
  }
};

TEST_CASE("an element that comes behind a branch is found with both, or told when it comes") {
  std::vector<any_method> methods;
  for (const char* method : {"bdf5", "esdirk547", "radau_iia5", "rodas5p"})
    for (const char* algebra : {"banded", "klu"}) {
      const auto names = any_algebra_names();
      if (std::find(names.begin(), names.end(), algebra) != names.end())
        methods.emplace_back(method, any_algebra{.name = algebra});
    }
  any_problem q{.y0 = {1, 1}, .t1 = 2, .p = {3}};
  for (const any_method& m : methods) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    q.f = std::make_shared<const erased_field>(coupled_above<true>{});
    std::string told;
    try {
      solve(q, m, o, recursive_checkpoint{}).pullback({.y = any_state{1, 0}});
    } catch (const std::invalid_argument& e) {
      told = e.what();
    }
    CHECK(told.find("row 0 (the Jacobian has one elsewhere, behind a branch") != std::string::npos);

    q.f = std::make_shared<const erased_field>(coupled_above<false>{});
    const any_state y_bar{1, 0};
    const auto found = solve(q, m, o, recursive_checkpoint{}).pullback({.y = y_bar}),
               expected =
                   solve(q, any_method(m.name()), o, recursive_checkpoint{}).pullback({.y = y_bar});
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(found.y0[i] == doctest::Approx(expected.y0[i]).epsilon(1e-5));
    CHECK(found.p[0] == doctest::Approx(expected.p[0]).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace revode
