// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <concepts>
#include <stdexcept>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/solve/adapters.hpp>

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
