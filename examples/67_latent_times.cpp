// SPDX-License-Identifier: Apache-2.0
// prints: seed 1, step +0: off by [0-9.]+
// prints: seed 3, step 600: off by 0\.1[0-9]+
// prints: swings of others: to 0\.[01][0-9]+ 0\.[01][0-9]+ 0\.[01][0-9]+ where they were seen, to 0\.[01][0-9]+ 0\.[01][0-9]+ 0\.[01][0-9]+ behind
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/batch/batch_solver.hpp>
#include <revode/nn/gru_cell.hpp>
#include <revode/nn/module_call.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

#include "picture.hpp"
#include "swings.hpp"

using namespace revode;
using namespace revode::nn;
using matrix = Eigen::MatrixXd;  // samples, or points of samples, as columns
using row = std::vector<double>;

constexpr int states = 4, hidden = 20;

int main(int argc, char** argv) {
  // Swings, of which a few points were seen at times of their own (swings.hpp); nobody knows what moves them.
  // A cell reads a series backwards; a layer says what state at time 0 that tells of, a mean and log σ; a
  // field moves the state; and a network says what is seen of it. All their weights are one array.
  const gru_cell cell{2, hidden};
  const dense_layer layer{hidden, 2 * states, activation::identity};
  const neural_field f(mlp({states, 32, states}));
  const mlp head({states, 16, 1});
  series_call<double, gru_cell> read(cell, reading::backwards);
  module_call<double, dense_layer> code(layer);
  module_call<double, mlp> show(head);
  const series others(0);
  row at, apart[2];
  for (int k = 0; k < 60; ++k) at.push_back(0.1 * k + 0.05);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Eigen::VectorXd p(cell.parameters() + layer.parameters() + f.parameters() + head.parameters());
    Eigen::VectorXd g(p.size());
    auto [p_cell, p_layer, p_field, p_head] = shares_of(p, cell, layer, f, head);
    auto [g_cell, g_layer, g_field, g_head] = shares_of(g, cell, layer, f, head);
    p << initial_parameters<double>(cell, seed), initial_parameters<double>(layer, seed),
        initial_parameters<double>(f.network(), seed), initial_parameters<double>(head, seed);
    adam<double> optimiser(p.size());
    const warm_up rate{20, cosine_rate{.rate = 0.02, .steps = 601}};
    for (int step = 0; step <= 600; ++step) {
      const series s(1000 * seed + std::uint64_t(step));
      matrix c = code(read(s.seen, s.points, p_cell), p_layer), h(hidden, samples), x = s.seen;
      const matrix mean = c.topRows(states), sigma = c.bottomRows(states).array().exp();
      matrix y0 = mean;
      for (int i = 0; i < y0.size(); ++i)
        y0.data()[i] += sigma.data()[i] * counter_normal(seed, std::uint64_t(step), i);
      const batch_problem b{f, y0, {0.0}, s.ends, p_field, s.times};
      auto solved = solve(b, tsit5{}, {.rtol = 1e-3, .atol = 1e-3}, recursive_checkpoint{});
      assert(solved.failed() == 0);
      const matrix off = show(solved.ys, p_head) - s.seen.row(0);
      // The loss, a sample: what was missed, in units of the noise, and how far the state's distribution is
      // from N(0, I) (Kingma & Welling, ICLR 2014, appendix B).
      g.setZero();
      const matrix w = off / (noise * noise * samples);
      show.pull(w, solved.ys, g_head);  // ys become their cotangents
      const auto back = solved.pullback({.ys = solved.ys});
      g_field = back.p;
      c << back.y0 + mean / samples,
          back.y0.cwiseProduct(y0 - mean) + (sigma.array().square() - 1).matrix() / samples;
      code.pull(c, h, g_layer);
      read.pull(h, x, g_cell);
      clip_by_global_norm(g, 10);
      optimiser.step(p, g, rate(step));
      if (step % 300 == 0)
        std::printf("seed %d, step %3d: off by %.3f\n", int(seed), step,
                    off.norm() / std::sqrt(double(off.size())));
    }
    // Series that it never saw, from the state that it holds for most likely, and 1 σ beside that.
    const matrix c = code(read(others.seen, others.points, p_cell), p_layer);
    const auto say = [&, &of_f = p_field, &of_head = p_head](double sigmas) -> matrix {
      const matrix y0 = c.topRows(states) + sigmas * c.bottomRows(states).array().exp().matrix();
      const batch_problem b{f, y0, {0.0}, {6.0}, of_f, {at}};
      return show(solve(b, tsit5{}, {.rtol = 1e-5, .atol = 1e-5}).ys, of_head);
    };
    const matrix said = say(0);
    double sums[2] = {};
    for (int i = 0; i < said.size(); ++i)
      sums[i % 60 >= 40] += std::pow(said(i) - swing(0, i / 60, at[std::size_t(i % 60)]), 2);
    for (const int part : {0, 1}) {
      apart[part].push_back(std::sqrt(sums[part] / ((part == 0 ? 40 : 20) * samples)));
      assert(apart[part].back() < 0.2);
    }
    if (argc < 2 || seed != 1) continue;
    picture six(argv[1], 6, 0, 6, 1.6);
    const auto time = [&](int k) { return at[std::size_t(k)]; };
    for (int j = 0, point = 0; j < 6; ++j) {
      six.next_panel();
      six.curve("#ccc", 6, 60, time, [&](int k) { return swing(0, j, time(k)); });
      for (const matrix& y : {said, say(-1), say(1)})
        six.curve("#d55e00", 1.2, 60, time, [&](int k) { return y(60 * j + k); });
      for (const double t : others.times[std::size_t(j)])
        six.dot("#0072b2", t, others.seen(0, point++));
    }
  }
  std::printf(
      "swings of others: to %.3f %.3f %.3f where they were seen, to %.3f %.3f %.3f behind\n",
      apart[0][0], apart[0][1], apart[0][2], apart[1][0], apart[1][1], apart[1][2]);
}
