// SPDX-License-Identifier: Apache-2.0
// Boost.Odeint's controlled dopri5 and fehlberg78. It has no rule for the first step: it gets
// revode's.
#include <array>
#include <functional>

#include <boost/numeric/odeint.hpp>
#include <boost/version.hpp>

#include <revode/solve/stepping/first_step.hpp>
#include <revode/solve/system.hpp>

#include "contest.hpp"
#include "problems.hpp"

namespace revode::peers {
namespace {

template <class Y>
struct container {
  using type = Y;
};
template <int N>
struct container<vec<double, N>> {
  using type = std::array<double, static_cast<std::size_t>(N)>;
};

template <template <class...> class Stepper, class F>
wpd::ending by_odeint(const F& f, double t1, double tolerance, int order) {
  namespace odeint = boost::numeric::odeint;
  const auto p = f.parameters();
  const auto y0 = f.y0();
  using Y = std::remove_const_t<decltype(y0)>;
  using state = typename container<Y>::type;
  state y;
  if constexpr (requires { y.resize(y0.size()); }) y.resize(y0.size());
  std::copy(y0.begin(), y0.end(), y.begin());
  system<F, Y, std::remove_const_t<decltype(p)>> sys(f, p);
  const double h = first_step(sys, 0.0, t1, y0, {tolerance, tolerance}, order);
  wpd::ending e;
  const auto field = [&](const state& at, state& slope, double t) {
    ++e.fields;
    f(t, at, p, slope);
  };
  e.accepted = static_cast<index>(odeint::integrate_adaptive(
      odeint::make_controlled(tolerance, tolerance, Stepper<state>()), field, y, 0.0, t1, h));
  e.y.assign(y.begin(), y.end());
  return e;
}

template <class... T>
using dopri5 = boost::numeric::odeint::runge_kutta_dopri5<T...>;
template <class... T>
using fehlberg78 = boost::numeric::odeint::runge_kutta_fehlberg78<T...>;

}  // namespace

std::string add_odeint(contest& c) {
  for_each_peer_problem([&]<class F>(const std::string& name, const F& f, double t1) {
    c.solves.add(name, "odeint dopri5", true,
                 [f, t1](double tol) { return by_odeint<dopri5>(f, t1, tol, 4); });
    c.solves.add(name, "odeint fehlberg78", true,
                 [f, t1](double tol) { return by_odeint<fehlberg78>(f, t1, tol, 7); });
  });
  return "Boost.Odeint " BOOST_LIB_VERSION;
}

}  // namespace revode::peers
