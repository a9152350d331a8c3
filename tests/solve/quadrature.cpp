// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <type_traits>

#include <revode/ad/derivatives.hpp>
#include <revode/solve/quadrature.hpp>

namespace revode {
namespace {

/// y' = −p y, over any scalar, over numbers alone, and with its jvp.
struct decay_field {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};
using one = vec<double, 1>;
struct closed_decay {
  void operator()(double, const one& y, const one& p, one& dy) const { dy[0] = -p[0] * y[0]; }
};
struct decay_with_jvp : closed_decay {
  void jvp(double, const one& y, const one& p, double, const one& d, const one& dp,
           one& out) const {
    out[0] = -p[0] * d[0] - dp[0] * y[0];
  }
};
/// q' = t y², the same way.
struct moment {
  template <class T, class Y, class P, class Q>
  void operator()(const T& t, const Y& y, const P&, Q& dq) const {
    dq[0] = t * y[0] * y[0];
  }
};
struct moment_with_jvp {
  void operator()(double t, const one& y, const one&, one& dq) const { dq[0] = t * y[0] * y[0]; }
  void jvp(double t, const one& y, const one&, double dt, const one& d, const one&,
           one& out) const {
    out[0] = dt * y[0] * y[0] + 2 * t * y[0] * d[0];
  }
};

template <class F, class G>
using of_both = derivatives<field_with_quadrature<F, G, one, one>, vec<double, 2>, one>;

}  // namespace

// A jvp of its own is made of those of its parts, and where there are none is none.
static_assert(of_both<decay_field, moment>::jvp_source == derivative_source::duals);
static_assert(of_both<decay_with_jvp, moment>::jvp_source == derivative_source::own);
static_assert(of_both<decay_field, moment_with_jvp>::jvp_source == derivative_source::own);
static_assert(of_both<decay_with_jvp, moment_with_jvp>::jvp_source == derivative_source::own);
static_assert(of_both<closed_decay, moment>::jvp_source == derivative_source::none);

TEST_CASE("a tangent of a field with a quadrature takes the jvp of the field, of g, and of both") {
  const auto check = [](const auto& f, const auto& g) {
    const auto z = with_quadrature(problem{f, vec{2.0}, 0.0, 3.0, vec{0.5}}, g, vec{0.0});
    using F = std::remove_cvref_t<decltype(z.f)>;
    derivatives<F, vec<double, 2>, one> d;
    vec<double, 2> out{};
    d.jvp(z.f, 1.5, vec{2.0, 7.0}, z.p, 0.25, vec{3.0, 11.0}, vec{-1.0}, out);
    CHECK(out == vec{0.5, 19.0});
  };
  check(decay_field{}, moment{});
  check(decay_with_jvp{}, moment{});
  check(decay_field{}, moment_with_jvp{});
  check(decay_with_jvp{}, moment_with_jvp{});
}

}  // namespace revode
