// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/batch_solver.hpp>
#include <revode/nn/blocks.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

namespace revode::nn {
namespace {

template <class T>
using flat_of = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using batch_of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using revode::index;

constexpr double scale = 0.7;
const mlp wide({3, 7, 5, 2}, activation::silu);

/// Weights of a network, adapters of it, and both in one: W + s B A.
template <class T>
struct adapted {
  flat_of<T> frozen = initial_parameters<T>(wide, 1), low, merged;
  lora_mlp<T> network{wide, frozen, 2, scale};

  adapted() {
    random_numbers random(4);
    low = (0.5 * random.like(Eigen::VectorXd(network.parameters()))).template cast<T>();
    merged = frozen;
    const auto leaves = leaves_of(wide), parts = leaves_of(network);
    for (const char* layer : {"layers.0.", "layers.1.", "layers.2."})
      view_of(leaves, std::string(layer) + "weight", merged) +=
          T(scale) * view_of(parts, std::string(layer) + "lora_b", low) *
          view_of(parts, std::string(layer) + "lora_a", low);
  }
  /// What the cotangent of the merged weights says of the adapters: Ā = s Bᵀ W̄, B̄ = s W̄ Aᵀ.
  flat_of<T> of_adapters(const flat_of<T>& g) const {
    flat_of<T> out = flat_of<T>::Zero(low.size());
    const auto leaves = leaves_of(wide), parts = leaves_of(network);
    for (const std::string layer : {"layers.0.", "layers.1.", "layers.2."}) {
      const auto of_weight = view_of(leaves, layer + "weight", g);
      view_of(parts, layer + "lora_a", out) =
          T(scale) * view_of(parts, layer + "lora_b", low).transpose() * of_weight;
      view_of(parts, layer + "lora_b", out) =
          T(scale) * of_weight * view_of(parts, layer + "lora_a", low).transpose();
    }
    return out;
  }
};

/// Eleven samples with starts, ends and save points of their own: one backwards, one that stands still.
template <class T, class F>
auto some_batch(const F& f, const flat_of<T>& p) {
  random_numbers random(5);
  batch_problem b{
      f, batch_of<T>(random.like(Eigen::MatrixXd(2, 11)).template cast<T>()), {}, {}, p};
  for (int j = 0; j < 11; ++j) {
    b.t0.push_back(0.1 * j);
    b.t1.push_back(j == 3 ? 0.3 : j == 5 ? -2.0 : 1.0 + 0.3 * j);
    b.save_ts.push_back({0.5 * (b.t0.back() + b.t1.back())});
  }
  return b;
}

template <class S, class Y>
auto pulled(S& s, const Y& y, const Y& ys) {
  return s.pullback({.y = y, .ys = ys});
}

template <class A, class B>
double off(const A& a, const B& b) {
  return double((a - b).norm()) / (1 + double(b.norm()));
}

/// Adapters in a batch whose samples have steps of their own: beside each sample alone, and beside the network with
/// merged weights; the same bits in every number of slots.
template <class T>
void check_in_batches(double tolerance, double rounding) {
  const adapted<T> a;
  const neural_field f(a.network, time_input::yes);
  const neural_field whole(wide, time_input::yes);
  const auto b = some_batch<T>(f, a.low);
  const auto m = some_batch<T>(whole, a.merged);
  const options o{.rtol = tolerance, .atol = tolerance};
  auto s = solve(b, tsit5{}, o, recursive_checkpoint{.slots = 3});
  auto merged = solve(m, tsit5{}, o, recursive_checkpoint{.slots = 3});
  CHECK(s.failed() == 0);
  CHECK(off(s.y, merged.y) <= rounding);
  CHECK(off(s.ys, merged.ys) <= rounding);
  random_numbers random(8);
  const batch_of<T> w = random.like(Eigen::MatrixXd(2, 11)).template cast<T>(),
                    ws = random.like(Eigen::MatrixXd(2, 11)).template cast<T>();
  const auto g = pulled(s, w, ws), of_merged = pulled(merged, w, ws);
  CHECK(g.p.size() == a.low.size());
  CHECK(off(g.y0, of_merged.y0) <= rounding);
  CHECK(off(g.p, a.of_adapters(of_merged.p)) <= rounding);

  flat_of<T> sum = flat_of<T>::Zero(a.low.size());
  for (index j = 0; j < 11; ++j) {
    const auto k = static_cast<std::size_t>(j);
    options alone = o;
    alone.save.ts = b.save_ts[k];
    const problem q{f, batch_of<T>(b.y0.col(j)), b.t0[k], b.t1[k], a.low};
    auto one = solve(q, tsit5{}, alone, recursive_checkpoint{.slots = 3});
    CAPTURE(j);
    if constexpr (sizeof(T) == 8)  // in float an estimate is mostly rounding
      CHECK(s.stats[k].accepted == one.stats.accepted);
    CHECK(off(s.y.col(j), one.y) <= rounding);
    const auto of_one = one.pullback({.y = batch_of<T>(w.col(j)), .ys = {batch_of<T>(ws.col(j))}});
    CHECK(off(g.y0.col(j), of_one.y0) <= rounding);
    sum += of_one.p;
  }
  CHECK(off(g.p, sum) <= rounding);
  for (const recursive_checkpoint& how :
       {recursive_checkpoint{.slots = 1},
        recursive_checkpoint{.schedule = schedule_kind::store_all}}) {
    auto again = solve(b, tsit5{}, o, how);
    const auto h = pulled(again, w, ws);
    CHECK(h.y0 == g.y0);
    CHECK(h.p == g.p);
  }
}

TEST_CASE("adapters: in batches with steps of their own, in double and float") {
  check_in_batches<double>(1e-7, 1e-11);  // rounding moves the lengths of steps as well
  check_in_batches<float>(1e-4, 1e-4);
}

TEST_CASE(
    "adapters: a batch of a network that is frozen whole has a gradient of its starts alone") {
  adapted<double> a;
  const neural_field f(frozen_module(wide, a.frozen), time_input::yes);
  const neural_field learned(wide, time_input::yes);
  const auto b = some_batch<double>(f, flat_of<double>());
  const auto m = some_batch<double>(learned, a.frozen);
  auto s = solve(b, tsit5{}, {}, recursive_checkpoint{.slots = 3});
  auto t = solve(m, tsit5{}, {}, recursive_checkpoint{.slots = 3});
  CHECK(s.y == t.y);
  const auto g = pulled(s, s.y, s.ys), h = pulled(t, t.y, t.ys);
  CHECK(g.y0 == h.y0);
  CHECK(g.p.size() == 0);
  CHECK(g.vjp_columns == h.vjp_columns);

  a.frozen[3] = std::nan("");  // each sample tells, and the gradient has no part of any
  auto broken = solve(b, tsit5{}, {}, recursive_checkpoint{.slots = 3});
  for (const auto ended : broken.status) CHECK(ended == status::non_finite_field);
  CHECK(pulled(broken, broken.y, broken.ys).y0.array().isNaN().all());
}

/// Shared steps: merged weights, and the same bits of several losses with any tapes.
template <class T>
void check_shared(const options& o, double rounding) {
  const adapted<T> a;
  const neural_field f(a.network, time_input::yes);
  const neural_field whole(wide, time_input::yes);
  random_numbers random(5);
  const batch_of<T> y0 = random.like(Eigen::MatrixXd(2, 9)).template cast<T>();
  const problem q{f, y0, 0.0, 1.5, a.low};
  const problem m{whole, y0, 0.0, 1.5, a.merged};
  auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 2});
  auto merged = solve(m, tsit5{}, o, recursive_checkpoint{.slots = 2});
  const auto g = s.pullback({.y = s.y, .ys = s.ys});
  const auto of_merged = merged.pullback({.y = merged.y, .ys = merged.ys});
  CHECK(off(s.y, merged.y) <= rounding);
  CHECK(off(g.y0, of_merged.y0) <= rounding);
  CHECK(off(g.p, a.of_adapters(of_merged.p)) <= rounding);
  const cotangents<batch_of<T>> w{.y = s.y, .ys = s.ys};
  for (const index tapes : {0, 1, 5, 1000}) {
    auto again = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 2, .field_tapes = tapes});
    for (const auto& h : again.gradients({w, w})) {
      CHECK(h.y0 == g.y0);
      CHECK(h.p == g.p);
    }
  }
}

TEST_CASE("adapters: shared steps, fixed and chosen, K losses, any number of tapes") {
  const options fixed{.fixed_step = 0.1, .save = {.ts = {0.33, 1.2}}};
  const options chosen{.rtol = 1e-5, .atol = 1e-5, .first_step = 0.9, .save = {.ts = {0.33, 1.2}}};
  for (const options& o : {fixed, chosen}) {
    check_shared<double>(o, 1e-12);
    check_shared<float>(o, 1e-4);
  }
}

}  // namespace
}  // namespace revode::nn
