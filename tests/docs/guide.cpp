// SPDX-License-Identifier: Apache-2.0
// What docs/guide.md shows, between what a reader has of one's own.
#include <array>
#include <vector>

#include <revode/ad/by_rows.hpp>
#include <revode/revode.hpp>

using namespace revode;

struct robertson {
  template <class Matrix>
  void mass(Matrix& m) const { m(0, 0) = m(1, 1) = 1; }   // row 2 is 0: an algebraic equation
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[2] * y[1] * y[2] - p[0] * y[0];
    dy[1] = -dy[0] - p[1] * y[1] * y[1];
    dy[2] = y[0] + y[1] + y[2] - 1.0;
  }
};

struct pendulum {
  static constexpr auto index() { return std::array{1, 1, 2, 2, 3}; }   // x, y | u, v | λ
  template <class Matrix>
  void mass(Matrix& m) const { for (int i = 0; i < 4; ++i) m(i, i) = 1; }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -(y[4] * y[0]);
    dy[3] = -(y[4] * y[1]) - p[0];
    dy[4] = y[0] * y[0] + y[1] * y[1] - p[1] * p[1];   // how often it takes d/dt until λ is known
  }
};

struct bounce {
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0]; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const { y_new[1] = -p[1] * y[1]; }
};

struct ball {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};

gradient<std::vector<double>, vec<double, 1>> of_large_field(const std::vector<double>& y0) {
auto heat = by_rows([](int first, int last, const auto&, const auto& y, const auto& p, auto& dy) {
  const int n = static_cast<int>(y.size());
  for (int i = first; i < last; ++i)
    dy[i] = p[0] * (y[i > 0 ? i - 1 : 0] - 2 * y[i] + y[i < n - 1 ? i + 1 : i]);
});
auto s = solve(problem{heat, y0, 0.0, 1.0, vec{2.0}}, rock4{}, {.threads = 4}, recursive_checkpoint{});
  return s.pullback(y0);
}

int main() {
  solve(problem{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 100.0, vec{0.04, 3e7, 1e4}}, rodas5p{});
  solve(problem{pendulum{}, vec{1.2, 0.0, 0.0, 0.0, 0.0}, 0.0, 1.0, vec{9.81, 1.2}}, radau_iia5{});
  problem q{ball{}, vec{1.0, 0.0}, 0.0, 2.4, vec{9.81, 0.8}};
auto s = solve(q, tsit5{}, {}, events(bounce{}), recursive_checkpoint{});   // s.events, s.pullback(…)
  s.pullback(vec{1.0, 0.0});
}
