// SPDX-License-Identifier: Apache-2.0
// A stiff solve forgets where it began: its cotangent of y0, and a tangent along y0, fall below the least normal
// number. What is left of them is no trouble, and the cotangent of p is that of other methods.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <type_traits>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/kvaerno5.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

struct relaxation {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    for (int i = 0; i < 2; ++i)
      dy[i] = -p[0] * (y[i] * y[i] * y[i] + y[i] - sin(i == 0 ? t : t + T(1)) - y[1 - i] / 10);
  }
};

template <class T, class M>
double differentiated(const M& m, double t1) {
  using state = vec<T, 2>;
  using parameters = vec<T, 1>;
  CAPTURE(std::string(M::name));
  CAPTURE(t1);
  const problem<relaxation, state, parameters> q{{}, {T(0.1), T(0.1)}, 0, t1, {2000}};
  const bool is_double = std::is_same_v<T, double>;
  const options o{.rtol = is_double ? 1e-6 : 1e-4, .atol = is_double ? 1e-8 : 1e-5};
  auto s = solve(q, m, o, recursive_checkpoint{});
  REQUIRE(s.status == status::success);
  const auto g = s.pullback(state{1, 1});
  CHECK(g.status == status::success);
  CHECK(std::abs(g.y0[0]) < (is_double ? 1e-300 : 1e-37));
  const auto pushed = solve(q, m, o, tangents<state, parameters>{.y0 = {1, 1}, .p = {0}});
  CHECK(pushed.tangent_status == status::success);
  CHECK(std::abs(pushed.y_dot[0]) < (is_double ? 1e-300 : 1e-37));
  return static_cast<double>(g.p[0]);
}

template <class T>
void check_methods(double t1, double off) {
  const double expected = differentiated<T>(rodas5p{}, t1);
  const auto agrees = [&](const auto& m) {
    CHECK(differentiated<T>(m, t1) == doctest::Approx(expected).epsilon(off));
  };
  agrees(radau_iia5{});
  agrees(kvaerno5{});
  agrees(bdf5{});
  if constexpr (std::is_same_v<T, double>) {
    agrees(with_algebra<radau_iia5, gmres<>>{});
    agrees(with_algebra<esdirk547, gmres<>>{});
  }
}

TEST_CASE("gradients and tangents of a start that is forgotten are told as found") {
  check_methods<double>(60, 0.01);
  check_methods<double>(100, 0.01);
  check_methods<float>(10, 0.1);
}

}  // namespace
}  // namespace revode
