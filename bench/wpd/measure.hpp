// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "contest.hpp"

namespace revode::wpd {

/// One solver on one problem at one tolerance.
struct point {
  double rtol;
  ending end;  ///< without y
  double mixed, relative;
  double median = NAN, least = NAN;  ///< seconds of processor time
  bool good() const { return end.status == "success" && mixed > 0; }
};
struct curve {
  std::string problem, solver;
  bool peer;
  std::vector<point> points;
};

struct effort {
  std::vector<double> tolerances;
  int repeats = 7;
  double longest = 1;   ///< seconds: a longer solve is timed once, and tighter tolerances left out
  double batch = 2e-3;  ///< seconds that are measured at once, by repeating short solves
  double enough = 1e9;  ///< digits, behind which tighter tolerances are left out
};

/// Runs all of one problem's contenders: once for the answers, then `repeats` rounds in which each
/// solver and tolerance has its turn.
std::vector<curve> measure(const task& q, const std::vector<contender>& all, const effort& e);

/// Seconds in which the curve reaches so many digits, between logarithms. Points are first made to
/// rise with the tolerance (neighbours that do not are averaged), since a solve may be lucky and a
/// curve not; where a tighter tolerance takes less time, that time counts. A curve that starts above
/// gives its first point; NaN: not reached.
double seconds_at(const curve& c, double digits);

/// Another quantity where the curve reaches so many digits.
double at_digits(const curve& c, double digits, const std::function<double(const point&)>& of);

}  // namespace revode::wpd
