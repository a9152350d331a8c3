// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/solve/dense_output.hpp>

#include "switching_problems.hpp"

namespace revode {
namespace {

TEST_CASE("switching: its gradient is that of the implicit method, to the tolerance") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e3, 1.3}};
  const auto loss = [](const auto& y) { return y[0] * y[1]; };
  const options o{.rtol = 1e-9, .atol = 1e-11};
  const auto a = *value_and_gradient(q, tsit5_rodas5p{}, o, loss).gradient;
  const auto b = *value_and_gradient(q, rodas5p{}, o, loss).gradient;
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(a.p[i] - b.p[i]) < 1e-7);
    CHECK(std::abs(a.y0[i] - b.y0[i]) < 1e-7);
  }
  CHECK(std::abs(a.t1 - b.t1) < 1e-6);
  const auto product = [&](const vec<double, 2>& v) {
    return *hessian_vector_product(q, tsit5_rodas5p{}, {.rtol = 1e-7, .atol = 1e-9}, loss,
                                   {.y0 = v, .p = vec{0.0, 0.0}})
                .product;
  };
  const vec<double, 2> v{1.0, 0.3}, w{-0.4, 2.0};
  CHECK(dot(product(v).y0, w) == doctest::Approx(dot(product(w).y0, v)).epsilon(1e-10));
}

TEST_CASE("switching: backwards, in float, by component, over no time") {
  const problem back{stiff_pair{}, vec{0.5, 1.0}, 1.0, 0.0, vec{-3000.0, 1.3}};
  options o{.rtol = 1e-6, .atol = 1e-8};
  o.save.ts = {0.7, 0.2};
  CHECK(replay_law(back, tsit5_rodas5p{}, o).what == "");
  CHECK(dot_product_law(back, tsit5_rodas5p{}, o, recursive_checkpoint{.slots = 3}, 1).worst <
        1e-12);

  const problem single{stiff_pair{}, vec{0.5f, 1.0f}, 0.0, 1.5, vec{4000.0f, 1.3f}};
  const options rough{.rtol = 1e-3, .atol = 1e-4};
  CHECK(solve(single, tsit5_rodas5p{}, rough).status == status::success);
  CHECK(dot_product_law(single, tsit5_rodas5p{}, rough, recursive_checkpoint{.slots = 3}, 1, 1e-3)
            .holds);

  const problem none{stiff_pair{}, vec{0.5, 1.0}, 1.0, 1.0, vec{3.0, 1.3}};
  auto s = solve(none, tsit5_rodas5p{}, {}, recursive_checkpoint{});
  CHECK(s.pullback(vec{1.0, 2.0}).y0 == vec{1.0, 2.0});

  options each{.norm = {.rtol = {1e-4, 1e-7}, .atol = {1e-5, 1e-8}}};
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e3, 1.3}};
  CHECK(switches(methods_of(q, each, begins_explicitly)) == 1);
  CHECK(dot_product_law(q, begins_explicitly, each, recursive_checkpoint{.slots = 3}, 1).worst <
        1e-12);
}

/// Heat with a source, on n points.
struct heat {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = static_cast<int>(y.size());
    const double h = 1.0 / (n + 1);
    for (int i = 0; i < n; ++i) {
      auto sum = -2.0 * y[i];
      if (i > 0) sum = sum + y[i - 1];
      if (i + 1 < n) sum = sum + y[i + 1];
      dy[i] = p[0] * sum / (h * h) + p[1] * y[i] * (1.0 - y[i]);
    }
  }
};

TEST_CASE("switching: long states, with a banded matrix") {
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(60, 0.1, 0.9);
  const problem q{heat{}, y0, 0.0, 0.4, vec{0.1, 2.0}};
  using in_bands = with_algebra<rodas5p, banded>;
  const switching<tsit5, in_bands> m{{}, {{}, banded{1, 1}}, 10};
  const options o{.rtol = 1e-6, .atol = 1e-8};
  const auto s = solve(q, m, o), implicitly = solve(q, in_bands{{}, banded{1, 1}}, o);
  CHECK(s.status == status::success);
  CHECK((s.y - implicitly.y).norm() < 1e-5);
  CHECK(s.stats.factorizations < s.stats.accepted);
  CHECK(s.stats.factorizations > 0);
  CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);
  CHECK(replay_law(q, m, o).what == "");
}

struct falls {
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0] - 1.2;
  }
  static constexpr bool terminal = true;
};

TEST_CASE("switching: events and dense output on either side of a switch") {
  const options o{.rtol = 1e-8, .atol = 1e-10};
  const auto loss = [](const auto& y) { return y[1]; };
  const auto a = value_and_gradient(oscillation, tsit5_rodas5p{}, o, events(falls{}), loss);
  const auto b = value_and_gradient(oscillation, rodas5p{}, o, events(falls{}), loss);
  REQUIRE(a.solution.status == status::terminal_event);
  CHECK(a.solution.t == doctest::Approx(b.solution.t).epsilon(1e-7));
  CHECK(a.gradient->p[0] == doctest::Approx(b.gradient->p[0]).epsilon(1e-4));

  auto dense = solve(oscillation, tsit5_rodas5p{}, o, dense_output{});
  auto other = solve(oscillation, rodas5p{}, {.rtol = 1e-10, .atol = 1e-12}, dense_output{});
  for (double t = 1; t < 800; t += 7) CHECK(std::abs(dense(t)[0] - other(t)[0]) < 1e-5);
}

}  // namespace
}  // namespace revode
