// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/second_push.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/state/mat.hpp>

// Every allocation of this program is counted: Eigen calls malloc, not operator new. Not where a
// sanitizer or another C library owns malloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REVODE_TEST_COUNTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REVODE_TEST_COUNTS 0
#endif
#endif
#if !defined(REVODE_TEST_COUNTS)
#if defined(__GLIBC__)
#define REVODE_TEST_COUNTS 1
#else
#define REVODE_TEST_COUNTS 0
#endif
#endif

namespace {
std::atomic<long> allocations{0};
}

#if REVODE_TEST_COUNTS
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
#endif

using namespace revode;
using vector = Eigen::VectorXd;

namespace {

/// f = (t p0 y0 y1, y0² / y1): every derivative is known by hand.
struct driven {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = t * p[0] * y[0] * y[1];
    dy[1] = y[0] * y[0] / y[1];
  }
};

/// The same over numbers and one dual direction alone, with products by the left.
struct driven_by_vjp {
  template <class S>
  static constexpr bool takes =
      std::is_same_v<S, double> || std::is_same_v<S, erased_field::push_scalar>;
  template <class T, class Y, class P>
  requires(takes<T>) void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    driven{}(t, y, p, dy);
  }
  template <class T, class Y, class P>
  requires(takes<T>) void vjp(const T& t, const Y& y, const P& p, const Y& w, T& gt, Y& gy,
                              P& gp) const {
    gt += w[0] * p[0] * y[0] * y[1];
    gy[0] += w[0] * t * p[0] * y[1] + w[1] * 2.0 * y[0] / y[1];
    gy[1] += w[0] * t * p[0] * y[0] - w[1] * y[0] * y[0] / (y[1] * y[1]);
    gp[0] += w[0] * t * y[0] * y[1];
  }
};

vector of(std::initializer_list<double> values) {
  vector v(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double x : values) v[i++] = x;
  return v;
}

const vector y = of({3, 2}), p = of({5});
constexpr double t = 7;

}  // namespace

TEST_CASE("an erased field has its field's values") {
  const erased_field f{driven{}};
  vector dy(2);

  f(t, y, p, dy);

  CHECK(dy == of({210, 4.5}));
}

TEST_CASE("an erased field pulls: the vjp adds to what is there") {
  const erased_field f{driven{}};
  vector gy = of({1, 1}), gp = of({1});
  double gt = 1;

  f.vjp(t, y, p, of({1, 10}), gt, gy, gp);

  CHECK(gt == 1 + 30);
  CHECK(gy == of({1 + 70 + 30, 1 + 105 - 22.5}));
  CHECK(gp == of({1 + 42}));
}

TEST_CASE("an erased field with frozen parameters takes empty vectors for them") {
  const erased_field f{driven{}};
  vector gy = of({0, 0}), none, out(2);
  double gt = 0;

  f.vjp(t, y, p, of({1, 10}), gt, gy, none);
  f.jvp(t, y, p, 2.0, of({1, 10}), none, out);

  CHECK(gy == of({100, 82.5}));
  CHECK(out == of({60 + 70 + 1050, 3 - 22.5}));
}

TEST_CASE("an erased field pushes t, y and p at once") {
  const erased_field f{driven{}};
  vector out(2);

  f.jvp(t, y, p, 2.0, of({1, 10}), of({3}), out);

  CHECK(out == of({60 + 70 + 1050 + 126, 3 - 22.5}));
}

TEST_CASE("an erased field fills a dynamic and a fixed matrix with its Jacobian") {
  const erased_field f{driven{}};
  Eigen::MatrixXd dynamic;
  mat<double, 2> fixed{};

  f.jacobian(t, y, p, dynamic);
  f.jacobian(t, y, p, fixed);

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) CHECK(fixed(i, j) == dynamic(i, j));
  }
  CHECK(fixed == mat<double, 2>{70, 105, 3, -2.25});
}

