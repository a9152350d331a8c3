// SPDX-License-Identifier: Apache-2.0
#include "../malloc_counts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/blocks.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/minibatches.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

#include "../refusal.hpp"

namespace revode::nn {
namespace {

using batch = Eigen::MatrixXd;
using flat = Eigen::VectorXd;

struct pendulum {
  static constexpr int states = 2, parameters = 1;
  template <class T, class Y, class Q>
  void operator()(const T& t, const Y& y, const Q& q, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = 0.1 * t - q[0] * sin(y[0]);
  }
};

batch some_batch(index states, index samples) {
  random_numbers random(2);
  return random.like(batch(states, samples));
}

/// ⟨w, J v⟩ = ⟨Jᵀ w, v⟩ for solves of a field, and the same bits for few slots as for all.
template <class Field>
void check_solves(const Field& f, const batch& y0) {
  random_numbers random(6);
  const problem q{f, y0, 0.0, 1.0, flat(0.5 * random.like(flat(f.parameters())))};
  const options o{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.3, 0.8}}};
  const auto law = dot_product_law(q, tsit5{}, o, recursive_checkpoint{.slots = 3}, 3);
  CAPTURE(law.worst);
  CHECK(law.holds);
  CHECK(equal_gradients_law(q, tsit5{}, o, recursive_checkpoint{.slots = 2},
                            recursive_checkpoint{.slots = 100})
            .holds);
}

TEST_CASE("neural fields: solves of batches and their gradients, the same bits in every budget") {
  const batch y0 = some_batch(2, 4);
  check_solves(neural_field(mlp({2, 8, 2})), y0);
  check_solves(neural_field(mlp({3, 8, 2}, activation::silu), time_input::yes), y0);
  check_solves(neural_field(mlp({2, 5, 1}), pendulum{}, 1), y0);
  check_solves(neural_field(mlp({3, 5, 1}), pendulum{}, 1, time_input::yes), y0);
}

TEST_CASE("neural fields: the continuous adjoints come to the same gradient") {
  const neural_field f(mlp({3, 6, 2}), time_input::yes);
  const problem q{f, some_batch(2, 3), 0.0, 1.0, initial_parameters<double>(f.network(), 1)};
  const options o{.rtol = 1e-9, .atol = 1e-9};
  const batch w = some_batch(2, 3);
  const auto gradient = [&](const auto& adjoint) {
    auto s = solve(q, tsit5{}, o, adjoint);
    return s.pullback({.y = w});
  };
  const auto exact = gradient(recursive_checkpoint{});
  for (const auto& g : {gradient(gauss{}), gradient(backsolve{})}) {
    CHECK(g.status == status::success);
    CHECK((g.p - exact.p).norm() <= 1e-6 * exact.p.norm());
    CHECK((g.y0 - exact.y0).norm() <= 1e-6 * exact.y0.norm());
  }
}

TEST_CASE("neural fields: Hessian products are symmetric") {
  const neural_field f(mlp({2, 5, 1}), pendulum{}, 1);
  random_numbers random(9);
  const problem q{f, some_batch(2, 2), 0.0, 0.7, flat(random.like(flat(f.parameters())))};
  const auto loss = [](const auto& y) {
    auto sum = y.data()[0] * y.data()[0];
    for (int i = 1; i < 4; ++i) sum += y.data()[i] * y.data()[i];
    return sum;
  };
  const options o{.fixed_step = 0.1};
  const tangents<batch, flat> u{.y0 = random.like(q.y0), .p = random.like(q.p)},
      v{.y0 = random.like(q.y0), .p = random.like(q.p)};
  const auto hu = hessian_vector_product(q, rk4{}, o, loss, u, 3);
  const auto hv = hessian_vector_product(q, rk4{}, o, loss, v, 3);
  const double one = hu.product->y0.cwiseProduct(v.y0).sum() + hu.product->p.dot(v.p);
  const double other = hv.product->y0.cwiseProduct(u.y0).sum() + hv.product->p.dot(u.p);
  CHECK(std::abs(one - other) <= 1e-12 * std::abs(one));
}

