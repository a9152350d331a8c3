// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <functional>
#include <vector>

namespace revode {

/// How the scaled errors eᵢ / (atolᵢ + rtolᵢ max(|yᵢ|, |yᵢ'|)) of a step become one number, at most 1
/// for a step that is accepted. As it stands: one rtol and one atol, the root mean square.
struct error_norm {
  std::vector<double> rtol{};  ///< of each component; empty: options::rtol for all
  /// The same. Infinity: the component is outside the norm (the mean is over the others).
  std::vector<double> atol{};
  /// Of the n scaled errors (0 where outside the norm) the norm itself, by a function or an object that
  /// carries data; empty: the root mean square. A NaN among them has to come out. Solves on several threads
  /// share the object.
  std::function<double(const double* scaled, int n)> combine{};
  /// Elements 2i and 2i + 1 are one complex number, whose modulus scales both (see complex_field.hpp).
  bool pairs = false;
  int paired = -1;  ///< how many elements from the first on are in pairs; -1: all
  /// > 0: element i is measured by the size of element i mod period: tangents by that of their state.
  int period = 0;

  bool given() const { return !rtol.empty() || !atol.empty() || combine || pairs || period > 0; }
};

/// The largest of them, NaN if one is: options{.norm = {.combine = maximum_norm}}.
inline double maximum_norm(const double* scaled, int n) {
  double most = 0;
  for (int i = 0; i < n && most == most; ++i)
    if (!(std::abs(scaled[i]) <= most)) most = std::abs(scaled[i]);
  return most;
}

}  // namespace revode
