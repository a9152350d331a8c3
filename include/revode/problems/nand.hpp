// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/config.hpp>
#include <revode/problems/shichman_hodges.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// A NAND gate of three MOS transistors, y = the voltages at its nodes, t in ns,
///   p = (Rgs, Rgd, Rbs, Rbd, Cgs, Cgd, Cb, C9, δ, Is, UT, Udd, Ubb);
/// its inputs are pulses of 5 V. The network's C(y) y' = f(t, y), whose capacities of junctions depend on
/// their voltage, is solved for y': each node hangs by a capacity on node 5 or 10, or on the ground.
/// The field jumps in all inputs' corners, at 5, 10, … 75; at a jump it is its limit from the left. Its
/// derivatives jump where a transistor changes its direction: estimates of steps across see little of that.
/// The reference is the test set's (PSIDE at 1e-16), but U11 = −Rgs Cgs 1 V/ns; rodas5p at rtol = atol = 1e-13
/// (30,870 steps) agrees to 5e-14.
struct nand {
  static constexpr const char* name = "nand";
  static constexpr const char* summary =
      "NAND gate of three transistors, p = 13 constants of the circuit";
  static constexpr const char* source =
      "Guenther, Rentrop, Technical Report TUM-M9311 (1993); Mazzia, Magherini, Test Set for IVP "
      "Solvers, release 2.4 (2008), NAND gate";
  static constexpr bool autonomous = false;
  static constexpr double t0 = 0, t1 = 80;
  static constexpr double jumps[] = {5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75};
  static constexpr int digits = 13;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr const char* labels[] = {"U1", "U2", "U3",  "U4",  "U5",  "U6",  "U7",
                                           "U8", "U9", "U10", "U11", "U12", "U13", "U14"};
  static constexpr int drawn[] = {4,
                                  9};  // the output, and the node between the inputs' transistors

  REVODE_HD constexpr auto y0() const {
    return vec<double, 14>{5,    5,    -2.5,    -2.5, 5,       3.62385, 5,
                           -2.5, -2.5, 3.62385, 0,    3.62385, -2.5,    -2.5};
  }
  REVODE_HD constexpr auto parameters() const {
    return vec<double, 13>{4, 4, 10, 10, 6e-5, 6e-5, 2.4e-5, 5e-5, 0.02, 1e-14, 25.85, 5, -2.5};
  }
  REVODE_HD constexpr auto reference() const {
    return vec<double, 14>{4.971088699385777,   4.999752103929311,  -2.499998781491227,
                           -2.499999999999975,  4.970837023296724,  -0.2091214032073855,
                           4.970593243278363,   -2.500077409198803, -2.499998781491227,
                           -0.2090289583878100, -0.24e-3,           -0.2091214032073855,
                           -2.499999999999991,  -2.500077409198803};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using S = std::remove_cvref_t<decltype(dy[0])>;
    const auto first = pulse_at(t, {5, 5, 5, 5, 20}), second = pulse_at(t, {15, 5, 15, 5, 40});
    const auto leak = [&](const S& u) { return junction_current<S>(u, p[9], p[10]); };
    const auto capacity = [&](const S& u) { return junction_capacity<S>(u, p[6]); };
    const S load = drain_current<S>(depletion, y[1] - y[0], y[4] - y[0], y[2] - y[4], y[4] - y[1],
                                    y[3] - p[11], p[8]);
    const S upper = drain_current<S>(enhancement, y[6] - y[5], first.level - y[5], y[7] - y[9],
                                     first.level - y[6], y[8] - y[4], p[8]);
    const S lower = drain_current<S>(enhancement, y[11] - y[10], second.level - y[10], y[12],
                                     second.level - y[11], y[13] - y[9], p[8]);
    const auto bulk_source = [&](int i) -> S { return (p[12] - y[i]) / p[2]; };
    const auto bulk_drain = [&](int i) -> S { return (p[12] - y[i]) / p[3]; };
    const S u2 = y[2] - y[4], u3 = y[3] - p[11], u7 = y[7] - y[9], u8 = y[8] - y[4], u12 = y[12],
            u13 = y[13] - y[9];
    dy[4] = ((p[11] - y[1]) / p[1] + bulk_source(2) + (y[6] - y[4]) / p[1] + bulk_drain(8)) / p[7];
    dy[9] = ((y[5] - y[9]) / p[0] + (y[11] - y[9]) / p[1] + bulk_source(7) + bulk_drain(13)) / p[7];
    dy[0] = ((y[4] - y[0]) / p[0] - load) / p[4] + dy[4];
    dy[1] = ((p[11] - y[1]) / p[1] + load) / p[5] + dy[4];
    dy[2] = (bulk_source(2) + leak(u2)) / capacity(u2) + dy[4];
    dy[3] = (bulk_drain(3) + leak(u3)) / capacity(u3);
    dy[5] = first.slope + ((y[9] - y[5]) / p[0] - upper) / p[4];
    dy[6] = first.slope + ((y[4] - y[6]) / p[1] + upper) / p[5];
    dy[7] = (bulk_source(7) + leak(u7)) / capacity(u7) + dy[9];
    dy[8] = (bulk_drain(8) + leak(u8)) / capacity(u8) + dy[4];
    dy[10] = second.slope + (-y[10] / p[0] - lower) / p[4];
    dy[11] = second.slope + ((y[9] - y[11]) / p[1] + lower) / p[5];
    dy[12] = (bulk_source(12) + leak(u12)) / capacity(u12);
    dy[13] = (bulk_drain(13) + leak(u13)) / capacity(u13) + dy[9];
  }

 private:
  static constexpr transistor_kind depletion{-2.43, 0.2, 1.28, 5.35e-4, 5.35e-4},
      enhancement{0.2, 0.035, 1.01, 1.748e-3, 1.748e-4};
};

}  // namespace revode
