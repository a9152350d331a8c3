// SPDX-License-Identifier: Apache-2.0
// What does a pair cost that switches by itself, beside the better of its two methods run alone? Named
// problems of up to 100 components.

#include <algorithm>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/switching.hpp>

#include "json_lines.hpp"
#include "processor_seconds.hpp"

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
    const double start = processor_seconds();
    const auto s = solve(q, M{}, o);
    const double took = processor_seconds() - start;
    r.seconds = std::min(r.seconds, took);
    r.success = s.status == status::success;
    r.stats = s.stats;
    if (!r.success || took > 0.3) break;
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

nlohmann::json seconds(const row& r) {
  return r.success ? nlohmann::json(r.seconds) : nlohmann::json();
}

void measure_all(kept_rows& rows, double rtol) {
  for (const std::string& name : problems()) {
    const erased_problem q = make_problem(name);
    const row pair = measure<tsit5_rodas5p>(q, rtol);
    rows.add({{"rtol", rtol},
              {"problem", name},
              {"components", q.y0.size()},
              {"tsit5", seconds(measure<tsit5>(q, rtol))},
              {"rodas5p", seconds(measure<rodas5p>(q, rtol))},
              {"pair", seconds(pair)},
              {"steps", pair.stats.accepted},
              {"factorizations", pair.stats.factorizations}});
  }
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  revode::kept_rows rows;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) revode::measure_all(rows, rtol);
  rows.write(revode::output_of(argc, argv, "switching.json"));
}
