// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/config.hpp>
#include <revode/problems/shichman_hodges.hpp>
#include <revode/problems/two_bit_adder_network.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Two numbers of two bits and a carry are added by ten gates of MOS transistors: a DAE of index 1, q' = f(t, u),
/// 0 = q − g(u), state (q, u): the charges and voltages of 175 nodes; t in ns,
///   p = (Rgs, Rgd, Rbs, Rbd, Cgs, Cgd, Cb, Cout, δ, Is, UT, Udd, Ubb).
/// Five pulses of 5 V are the inverted bits A0, B0, A1, B1 and the carry; nodes 49, 130 and 148, from 1, are the bits
/// of the sum, the last one inverted. The field jumps in all inputs' corners, at 5, 10, … 315; at a jump it is its
/// limit from the left. Of nodes that capacities join to each other alone the currents sum to 0: there one equation
/// is that sum. As in the test set's program the capacity of a junction to the supply is a factor of the node's own
/// voltage. The last junction of a NOR gate has the charge across it: in that program it is the one to the next
/// gate's drain, and the circuit oscillates within 10⁻² ns, up to −40 V, as soon as steps are short enough to see it.
/// The published result is RADAU5's at 1e-5, before that; it is 4e-6 from the one here, of rodas5p and bdf5 at 1e-11.
struct two_bit_adder {
  static constexpr int nodes = adder_network::nodes;
  static constexpr const char* name = "two_bit_adder";
  static constexpr const char* summary =
      "two-bit adder of 39 transistors, n = 350, p = 13 constants of the circuit";
  static constexpr const char* source =
      "Guenther, Rentrop, Technical Report TUM-M9311 (1993); Mazzia, Magherini, Test Set for IVP "
      "Solvers, release 2.4 (2008), two bit adding unit";
  static constexpr double t0 = 0, t1 = 320;
  static constexpr std::array<double, 63> jumps = [] {
    std::array<double, 63> at{};
    for (int k = 0; k < 63; ++k) at[static_cast<std::size_t>(k)] = 5.0 * (k + 1);
    return at;
  }();
  static constexpr int digits = 10;
  static constexpr double atol(double rtol) { return rtol; }
  static constexpr int drawn[] = {223, 304, 322};

