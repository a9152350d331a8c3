// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/solve/adapters.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/implicit/implicit_conditions.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/kencarp47.hpp>
#include <revode/solvers/kencarp5.hpp>
#include <revode/solvers/vern7.hpp>

#include "implicit_fields.hpp"

namespace revode {
namespace {

/// stiff_pair as a sum: its stiff line implicitly, all the rest explicitly.
struct split_pair : stiff_pair {
  template <class T, class Y, class P>
  void implicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t));
    dy[1] = 0 * y[1];
  }
  template <class T, class Y, class P>
  void explicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
};

template <class Function>
void for_each_imex(Function&& fn) {
  [&]<class... M>(M... m) { (fn(m), ...); }(imex<kencarp3>{}, imex<kencarp4>{}, imex<kencarp47>{},
                                            imex<kencarp5>{});
}

template <class M>
double error_of(const M& m, double h) {
  const problem q{split_pair{}, vec{0.5, 1.0}, 0.0, 1.0, vec{0.3, 1.3}};
  const auto exact = solve(q, vern7{}, options{.rtol = 1e-14, .atol = 1e-14}).y;
  const auto y = solve(q, m, options{.fixed_step = h}).y;
  return std::abs(y[0] - exact[0]) + std::abs(y[1] - exact[1]);
}

TEST_CASE("IMEX: the error of a driven split problem falls with the order") {
  for_each_imex([](const auto& m) {
    using M = std::remove_cvref_t<decltype(m)>;
    const double order = std::log2(error_of(m, 0.05) / error_of(m, 0.025));
    CAPTURE(std::string(M::name));
    CHECK(order > M::order - 0.3);
    CHECK(order < M::order + 1.2);
  });
}

TEST_CASE("IMEX: two fields, from_parts, have the bits of a field that names its parts") {
  const split_pair both;
  const auto stiff = [&](const auto& t, const auto& y, const auto& p, auto& dy) {
    both.implicit_part(t, y, p, dy);
  };
  const auto rest = [&](const auto& t, const auto& y, const auto& p, auto& dy) {
    both.explicit_part(t, y, p, dy);
  };
  const auto check = [&](const auto& y0, const auto& p) {
    const auto pulled = [&](const auto& f) {
      const problem q{f, y0, 0.0, 2.0, p};
      auto s = solve(q, imex<kencarp4>{}, options{}, recursive_checkpoint{.slots = 3});
      CHECK(s.status == status::success);
      auto g = s.pullback({.y = y0});
      return std::tuple{s.y, g.y0, g.p};
    };
    CHECK(pulled(from_parts(stiff, rest)) == pulled(both));
    const auto sum = solve(problem{from_parts(stiff, rest), y0, 0.0, 2.0, p}, vern7{}, options{}).y;
    const auto whole = solve(problem{both, y0, 0.0, 2.0, p}, vern7{}, options{}).y;
    CHECK(sum[0] == doctest::Approx(whole[0]).epsilon(1e-9));
  };
  check(vec{0.5, 1.0}, vec{30.0, 1.3});
  check(std::vector{0.5, 1.0}, std::vector{30.0, 1.3});
}

TEST_CASE("IMEX: a stiff part costs no more steps than a mild one") {
  for_each_imex([](const auto& m) {
    CAPTURE(std::string(m.name));
    const auto steps = [&](double stiffness) {
      const problem q{split_pair{}, vec{1.0, 1.0}, 0.0, 10.0, vec{stiffness, 1.3}};
      const auto s = solve(q, m, options{.rtol = 1e-4, .atol = 1e-6});
      CHECK(s.status == status::success);
      return s.stats.accepted + s.stats.rejected;
    };
    CHECK(steps(1e5) < 4 * steps(10));
  });
}

/// The same with a stiff cubic line.
struct split_cubic : split_pair {
  template <class T, class Y, class P>
  void implicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    const auto d = y[0] - cos(p[1] * t);
    dy[0] = -p[0] * d * (1 + 100 * d * d);
    dy[1] = 0 * y[1];
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    Y part = y;
    implicit_part(t, y, p, dy);
    explicit_part(t, y, p, part);
    for (int i = 0; i < 2; ++i) dy[i] += part[i];
  }
};

