// SPDX-License-Identifier: Apache-2.0
// What does a training step cost whose samples have steps of their own, beside one step for the whole batch and
// beside a solve a sample? Cases a and b of bench/neural, and b with intervals from 0.1 to 1; the table is markdown.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode::nn {
namespace {

template <class T>
struct training {
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using flat = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  std::string name;
  neural_field<mlp> f;
  batch_problem<neural_field<mlp>, matrix, flat> batch;
  options o;
  recursive_checkpoint memory;
  adam<T> optimiser;

  training(std::string called, const std::vector<index>& widths, int samples, double rtol,
           int points, double shortest)
      : name(std::move(called)),
        f(mlp(widths)),
        batch{f,
              matrix(widths.front(), samples),
              {0.0},
              {1.0},
              initial_parameters<T>(f.network(), 1)},
        memory{.schedule = schedule_kind::store_all},
        optimiser(batch.p.size()) {
    for (index i = 0; i < batch.y0.size(); ++i)
      batch.y0.data()[i] = static_cast<T>(std::sqrt(-2 * std::log(counter_uniform(1, 1, i))) *
                                          std::cos(6.283185307179586 * counter_uniform(1, 2, i)));
    o = {.rtol = rtol, .atol = rtol};
    for (int k = 1; k <= points; ++k) o.save.ts.push_back(0.1 * k);
    if (shortest < 1) {
      batch.t1.clear();
      for (int j = 0; j < samples; ++j)
        batch.t1.push_back(shortest + (1 - shortest) * counter_uniform(1, 3, j));
    }
  }

  /// Loss: the mean square of what is seen, at the points or at the end.
  static void weigh(const matrix& seen, matrix& w) { w = seen * (2 / static_cast<T>(seen.size())); }
  void learn(const flat& gradient) {
    flat p = batch.p;  // every step from the same weights
    optimiser.step(p, gradient, 1e-3);
  }

  index columns = 0, calls = 0, steps = 0;
  void own_steps() {
    auto s = solve(batch, tsit5{}, o, memory);
    batch_cotangents<matrix> w;
    if (s.ys.size() > 0)
      weigh(s.ys, w.ys.emplace());
    else
      weigh(s.y, w.y.emplace());
    const auto g = s.pullback(w);
    learn(g.p);
    columns = s.together.columns + g.vjp_columns;
    calls = s.together.field_calls + g.reverse.vjp_evaluations;
    steps = s.together.rounds;
  }
  template <class Problem>
  flat gradient(const Problem& q, const options& with) {
    auto s = solve(q, tsit5{}, with, memory);
    cotangents<matrix> w;
    if (s.ys.empty()) weigh(s.y, w.y.emplace());
    for (const matrix& y : s.ys) weigh(y, w.ys.emplace_back());
    const auto g = s.pullback(w);
    steps = std::max(steps, s.stats.accepted + s.stats.rejected);
    calls += s.stats.field_evaluations + g.reverse.vjp_evaluations;
    columns +=
        (s.stats.field_evaluations + g.reverse.vjp_evaluations) * static_cast<index>(q.y0.cols());
    return g.p;
  }
  void one_step() {
    const problem q{f, batch.y0, 0.0, 1.0, batch.p};
    columns = calls = steps = 0;
    learn(gradient(q, o));
  }
  void alone() {
    columns = calls = steps = 0;
    flat sum = flat::Zero(batch.p.size());
    for (index j = 0; j < batch.y0.cols(); ++j) {
      const problem q{f, matrix(batch.y0.col(j)), 0.0, of_sample(batch.t1, j), batch.p};
      sum += gradient(q, o);
    }
    learn(sum);
  }

  /// Milliseconds of processor time.
  template <class Call>
  double once(const Call& call) {
    const auto start = std::clock();
    call();
    return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  void rows(int rounds) {
    double least[3] = {1e300, 1e300, 1e300};
    index counts[3][3];
    for (int r = 0; r < rounds; ++r)
      for (int k = 0; k < 3; ++k) {
        if (k == 2 && r >= 5 && rounds <= 60) continue;  // it takes long
        const double took = once([&] { k == 0 ? own_steps() : k == 1 ? one_step() : alone(); });
        least[k] = std::min(least[k], took);
        counts[k][0] = steps, counts[k][1] = calls, counts[k][2] = columns;
      }
    const char* names[] = {"steps of their own", "one step for the batch", "a solve a sample"};
    for (int k = 0; k < 3; ++k)
      std::printf("| %s, %s | %s | %.3f | %d | %d | %d |\n", name.c_str(),
                  std::is_same_v<T, float> ? "float" : "double", names[k], least[k],
                  int(counts[k][0]), int(counts[k][1]), int(counts[k][2]));
  }
};

template <class T>
void rows() {
  training<T>("a", {2, 50, 2}, 20, 1e-6, 10, 1).rows(400);
  training<T>("b", {16, 128, 128, 16}, 256, 1e-5, 0, 1).rows(30);
  training<T>("b, intervals 0.1 to 1", {16, 128, 128, 16}, 256, 1e-5, 0, 0.1).rows(30);
}

}  // namespace
}  // namespace revode::nn

int main() {
  std::printf("| case | steps | ms | rounds or most attempts | calls | columns |\n");
  std::printf("|---|---|---|---|---|---|\n");
  revode::nn::rows<float>();
  revode::nn::rows<double>();
}
