// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace revode {

/// The network of two_bit_adder: nodes count from 1, what is below is no node.
struct adder_network {
  static constexpr int nodes = 175, ground = 0, supply = -1;

  /// Four nodes of its own from `at`: at the source, the drain, and the junctions to the bulk at both. Nodes count
  /// from 1; a gate ≤ 0 is an input.
  struct transistor {
    int kind, at, gate, source, drain;
  };
  static constexpr int outputs[] = {49, 130, 148};  // with capacities to the ground
};

/// All gates: a load between the supply and the gate's result, and transistors from there to the ground.
inline constexpr auto adder_transistors = [] {
  using transistor = adder_network::transistor;
  constexpr int ground = adder_network::ground, supply = adder_network::supply;
  std::array<transistor, 39> list{};
  std::size_t k = 0;
  const auto load = [&](int i) { list[k++] = {0, i, i + 4, i + 4, supply}; };
  const auto nor = [&](int i, int a, int b) {
    load(i);
    list[k++] = {1, i + 5, a, ground, i + 4};
    list[k++] = {1, i + 9, b, ground, i + 4};
  };
  const auto and_or = [&](int i, int a, int b, int c) {  // not (a or (b and c))
    load(i);
    list[k++] = {1, i + 5, a, ground, i + 4};
    list[k++] = {2, i + 9, b, i + 13, i + 4};
    list[k++] = {2, i + 14, c, ground, i + 13};
  };
  const int a0 = 0, b0 = -1, a1 = -2, b1 = -3, carry = -4;
  nor(1, a0, b0);
  and_or(14, 5, b0, a0);
  nor(32, 18, carry);
  and_or(45, 36, carry, 18);
  and_or(63, 5, carry, 18);
  nor(81, a1, b1);
  and_or(94, 85, b1, a1);
  load(112);  // not (67 and 98)
  list[k++] = {2, 117, 67, 121, 116};
  list[k++] = {2, 122, 98, ground, 121};
  load(126);  // not (116 and (67 or 98))
  list[k++] = {2, 131, 116, 135, 130};
  list[k++] = {2, 136, 67, ground, 135};
  list[k++] = {2, 140, 98, ground, 135};
  and_or(144, 85, 5, 98);
  list[k++] = {3, 162, 98, 166, 148};  // three in series
  list[k++] = {3, 167, 18, 171, 166};
  list[k++] = {3, 172, carry, ground, 171};
  return list;
}();

/// Of each node, from 0, the last one of those that capacities join, −1 where one of them is joined to the ground:
/// charges of the others sum to 0, and so do their currents.
inline constexpr auto adder_closing = [] {
  constexpr int nodes = adder_network::nodes, ground = adder_network::ground;
  std::array<int, nodes + 1> of{};  // 0: the ground, and inputs
  for (int i = 0; i <= nodes; ++i) of[static_cast<std::size_t>(i)] = i;
  const auto join = [&of](int a, int b) {
    const int from = of[static_cast<std::size_t>(a)],
              to = of[static_cast<std::size_t>(b > 0 ? b : 0)];
    for (int& x : of)
      if (x == (from < to ? to : from)) x = from < to ? from : to;
  };
  for (const int output : adder_network::outputs) join(output, ground);
  for (const adder_network::transistor& t : adder_transistors) {
    join(t.at, t.gate), join(t.at + 1, t.gate);
    join(t.at + 2, t.source), join(t.at + 3, t.drain);
  }
  std::array<int, nodes> last{};
  for (int i = 0; i < nodes; ++i) {
    last[static_cast<std::size_t>(i)] = -1;
    const int group = of[static_cast<std::size_t>(i + 1)];
    for (int j = 0; j < nodes && group > 0; ++j)
      if (of[static_cast<std::size_t>(j + 1)] == group) last[static_cast<std::size_t>(i)] = j;
  }
  return last;
}();

/// Which elements of f move with which of the state, (q, u), whatever the transistors do.
inline void add_adder_dependencies(std::vector<std::pair<int, int>>& entries) {
  constexpr int n = adder_network::nodes;
  const auto charge = [&entries](int node, int on) {
    if (node > 0 && on > 0) entries.emplace_back(n + node - 1, n + on - 1);
  };
  const auto current = [&entries](int node, int on) {
    if (node <= 0 || on <= 0) return;
    entries.emplace_back(node - 1, n + on - 1);
    const int last = adder_closing[static_cast<std::size_t>(node - 1)];
    if (last >= 0) entries.emplace_back(last, n + on - 1);
  };
  const auto between = [](const auto& what, int a, int b) {
    what(a, a), what(a, b), what(b, a), what(b, b);
  };
  for (int i = 0; i < n; ++i) entries.emplace_back(n + i, i);
  for (const int output : adder_network::outputs) charge(output, output);
  for (const adder_network::transistor& t : adder_transistors) {
    for (const int end : {t.at, t.at + 1}) {
      for (const int on : {t.at, t.at + 1, t.at + 2, t.at + 3, t.gate, t.source, t.drain})
        current(end, on);
      between(charge, end, t.gate);
    }
    for (const int at : {t.at, t.at + 2}) between(current, at, t.source);
    for (const int at : {t.at + 1, t.at + 3}) between(current, at, t.drain);
    between(charge, t.at + 2, t.source), between(charge, t.at + 3, t.drain);
  }
}

}  // namespace revode
