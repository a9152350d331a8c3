// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// An amplifier with two transistors, y = the voltages at its eight nodes, M y' = f of index 1,
///   p = (R0, …, R9, Ub, UF, α, β),
/// input 0.1 sin(200 π t) volts; a transistor passes β (e^{u/UF} − 1). M holds the capacities
/// Cₖ = k µF: it has rank 5, no row or column of zeros, and f1 + f2 = f4 + f5 = f7 + f8 = 0. y0 is
/// consistent for these p, others move it. y1 at t1 feels how 200 π t is rounded in its 13th digit.
struct transamp {
  static constexpr const char* name = "transamp";
  static constexpr const char* summary =
      "transistor amplifier, M of rank 5, p = ten resistors, Ub, UF, alpha, beta";
  static constexpr const char* source =
      "Rentrop, Roche, Steinebach, Numer. Math. 55 (1989) 545-563; Mazzia, Magherini, Test Set for "
      "IVP Solvers, release 2.4 (2008), transistor amplifier";
  static constexpr double t0 = 0, t1 = 0.2;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"};

  REVODE_HD constexpr auto y0() const { return vec<double, 8>{0, 3, 3, 6, 3, 3, 6, 0}; }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 14>{1000, 9000, 9000, 9000, 9000,  9000, 9000,
                           9000, 9000, 9000, 6,    0.026, 0.99, 1e-6};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 8>{-0.0055621450122616273, 3.0065224719030432, 2.8499587886081291,
                          2.9264225362062416,     2.7046178650105549, 2.7618377783931431,
                          4.7709276316167724,     1.2369958680915473};
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    const double c1 = 1e-6, c2 = 2e-6, c3 = 3e-6, c4 = 4e-6, c5 = 5e-6;
    m(0, 0) = -c1, m(0, 1) = c1, m(1, 0) = c1, m(1, 1) = -c1;
    m(2, 2) = -c2;
    m(3, 3) = -c3, m(3, 4) = c3, m(4, 3) = c3, m(4, 4) = -c3;
    m(5, 5) = -c4;
    m(6, 6) = -c5, m(6, 7) = c5, m(7, 6) = c5, m(7, 7) = -c5;
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    using std::sin;
    const T tenth = static_cast<T>(0.1), frequency = static_cast<T>(628.3185307179586477);  // 200π
    const auto passed = [&](const auto& u) { return p[13] * (exp(u / p[11]) - 1); };
    const auto first = passed(y[1] - y[2]), second = passed(y[4] - y[5]);
    dy[0] = (y[0] - tenth * sin(frequency * t)) / p[0];
    dy[1] = y[1] / p[1] + (y[1] - p[10]) / p[2] + (1 - p[12]) * first;
    dy[2] = y[2] / p[3] - first;
    dy[3] = (y[3] - p[10]) / p[4] + p[12] * first;
    dy[4] = y[4] / p[5] + (y[4] - p[10]) / p[6] + (1 - p[12]) * second;
    dy[5] = y[5] / p[7] - second;
    dy[6] = (y[6] - p[10]) / p[8] + p[12] * second;
    dy[7] = y[7] / p[9];
  }
};

}  // namespace revode