TEST_CASE("neural fields: floats stay floats and give the gradient of doubles to 1e-5") {
  const neural_field f(mlp({2, 8, 2}));
  const auto p = initial_parameters<float>(f.network(), 1);
  const batch y0 = some_batch(2, 6).cast<float>().cast<double>(), w = some_batch(2, 6);
  const problem narrow{f, Eigen::MatrixXf(y0.cast<float>()), 0.0, 1.0, p};
  const problem wide{f, y0, 0.0, 1.0, flat(p.cast<double>())};
  auto a = solve(narrow, rk4{}, {.fixed_step = 0.1}, recursive_checkpoint{.slots = 3});
  auto b = solve(wide, rk4{}, {.fixed_step = 0.1}, recursive_checkpoint{.slots = 3});
  const auto of_a = a.pullback({.y = Eigen::MatrixXf(w.cast<float>())});
  const auto of_b = b.pullback({.y = w});
  CHECK((of_a.p.cast<double>() - of_b.p).norm() <= 1e-5 * of_b.p.norm());
}

#ifdef COUNTS_MALLOC
TEST_CASE("neural fields: no call allocates after the first of its size") {
  const neural_field f(mlp({3, 50, 2}), pendulum{}, 0, time_input::yes);
  const batch y = some_batch(2, 20), w = y;
  const flat p = flat::Constant(f.parameters(), 0.1), dp = p;
  batch out = y, gy = y;
  flat gp = p;
  vec<double, 0> frozen;
  double gt = 0;
  const auto all = [&] {
    f(0.5, y, p, out);
    f.vjp(0.5, y, p, w, gt, gy, gp);
    f.vjp(0.5, y, p, w, gt, gy, frozen);
    f.jvp(0.5, y, p, 1.0, w, dp, out);
  };
  all();
  const long before = allocations;
  for (int i = 0; i < 3; ++i) all();
  CHECK(allocations == before);
}

/// kB that were in memory at worst since they were last asked for; -1 where /proc does not tell.
long peak_of_memory() {
  std::ifstream status("/proc/self/status");
  long peak = -1;
  for (std::string word; peak < 0 && status >> word;)
    if (word == "VmHWM:") status >> peak;
  std::ofstream reset("/proc/self/clear_refs");
  return reset << 5 << std::flush ? peak : -1;
}

TEST_CASE("neural fields: a thousand epochs take the memory of ten") {
  const batch data = some_batch(2, 50);
  const neural_field f(mlp({2, 8, 2}));
  problem q{f, batch(2, 10), 0.0, 1.0, initial_parameters<double>(f.network(), 1)};
  const double* const home = q.p.data();
  adam<double> optimiser(q.p.size());
  minibatches batches(50, 10, 1);
  const auto train = [&](index from, index to) {
    for (index step = from * batches.count(); step < to * batches.count(); ++step) {
      take_samples(data, 2, batches.of(step / batches.count(), step % batches.count()), q.y0);
      auto s = solve(q, tsit5{}, {.rtol = 1e-4, .atol = 1e-4}, recursive_checkpoint{.slots = 3});
      optimiser.step(q.p, s.pullback({.y = s.y}).p, 1e-3);
    }
    return peak_of_memory();
  };
  peak_of_memory();
  const long ten = train(0, 10), thousand = train(10, 1000);
  MESSAGE("peak of 10 epochs " << ten << " kB, of the next 990 " << thousand << " kB");
  CHECK(thousand <= ten + 64);  // a batch's y̅ a step would be 780 kB
  CHECK(q.p.data() == home);
}

TEST_CASE("neural fields: a frozen weight of 64 × 1024 takes no byte in a gradient") {
  const dense_layer layer{64, 1024, activation::tanh};
  const Eigen::VectorXf weights = initial_parameters<float>(layer, 1);
  const neural_field f(chain(lora_layer(layer, weights, 2), dense_layer{1024, 64}));
  const Eigen::VectorXf head = initial_parameters<float>(dense_layer{1024, 64}, 2);
  const neural_field all_frozen(
      chain(lora_layer(layer, weights, 2), frozen_module(dense_layer{1024, 64}, head)));
  CHECK(all_frozen.parameters() == 2 * (64 + 1024));
  const Eigen::MatrixXf y = some_batch(64, 1).cast<float>();
  const auto p = initial_parameters<float>(all_frozen.network(), 1);
  const long before = allocated;
  auto s = solve(problem{all_frozen, y, 0.0, 1.0, p}, rk4{}, {.fixed_step = 0.5},
                 recursive_checkpoint{.slots = 2});
  const auto g = s.pullback({.y = y});
  CHECK(g.p.size() == 2 * (64 + 1024));
  CHECK(allocated - before < static_cast<long>(sizeof(float)) * weights.size());
}
#endif

