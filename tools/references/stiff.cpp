// SPDX-License-Identifier: Apache-2.0
// References of the stiff problems in quadruple precision: two runs of Radau IIA collocation that
// differ in the number of stages, hence in order and steps, with the digits they share; emep in long
// double.
//   g++ -std=gnu++20 -O2 -Iinclude tools/references/stiff.cpp -lquadmath -o stiff && ./stiff [NAME]
// Needs Boost.Multiprecision and libquadmath. Seconds each, pollu and emep many minutes.
#include <boost/multiprecision/float128.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include <revode/problems/e5.hpp>
#include <revode/problems/emep.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/rober.hpp>
#include <revode/problems/vdpol_stiff.hpp>

#include "collocation.hpp"

using namespace revode;
using real = boost::multiprecision::float128;
using vector = std::vector<real>;

namespace {

/// y2 = y3 + y4 is lost to rounding in four variables, even here: y3 is left out.
struct e5_reduced {
  e5 full{};
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    Y four(4), d(4);
    four[0] = y[0], four[1] = y[1], four[2] = y[1] - y[2], four[3] = y[2];
    full(t, four, p, d);
    dy[0] = d[0], dy[1] = d[1], dy[2] = d[3];
  }
};

template <class F, class Problem>
void show(const std::string& asked, const F& f, const Problem& q, vector y0, int stages,
          double small, double floor, double typical) {
  if (!asked.empty() && asked != Problem::name) return;
  const auto p = q.parameters();
  const real span = real(Problem::t1) - real(Problem::t0);
  const real first = span > 1e3 ? real(1e-6) : span * real(1e-6);
  vector one, other;
  for (vector* y : {&one, &other}) {
    const int s = y == &one ? stages : stages + 2;
    references::collocation<real, F> run(f, vector(p.data(), p.data() + p.size()), s, small, 1e-30,
                                         floor, typical);
    *y = run.solve(real(Problem::t0), real(Problem::t1), y0, first);
    std::printf("%s: %ld steps\n", Problem::name, run.steps);
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    const real difference = abs(one[i] - other[i]) / (abs(one[i]) + real(1e-300));
    std::printf("  %s   differs by %.1e\n", one[i].str(17).c_str(),
                static_cast<double>(difference));
  }
}

template <class Problem>
void show(const std::string& asked, const Problem& q, int stages = 9, double small = 1e-11,
          double floor = 1e-8, double typical = 0) {
  const auto y0 = q.y0();
  show(asked, q, q, vector(y0.data(), y0.data() + y0.size()), stages, small, floor, typical);
}

/// In long double, from jump to jump; the y0 of the first piece is exact.
void show_emep(const std::string& asked, double small) {
  if (!asked.empty() && asked != emep::name) return;
  const emep q;
  const auto start = q.y0();
  const auto p = q.parameters();
  std::vector<double> ends(std::begin(q.jumps), std::end(q.jumps));
  ends.push_back(q.t1);
  std::vector<std::vector<long double>> ys;
  for (const int stages : {5, 6}) {
    references::collocation<long double, emep> run(q, {p[0], p[1]}, stages, small, 1e-17, 1e-8,
                                                   1.0);
    std::vector<long double> y(start.begin(), start.end());
    double from = q.t0;
    for (const double to : ends) {
      y = run.solve(from, to, y, 1e-6L);
      std::fprintf(stderr, "%s: %d stages, %ld steps to %g\n", q.name, stages, run.steps, to);
      from = to;
    }
    ys.push_back(y);
  }
  for (std::size_t i = 0; i < start.size(); ++i)
    std::printf("  %.17Lg   differs by %.1Le\n", ys[0][i], std::abs(ys[1][i] / ys[0][i] - 1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  show(asked, rober{});
  show(asked, orego{});
  show(asked, hires{});
  show(asked, vdpol_stiff{});
  show(asked, vdpol_fast{});
  show(asked, e5_reduced{}, e5{}, vector{real(1.76e-3), 0, 0}, 9, 1e-11, 1e-10, 0);
  show(asked, pollu{}, 7, 1e-10);
  show_emep(asked, 1e-7);
}
