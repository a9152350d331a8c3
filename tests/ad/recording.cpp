// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/ad/recording/recording.hpp>

#include "allocations.hpp"

using namespace revode;

TEST_CASE("a recording pulls weights of several outputs back to its inputs") {
  recording<double> rec;
  const auto x = rec.input(2.0), y = rec.input(5.0);
  const std::array<variable<double>, 3> out{x * y, x + 1, variable<double>(7)};
  const std::array<double, 3> weights{10, 3, 100};
  rec.pull(out, weights);
  CHECK(rec.adjoint(x.id) == 53);
  CHECK(rec.adjoint(y.id) == 20);
}

TEST_CASE("constants, and sums with constants, leave no node") {
  recording<double> rec;
  const auto x = rec.input(2.0);
  const variable<double> c = variable<double>(3) * 2 + sin(variable<double>(1));
  CHECK(c.home == nullptr);
  const auto y = 1 + (x - c.value);
  CHECK(rec.size() == 1);
  CHECK(y.id == x.id);
}

TEST_CASE("an output that is an input, and the same output twice, add up") {
  recording<double> rec;
  const auto x = rec.input(2.0);
  const auto square = x * x;
  const std::array<variable<double>, 3> out{x, square, square};
  const std::array<double, 3> weights{1, 2, 3};
  rec.pull(out, weights);
  CHECK(rec.adjoint(x.id) == 21);
}

TEST_CASE("the arena allocates nothing once it has seen the formula") {
  recording<double> rec;
  const double one = 1;
  double gradient = 0;
  const auto pass = [&] {
    rec.clear();
    const auto x = rec.input(0.5);
    auto y = x;
    for (int i = 0; i < 1000; ++i) y = y * x + sin(y);
    rec.pull(&y, &one, 1);
    gradient = rec.adjoint(x.id);
  };
  pass();
  const double expected = gradient;
  const long before = allocations_so_far();
  for (int i = 0; i < 10; ++i) pass();
  CHECK(allocations_so_far() == before);
  CHECK(gradient == expected);
}

TEST_CASE("reverse over forward gives a Hessian-vector product") {
  // f = x² y³ + sin(x y) at (x, y), direction (a, b)
  using push = dual<double, 1>;
  const double x = 0.8, y = 1.3, a = 0.2, b = -0.7;
  recording<push> rec;
  push dx(x), dy(y);
  dx.d[0] = a;
  dy.d[0] = b;
  const auto u = rec.input(dx), v = rec.input(dy);
  const auto f = u * u * v * v * v + sin(u * v);
  const push one(1);
  rec.pull(&f, &one, 1);
  const double s = std::sin(x * y), c = std::cos(x * y);
  const double xx = 2 * y * y * y - y * y * s, xy = 6 * x * y * y + c - x * y * s,
               yy = 6 * x * x * y - x * x * s;
  CHECK(rec.adjoint(u.id).value == doctest::Approx(2 * x * y * y * y + y * c).epsilon(1e-14));
  CHECK(rec.adjoint(u.id).d[0] == doctest::Approx(xx * a + xy * b).epsilon(1e-14));
  CHECK(rec.adjoint(v.id).d[0] == doctest::Approx(xy * a + yy * b).epsilon(1e-14));
}

TEST_CASE("two recordings on two threads share nothing") {
  const auto work = [](double start, double* result) {
    recording<double> rec;
    const double one = 1;
    for (int round = 0; round < 200; ++round) {
      rec.clear();
      const auto x = rec.input(start);
      auto y = x;
      for (int i = 0; i < 100; ++i) y = cos(y) * x;
      rec.pull(&y, &one, 1);
      *result = rec.adjoint(x.id);
    }
  };
  double alone[2], together[2];
  work(0.4, &alone[0]);
  work(0.9, &alone[1]);
  std::thread first(work, 0.4, &together[0]), second(work, 0.9, &together[1]);
  first.join();
  second.join();
  CHECK(together[0] == alone[0]);
  CHECK(together[1] == alone[1]);
}

TEST_CASE("operations run in their place among the scalar nodes, last first") {
  // y = x², z = 10 y by an operation, w = z x = 10 x³
  recording<double> rec;
  const auto x = rec.input(2.0);
  const auto y = x * x;
  const auto z = rec.input(10 * y.value);
  std::vector<int> order;
  rec.operation([&order, y, z](recording<double>& r) {
    order.push_back(1);
    r.adjoint(y.id) += 10 * r.adjoint(z.id);
  });
  const auto w = z * x;
  rec.operation([&order] { order.push_back(2); });
  rec.begin_pull();
  rec.seed(w, 1.0);
  rec.pull();
  CHECK(rec.adjoint(x.id) == 10 * 3 * 4);
  CHECK(order == std::vector<int>{2, 1});
}

