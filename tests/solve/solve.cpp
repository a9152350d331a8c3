// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/rotation.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

const vec<double, 3> lorenz_p = lorenz{}.parameters();

/// y' = cos(t) y, y = e^{sin t}.
struct swing {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    using std::cos;
    dy[0] = cos(t) * y[0];
  }
};

/// The same backwards: z(s) = y(−s).
struct swing_mirrored {
  template <class T, class Y, class P>
  void operator()(const T& s, const Y& z, const P&, Y& dz) const {
    using std::cos;
    dz[0] = -(cos(-s) * z[0]);
  }
};

struct any_length {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    for (int i = 0; i < length(y); ++i) dy.data()[i] = -y.data()[i];
  }
};

}  // namespace

TEST_CASE("a rotation comes round within the tolerance, and the counts add up") {
  const problem q{rotation{}, rotation{}.y0(), 0.0, 2 * std::acos(-1.0), rotation{}.parameters()};
  const auto s = solve(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-10});

  CHECK(s.status == status::success);
  CHECK(s.t == q.t1);
  CHECK(std::abs(s.y[0] - 1) < 1e-8);
  CHECK(std::abs(s.y[1]) < 1e-8);
  // one for the first stage, two for the first step, six an attempt
  CHECK(s.stats.field_evaluations == 1 + 2 + 6 * (s.stats.accepted + s.stats.rejected));
  CHECK(s.stats.equal_bits);
}

TEST_CASE("equal steps cost what the method costs, and no estimate") {
  const problem q{rotation{}, rotation{}.y0(), 0.0, 1.0, rotation{}.parameters()};
  const auto s = solve(q, rk4{}, {.fixed_step = 0.01});
  CHECK(s.stats.accepted == 100);
  CHECK(s.stats.rejected == 0);
  CHECK(s.stats.field_evaluations == 400);
  CHECK(std::abs(s.y[0] - std::cos(1)) < 1e-9);

  const auto fsal = solve(q, tsit5{}, {.fixed_step = 0.01});
  CHECK(fsal.stats.field_evaluations == 1 + 6 * 100);
}

TEST_CASE("integrating to t0 takes no step and is a success") {
  const problem q{swing{}, vec{2.0}, 1.0, 1.0};
  for (const double h : {0.0, 0.1}) {
    const auto s =
        solve(q, tsit5{}, {.fixed_step = h, .save = {.t0 = true, .ts = {1}, .t1 = true}});
    CHECK(s.status == status::success);
    CHECK(s.stats.accepted + s.stats.rejected == 0);
    CHECK(s.y[0] == 2);
    CHECK(s.ts == std::vector{1.0, 1.0, 1.0});
    CHECK(s.ys == std::vector(3, vec{2.0}));
  }
}

TEST_CASE("integrating backwards is integrating the mirrored problem, bit for bit") {
  const options o{.rtol = 1e-9, .atol = 1e-9, .save = {.ts = {-1, -2.5}}};
  const options mirrored{.rtol = 1e-9, .atol = 1e-9, .save = {.ts = {1, 2.5}}};
  const auto back = solve(problem{swing{}, vec{1.0}, 0.0, -3.0}, tsit5{}, o);
  const auto ahead = solve(problem{swing_mirrored{}, vec{1.0}, 0.0, 3.0}, tsit5{}, mirrored);

  CHECK(back.y == ahead.y);
  CHECK(back.ys == ahead.ys);
  CHECK(back.stats.accepted == ahead.stats.accepted);
  CHECK(back.stats.rejected == ahead.stats.rejected);
  CHECK(back.y[0] == doctest::Approx(std::exp(std::sin(-3))).epsilon(1e-8));
  CHECK(solve(problem{swing{}, vec{1.0}, 0.0, -3.0}, rk4{}, {.fixed_step = 0.25}).y ==
        solve(problem{swing_mirrored{}, vec{1.0}, 0.0, 3.0}, rk4{}, {.fixed_step = 0.25}).y);
}

TEST_CASE("every kind of state gives the same bits") {
  const options o{.rtol = 1e-8, .atol = 1e-8, .save = {.ts = {0.3, 1.7}}};
  const auto fixed = solve(problem{lorenz{}, vec{1., 0., 0.}, 0.0, 5.0, lorenz_p}, tsit5{}, o);
  const auto eigen = solve(
      problem{lorenz{}, Eigen::VectorXd{{1, 0, 0}}, 0.0, 5.0, Eigen::VectorXd{{10, 28, 8.0 / 3}}},
      tsit5{}, o);
  const auto list =
      solve(problem{lorenz{}, std::vector{1., 0., 0.}, 0.0, 5.0, lorenz_p}, tsit5{}, o);

  for (int i = 0; i < 3; ++i) {
    CHECK(fixed.y[i] == eigen.y[i]);
    CHECK(fixed.y[i] == list.y[static_cast<std::size_t>(i)]);
    CHECK(fixed.ys[1][i] == eigen.ys[1][i]);
  }
  CHECK(fixed.stats.field_evaluations == eigen.stats.field_evaluations);
}

TEST_CASE("float states stay float and reach float accuracy") {
  const problem q{any_length{}, vec{1.0f, 2.0f}, 0.0, 1.0};
  const auto s = solve(q, tsit5{}, {.rtol = 1e-5, .atol = 1e-6});
  static_assert(std::is_same_v<decltype(s.y), vec<float, 2>>);
  CHECK(s.status == status::success);
  CHECK(std::abs(s.y[1] - 2 * std::exp(-1.0f)) < 1e-5f);
}

TEST_CASE("a state without elements takes its steps for nothing") {
  const auto s = solve(problem{any_length{}, std::vector<double>{}, 0.0, 1.0}, tsit5{},
                       {.save = {.ts = {0.5}}});
  CHECK(s.status == status::success);
  CHECK(s.t == 1);
  CHECK(s.ys[0].empty());
}

TEST_CASE("the first step and the longest step are what was asked for") {
  const problem q{any_length{}, vec{1.0}, 0.0, 1.0};
  // 64 steps of at most 1/64, the last stretched by no more than 1 %
  const auto s = solve(q, tsit5{}, {.rtol = 1e-3, .first_step = 1.0 / 64, .max_step = 1.0 / 64});
  CHECK(s.stats.accepted == 64);
  CHECK(s.stats.field_evaluations == 1 + 6 * 64);
  CHECK(solve(q, tsit5{}, {.rtol = 0.1, .atol = 0.1, .first_step = 1}).stats.accepted == 1);
}

TEST_CASE("a field given by name is called in place and never copied") {
  struct immovable {
    index* calls;
    explicit immovable(index* counter) : calls(counter) {}
    immovable(const immovable&) = delete;
    void operator()(double, const vec<double, 1>& y, const vec<double, 0>&,
                    vec<double, 1>& dy) const {
      ++*calls;
      dy[0] = -y[0];
    }
  };
  index calls = 0;
  const immovable f(&calls);
  const problem q{f, vec{1.0}, 0.0, 1.0};

  CHECK(solve(q, tsit5{}).stats.field_evaluations == calls);
}

}  // namespace revode
