// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace revode::compiled {

/// What the method "automatic" stands for. It is told nothing of the problem but what methods could not
/// do without:
///   a pair that switches by the stiffness it sees: tsit5_rodas5p to nine digits, vern7_rodas5p beyond;
///   where there are no second derivatives for a gradient of Rosenbrock methods radau_iia5; where the field has
///   no derivatives the explicit one;
///   with a mass matrix rodas5p, and radau_iia5 where elements are of index 2 or 3;
///   with an algebra for large systems bdf5, which factors least
struct automatic {
  static constexpr std::string_view name = "automatic";

  double rtol;
  bool has_derivatives = true;
  bool has_second = true;
  bool has_mass = false;
  bool has_higher_index = false;
  bool has_algebra = false;

  constexpr auto method() const -> std::string_view {
    if (has_algebra) return "bdf5";
    const bool loose = rtol >= 1e-9;
    if (!has_derivatives && !has_mass) return loose ? "tsit5" : "vern7";
    if (!has_second || has_higher_index) return "radau_iia5";
    if (has_mass) return "rodas5p";
    return loose ? "tsit5_rodas5p" : "vern7_rodas5p";
  }
};

}  // namespace revode::compiled
