// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include <revode/config.hpp>

// Learning rates as functions of the number of the step, from 0: nothing is remembered, so a
// training that is resumed goes on with the rate it would have had.

namespace revode::nn {

struct constant_rate {
  double rate = 1e-3;
  double operator()(index) const { return rate; }
};

/// floor + (rate − floor) (1 + cos(π k/steps))/2, floor behind the last step.
/// source  Loshchilov & Hutter, SGDR, ICLR 2017, equation 5
struct cosine_rate {
  double rate = 1e-3;
  index steps = 1000;
  double floor = 0;
  double operator()(index k) const {
    if (k >= steps) return floor;
    const double part = static_cast<double>(k) / static_cast<double>(steps);
    return floor + (rate - floor) * 0.5 * (1 + std::cos(std::numbers::pi * part));
  }
};

/// `then`, in its first `steps` steps multiplied by (k + 1)/steps.
template <class Rate>
struct warm_up {
  index steps;
  Rate then;
  double operator()(index k) const {
    const double rate = then(k);
    return k < steps ? rate * static_cast<double>(k + 1) / static_cast<double>(steps) : rate;
  }
};
template <class Rate>
warm_up(index, Rate) -> warm_up<Rate>;

}  // namespace revode::nn
