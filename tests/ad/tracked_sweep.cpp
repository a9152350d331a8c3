// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/recording/tracked_sweep.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/ring_modulator.hpp>
#include <revode/state/mat.hpp>

namespace revode {
namespace {

/// Every operation of duals, on seven elements, with parameters as factors, divisors and exponents.
struct every_operation {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    using std::pow;
    using std::sqrt;
    dy[0] = -y[0] + p[0] * y[1] - 2 * y[6] / p[1];
    dy[1] = y[1] / y[2] - p[0] / y[3];
    dy[2] = muladd(y[2], y[3], y[4]) + muladd(p[0], y[0], p[1]) - t;
    dy[3] = sqrt(y[5] * y[5] + p[1]) - exp(-y[0] * t);
    dy[4] = pow(y[4], p[0]) + pow(y[6], 3);
    dy[5] = p[0] * p[1] + t;
    dy[6] = (1 - y[6]) * (y[0] - y[2]) * y[1] - 3;
  }
};

struct branching {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 6; ++i) dy[i] = y[i] * p[0];
    dy[0] = y[0] < 0.5 ? y[1] : y[2] * y[3];
  }
};

struct looping {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 23; ++i) dy[i] = p[0] * (y[(i + 1) % 23] - y[i]) * y[(i * 5) % 23];
  }
};

/// y1' = √y0 y1 has no derivative in y0 at y0 = 0, and √p0 none in p0.
struct edge {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    dy[0] = y[0];
    dy[1] = sqrt(y[0]) * y[1];
    dy[2] = sqrt(p[0]) * y[2];
    dy[3] = y[3];
    dy[4] = y[4];
    dy[5] = y[5];
  }
};

template <class Y>
Y somewhere() {
  Y y{};
  for (int i = 0; i < length(y); ++i) y[i] = scalar_t<Y>(0.3 + 0.1 * i + 0.05 * (i % 3));
  return y;
}

/// The Jacobian equals its columns by single directions, entry by entry, and does so twice: the
/// first call asks whether the field is tracked.
template <class F, class Y, class P>
void equals_its_columns(const F& f, const Y& y, const P& p) {
  using T = scalar_t<Y>;
  constexpr int n = static_size_v<Y>;
  derivatives<F, Y, P> d;
  for (int call = 0; call < 2; ++call) {
    mat<T, n> jac;
    fill(jac, T(9));
    d.jacobian(f, T(0.4), y, p, jac);
    for (int j = 0; j < n; ++j) {
      Y e{}, column{};
      e[j] = 1;
      d.jvp(f, T(0.4), y, p, T(0), e, vec<T, 0>{}, column);
      for (int i = 0; i < n; ++i) {
        CAPTURE(i);
        CAPTURE(j);
        CHECK(jac(i, j) == column[i]);
      }
    }
  }
}

/// A matrix that is not a mat.
struct by_columns {
  double elements[49];
  double& operator()(int i, int j) { return elements[7 * j + i]; }
};

}  // namespace

TEST_CASE("a tracked Jacobian equals its columns by single directions, zeros included") {
  equals_its_columns(every_operation{}, somewhere<vec<double, 7>>(), vec<double, 2>{1.5, 0.7});
  equals_its_columns(every_operation{}, somewhere<vec<float, 7>>(), vec<float, 2>{1.5f, 0.7f});
  equals_its_columns(hires{}, somewhere<vec<double, 8>>(), hires{}.parameters());
  equals_its_columns(pollu{}, somewhere<vec<double, 20>>(), pollu{}.parameters());
  equals_its_columns(ring_modulator{}, somewhere<vec<double, 15>>(), ring_modulator{}.parameters());
}

TEST_CASE("fields with branches and loops get the same entries") {
  equals_its_columns(branching{}, somewhere<vec<double, 6>>(), vec<double, 1>{1.5});
  equals_its_columns(branching{}, vec<double, 6>{1, 2, 3, 4, 5, 6}, vec<double, 1>{1.5});
  equals_its_columns(looping{}, somewhere<vec<double, 23>>(), vec<double, 1>{1.5});
}

TEST_CASE("a formula without branches and loops is tracked, others are not") {
  const auto y = somewhere<vec<double, 6>>();
  const auto z = somewhere<vec<double, 23>>();
  const vec<double, 1> p{1.5};
  mat<double, 6> small;
  mat<double, 23> large;
  using branch_sweep = tracked_sweep<branching, vec<double, 6>, vec<double, 1>>;
  using loop_sweep = tracked_sweep<looping, vec<double, 23>, vec<double, 1>>;
  CHECK_FALSE(branch_sweep::jacobian(branching{}, 0.0, y, p, small));
  CHECK_FALSE(loop_sweep::jacobian(looping{}, 0.0, z, p, large));
#if defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    defined(__x86_64__)
  const auto u = somewhere<vec<double, 20>>();
  mat<double, 20> jac;
  using pollu_sweep = tracked_sweep<pollu, vec<double, 20>, vec<double, 25>>;
  CHECK(pollu_sweep::jacobian(pollu{}, 0.0, u, pollu{}.parameters(), jac));
#endif
}

TEST_CASE("any matrix takes a tracked Jacobian") {
  const auto y = somewhere<vec<double, 7>>();
  const vec<double, 2> p{1.5, 0.7};
  derivatives<every_operation, vec<double, 7>, vec<double, 2>> d;
  mat<double, 7> rows;
  by_columns columns;
  d.jacobian(every_operation{}, 0.4, y, p, rows);
  d.jacobian(every_operation{}, 0.4, y, p, columns);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) CHECK(rows(i, j) == columns(i, j));
  }
}

TEST_CASE("a slope that does not exist stays with the directions it is in") {
  vec<double, 6> y{0, 2, 3, 4, 5, 6};
  derivatives<edge, vec<double, 6>, vec<double, 1>> d;
  mat<double, 6> jac;
  d.jacobian(edge{}, 0.0, y, vec<double, 1>{0}, jac);
  CHECK(std::isinf(jac(1, 0)));
  CHECK(jac(1, 1) == 0);
  CHECK(jac(2, 2) == 0);
  for (int j = 2; j < 6; ++j) CHECK(jac(1, j) == 0);
}

TEST_CASE("a pack notes the parts that may differ from zero") {
  using pack = tracked_pack<double, 6>;
  const pack a = pack::unit(1), b = pack::unit(4);
  CHECK(a.moving == 1U);
  CHECK(b.moving == 4U);
  CHECK(pack{}.moving == 0U);
  CHECK((a + b).moving == 5U);
  CHECK((a - b)[4] == -1);
  CHECK((a - b)[1] == 1);
  CHECK((2.0 * a).moving == 1U);
  CHECK(muladd(3.0, a, b)[1] == 3);
  CHECK(muladd(3.0, a, b)[4] == 1);
  CHECK(muladd(3.0, a, a)[1] == 4);
  CHECK(along(std::numeric_limits<double>::infinity(), a)[0] == 0);
  CHECK((-b)[4] == -1);
  CHECK(tracked_pack<float, 6>::unit(5).moving == 2U);
}

}  // namespace revode