  REVODE_HD constexpr auto parameters() const {
    return vec<double, 13>{8e-4, 8e-4, 2e-3, 2e-3, 0.6, 0.6, 0.24, 2, 0.02, 5e-11, 25.85, 5, -2.5};
  }
  /// The charges of the voltages at rest.
  auto y0() const -> std::vector<double> {
    // clang-format off
    static constexpr double at_rest[nodes] = {
        4.999999999996544, 4.99999999999997, -2.499999999999975, -2.499999999999975,
        4.999999999996514, 0, 4.999999999996514, -2.499999999999991, -2.499999999999975, 0,
        4.999999999996514, -2.499999999999991, -2.499999999999975, 0.215858486765796,
        4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040695017748,
        0.011817791748026, 0.192222903269723, -2.499999999999991, -2.49999999999999,
        -0.228160951881239, 0.204040695017748, -2.499999999999992, -2.49999999999999,
        -0.228160951881241, 0, -0.228160951881239, -2.499999999999991, -2.499999999999992,
        4.999999999996547, 4.99999999999997, -2.499999999999975, -2.499999999999975,
        4.999999999996517, 0, 4.999999999996517, -2.499999999999991, -2.499999999999975, 0,
        4.999999999996517, -2.499999999999991, -2.499999999999975, 0.215858484247529,
        4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040692499482,
        0.011817791748035, 0.192222900751447, -2.499999999999991, -2.49999999999999,
        -0.026041071738432, 0.204040692499482, -2.499999999999992, -2.49999999999999,
        -0.026041071738434, 0, -0.026041071738432, -2.499999999999991, -2.499999999999992,
        0.215858484880918, 4.988182208251953, -2.49999999999999, -2.499999999999975,
        0.20404069313287, 0.011817791748026, 0.192222901384845, -2.499999999999991,
        -2.49999999999999, -0.026041071737961, 0.20404069313287, -2.499999999999992,
        -2.49999999999999, -0.026041071737963, 0, -0.026041071737961, -2.499999999999991,
        -2.499999999999992, 4.999999999996546, 4.99999999999997, -2.499999999999975,
        -2.499999999999975, 4.999999999996516, 0, 4.999999999996516, -2.499999999999991,
        -2.499999999999975, 0, 4.999999999996516, -2.499999999999991, -2.499999999999975,
        0.215858481060569, 4.988182208251953, -2.49999999999999, -2.499999999999975,
        0.204040689312522, 0.011817791748023, 0.192222897564498, -2.499999999999991,
        -2.49999999999999, 4.734672533390068, 0.204040689312522, -2.499999999999977,
        -2.49999999999999, 4.734672533390062, 0, 4.734672533390068, -2.499999999999991,
        -2.499999999999977, 4.99999999999687, 4.999999999999972, -2.499999999999975,
        -2.499999999999975, 4.999999999996843, -0.025968303070038, 4.999999999996843,
        -2.499999999999992, -2.499999999999975, -0.02596830307004, 0, -0.025968303070038,
        -2.499999999999991, -2.499999999999992, 4.999999999997699, 4.99999999999998,
        -2.499999999999975, -2.499999999999975, 4.999999999997678, 4.744923533081106,
        4.999999999997678, -2.499999999999977, -2.499999999999975, 4.744923533081098, 0,
        4.744923533081106, -2.499999999999991, -2.499999999999977, 0, 4.744923533081106,
        -2.499999999999991, -2.499999999999977, 0.215858484844162, 4.988182208251953,
        -2.49999999999999, -2.499999999999975, 0.204040693096114, 0.011817791748023,
        0.192222901348091, -2.499999999999991, -2.49999999999999, 0.204040693096045,
        0.204040693096107, -2.49999999999999, -2.49999999999999, 0.204040693096037, 0,
        0.204040693096037, -2.499999999999991, -2.49999999999999, -0.026017361873565,
        0.204040693096114, -2.499999999999992, -2.49999999999999, -0.026017361873568,
        -0.026017590106916, -0.026017361873565, -2.499999999999992, -2.499999999999992,
        -0.026017590106918, 0, -0.026017590106916, -2.499999999999991, -2.499999999999992};
    // clang-format on
    std::vector<double> y(2 * nodes), dy(2 * nodes);
    for (std::size_t i = 0; i < nodes; ++i) y[nodes + i] = at_rest[i];
    (*this)(0.0, y, parameters(), dy);
    for (std::size_t i = 0; i < nodes; ++i) y[i] = -dy[nodes + i];
    return y;
  }
  auto reference_components() const -> std::vector<int> { return {223, 304, 322}; }
  auto reference() const -> std::vector<double> {
    return {0.2040419128167, 4.9972424432, 0.2038985759015};
  }

  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < nodes; ++i)
      if (adder_closing[static_cast<std::size_t>(i)] != i) m(i, i) = 1;
  }

  /// For sparsity_of: what a transistor that is off does not show.
  template <class T, class Y, class P>
  bool add_dependencies(const T&, const Y&, const P&,
                        std::vector<std::pair<int, int>>& entries) const {
    add_adder_dependencies(entries);
    return true;
  }

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using place = decltype(y.size());
    using S = std::remove_cvref_t<decltype(dy[0])>;
    static constexpr pulse inputs[] = {{0, 5, 5, 5, 20},
                                       {10, 5, 15, 5, 40},
                                       {30, 5, 35, 5, 80},
                                       {70, 5, 75, 5, 160},
                                       {150, 5, 155, 5, 320}};
    circuit<S, Y, P, Y> all{y, p, dy};
    for (int i = 0; i < nodes; ++i) {
      dy[static_cast<place>(i)] = S(0);
      dy[static_cast<place>(nodes + i)] = y[static_cast<place>(i)];
    }
    for (const int output : adder_network::outputs) all.charge(output, p[7] * all.voltage(output));
    for (const adder_network::transistor& of : adder_transistors) {
      if (of.gate > 0) {
        all.add(of, all.voltage(of.gate), S(0));
      } else {
        const auto now = pulse_at(t, inputs[-of.gate]);
        all.add(of, S(now.level), S(static_cast<decltype(value_of(t))>(now.slope)));
      }
    }
    for (int i = 0; i < nodes; ++i) {
      const int last = adder_closing[static_cast<std::size_t>(i)];
      if (last < 0 || last == i) continue;
      dy[static_cast<place>(last)] = dy[static_cast<place>(last)] + dy[static_cast<place>(i)];
    }
  }

 private:
  static constexpr transistor_kind kinds[] = {{-2.43, 0.2, 1.28, 2.675, 2.675},
                                              {0.2, 0.035, 1.01, 8.74, 8.74},
                                              {0.2, 0.035, 1.01, 17.48, 17.48},
                                              {0.2, 0.035, 1.01, 26.22, 26.22}};

  /// Adds what parts of the circuit do to the nodes that they join.
  template <class S, class Y, class P, class Out>
  struct circuit {
    const Y& y;
    const P& p;
    Out& out;
    using place = decltype(y.size());

    const S& voltage(int node) const { return y[static_cast<place>(nodes + node - 1)]; }
    S at(int node) const {
      return node > 0 ? voltage(node) : node == adder_network::supply ? S(p[11]) : S(0);
    }
    void current(int node, const S& x) {
      if (node > 0) out[static_cast<place>(node - 1)] = out[static_cast<place>(node - 1)] + x;
    }
    void charge(int node, const S& x) {
      if (node <= 0) return;
      const auto i = static_cast<place>(nodes + node - 1);
      out[i] = out[i] - x;
    }

    /// The way from an end of the channel to a node outside: a resistance.
    void resist(int end, int outside, const S& resistance) {
      const S through = (voltage(end) - at(outside)) / resistance;
      current(end, -through);
      current(outside, through);
    }
    /// A junction of the bulk to a node outside, or to the supply.
    void join_bulk(int bulk, int outside, const S& resistance) {
      const S u = voltage(bulk) - at(outside);
      const S leak = junction_current<S>(u, p[9], p[10]);
      current(bulk, -((voltage(bulk) - p[12]) / resistance) + leak);
      current(outside, -leak);
      const S capacity = junction_capacity<S>(u, p[6]);
      charge(bulk, capacity * (outside == adder_network::supply ? voltage(bulk) : u));
      charge(outside, -(capacity * u));
    }
    void add(const adder_network::transistor& of, const S& gate, const S& gate_slope) {
      const int s = of.at, d = of.at + 1, bulk_s = of.at + 2, bulk_d = of.at + 3;
      const S channel = drain_current<S>(kinds[of.kind], voltage(d) - voltage(s), gate - voltage(s),
                                         voltage(bulk_s) - at(of.source), gate - voltage(d),
                                         voltage(bulk_d) - at(of.drain), p[8]);
      current(s, -channel);
      current(d, channel);
      resist(s, of.source, p[0]);
      resist(d, of.drain, p[1]);
      join_bulk(bulk_s, of.source, p[2]);
      join_bulk(bulk_d, of.drain, p[3]);
      if (of.gate > 0) {
        join_gate(s, of.gate, p[4]);
        join_gate(d, of.gate, p[5]);
      } else {
        charge(s, p[4] * voltage(s));
        charge(d, p[5] * voltage(d));
        current(s, p[4] * gate_slope);
        current(d, p[5] * gate_slope);
      }
    }
    void join_gate(int node, int gate, const S& capacity) {
      const S through = capacity * (voltage(node) - voltage(gate));
      charge(node, through);
      charge(gate, -through);
    }
  };
};

}  // namespace revode
