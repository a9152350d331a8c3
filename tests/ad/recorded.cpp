// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <revode/ad/recording/recorded.hpp>

#include "allocations.hpp"

namespace revode {
namespace {

/// next = p[0] x + k x∘x, out = Σ x_i
template <class X, class P, class K, class Next, class Out>
void body(const X& x, const P& p, K k, Next& next, Out& out) {
  out = Out(0);
  for (int i = 0, n = length(x); i < n; ++i) {
    next.data()[i] = p.data()[0] * x.data()[i] + k * x.data()[i] * x.data()[i];
    out = out + x.data()[i];
  }
}

/// One recorded call and its pull, as loops do it.
template <class X>
struct call {
  using P = vec<double, 1>;
  recording<double> r;
  typename recorded<X>::type x{}, next{};
  recorded<P>::type p{};
  recorded<double>::type out;
  recorded<int>::type k{};

  void operator()(const X& value, const P& parameters, const X& next_bar, double out_bar, X& bar,
                  P* parameters_bar) {
    r.clear();
    recorded<X>::open(r, value, &bar, x);
    recorded<P>::open(r, parameters, parameters_bar, p);
    recorded<int>::open(r, 3, static_cast<int*>(nullptr), k);
    recorded<X>::shape(r, value, next);
    body(x, p, k, next, out);
    r.begin_pull();
    recorded<X>::seed(r, next, next_bar);
    recorded<double>::seed(r, out, out_bar);
    r.pull();
    recorded<X>::collect(r, x, &bar);
    recorded<P>::collect(r, p, parameters_bar);
  }
};

template <class X>
void check_leaf(const X& x) {
  call<X> record;
  X bar = x;
  fill(bar, 100.0);  // cotangents add to what is there
  X next_bar = x;
  fill(next_bar, 2.0);
  vec<double, 1> p_bar{1000};
  record(x, {0.5}, next_bar, 7, bar, &p_bar);
  double sum = 0;
  for (int i = 0; i < length(x); ++i) {
    CHECK(bar.data()[i] == 100 + 2 * (0.5 + 6 * x.data()[i]) + 7);
    sum += x.data()[i];
  }
  CHECK(p_bar[0] == 1000 + 2 * sum);
  const int nodes = record.r.size();
  record(x, {0.5}, next_bar, 7, bar, nullptr);  // a constant leaves no node
  CHECK(record.r.size() < nodes);
  CHECK(p_bar[0] == 1000 + 2 * sum);
  const long before = allocations_so_far();
  record(x, {0.5}, next_bar, 7, bar, &p_bar);
  CHECK(allocations_so_far() == before);
}

}  // namespace

TEST_CASE("a leaf is opened, seeded and collected: vec, std::vector, numbers, integers") {
  check_leaf(vec{1.0, 2.0, 4.0});
  check_leaf(std::vector<double>{1, 2, 4, 8});
}

TEST_CASE("an operation may be a recording of its own: read, output, add_cotangent") {
  using Z = vec<double, 2>;
  recording<double> outer, inner;
  recorded<Z>::type x, y, ix, iy;
  const Z value{3, 5};
  Z bar{};
  recorded<Z>::open(outer, value, &bar, x);
  const auto square = [](const auto& a, auto& b) {
    b[0] = a[0] * a[1];
    b[1] = a[1] * a[1];
  };
  Z result;
  square(value, result);
  recorded<Z>::output(outer, result, y);
  outer.operation([&](recording<double>& r) {
    Z at{}, result_bar{}, at_bar{};
    recorded<Z>::read(x, at);
    recorded<Z>::add_cotangent(r, y, result_bar);
    inner.clear();
    recorded<Z>::open(inner, at, &at_bar, ix);
    square(ix, iy);
    inner.begin_pull();
    recorded<Z>::seed(inner, iy, result_bar);
    inner.pull();
    recorded<Z>::collect(inner, ix, &at_bar);
    recorded<Z>::seed(r, x, at_bar);
  });
  const auto z = y[0] * y[1];  // x0 x1^3
  outer.begin_pull();
  recorded<double>::seed(outer, z, 1);
  outer.pull();
  recorded<Z>::collect(outer, x, &bar);
  CHECK(bar[0] == 125);
  CHECK(bar[1] == 3 * 3 * 25);
}

TEST_CASE("float stays float, and what is frozen is read as it is") {
  static_assert(std::is_same_v<recorded<vec<float, 2>>::type, vec<variable<float>, 2>>);
  static_assert(std::is_same_v<recorded<long>::type, long>);
  const std::vector<double> w{1, 2};
  recording<double> r;
  recorded<frozen<std::vector<double>>>::type v;
  recorded<frozen<std::vector<double>>>::open(r, frozen(w), static_cast<double*>(nullptr), v);
  CHECK(&*v == &w);
  CHECK(r.size() == 0);
}

}  // namespace revode
