// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <oracles/moving_grid.hpp>

namespace revode {

/// `product` is the Hessian of L(y, ys, times) times the direction: that of duals over duals carried
/// through the replay of the same grid (see moving_replay), one input of the solve after the other.
///   ‖difference‖ ≤ bound ‖product‖ for y0 and for p; for the times with the norm of the whole
/// cost    one replay of the solve over duals of duals for every input
template <method M, class F, class Y, class P, class... E, class Loss, class Direction,
          class Gradient>
law_result moving_hessian_law(const problem<F, Y, P>& q, const M& m, const options& o,
                              const event_list<E...>& events, const Loss& loss,
                              const Direction& direction, const Gradient& product, double bound) {
  using D = dual<dual<double, 1>, 1>;
  moving_replay<M, std::remove_cvref_t<F>, Y, P, event_list<E...>, D> replay(q, m, o, events);
  auto in = replay.constant();
  const auto move = [](const auto& by, auto& inputs) {
    for (int i = 0, n = static_cast<int>(by.size()); i < n; ++i)
      inputs.data()[i].value.d[0] = by.data()[i];
  };
  move(direction.y0, in.y0);
  move(direction.p, in.p);
  in.t0.value.d[0] = direction.t0;
  in.t1.value.d[0] = direction.t1;
  move(direction.ts, in.ts);
  move(direction.stops, in.stops);
  for (std::size_t e = 0; e < direction.times.size(); ++e) move(direction.times[e], in.times[e]);

  gradient_blocks blocks(bound);
  const auto compare_one = [&](double given, D& input) {
    input.d[0].value = 1;
    const auto s = replay(in);
    blocks.pair(given, D(loss(s.y, s.ys, s.events)).d[0].d[0]);
    input.d[0].value = 0;
  };
  const auto compare = [&](const auto& given, auto& inputs) {
    for (int i = 0, n = static_cast<int>(inputs.size()); i < n; ++i)
      compare_one(given.data()[i], inputs.data()[i]);
  };
  compare(product.y0, in.y0);
  blocks.end("product of y0", false);
  compare(product.p, in.p);
  blocks.end("product of p", false);
  compare_one(product.t0, in.t0);
  compare_one(product.t1, in.t1);
  blocks.end("product of t0 and t1", true);
  compare(product.ts, in.ts);
  blocks.end("product of ts", true);
  compare(product.stops, in.stops);
  blocks.end("product of stops", true);
  for (std::size_t e = 0; e < product.times.size(); ++e) compare(product.times[e], in.times[e]);
  blocks.end("product of the times of events", true);
  return blocks.result;
}

}  // namespace revode
