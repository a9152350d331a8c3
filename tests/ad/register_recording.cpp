// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/ad/derivatives.hpp>
#include <revode/problems/arenstorf.hpp>
#include <revode/problems/lorenz.hpp>

namespace revode {
namespace {

using std::abs;

/// Is the optimiser of this unit asked? Elsewhere the tests hold duals to duals.
#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
constexpr bool asked = true;
#else
constexpr bool asked = false;
#endif

/// All of wᵀ(f_t, f_y, f_p) by the register recording and by duals, added to what was there.
template <bool WithTime = false, class F, class Y, class P>
void compare(const F& f, const Y& y, const P& p) {
  Y w = y, gy_a = y, gy_b = y;
  P gp_a = p, gp_b = p;
  for (int i = 0; i < w.size(); ++i) w[i] = 0.5 + 0.25 * i;
  double gt_a = 0.25, gt_b = 0.25;
  constexpr int directions = static_size_v<Y> + static_size_v<P>;
  derivatives<F, Y, P> by_choice;
  CHECK(register_sweep<F, Y, P>::fits(f, 0.5, y, p) == asked);
  if constexpr (WithTime) {
    by_choice.vjp(f, 0.5, y, p, w, &gt_a, gy_a, gp_a);
    dual_sweep<Y, P>::template vjp<directions + 1>(f, 0.5, y, p, w, &gt_b, gy_b, gp_b);
  } else {
    by_choice.vjp(f, 0.5, y, p, w, static_cast<double*>(nullptr), gy_a, gp_a);
    dual_sweep<Y, P>::template vjp<directions>(f, 0.5, y, p, w, nullptr, gy_b, gp_b);
  }
  CHECK(gt_a == doctest::Approx(gt_b).epsilon(1e-14));
  for (int i = 0; i < y.size(); ++i) CHECK(gy_a[i] == doctest::Approx(gy_b[i]).epsilon(1e-14));
  for (int i = 0; i < p.size(); ++i) CHECK(gp_a[i] == doctest::Approx(gp_b[i]).epsilon(1e-14));
}

struct driven {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    using std::sin;
    dy[0] = p[0] * sin(t) + y[1] * y[0];
    dy[1] = exp(y[0] / p[0]) - t * t;
  }
};

struct constant_and_passed_on {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[1];
    dy[1] = T(2);
  }
};

struct ring {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]) * y[0];
    dy[1] = p[0] * (y[2] - y[1]) * y[1];
    dy[2] = p[0] * (y[3] - y[2]) * y[2];
    dy[3] = p[0] * (y[0] - y[3]) * y[3];
  }
};

/// Its formula depends on the state.
struct two_branches {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[0] > 1 ? p[0] * y[0] * y[0] : -y[0];
  }
};

/// 80 operations: more than a register recording has room for.
struct long_chain {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    T x = y[0];
    for (int i = 0; i < 80; ++i) x = x * y[0];
    dy[0] = x;
  }
};

/// Nine states and seven parameters, written out.
struct nine {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    const auto bound = p[0] * (y[0] * y[1]), lost = exp(y[2] * t) / p[1];
    dy[0] = bound - lost;
    dy[1] = muladd(p[2], y[3], -bound);
    dy[2] = y[4] * y[4] * y[5] - 2 * y[2];
    dy[3] = p[3] - y[6] / y[7];
    dy[4] = -lost;
    dy[5] = t * p[4];
    dy[6] = p[5] * y[8] + p[6];
    dy[7] = T(1);
    dy[8] = y[8];
  }
};

TEST_CASE("a register recording has the products of a dual sweep") {
  compare(lorenz{}, vec{1.5, -2.0, 20.0}, lorenz{}.parameters());
  compare(arenstorf{}, arenstorf{}.y0(), arenstorf{}.parameters());
  compare<true>(driven{}, vec{0.5, -1.0}, vec{2.0});
  compare(driven{}, vec{0.5, -1.0}, vec{2.0});
  compare<true>(constant_and_passed_on{}, vec{0.5, -1.0}, vec<double, 0>{});
  compare(ring{}, vec{1.0, 2.0, 3.0, 4.0}, vec{0.5});
}

