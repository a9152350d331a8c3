// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <revode/config.hpp>
#include <revode/state/counter_random.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// A neural network as the field: y' = W2 tanh(W1 y³ + b1) + b2, 50 hidden units, cubes by element.
/// p = (W1 [50][2], b1 [50], W2 [2][50], b2 [2]), matrices by rows: 252 numbers. The untrained
/// start: weights from splitmix64 (seed 0, W1 then W2), uniform in ±√(6/52), biases zero.
/// source of the generator: Steele, Lea, Flood, OOPSLA (2014) 453-472
struct neural_spiral {
  static constexpr const char* name = "neural_spiral";
  static constexpr const char* summary = "2-50-2 tanh network on y^3, p = weights and biases";
  static constexpr const char* source = "Chen et al., Neural ordinary differential equations, 2018";
  static constexpr double t0 = 0, t1 = 1.5;
  static constexpr int digits = 16;
  static constexpr int hidden = 50;

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{2, 0}; }

  REVODE_HD auto parameters() const {
    using std::sqrt;
    const double bound = sqrt(6.0 / (2 + hidden));
    vec<double, 5 * hidden + 2> p{};
    std::uint64_t seed = 0;
    for (int i = 0; i < 4 * hidden; ++i) {
      seed += splitmix64_step;
      const double uniform =
          static_cast<double>(splitmix64(seed) >> 11) * 0x1p-52 - 1;  // in [-1, 1)
      p[i < 2 * hidden ? i : i + hidden] = bound * uniform;
    }
    return p;
  }

  REVODE_HD constexpr auto reference() const {
    return vec<double, 2>{1.8671015938928105, -1.4790142894658514};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::tanh;
    const auto x0 = y[0] * y[0] * y[0];
    const auto x1 = y[1] * y[1] * y[1];
    dy[0] = p[5 * hidden];
    dy[1] = p[5 * hidden + 1];
    using place = decltype(p.size());  // the container's own index
    for (place i = 0; i < hidden; ++i) {
      const auto unit = tanh(p[2 * i] * x0 + p[2 * i + 1] * x1 + p[2 * hidden + i]);
      dy[0] += p[3 * hidden + i] * unit;
      dy[1] += p[4 * hidden + i] * unit;
    }
  }
};

}  // namespace revode
