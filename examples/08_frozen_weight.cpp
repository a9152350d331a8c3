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

#include <revode/revode.hpp>

#include "bodies.hpp"
#include "bytes.hpp"

using namespace revode;
using bodies::matrix, bodies::vector;

// A weight W that was learned before stays as it is; adapters A and B, of low rank, are learned in
// its place: W + B A. The gradient has their size, and nothing here is ever as large as W.
using adapters = std::tuple<matrix, matrix, frozen<matrix>>;
static_assert(std::is_same_v<cotangent_t<adapters>, std::tuple<matrix, matrix, no_cotangent>>);

// A stack of ten layers with the same weights, y ← y + y'/10 with y' = Wᵀ tanh((W + B A) y) − y.
const auto layer = [](const auto& y, const auto&, const auto& p, auto& next, auto&) {
  const auto& [a, b, w] = p;
  next = y + 0.1f * ((*w).transpose() * (*w * y + b * (a * y)).array().tanh().matrix() - y);
};

/// Ten steps down the loss (mean y − 0.6)²; step(loss) takes one and says how large its gradient is.
void train(const char* name, const matrix& w, const auto& step) {
  float first = 0, loss = 0;
  std::ptrdiff_t peak = 0;
  long elements = 0;
  for (int n = 0; n < 10; ++n) {
    peak = std::max(peak, peak_bytes_of([&] { elements = step(loss); }));
    if (n == 0) first = loss;
  }
  std::printf("%-7s frozen weight %.1f kB, gradient %.1f kB, at most %.1f kB beside\n", name,
              4e-3 * static_cast<double>(w.size()), 4e-3 * static_cast<double>(elements),
              static_cast<double>(peak) / 1e3);
  assert(loss < 0.1f * first && (!bytes_are_counted || peak < 2 * w.size()));  // half of W's bytes
}

int main() {
  const Eigen::Index n = 300, rank = 4;
  const matrix w = matrix::Random(n, n) / std::sqrt(300.0f), untouched = w;
  const vector start = vector::Ones(n);
  const auto loss_of = [](const vector& y, float& loss) {  // and its gradient
    const float off = y.mean() - 0.6f;
    loss = off * off;
    return vector::Constant(y.size(), 2 * off / static_cast<float>(y.size())).eval();
  };
  adapters p{matrix::Random(rank, n), matrix::Zero(n, rank), frozen(w)};
  vector packed(2 * n * rank);
  packed << std::get<0>(p).reshaped(), std::get<1>(p).reshaped();
  const std::vector<int> layers(10);
  train("layers:", w, [&](float& loss) {
    auto run = scan(layer, start, layers, p, vec<float, 0>{}, {.slots = 3});
    const auto g = run.pullback(loss_of(run.carry(), loss)).params;
    std::get<0>(p) -= 2.0f * std::get<0>(g);  // in place
    std::get<1>(p) -= 2.0f * std::get<1>(g);
    return std::get<0>(g).size() + std::get<1>(g).size();
  });
  // The same right-hand side as a field with its own vjp.
  problem q{bodies::adapted_field{&w, rank}, start, 0.0, 1.0, packed};
  train("field:", w, [&](float& loss) {
    auto run = solve(q, rk4{}, {.fixed_step = 0.1}, recursive_checkpoint{.slots = 3});
    const vector g = run.pullback(loss_of(run.y, loss)).p;
    q.p -= 2.0f * g;
    return g.size();
  });
  assert(w == untouched);
}