TEST_CASE("a field of middle size: first and second products are those of a recording in memory") {
  using Y = vec<double, 9>;
  using P = vec<double, 7>;
  using D = dual<double, 1>;
  const nine f;
  Y y, w, k;
  P p;
  for (int i = 0; i < 9; ++i) y[i] = 0.5 + 0.1 * i, w[i] = 1 - 0.3 * i, k[i] = 0.2 * i - 0.7;
  for (int i = 0; i < 7; ++i) p[i] = 1 + 0.2 * i;
  const double t = 0.75, kt = 0.4;
  double gt = 0, ht = 0;
  Y gy{}, hy{};
  P gp{}, hp{};
  derivatives<nine, Y, P> d;
  d.vjp(f, t, y, p, w, &gt, gy, gp);
  d.second(f, t, y, p, w, kt, k, &ht, hy, hp);

  field_arrays<Y, P, D> along;
  seed_direction(along, y, p, k, vec<double, 0>{});
  copy(w, along.dy);
  D time(t);
  time.d[0] = kt;
  recorded_field<nine, Y, P, D> recorded;  // of which the values are the first products
  recorded.pull(f, time, along.y, along.p, along.dy.data(), true, true);
  CHECK(gt == doctest::Approx(recorded.of_time().value).epsilon(1e-14));
  CHECK(ht == doctest::Approx(recorded.of_time().d[0]).epsilon(1e-14));
  for (int i = 0; i < 9; ++i) {
    CHECK(gy[i] == doctest::Approx(recorded.of_state(i).value).epsilon(1e-14));
    CHECK(hy[i] == doctest::Approx(recorded.of_state(i).d[0]).epsilon(1e-14));
  }
  for (int i = 0; i < 7; ++i) {
    CHECK(gp[i] == doctest::Approx(recorded.of_parameter(i).value).epsilon(1e-14));
    CHECK(hp[i] == doctest::Approx(recorded.of_parameter(i).d[0]).epsilon(1e-14));
  }
  using sweep = straight_sweep<nine, Y, P>;
  CHECK(sweep::vjp(f, t, y, p, w, &gt, gy, gp) == asked);
  CHECK(sweep::second(f, t, y, p, w, kt, k, &ht, hy, hp) == asked);
}

TEST_CASE("without parameters nothing is computed for them") {
  const vec y{1.5, -2.0, 20.0}, w{1.0, 2.0, 3.0};
  const auto p = lorenz{}.parameters();
  vec<double, 3> gy{}, with{};
  vec<double, 0> none{};
  auto gp = vec<double, 3>{};
  derivatives<lorenz, vec<double, 3>, vec<double, 3>> d;
  double* const no_time = nullptr;
  d.vjp(lorenz{}, 0.0, y, p, w, no_time, gy, none);
  d.vjp(lorenz{}, 0.0, y, p, w, no_time, with, gp);
  for (int i = 0; i < 3; ++i) CHECK(gy[i] == with[i]);
}

TEST_CASE("only formulas of constant length that fit are recorded in registers") {
  const vec one{0.5};
  const vec<double, 0> none{};
  using chain_sweep = register_sweep<long_chain, vec<double, 1>, vec<double, 0>>;
  using branch_sweep = register_sweep<two_branches, vec<double, 1>, vec<double, 1>>;
  CHECK_FALSE(chain_sweep::fits(long_chain{}, 0.0, one, none));
  CHECK_FALSE(branch_sweep::fits(two_branches{}, 0.0, one, one));
  const auto p = lorenz{}.parameters();
  using lorenz_sweep = register_sweep<lorenz, vec<double, 3>, vec<double, 3>>;
  CHECK(lorenz_sweep::fits(lorenz{}, 0.0, vec{1., 2., 3.}, p) == asked);
}

TEST_CASE("what is not recorded in registers has the derivatives of duals") {
  derivatives<long_chain, vec<double, 1>, vec<double, 0>> d;
  const vec y{1.01}, w{2.0};
  vec<double, 1> gy{0.5};
  vec<double, 0> none{};
  d.vjp(long_chain{}, 0.0, y, none, w, static_cast<double*>(nullptr), gy, none);
  CHECK(gy[0] == doctest::Approx(0.5 + 2 * 81 * std::pow(1.01, 80)).epsilon(1e-14));
}

}  // namespace
}  // namespace revode
