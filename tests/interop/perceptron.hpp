// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/interop/eigen_recording.hpp>

namespace revode {

/// y' = W₂ tanh(W₁ y + b₁ t) + b₂, samples as columns, as one writes it.
struct plain_perceptron {
  int states, hidden;
  int parameters() const { return 2 * states * hidden + hidden + states; }

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    const int n = states, m = hidden;
    const auto w1 = p.head(m * n).reshaped(m, n), w2 = p.segment(m * n, n * m).reshaped(n, m);
    const auto b1 = p.segment(2 * m * n, m), b2 = p.tail(n);
    dy = (w2 * ((w1 * y).colwise() + b1 * t).array().tanh().matrix()).colwise() + b2;
  }
};

/// The same with its derivative.
struct perceptron_by_hand : plain_perceptron {
  template <class T, class Y, class P, class G>
  requires std::is_floating_point_v<T>
  void vjp(const T& t, const Y& y, const P& p, const Y& w, T& gt, Y& gy, G& gp) const {
    const int n = states, m = hidden;
    const auto w1 = p.head(m * n).reshaped(m, n), w2 = p.segment(m * n, n * m).reshaped(n, m);
    const auto b1 = p.segment(2 * m * n, m);
    const Y a = ((w1 * y).colwise() + b1 * t).array().tanh().matrix();
    const Y a_bar = (w2.transpose() * w).array() * (1 - a.array().square());
    gt += b1.dot(a_bar.rowwise().sum());
    gy += w1.transpose() * a_bar;
    if (gp.size() == 0) return;
    gp.head(m * n) += (a_bar * y.transpose()).reshaped();
    gp.segment(m * n, n * m) += (w * a.transpose()).reshaped();
    gp.segment(2 * m * n, m) += a_bar.rowwise().sum() * t;
    gp.tail(n) += w.rowwise().sum();
  }
};

}  // namespace revode
