// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace revode {

/// The numbers that a method's algebra was given. Bands and patterns belong to a state that is here as a whole.
template <class L>
void add_settings_of_algebra(const L& algebra, bool whole, std::vector<double>& all) {
  if constexpr (requires { algebra.lower; }) {
    if (whole) {
      all.push_back(algebra.lower);
      all.push_back(algebra.upper);
    }
  }
  if constexpr (requires { algebra.pattern->entries(); })
    if (whole && algebra.pattern != nullptr)
      for (int i = 0; i < algebra.pattern->size(); ++i)
        for (int e = algebra.pattern->start(i); e < algebra.pattern->start(i + 1); ++e) {
          all.push_back(i);
          all.push_back(algebra.pattern->column(e));
        }
  if constexpr (requires { algebra.limits.restart; })
    for (const double x :
         {static_cast<double>(algebra.limits.restart), static_cast<double>(algebra.limits.most),
          algebra.limits.tolerance, algebra.limits.rough, algebra.limits.goal})
      all.push_back(x);
  if constexpr (requires { algebra.preconditioner; })
    add_settings_of_algebra(algebra.preconditioner, whole, all);
  if constexpr (requires { algebra.chosen.index(); }) {
    all.push_back(static_cast<double>(algebra.chosen.index()));
    visit([&](const auto& one) { add_settings_of_algebra(one, whole, all); }, algebra.chosen);
  }
}

/// The numbers that a method was given besides its type, those of its algebra among them: what a kept run, and a method
/// by name, must not pass over. A method of one's own that has members tells them by settings(), a list of numbers.
template <class M>
void add_settings(const M& m, bool whole, std::vector<double>& all) {
  const auto add = [&all](const auto&... number) {
    (all.push_back(static_cast<double>(number)), ...);
  };
  if constexpr (requires { m.settings().begin(); })
    for (const auto& number : m.settings()) add(number);
  if constexpr (requires { m.newton; }) add(m.newton);
  if constexpr (requires { m.spectral_radius; }) add(m.spectral_radius);
  if constexpr (requires { m.leaves_unstable_orders; }) add(m.leaves_unstable_orders);
  if constexpr (requires { m.most; }) add(m.first, m.least, m.most);
  if constexpr (requires { m.begins_stiffly_to; }) {
    add(m.begins_stiffly_to);
    add_settings(m.nonstiff, whole, all);
    add_settings(m.stiff, whole, all);
  }
  if constexpr (requires { m.algebra; }) add_settings_of_algebra(m.algebra, whole, all);
}

template <class M>
std::vector<double> settings_of(const M& m, bool whole = true) {
  std::vector<double> all;
  add_settings(m, whole, all);
  return all;
}

}  // namespace revode
