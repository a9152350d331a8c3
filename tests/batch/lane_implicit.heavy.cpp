// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/hires.hpp>

#include "stiff_lanes.hpp"

namespace revode {
namespace {

template <int W, class E, class M>
void check_lanes(const E& e, const M& m, const options& o = {}) {
  CAPTURE(W);
  ensemble_solver<M, typename E::field_type, typename E::state_type, typename E::parameter_type,
                  place, W, false>
      solver(e, m, o);
  solver.run();
  check_against_single_solves(e, m, o, solver.result());
}

template <class F>
auto forty_of(const F& f, double t1) {
  using Y = std::remove_cvref_t<decltype(f.y0())>;
  using P = std::remove_cvref_t<decltype(f.parameters())>;
  ensemble<F, Y, P> e{.t1 = {t1}, .p = {}};
  for (int l = 0; l < 40; ++l) {
    e.y0.push_back(f.y0());
    e.y0.back()[0] = 1 + 0.01 * l;
    e.p.push_back(f.parameters());
  }
  return e;
}

TEST_CASE("lane_implicit: eight components, rates that are no numbers and states that overflow") {
  auto e = forty_of(hires{}, 20);
  e.p[7][1] = std::numeric_limits<double>::quiet_NaN();
  e.p[9][6] = std::numeric_limits<double>::infinity();
  e.y0[11][3] = 1e200;
  check_lanes<1>(e, rodas5p{});
  check_lanes<16>(e, rodas5p{});
  check_lanes<32>(e, rodas5p{});
  check_lanes<32>(e, rodas5p{}, {.fixed_step = 0.05});
}

struct tangle {  // whose pivots are not on the diagonal in every lane
  static constexpr bool autonomous = true;
  constexpr auto y0() const { return vec<double, 6>{1, 0, 0, 2, 0.7, 3}; }
  constexpr auto parameters() const { return vec<double, 2>{100, 3}; }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[1] - y[0];
    dy[1] = p[1] * y[2] + 1e4 * y[0] - y[1] * y[1];
    dy[2] = p[0] * y[3] - 100 * y[4] * y[2];
    dy[3] = 1e3 * y[2] - p[0] * y[3];
    dy[4] = y[0] - p[1] * y[4];
    dy[5] = y[4] * y[1] - y[5];
  }
};

TEST_CASE("lane_implicit: lanes that exchange rows beside lanes that do not") {
  auto e = forty_of(tangle{}, 3);
  for (std::size_t l = 0; l < e.p.size(); ++l) {
    const double x = static_cast<double>(l);
    e.p[l] = {100 * (x - 5), 3 * x - 20};
  }
  check_lanes<16>(e, rosenbrock23{});
}

struct driven_chain {  // a field with a loop and time
  constexpr auto y0() const { return vec<double, 5>{1, 0, 0, 2, 0.5}; }
  constexpr auto parameters() const { return vec<double, 1>{1000}; }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    const int n = length(y);
    for (int i = 0; i < n; ++i)
      dy[i] = p[0] * ((i > 0 ? y[i - 1] : T(t * t)) - 2 * y[i] + y[(i + 1) % n]);
  }
};

TEST_CASE("lane_implicit: fields with loops that depend on t, stages that share an argument") {
  check_lanes<16>(forty_of(driven_chain{}, 1), rodas3{});
}

struct growth {  // y' = p y
  constexpr auto y0() const { return vec<double, 5>{1, 1, 1, 1, 1}; }
  constexpr auto parameters() const { return vec<double, 1>{-1}; }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 5; ++i) dy[i] = p[0] * y[i];
  }
};

TEST_CASE("lane_implicit: a singular matrix is the status of its lane") {
  auto e = forty_of(growth{}, 3);
  e.p[11][0] = 1 / (0.5 * rosenbrock23::rosenbrock.gamma);  // 1/(h γ) − J = 0
  check_lanes<16>(e, rosenbrock23{}, {.fixed_step = 0.5});
}

}  // namespace
}  // namespace revode
