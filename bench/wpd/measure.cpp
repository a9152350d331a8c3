// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <cstdio>

#include "../monotone.hpp"
#include "../processor_seconds.hpp"

namespace revode::wpd {
namespace {

double seconds_of(const contender& who, double rtol, int times) {
  const double before = processor_seconds();
  for (int k = 0; k < times; ++k) {
    const ending e = who.solve(rtol);
    asm volatile("" : : "g"(&e) : "memory");
  }
  return (processor_seconds() - before) / times;
}

/// Answers and rough times.
curve first_run(const task& q, const contender& who, const effort& e) {
  curve c{q.name, who.solver, who.peer, {}};
  for (const double rtol : e.tolerances) {
    const double before = processor_seconds();
    point p{rtol, who.solve(rtol), 0, 0};
    p.least = processor_seconds() - before;
    p.mixed = q.mixed(p.end.y, rtol);
    p.relative = q.relative(p.end.y);
    p.end.y.clear();
    c.points.push_back(p);
    if (p.least > e.longest || (p.good() && p.mixed > e.enough)) break;
  }
  return c;
}

struct turn {
  std::size_t curve, point;
  int times;
  std::vector<double> seconds{};
};

}  // namespace

std::vector<curve> measure(const task& q, const std::vector<contender>& all, const effort& e) {
  std::vector<curve> curves;
  std::vector<const contender*> who;
  std::vector<turn> turns;
  for (const contender& one : all) {
    if (one.problem != q.name) continue;
    std::fprintf(stderr, "%s: %s\n", q.name.c_str(), one.solver.c_str());
    curves.push_back(first_run(q, one, e));
    who.push_back(&one);
    for (std::size_t k = 0; k < curves.back().points.size(); ++k) {
      point& p = curves.back().points[k];
      const double rough = p.median = p.least;
      if (rough <= e.longest)
        turns.push_back({curves.size() - 1, k, static_cast<int>(1 + e.batch / (rough + 1e-7))});
    }
  }
  for (int round = 0; round < e.repeats; ++round)
    for (turn& at : turns)
      at.seconds.push_back(
          seconds_of(*who[at.curve], curves[at.curve].points[at.point].rtol, at.times));
  for (turn& at : turns) {
    std::sort(at.seconds.begin(), at.seconds.end());
    point& p = curves[at.curve].points[at.point];
    p.least = at.seconds.front();
    p.median = at.seconds[at.seconds.size() / 2];
  }
  return curves;
}

double at_digits(const curve& c, double digits, const std::function<double(const point&)>& of) {
  std::vector<const point*> good;
  std::vector<double> reached;
  for (const point& p : c.points) {
    if (!p.good()) continue;
    good.push_back(&p);
    reached.push_back(p.mixed);
  }
  for (std::size_t k = good.size(); k-- > 1;)
    if (good[k]->least < good[k - 1]->least) good[k - 1] = good[k];
  const std::vector<double> rising = risen(reached);
  std::size_t i = 0;
  while (i < rising.size() && rising[i] < digits) ++i;
  if (i == rising.size()) return NAN;
  if (i == 0) return of(*good[0]);
  const double part = (digits - rising[i - 1]) / (rising[i] - rising[i - 1]);
  return std::exp((1 - part) * std::log(of(*good[i - 1])) + part * std::log(of(*good[i])));
}

double seconds_at(const curve& c, double digits) {
  return at_digits(c, digits, [](const point& p) { return p.least; });
}

}  // namespace revode::wpd