TEST_CASE("IMEX: rtol may be 0, or far below atol") {
  const problem q{split_cubic{}, vec{0.5, 1.0}, 0.0, 3.0, vec{1e3, 1.3}};
  const auto exact = solve(q, imex<kencarp4>{}, options{.rtol = 1e-11, .atol = 1e-11}).y;
  for_each_imex([&](const auto& m) {
    CAPTURE(std::string(m.name));
    for (const double rtol : {0.0, 1e-300}) {
      const auto s = solve(q, m, options{.rtol = rtol, .atol = 1e-7});
      CHECK(s.status == status::success);
      CHECK(std::abs(s.y[0] - exact[0]) + std::abs(s.y[1] - exact[1]) < 2e-6);
      CHECK(s.stats.newton_iterations > 3 * s.stats.accepted);
    }
  });
}

TEST_CASE("IMEX: the conditions that couple both halves are those of the published order") {
  static_assert(has_imex_order<kencarp3>(3, 2));
  static_assert(has_imex_order<kencarp4>(4, 3));
  static_assert(has_imex_order<kencarp47>(4, 3));
  static_assert(has_imex_order<kencarp5>(5, 4));
  // An explicit half with a wrong entry, and the right row sum, is found out.
  double rows[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) rows[i][j] = kencarp3::explicit_rows[i][j];
  CHECK(has_additive_order(rows, kencarp3::tableau, kencarp3::tableau.a[3], 3));
  rows[3][1] += 0.01, rows[3][2] -= 0.01;
  CHECK(!has_additive_order(rows, kencarp3::tableau, kencarp3::tableau.a[3], 3));
}

TEST_CASE("IMEX: replays, products and duals agree, save points inside steps included") {
  for (const double stiffness : {40.0, 4e4}) {
    const problem q{split_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{stiffness, 1.3}};
    options o{.rtol = 1e-4, .atol = 1e-6};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};
    const imex<kencarp4> m{};
    CHECK(replay_law(q, m, o).what == "");
    CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-12);
    CHECK(frozen_grid_law(q, m, o, adjoint).worst < 1e-10);
    CHECK(equal_gradients_law(q, m, o, adjoint, {.slots = 1}).what == "");
  }
}

TEST_CASE("IMEX without a Jacobian matrix: the laws, and the dense solution and gradient") {
  // Rough solves first: replays must repeat them. Then those whose iterations leave rounding alone.
  for (const double rough : {1e-3, 1e-12}) {
    CAPTURE(rough);
    const problem q{split_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
    options o{.rtol = 1e-4, .atol = 1e-6};
    o.save.ts = {0.213, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};
    const auto check = [&](const auto& m) {
      CHECK(replay_law(q, m, o).what == "");
      CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-12);
      CHECK(equal_gradients_law(q, m, o, adjoint, {.slots = 1}).what == "");
      if (rough > 1e-6) return;
      CHECK(frozen_grid_law(q, m, o, adjoint).worst < 1e-12);
      auto s = solve(q, m, {.fixed_step = 0.02}, adjoint);
      auto dense = solve(q, imex<kencarp4>{}, {.fixed_step = 0.02}, adjoint);
      CHECK(relative_difference(s.y, dense.y) < 1e-12);
      CHECK(relative_difference(s.pullback(q.y0).p, dense.pullback(q.y0).p) < 1e-11);
    };
    check(with_algebra<imex<kencarp4>, gmres<>>{
        {}, {{}, {.rough = rough, .goal = rough > 1e-6 ? 0.3 : 0}}});
    check(with_algebra<imex<kencarp4>, bicgstab<>>{
        {}, {{}, {.rough = rough, .goal = rough > 1e-6 ? 0.3 : 0}}});
  }
}

}  // namespace
}  // namespace revode
