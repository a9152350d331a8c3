// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Air pollution: 25 reactions of 20 species, p = their rates. In order NO2, NO, O3P, O3, HO2, OH,
/// HCHO, CO, ALD, MEO2, C2O3, CO2, PAN, CH3O, HNO3, O1D, SO2, SO4, NO3, N2O5.
struct pollu {
  static constexpr const char* name = "pollu";
  static constexpr const char* summary = "air pollution, 25 reactions of 20 species, p = rates";
  static constexpr const char* source = "Verwer, SIAM J. Sci. Comput. 15 (1994) 1243-1259";
  static constexpr bool autonomous = true;
  static constexpr double t0 = 0, t1 = 60;
  static constexpr int digits = 16;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"NO2",  "NO",  "O3P",  "O3",   "HO2", "OH",  "HCHO",
                                           "CO",   "ALD", "MEO2", "C2O3", "CO2", "PAN", "CH3O",
                                           "HNO3", "O1D", "SO2",  "SO4",  "NO3", "N2O5"};

  REVODE_HD constexpr auto y0() const {
    return vec<double, 20>{0, 0.2, 0, 0.04, 0, 0, 0.1,   0.3, 0.01, 0,
                           0, 0,   0, 0,    0, 0, 0.007, 0,   0,    0};
  }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 25>{0.35,    26.6,  12300, 0.00086, 0.00082, 15000, 0.00013, 24000,  16500,
                           9000,    0.022, 12000, 1.88,    16300,   4.8e6, 0.00035, 0.0175, 1e8,
                           4.44e11, 1240,  2.1,   5.78,    0.0474,  1780,  3.12};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 20>{
        0.056462554800227696,  0.13424841304223386,   4.1397343310994269e-9, 0.0055231402074843593,
        2.0189772623021960e-7, 1.4645418634939658e-7, 0.077842491189979645,  0.32450753533960181,
        0.0074940133838804057, 1.6222931573015602e-8, 1.1358638332570747e-8, 0.0022305059757213599,
        2.0871628827986301e-4, 1.3969210168401578e-5, 0.0089648848568982947, 4.3528463693301031e-18,
        0.0068992196962634055, 1.0078030373659460e-4, 1.7721465139699843e-6, 5.6829432923163926e-5};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto r1 = p[0] * y[0], r2 = p[1] * (y[1] * y[3]), r3 = p[2] * (y[4] * y[1]);
    const auto r4 = p[3] * y[6], r5 = p[4] * y[6], r6 = p[5] * (y[6] * y[5]);
    const auto r7 = p[6] * y[8], r8 = p[7] * (y[8] * y[5]), r9 = p[8] * (y[10] * y[1]);
    const auto r10 = p[9] * (y[10] * y[0]), r11 = p[10] * y[12], r12 = p[11] * (y[9] * y[1]);
    const auto r13 = p[12] * y[13], r14 = p[13] * (y[0] * y[5]), r15 = p[14] * y[2];
    const auto r16 = p[15] * y[3], r17 = p[16] * y[3], r18 = p[17] * y[15];
    const auto r19 = p[18] * y[15], r20 = p[19] * (y[16] * y[5]), r21 = p[20] * y[18];
    const auto r22 = p[21] * y[18], r23 = p[22] * (y[0] * y[3]), r24 = p[23] * (y[18] * y[0]);
    const auto r25 = p[24] * y[19];
    dy[0] = r2 + r3 + r9 + r11 + r12 + r22 + r25 - r1 - r10 - r14 - r23 - r24;
    dy[1] = r1 + r21 - r2 - r3 - r9 - r12;
    dy[2] = r1 + r17 + r19 + r22 - r15;
    dy[3] = r15 - r2 - r16 - r17 - r23;
    dy[4] = 2 * r4 + r6 + r7 + r13 + r20 - r3;
    dy[5] = r3 + 2 * r18 - r6 - r8 - r14 - r20;
    dy[6] = r13 - r4 - r5 - r6;
    dy[7] = r4 + r5 + r6 + r7;
    dy[8] = -r7 - r8;
    dy[9] = r7 + r9 - r12;
    dy[10] = r8 + r11 - r9 - r10;
    dy[11] = r9;
    dy[12] = r10 - r11;
    dy[13] = r12 - r13;
    dy[14] = r14;
    dy[15] = r16 - r18 - r19;
    dy[16] = -r20;
    dy[17] = r20;
    dy[18] = r23 + r25 - r21 - r22 - r24;
    dy[19] = r24 - r25;
  }
};

}  // namespace revode
