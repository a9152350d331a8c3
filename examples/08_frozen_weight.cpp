// SPDX-License-Identifier: Apache-2.0
// prints: layers: frozen weight [0-9.]+ kB, gradient [0-9.]+ kB, at most [0-9.]+ kB beside
// prints: field: +frozen weight [0-9.]+ kB, gradient [0-9.]+ kB, at most [0-9.]+ kB beside
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/revode.hpp>

#include "bytes.hpp"

using namespace revode;
using matrix = Eigen::MatrixXf;
using vector = Eigen::VectorXf;

// A weight W that was learned before stays as it is; adapters A and B, of low rank, are learned in
// its place: W + B A. The gradient has their size, and nothing here is ever as large as W.
using adapters = std::tuple<matrix, matrix, frozen<matrix>>;
static_assert(std::is_same_v<cotangent_t<adapters>, std::tuple<matrix, matrix, no_cotangent>>);

// y' = Wᵀ tanh((W + B A) y) − y, of parameters (A, B, W)
const auto slope = [](const auto& y, const auto& p) {
  const auto& [a, b, w] = p;
  return ((*w).transpose() * (*w * y + b * (a * y)).array().tanh().matrix() - y).eval();
};

// As a stack of ten layers with the same weights, y ← y + y'/10.
const auto layer = [](const auto& y, const auto&, const auto& p, auto& next, auto&) {
  next = y + 0.1f * slope(y, p);
};

// As a field with its own vjp; the parameters of a problem are one vector, A and then B.
struct field {
  const matrix* w;
  Eigen::Index rank;

  auto a(auto& p) const {
    return Eigen::Map<matrix>(const_cast<float*>(p.data()), rank, w->cols());
  }
  auto b(auto& p) const {
    return Eigen::Map<matrix>(const_cast<float*>(p.data()) + rank * w->cols(), w->rows(), rank);
  }
  void operator()(float, const vector& y, const vector& p, vector& dy) const {
    dy = slope(y, std::tuple(a(p), b(p), w));
  }
  void vjp(float, const vector& y, const vector& p, const vector& s, float&, vector& gy,
           vector& gp) const {
    const vector low = a(p) * y, active = (*w * y + b(p) * low).array().tanh();
    const vector bar = (*w * s).array() * (1 - active.array().square());
    const vector low_bar = b(p).transpose() * bar;
    gy += w->transpose() * bar + a(p).transpose() * low_bar - s;
    a(gp).noalias() += low_bar * y.transpose();
    b(gp).noalias() += bar * low.transpose();
  }
};

/// Ten steps down the loss (mean y − 0.6)²; step(loss) takes one and says how large its gradient is.
template <class Step>
void train(const char* name, const matrix& w, const Step& step) {
  float first = 0, loss = 0;
  std::ptrdiff_t peak = 0;
  long elements = 0;
  for (int n = 0; n < 10; ++n) {
    peak = std::max(peak, peak_bytes_of([&] { elements = step(loss); }));
    if (n == 0) first = loss;
  }
  const double kilo = 4e-3;
  std::printf(
      "%-7s frozen weight %.1f kB, gradient %.1f kB, at most %.1f kB beside; loss %.1e → %.1e\n",
      name, kilo * static_cast<double>(w.size()), kilo * static_cast<double>(elements),
      static_cast<double>(peak) / 1e3, static_cast<double>(first), static_cast<double>(loss));
  assert(loss < 0.1f * first && (!bytes_are_counted || peak < 2 * w.size()));  // half of W's bytes
}

int main() {
  const Eigen::Index n = 300, rank = 4;
  const matrix w = matrix::Random(n, n) / std::sqrt(300.0f), untouched = w;
  const vector start = vector::Ones(n);
  const auto bar = [&](float off) {
    return vector::Constant(n, 2 * off / static_cast<float>(n)).eval();
  };

  adapters p{matrix::Random(rank, n), matrix::Zero(n, rank), frozen(w)};
  vector packed(2 * n * rank);
  packed << std::get<0>(p).reshaped(), std::get<1>(p).reshaped();
  const std::vector<int> layers(10);
  train("layers:", w, [&](float& loss) {
    auto run = scan(layer, start, layers, p, vec<float, 0>{}, {.slots = 3});
    const float off = run.carry().mean() - 0.6f;
    loss = off * off;
    const auto g = run.pullback(bar(off)).params;
    std::get<0>(p) -= 2.0f * std::get<0>(g);  // in place
    std::get<1>(p) -= 2.0f * std::get<1>(g);
    return std::get<0>(g).size() + std::get<1>(g).size();
  });

  problem q{field{&w, rank}, start, 0.0, 1.0, packed};
  train("field:", w, [&](float& loss) {
    auto run = solve(q, rk4{}, {.fixed_step = 0.1}, recursive_checkpoint{.slots = 3});
    const float off = run.y.mean() - 0.6f;
    loss = off * off;
    const vector g = run.pullback(bar(off)).p;
    q.p -= 2.0f * g;
    return g.size();
  });
  assert(w == untouched);
}
