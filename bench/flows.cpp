// SPDX-License-Identifier: Apache-2.0
// What do the rows of a flow cost beside its field alone? Batches of 256 samples; the table is markdown.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/nn/flow_field.hpp>

namespace revode::nn {
namespace {

constexpr index samples = 256;

/// Milliseconds of the fastest of many calls.
template <class Call>
double fastest(const Call& call) {
  double least = 1e300;
  for (int run = 0; run < 100; ++run) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

template <class T, class Field>
void row(const std::string& name, const Field& f) {
  using numbers = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const auto some = [](index rows, index cols, std::uint64_t stream) {
    numbers x(rows, cols);
    for (index i = 0; i < x.size(); ++i)
      x.data()[i] = static_cast<T>(counter_uniform(1, stream, i) - 0.5);
    return x;
  };
  const numbers y = some(f.states(), samples, 1), w = some(f.states(), samples, 2);
  const Eigen::Matrix<T, Eigen::Dynamic, 1> p = some(f.parameters(), 1, 3);
  numbers out = y, gy = y;
  Eigen::Matrix<T, Eigen::Dynamic, 1> gp = p;
  T gt = 0;
  const double call = fastest([&] { f(T(0.5), y, p, out); });
  const double pull = fastest([&] { f.vjp(T(0.5), y, p, w, gt, gy, gp); });
  std::printf("| %s | %s | %.3f | %.3f |\n", name.c_str(),
              std::is_same_v<T, float> ? "float" : "double", call, pull);
}

template <class T>
void rows_of(const std::string& name, const std::vector<index>& widths) {
  const neural_field f(mlp(widths), time_input::yes);
  row<T>(name + ", the field", f);
  row<T>(name + ", exact trace", flow_field(f));
  row<T>(name + ", one random vector", flow_field(f, {.by = probes::rademacher}));
  row<T>(name + ", exact trace and norm", flow_field(f, {.squared_jacobian = true}));
}

}  // namespace
}  // namespace revode::nn

int main() {
  std::printf("| network, what of it | scalar | a call, ms | a vjp, ms |\n|---|---|---|---|\n");
  revode::nn::rows_of<float>("3-64-2", {3, 64, 2});
  revode::nn::rows_of<float>("3-64-64-2", {3, 64, 64, 2});
  revode::nn::rows_of<double>("3-64-2", {3, 64, 2});
  revode::nn::rows_of<double>("3-64-64-2", {3, 64, 64, 2});
}