TEST_CASE("an erased field has second derivatives: those of 10 y0² / y1 + t p0 y0 y1") {
  const erased_field f{driven{}};
  derivatives<erased_field, vector, vector> d;
  vector gy = of({0, 0}), gp = of({0});
  double gt = 0;

  d.second(f, t, y, p, of({1, 10}), 0.0, of({1, 0}), &gt, gy, gp);

  CHECK(gy[0] == doctest::Approx(10).epsilon(1e-15));
  CHECK(gy[1] == doctest::Approx(35 - 15).epsilon(1e-15));
  CHECK(gp[0] == doctest::Approx(14).epsilon(1e-15));
  CHECK(gt == doctest::Approx(10).epsilon(1e-15));
}

template <class F>
void check_pushed_products(const F& field) {
  const erased_field f{field};
  second_push<erased_field, vector, vector> push;
  vector out = of({100, 1000});
  const double kt = 3, dt = 0.5, a = 1, b = -2, c = 4;
  push.add(f, t, y, p, kt, of({1, 0}), dt, of({a, b}), of({c}), out);
  const double of_t = kt * (c * y[0] * y[1] + p[0] * a * y[1] + p[0] * y[0] * b);
  const double of_y = dt * p[0] * y[1] + t * c * y[1] + t * p[0] * b;
  CHECK(out[0] == doctest::Approx(100 + of_t + of_y).epsilon(1e-15));
  CHECK(out[1] ==
        doctest::Approx(1000 + 2 * a / y[1] - 2 * y[0] * b / (y[1] * y[1])).epsilon(1e-15));
}

TEST_CASE("an erased field pushes its products: those of f_t kt + f_y k") {
  check_pushed_products(driven{});
  check_pushed_products(driven_by_vjp{});
}

TEST_CASE("an erased field is a value: copies, moves and assignment give the same bits") {
  const erased_field f{lorenz{}};
  erased_field copy = f, other{driven{}};
  other = copy;
  const erased_field moved = std::move(copy);
  const vector y0 = of({1, 2, 3}), q = of({10, 28, 8.0 / 3}), w = of({1, -2, 0.5});

  const auto gradient = [&](const erased_field& field) {
    vector gy = of({0, 0, 0}), gp = of({0, 0, 0});
    double gt = 0;
    field.vjp(0.0, y0, q, w, gt, gy, gp);
    return std::pair(gy, gp);
  };

  CHECK(gradient(other) == gradient(f));
  CHECK(gradient(moved) == gradient(f));
}

TEST_CASE("two threads with a copy each share nothing") {
  const erased_field f{lorenz{}};
  const vector q = of({10, 28, 8.0 / 3});
  const auto work = [&q](erased_field field, double start, vector& gradient) {
    vector gp = of({0, 0, 0});
    double gt = 0;
    for (int i = 0; i < 1000; ++i) {
      gradient = of({0, 0, 0});
      field.vjp(0.0, of({start, 2, 3}), q, of({1, 1, 1}), gt, gradient, gp);
    }
  };
  vector first, second;

  std::thread one(work, f, 1.0, std::ref(first)), two(work, f, 5.0, std::ref(second));
  one.join();
  two.join();

  CHECK(first == of({-10 + 28 - 3 + 2, 10 - 1 + 1, -1 - 8.0 / 3}));
  CHECK(second == of({-10 + 28 - 3 + 2, 10 - 1 + 5, -5 - 8.0 / 3}));
}

#if REVODE_TEST_COUNTS
TEST_CASE("an erased field allocates at its first derivatives and never again") {
  const erased_field f{driven{}};
  derivatives<erased_field, vector, vector> d;
  const vector w = of({1, 10}), dp = of({3});
  vector gy = of({0, 0}), gp = of({0}), out(2);
  Eigen::MatrixXd jac(2, 2);
  double gt = 0;
  const auto all = [&] {
    f(t, y, p, out);
    f.vjp(t, y, p, w, gt, gy, gp);
    f.jvp(t, y, p, 2.0, w, dp, out);
    f.jacobian(t, y, p, jac);
    d.second(f, t, y, p, w, 0.0, w, &gt, gy, gp);
  };

  const long before = allocations;
  all();
  const long first = allocations;
  for (int i = 0; i < 100; ++i) all();

  CHECK(first > before);
  CHECK(allocations == first);
}
#endif
