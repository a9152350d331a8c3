// SPDX-License-Identifier: Apache-2.0
// prints: epoch +0: loss [0-9.e+-]+
// prints: weights [0-9.]+ kB, an epoch at most [0-9.]+ kB beside them
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "dropout_model.hpp"

#include "bytes.hpp"

using namespace revode;
using namespace dropout_model;

// A recurrent model learns to say the next value of a wave; dropout draws other units in each step of
// each epoch (dropout_model.hpp), and a replayed step draws the same again.
int main() {
  const int units = 64;
  const wave seen(60);
  weights<> p{0.5 / std::sqrt(units) * matrix::Random(units, units), vector::Random(units),
              vector::Zero(units), vector::Random(units) / units};
  const double* const home = p.w.data();
  std::ptrdiff_t peak = 0;
  double first = 0, loss = 0;
  for (std::uint32_t epoch = 0; epoch <= 300; ++epoch) {
    peak = std::max(peak, peak_bytes_of([&] { loss = train(p, epoch, seen, {.slots = 8}); }));
    if (epoch == 0) first = loss;
    if (epoch % 100 == 0) std::printf("epoch %3u: loss %.4f\n", epoch, loss);
  }
  std::printf("weights %.1f kB, an epoch at most %.1f kB beside them\n",
              static_cast<double>(leaf_bytes(p)) / 1e3, static_cast<double>(peak) / 1e3);
  assert(loss < 0.2 * first && p.w.data() == home);
  assert(!bytes_are_counted || peak < 2 * leaf_bytes(p));  // a gradient, and no second copy

  // The masks of a replay are those of the forward run: as many replays as you like, the same bits.
  const auto gradient = [&](const loop_options& kept) {
    return loss_and_gradient(p, 7, seen, kept).second;
  };
  const auto all = gradient({.schedule = schedule_kind::store_all});
  for (const long slots : {1, 2, 5}) {
    const auto few = gradient({.slots = slots});
    assert(few.w == all.w && few.v == all.v && few.b == all.b && few.c == all.c);
  }
  // And it is the derivative of that forward run.
  const double h = 1e-6;
  p.w(3, 5) += h;
  const double above = loss_and_gradient(p, 7, seen, {}).first;
  p.w(3, 5) -= 2 * h;
  const double below = loss_and_gradient(p, 7, seen, {}).first;
  assert(std::abs((above - below) / (2 * h) - all.w(3, 5)) < 1e-8);
}
