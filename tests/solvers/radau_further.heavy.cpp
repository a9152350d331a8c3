// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pendulum_index1.hpp>
#include <revode/problems/rober.hpp>
#include <revode/problems/vdpol_stiff.hpp>
#include <revode/solve/dense_output.hpp>

#include "radau_stages.hpp"

namespace revode {
namespace {

TEST_CASE("radau: one method from 1e-3 to 1e-13, within some tolerances") {
  const auto error = [](const auto& f, double rtol) {
    using F = std::remove_cvref_t<decltype(f)>;
    const problem q{f, f.y0(), F::t0, F::t1, f.parameters()};
    const options o{.rtol = rtol, .atol = F::atol(rtol)};
    const auto s = solve(q, radau{}, o);
    REQUIRE(s.status == status::success);
    double worst = 0;
    for (int i = 0; i < length(s.y); ++i) {
      const double reference = f.reference()[i];
      const double scale = o.atol + rtol * std::abs(reference);
      worst = std::fmax(worst, std::abs(s.y[i] - reference) / scale);
    }
    return worst;
  };
  for (double rtol = 1e-3; rtol > 5e-14; rtol /= 10) {
    CAPTURE(rtol);
    CHECK(error(rober{}, rtol) < 10);
    CHECK(error(vdpol_stiff{}, rtol) < 10);
    CHECK(error(hires{}, rtol) < 100);
    CHECK(error(orego{}, rtol) < 300);  // a cycle on which errors grow
  }
}

TEST_CASE("radau: where iterations are never fast it keeps to three stages") {
  const auto q = named_up_to<pendulum_index1>(pendulum_index1::t1);
  const options o{.rtol = 1e-8, .atol = 1e-8};
  CHECK(changes(stages_of(q, o)) == 0);
  CHECK(static_cast<double>(solve(q, radau_iia9{}, o).stats.field_evaluations) <
        0.55 * static_cast<double>(solve(q, radau{}, o).stats.field_evaluations));
}

TEST_CASE("radau: second derivatives across changes of order are symmetric") {
  const auto loss = [](const auto& y) { return y[0] * y[1] + y[1] * y[1]; };
  const auto product = [&](const vec<double, 2>& v) {
    return *hessian_vector_product(flips, radau{}, {.rtol = 1e-6, .atol = 1e-6}, loss,
                                   {.y0 = vec{0.0, 0.0}, .p = v})
                .product;
  };
  const vec<double, 2> v{100.0, 0.3}, w{-40.0, 2.0};
  CHECK(dot(product(v).p, w) == doctest::Approx(dot(product(w).p, v)).epsilon(1e-9));
}

struct reaches {
  static constexpr bool passes = true;
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0] - 0.3;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[1] = 0.5 * y[1];
  }
};

TEST_CASE("radau: events, save points and dense output between changes of order") {
  options o{.rtol = 1e-9, .atol = 1e-9};
  const auto loss = [](const auto& y) { return y[1]; };
  const auto a = value_and_gradient(flips, radau{}, o, events(reaches{}), loss);
  const auto b = value_and_gradient(flips, radau_iia9{}, o, events(reaches{}), loss);
  REQUIRE(a.solution.status == status::success);
  REQUIRE(a.solution.events.size() >= 5);
  CHECK(a.solution.events.size() == b.solution.events.size());
  CHECK(a.solution.y[1] == doctest::Approx(b.solution.y[1]).epsilon(1e-7));
  CHECK(a.gradient->p[1] == doctest::Approx(b.gradient->p[1]).epsilon(1e-5));

  auto path = solve(flips, radau{}, o, dense_output{});
  auto fine = solve(flips, radau_iia13{}, {.rtol = 1e-12, .atol = 1e-12}, dense_output{});
  for (double t = 0.05; t < 20; t += 0.37) CHECK(std::abs(path(t)[1] - fine(t)[1]) < 1e-5);
}

TEST_CASE("radau: laws of dynamic states") {
  for (const double stiffness : {40.0, 4e4})
    check_implicit_laws(radau{}, std::vector{0.5, 1.0}, std::vector{stiffness, 1.3});
}

TEST_CASE("radau: backwards, in float, over no time, and by component") {
  const problem back{stiff_pair{}, vec{0.5, 1.0}, 1.0, 0.0, vec{-300.0, 1.3}};
  options o{.rtol = 1e-9, .atol = 1e-11};
  o.save.ts = {0.7, 0.2};
  CHECK(changes(stages_of(back, o)) >= 1);
  CHECK(replay_law_of_solve(back, radau{}, o).what == "");
  CHECK(dot_product_law(back, radau{}, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);

  const problem single{stiff_pair{}, vec{0.5f, 1.0f}, 0.0, 1.5, vec{40.0f, 1.3f}};
  const options rough{.rtol = 1e-4, .atol = 1e-5};
  CHECK(solve(single, radau{}, rough).status == status::success);
  CHECK(dot_product_law(single, radau{}, rough, recursive_checkpoint{.slots = 3}, 1, 1e-12).holds);

  const problem none{stiff_pair{}, vec{0.5, 1.0}, 1.0, 1.0, vec{3.0, 1.3}};
  auto s = solve(none, radau{}, {}, recursive_checkpoint{});
  CHECK(s.pullback(vec{1.0, 2.0}).y0 == vec{1.0, 2.0});

  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
  const options each{.norm = {.rtol = {1e-8, 1e-10}, .atol = {1e-9, 1e-11}}};
  CHECK(dot_product_law(q, radau{}, each, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);
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

TEST_CASE("radau: long states, with a banded matrix, in the dense one's steps") {
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(60, 0.1, 0.9);
  const problem q{heat{}, y0, 0.0, 0.4, vec{0.1, 2.0}};
  const with_algebra<radau, banded> m{{}, banded{1, 1}};
  const options o{.rtol = 1e-9, .atol = 1e-11};
  const auto s = solve(q, m, o), dense = solve(q, radau{}, o);
  CHECK(s.status == status::success);
  CHECK(s.stats.accepted == dense.stats.accepted);
  CHECK((s.y - dense.y).norm() < 1e-10);
  CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);
  CHECK(replay_law_of_solve(q, m, o).what == "");
}

}  // namespace
}  // namespace revode