TEST_CASE("one recording is made and pulled while another is pulled") {
  const double one = 1;
  recording<double> outer, inner;
  const auto x = outer.input(3.0);
  const auto y = outer.input(std::sin(3.0));
  outer.operation([&, x, y](recording<double>& r) {
    inner.clear();
    const auto u = inner.input(x.value);
    const auto v = sin(u);
    inner.pull(&v, &one, 1);
    r.adjoint(x.id) += inner.adjoint(u.id) * r.adjoint(y.id);
  });
  const auto z = y * x;
  outer.pull(&z, &one, 1);
  CHECK(outer.adjoint(x.id) == std::cos(3.0) * 3.0 + std::sin(3.0));
}

namespace {
struct counted {
  static inline int alive = 0;
  double weight;
  counted(double w) : weight(w) { ++alive; }
  counted(const counted& other) : weight(other.weight) { ++alive; }
  ~counted() { --alive; }
};
}  // namespace

TEST_CASE("operations are destroyed once: when they have run, by clear, or when one throws") {
  recording<double> rec;
  const auto record = [&](bool throws) {
    rec.clear();
    for (int i = 0; i < 100; ++i) {
      rec.operation([c = counted(1.0), i, throws] {
        if (throws && i == 40) throw std::runtime_error("not now");
      });
    }
    CHECK(counted::alive == 100);
    rec.begin_pull();
  };
  record(false);
  rec.pull();
  CHECK(counted::alive == 0);
  record(true);
  CHECK_THROWS(rec.pull());
  CHECK(counted::alive == 40);
  rec.clear();
  CHECK(counted::alive == 0);
  record(false);
  const recording<double> other = rec;  // operations stay with what they were made for
  rec.pull();
  CHECK(counted::alive == 0);
}

TEST_CASE("the second recording of the same operations allocates nothing") {
  recording<double> rec;
  const double one = 1;
  const auto pass = [&] {
    rec.clear();
    auto x = rec.input(1.0);
    for (int i = 0; i < 1000; ++i) {
      const auto y = rec.input(2 * x.value);
      std::array<double, 7> factors{};
      factors[3] = 2;
      rec.operation([x, y, factors](auto& r) { r.adjoint(x.id) += factors[3] * r.adjoint(y.id); });
      x = 0.5 * y;
    }
    rec.pull(&x, &one, 1);
    return rec.adjoint(0);
  };
  CHECK(pass() == 1);
  const long before = allocations_so_far();
  CHECK(pass() == 1);
  CHECK(allocations_so_far() == before);
}

TEST_CASE("float and double variables in one formula: chains back and forth, pulled as one") {
  recording<double> rec;
  recording<float>& beside = rec.over<float>();
  CHECK(&beside.over<double>() == &rec);
  for (int time = 0; time < 2; ++time) {
    rec.clear();
    const auto x = rec.input(3.0);
    const auto a = beside.input(2.0f);
    const variable<float> y = x * x;
    const auto z = y * a;
    auto u = z * x + a;  // a x³ + a
    u *= a;
    const auto v = cast<float>(u) / a - z;
    static_assert(std::is_same_v<decltype(u), variable<double>>);
    static_assert(std::is_same_v<decltype(v), const variable<float>>);
    CHECK(v.value == 2 * 27 + 2 - 18);
    CHECK(v < u);
    rec.begin_pull();
    beside.seed(v, 1);
    rec.pull();
    CHECK(rec.adjoint(x.id) == 2 * 27 - 2 * 6);
    CHECK(beside.adjoint(a.id) == 27 + 1 - 9);
  }
  const variable<float> constant = variable<double>(0.1);
  CHECK(constant.home == nullptr);
  CHECK(constant.value == 0.1f);
}

TEST_CASE("an operation of two recordings runs in its place among the nodes of both") {
  recording<double> rec;
  recording<float>& beside = rec.over<float>();
  const auto x = rec.input(3.0);
  const auto a = beside.input(2.0f), b = a * a;
  const auto y = rec.input(x.value * b.value);  // x b by hand
  const auto c = beside.input(b.value + 1);     // b + 1
  beside.joint_operation([&, x, y, b, c] {
    rec.adjoint(x.id) += rec.adjoint(y.id) * b.value;
    beside.adjoint(b.id) += static_cast<float>(rec.adjoint(y.id) * x.value) + beside.adjoint(c.id);
  });
  const auto z = y * c * a;  // x a³ (a² + 1)
  rec.begin_pull();
  rec.seed(z, 1);
  rec.pull();
  CHECK(rec.adjoint(x.id) == 8 * 5);
  CHECK(beside.adjoint(a.id) == 3 * (5 * 16 + 3 * 4));
}
