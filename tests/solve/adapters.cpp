// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <concepts>
#include <stdexcept>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/solve/adapters.hpp>
#include <revode/state/mat.hpp>

using namespace revode;

namespace {

using dynamic = std::vector<double>;

struct counted {
  int* calls;
  vec<double, 1> operator()(double, const vec<double, 1>& y) const {
    ++*calls;
    return {-y[0]};
  }
};

struct odeint_system {
  int calls = 0;
  void operator()(const dynamic& y, dynamic& dydt, double t) {  // not const, as many are
    ++calls;
    dydt[0] = t * y[0];
  }
};

int decay(double t, const double* y, double* ydot, void* user) {
  if (t > 1) return -7;
  ydot[0] = -*static_cast<double*>(user) * y[0];
  return 0;
}

struct growth {
  void operator()(const auto& t, const auto& y, const auto& p, auto& dy) const {
    for (std::size_t i = 0; i < 3; ++i) dy[i] = p[0] * t * y[i];
  }
  void vjp(double t, const dynamic& y, const dynamic& p, const dynamic& w, double& gt, dynamic& gy,
           dynamic& gp) const {
    for (std::size_t i = 0; i < 3; ++i) {
      gt += p[0] * y[i] * w[i];
      gy[i] += p[0] * t * w[i];
      gp[0] += t * y[i] * w[i];
    }
  }
  void jacobian(double t, const dynamic&, const dynamic& p, mat<double, 3, 3>& j) const {
    for (int i = 0; i < 3; ++i) j(i, i) = p[0] * t;
  }
};

}  // namespace

TEST_CASE("a function that returns the derivative becomes a field, with and without parameters") {
  vec<double, 2> y{1, 2}, dy{};
  const auto plain = from_returning([](auto t, const auto& x) {
    auto r = x;
    r[0] = t * x[1];
    r[1] = -x[0];
    return r;
  });
  plain(3.0, y, vec<double, 0>{}, dy);
  CHECK(dy[0] == 6);
  CHECK(dy[1] == -1);
  const auto scaled = from_returning([](auto, const auto& x, const auto& p) {
    auto r = x;
    r[0] = p[0] * x[0];
    r[1] = p[0] * x[1];
    return r;
  });
  const vec<double, 1> p{10};
  scaled(0.0, y, p, dy);
  CHECK(dy[1] == 20);

  using F = std::remove_cvref_t<decltype(scaled)>;
  derivatives<F, vec<double, 2>, vec<double, 1>> d;  // generic lambdas keep exact derivatives
  vec<double, 2> gy{};
  vec<double, 1> gp{};
  d.vjp(scaled, 0.0, y, p, {1, 1}, nullptr, gy, gp);
  CHECK(gp[0] == 3);
  CHECK(gy[0] == 10);
}

TEST_CASE("a named callable is used where it is, a temporary is kept") {
  int calls = 0;
  const counted f{&calls};
  static_assert(std::same_as<decltype(from_returning(f)), returning_field<const counted&>>);
  static_assert(std::same_as<decltype(from_returning(counted{&calls})), returning_field<counted>>);
  vec<double, 1> dy{};
  from_returning(f)(0.0, vec<double, 1>{2}, vec<double, 0>{}, dy);
  from_returning(counted{&calls})(0.0, vec<double, 1>{2}, vec<double, 0>{}, dy);
  CHECK(calls == 2);
  CHECK(dy[0] == -2);
}

TEST_CASE("a returned vector of another size is refused with both sizes") {
  const auto f = from_returning([](double, const dynamic&) { return dynamic{1, 2, 3}; });
  dynamic dy(2);
  CHECK_THROWS_WITH_AS(f(0.0, dynamic{1, 2}, vec<double, 0>{}, dy),
                       "the right-hand side returned 3 elements for a state of 2 (each state "
                       "element has one derivative) return a vector of the state's size?",
                       std::invalid_argument);
}

TEST_CASE("an odeint system is called in place, also when its operator is not const") {
  odeint_system system;
  const auto f = from_odeint(system);
  dynamic dy(1);
  f(2.0, dynamic{5}, vec<double, 0>{}, dy);
  CHECK(dy[0] == 10);
  CHECK(system.calls == 1);
}

TEST_CASE("a callback gets plain arrays and its user pointer, and its failure is named") {
  double rate = 3;
  const auto f = from_callback(decay, &rate);
  dynamic dy(1);
  f(0.5, dynamic{2}, vec<double, 0>{}, dy);
  CHECK(dy[0] == -6);
  CHECK_THROWS_WITH_AS(f(1.5, dynamic{2}, vec<double, 0>{}, dy),
                       "the right-hand side returned -7 at t = 1.500000 (0 means success) return "
                       "0, or shorten the time span?",
                       std::runtime_error);
}

TEST_CASE("a sum of two fields has their values and, where both bring them, their derivatives") {
  const auto shift = [](const auto&, const auto& y, const auto& p, auto& dy) {
    for (std::size_t i = 0; i < 3; ++i) dy[i] = p[1] * y[(i + 1) % 3];
  };
  const dynamic y{1, 2, 3}, p{2, 5};
  dynamic dy(3);
  const auto f = from_parts(growth{}, from_parts(shift, growth{}));  // a sum inside of a sum
  f(0.5, y, p, dy);
  CHECK(dy == dynamic{12, 19, 11});
  f.implicit_part(0.5, y, p, dy);
  CHECK(dy == dynamic{1, 2, 3});
  f.explicit_part(0.5, y, p, dy);
  CHECK(dy == dynamic{11, 17, 8});

  const auto twice = from_parts(growth{}, growth{});
  double gt = 0;
  dynamic gy(3), gp(2);
  twice.vjp(0.5, y, p, dynamic{1, 0, 1}, gt, gy, gp);
  CHECK(gt == 16);
  CHECK(gy == dynamic{2, 0, 2});
  CHECK(gp == dynamic{4, 0});
  mat<double, 3, 3> j{};
  twice.jacobian(0.5, y, p, j);
  CHECK(j(1, 1) == 2);
  CHECK(j(1, 2) == 0);

  // One that brings none: the sum's come from its own calls.
  using mixed = decltype(from_parts(growth{}, shift));
  derivatives<mixed, dynamic, dynamic> d;
  gy = dynamic(3);
  gp = dynamic(2);
  d.vjp(from_parts(growth{}, shift), 0.5, y, p, dynamic{1, 0, 0}, nullptr, gy, gp);
  CHECK(gy == dynamic{1, 5, 0});
  CHECK(gp == dynamic{0.5, 2});
}
