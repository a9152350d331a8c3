// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/recording/recording.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/rk4.hpp>

namespace revode {
namespace {

const char* const refusal =
    "a recording that several threads wrote to (the derivative of a field or loop body without one "
    "of "
    "its own is recorded on one thread) give it a vjp, jvp or pull, in which threads may run, or "
    "run "
    "its loop on one thread?";

/// f(0) … f(n − 1) on three threads, this one among them.
template <class F>
void on_threads(int n, const F& f) {
  const auto part = [&](int k) {
    for (int i = k * n / 3; i < (k + 1) * n / 3; ++i) f(i);
  };
  std::thread first(part, 0), second(part, 1);
  part(2);
  first.join();
  second.join();
}

/// yᵢ' = p0 (yᵢ₊₁ − yᵢ) − p1 yᵢ², a ring, on threads or on one.
struct ring {
  bool threads;
  void each(int n, const auto& f) const {
    if (threads) return on_threads(n, f);
    for (int i = 0; i < n; ++i) f(i);
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = length(y);
    each(n, [&](int i) {
      const auto& a = y.data()[i];
      dy.data()[i] = p[0] * (y.data()[(i + 1) % n] - a) - p[1] * a * a;
    });
  }
};
struct ring_with_vjp : ring {
  template <class T, class Y, class P>
  void vjp(const T&, const Y& y, const P& p, const Y& w, T&, Y& gy, P& gp) const {
    const int n = length(y);
    each(n, [&](int i) {
      const int before = (i + n - 1) % n;
      gy.data()[i] +=
          p[0] * (w.data()[before] - w.data()[i]) - 2 * p[1] * y.data()[i] * w.data()[i];
    });
    for (int i = 0; i < n; ++i) {
      gp[0] += w.data()[i] * (y.data()[(i + 1) % n] - y.data()[i]);
      gp[1] -= w.data()[i] * y.data()[i] * y.data()[i];
    }
  }
};

template <class Y>
Y start(int n) {
  Y y = [&] {
    if constexpr (static_size_v<Y> >= 0)
      return Y{};
    else
      return Y(static_cast<std::size_t>(n));
  }();
  for (int i = 0; i < n; ++i) y.data()[i] = static_cast<scalar_t<Y>>((i * 7 % 11) * 0.1);
  return y;
}

template <class F>
auto gradient_of(const F& f) {
  using Y = std::vector<double>;
  const problem q{f, start<Y>(40), 0.0, 1.0, vec{1.0, 0.5}};
  auto s = solve(q, rk4{}, {.fixed_step = 0.1}, recursive_checkpoint{.slots = 3});
  return s.pullback(start<Y>(40));
}

/// The products with the derivatives of a ring of n.
template <class Y>
Y vjp_of(const ring& f, int n) {
  using T = scalar_t<Y>;
  using P = vec<T, 2>;
  derivatives<ring, Y, P> d;
  const Y y = start<Y>(n);
  Y g = zero_like(y);
  P p{1, 0.5}, gp{};
  d.vjp(f, T(0), y, p, y, static_cast<T*>(nullptr), g, gp);
  return g;
}

}  // namespace

TEST_CASE("a gradient whose field writes to a recording on threads is refused") {
  for (int again = 0; again < 20; ++again)
    CHECK_THROWS_WITH_AS(gradient_of(ring{true}), refusal, std::invalid_argument);
}

TEST_CASE_TEMPLATE("such a recording is refused, whatever it records", Y, std::vector<double>,
                   std::vector<float>, vec<double, 20>, vec<float, 40>) {
  const int n = static_size_v<Y> < 0 ? 40 : static_size_v<Y>;
  for (int again = 0; again < 20; ++again)
    CHECK_THROWS_WITH_AS(vjp_of<Y>(ring{true}, n), refusal, std::invalid_argument);
  CHECK_NOTHROW(vjp_of<Y>(ring{false}, n));
}

TEST_CASE("a small field on threads goes by duals, which belong to nobody") {
  const auto g = vjp_of<vec<double, 4>>(ring{true}, 4);
  const auto expected = vjp_of<vec<double, 4>>(ring{false}, 4);
  for (int i = 0; i < 4; ++i) CHECK(g[i] == doctest::Approx(expected[i]).epsilon(1e-13));
}

TEST_CASE("a field with a vjp of its own may run on threads, to the bit") {
  const auto g = gradient_of(ring_with_vjp{{true}});
  const auto expected = gradient_of(ring_with_vjp{{false}});
  CHECK(g.y0 == expected.y0);
  CHECK(g.p[0] == expected.p[0]);
  CHECK(g.p[1] == expected.p[1]);
}

TEST_CASE("tangents and Jacobians by duals may run on threads") {
  using Y = std::vector<double>;
  using P = vec<double, 2>;
  const Y y = start<Y>(40), still(40, 1.0);
  const P p{1, 0.5};
  Y out(40), expected(40);
  std::vector<double> j(1600), j_expected(1600);
  const auto fill_from = [&](bool threads, Y& to, std::vector<double>& matrix) {
    derivatives<ring, Y, P> d;
    const ring f{threads};
    d.jvp(f, 0.0, y, p, 0.0, still, p, to);
    auto entry = [&](int r, int c) -> double& {
      return matrix[static_cast<std::size_t>(40 * r + c)];
    };
    d.jacobian(f, 0.0, y, p, entry);
  };
  fill_from(true, out, j);
  fill_from(false, expected, j_expected);
  CHECK(out == expected);
  CHECK(j == j_expected);
}

TEST_CASE("second derivatives by recordings over duals are refused on threads") {
  using Y = std::vector<double>;
  using P = vec<double, 2>;
  derivatives<ring, Y, P> d;
  Y y = start<Y>(40), g(40);
  P p{1, 0.5}, gp{};
  CHECK_THROWS_WITH_AS(
      d.second(ring{true}, 0.0, y, p, y, 0.0, y, static_cast<double*>(nullptr), g, gp), refusal,
      std::invalid_argument);
  CHECK_NOTHROW(d.second(ring{false}, 0.0, y, p, y, 0.0, y, static_cast<double*>(nullptr), g, gp));
}

TEST_CASE("numbers that another thread casts are refused too") {
  recording<float> r;
  const auto x = r.input(2.0F);
  variable<double> wide;
  std::thread([&] { wide = cast<double>(x); }).join();
  CHECK(wide.value == 2);
  CHECK(wide.home == nullptr);
  CHECK_THROWS_WITH_AS(r.begin_pull(), refusal, std::invalid_argument);
}

TEST_CASE("a refused recording is as good as new, on any thread") {
  recording<double> r;
  const auto x = r.input(2.0);
  std::thread([&] { static_cast<void>(x * x); }).join();
  CHECK(r.size() == 1);
  CHECK_THROWS_AS(r.begin_pull(), std::invalid_argument);
  std::thread([&] {
    r.clear();
    const auto y = r.input(3.0);
    const auto square = y * y;
    const double one = 1;
    r.pull(&square, &one, 1);
    CHECK(r.adjoint(y.id) == 6);
  }).join();
}

TEST_CASE("an empty recording is anybody's, and what one thread recorded another one may pull") {
  recording<double> r;
  variable<double> x, square;
  std::thread([&] {
    x = r.input(3.0);
    square = x * x;
  }).join();
  const double one = 1;
  r.pull(&square, &one, 1);
  CHECK(r.adjoint(x.id) == 6);
}

}  // namespace revode