TEST_CASE("neural fields: a batch and weights that lie elsewhere are copied") {
  const neural_field f(mlp({2, 8, 2}));
  const batch y0 = some_batch(2, 4);
  const flat p = initial_parameters<double>(f.network(), 1);
  std::vector<double> numbers(y0.data(), y0.data() + y0.size());
  const problem of_map{f, Eigen::Map<const batch>(numbers.data(), 2, 4), 0.0, 1.0,
                       vector_view<const double>(p.data(), p.size())};
  const problem of_block{f, y0.leftCols(4), 0.0, 1.0, 1 * p};
  static_assert(std::is_same_v<decltype(of_map)::state_type, batch>);
  static_assert(std::is_same_v<decltype(of_block)::parameter_type, flat>);
  using unaligned = Eigen::Matrix<double, 4, 1, Eigen::DontAlign>;
  static_assert(std::is_same_v<own_array_t<unaligned>, unaligned>);
  auto a = solve(of_map, tsit5{}, {}, recursive_checkpoint{.slots = 2});
  auto b = solve(problem{f, y0, 0.0, 1.0, p}, tsit5{}, {}, recursive_checkpoint{.slots = 2});
  CHECK(a.y == b.y);
  CHECK(a.pullback({.y = y0}).p == b.pullback({.y = y0}).p);
  CHECK(batch(Eigen::Map<batch>(numbers.data(), 2, 4)) == y0);
  CHECK(of_block.y0 == y0);
}

TEST_CASE("neural fields: misuse is told with what to do") {
  CHECK(refusal([] {
          neural_field(mlp({3, 4, 2}));
        }) == "network with 3 inputs (the field has 2 states) give it 2 inputs?");
  CHECK(refusal([] {
          neural_field(mlp({2, 4, 2}), time_input::yes);
        }) == "network with 2 inputs (the field has 2 states and the time) give it 3 inputs?");
  CHECK(refusal([] {
          neural_field(mlp({2, 4, 1}), pendulum{}, 2);
        }) ==
        "network with 1 outputs from row 2 on (the physics has 2 states) add them to rows that "
        "are there?");
  const neural_field f(mlp({2, 4, 2}));
  const flat p = initial_parameters<double>(f.network(), 1);
  const auto solved = [&](const batch& y, const flat& with) {
    return refusal([&] { solve(problem{f, y, 0.0, 1.0, with}, rk4{}, {.fixed_step = 0.5}); });
  };
  CHECK(solved(batch(2, 0), p) ==
        "batch of 0 numbers (a sample has 2, and there is at least one) give a whole number of "
        "samples?");
  CHECK(solved(batch::Zero(3, 2), p) ==
        "batch of 3 x 2 numbers, column after column (a sample has 2, one behind the other in "
        "memory) transpose the matrix?");
  using by_rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  CHECK(whole_samples("batch", by_rows(3, 2), 2) == 3);  // as of NumPy and torch
  CHECK(refusal([] { whole_samples("batch", by_rows(2, 3), 2); }) ==
        "batch of 2 x 3 numbers, row after row (a sample has 2, one behind the other in memory) "
        "transpose the matrix?");
  CHECK(solved(batch::Zero(3, 1), p) ==
        "batch of 3 numbers (a sample has 2, and there is at least one) give a whole number of "
        "samples?");
  CHECK(solved(batch::Zero(2, 3), flat::Zero(21)) ==
        "21 parameters (the network has 22) give as many, initial_parameters for a start?");
}

}  // namespace
}  // namespace revode::nn
