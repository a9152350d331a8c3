// SPDX-License-Identifier: Apache-2.0
// What does a pair cost that switches by itself, beside the better of its two methods run alone? Named
// problems of up to 100 components; the table is markdown.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/switching.hpp>

namespace revode {
namespace {

struct row {
  bool success = false;
  double seconds = 1e300;
  statistics stats{};
};

template <class M>
row measure(const erased_problem& named, double rtol) {
  const problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd> q{
      named.f, named.y0, named.t0, named.t1, named.p};
  const options o{
      .rtol = rtol, .atol = named.stiff() ? named.atol(rtol) : rtol, .max_steps = 100'000};
  row r;
  for (int run = 0; run < 20; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const auto s = solve(q, M{}, o);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    r.seconds = std::min(r.seconds, took.count());
    r.success = s.status == status::success;
    r.stats = s.stats;
    if (!r.success || took.count() > 0.3) break;
  }
  return r;
}

std::vector<std::string> problems() {
  std::vector<std::string> names{
      "lorenz96:40", "brusselator_1d:20", "brusselator_2d:6", "heat_1d:40", "burgers_1d:50",
      "kepler:0.9",  "detest:A1",         "detest:B1",        "detest:B4",  "detest:C1",
      "detest:D5",   "detest:E2",         "detest:E5"};
  for (const catalog_entry& e : catalog()) {
    const std::string name(e.name);
    const bool other =
        name == "bouncing_ball" || name == "detest" || name == "ring_modulator" || e.massive;
    if (!other && make_problem(name).y0.size() <= 100) names.push_back(name);
  }
  return names;
}

void print_table(double rtol) {
  std::printf(
      "\n## rtol %g\n\n| problem | components | tsit5, ms | rodas5p, ms | pair, ms | ratio to the "
      "better | steps | factorisations |\n|---|---|---|---|---|---|---|---|\n",
      rtol);
  double logarithms = 0;
  int count = 0, failures = 0;
  for (const std::string& name : problems()) {
    const erased_problem q = make_problem(name);
    const row a = measure<tsit5>(q, rtol), b = measure<rodas5p>(q, rtol);
    const row pair = measure<tsit5_rodas5p>(q, rtol);
    const double best = std::min(a.success ? a.seconds : 1e300, b.success ? b.seconds : 1e300);
    const auto cell = [](const row& r) {
      return r.success ? std::to_string(1e3 * r.seconds) : std::string("–");
    };
    std::printf("| %s | %ld | %s | %s | %s | %.2f | %ld | %ld |\n", name.c_str(),
                static_cast<long>(q.y0.size()), cell(a).c_str(), cell(b).c_str(),
                cell(pair).c_str(), pair.seconds / best, static_cast<long>(pair.stats.accepted),
                static_cast<long>(pair.stats.factorizations));
    logarithms += std::log(pair.seconds / best);
    ++count;
    failures += pair.success ? 0 : 1;
  }
  std::printf("\nGeometric mean of %d ratios: %.2f; the pair failed on %d.\n", count,
              std::exp(logarithms / count), failures);
}

}  // namespace
}  // namespace revode

int main() {
  std::printf("# A pair that switches beside its parts\n");
  for (const double rtol : {1e-4, 1e-6, 1e-8}) revode::print_table(rtol);
}
