// SPDX-License-Identifier: Apache-2.0
// Does Radau of variable order take about as long as the best of the three fixed orders, whatever the
// tolerance? Named stiff problems at ten tolerances; bench/draw/radau.py reads times at equal digits.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/radau.hpp>

#include "json_lines.hpp"
#include "processor_seconds.hpp"

namespace revode {
namespace {

struct row {
  bool success = false;
  double digits = 0, seconds = 1e300;
  statistics stats{};
};

/// −log₁₀ of the largest error over atol/rtol + |reference|.
double digits_of(const erased_problem& q, const Eigen::VectorXd& y,
                 const Eigen::VectorXd& reference, const options& o) {
  double worst = 1e-16;
  for (Eigen::Index k = 0; k < reference.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double found = q.reference.size() > 0 ? y[q.reference_components[at]] : y[k];
    const double size = o.atol / o.rtol + std::abs(reference[k]);
    worst = std::fmax(worst, std::abs(found - reference[k]) / size);
  }
  return -std::log10(worst);
}

using named_problem = problem<const erased_field&, Eigen::VectorXd, Eigen::VectorXd>;

options options_of(const erased_problem& named, double rtol) {
  options o{.rtol = rtol, .atol = named.atol(rtol), .max_steps = 200'000};
  o.discontinuities = named.jumps;
  return o;
}

/// One more run: the least time counts.
template <class M>
void run_again(const erased_problem& named, const Eigen::VectorXd& reference, double rtol, row& r) {
  const named_problem q{named.f, named.y0, named.t0, named.t1, named.p};
  const options o = options_of(named, rtol);
  const double start = processor_seconds();
  const auto s = solve(q, M{}, o);
  r.seconds = std::min(r.seconds, processor_seconds() - start);
  r.success = s.status == status::success;
  r.stats = s.stats;
  if (r.success) r.digits = digits_of(named, s.y, reference, o);
}

const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};

const char* const names[] = {"radau", "radau_iia5", "radau_iia9", "radau_iia13"};

nlohmann::json named(const std::string& problem, double rtol, const char* method, const row& r) {
  return {{"problem", problem},
          {"rtol", rtol},
          {"method", method},
          {"status", r.success ? "success" : "fails"},
          {"digits", r.digits},
          {"steps", r.stats.accepted},
          {"rejected", r.stats.rejected},
          {"evaluations", r.stats.field_evaluations},
          {"jacobians", r.stats.jacobian_evaluations},
          {"factorizations", r.stats.factorizations},
          {"seconds", r.seconds}};
}

void measure_all(kept_rows& rows, const std::string& name) {
  const erased_problem q = make_problem(name);
  Eigen::VectorXd reference = q.reference;
  if (reference.size() == 0)
    reference =
        solve(named_problem{q.f, q.y0, q.t0, q.t1, q.p}, radau_iia13{}, options_of(q, 1e-13)).y;
  for (const double rtol : tolerances) {
    row of[4];
    const double start = processor_seconds();
    // In turn, so that a slow moment of the machine meets all alike.
    for (int run = 0; run < 40 && processor_seconds() - start < 1.5; ++run) {
      run_again<radau>(q, reference, rtol, of[0]);
      run_again<radau_iia5>(q, reference, rtol, of[1]);
      run_again<radau_iia9>(q, reference, rtol, of[2]);
      run_again<radau_iia13>(q, reference, rtol, of[3]);
    }
    for (int m = 0; m < 4; ++m) rows.add(named(name, rtol, names[m], of[m]));
  }
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  revode::kept_rows rows;
  for (const char* name : {"rober", "hires", "pollu", "vdpol_stiff", "orego", "e5", "beam", "cusp",
                           "medakzo:20", "ring_modulator"})
    revode::measure_all(rows, name);
  rows.write(revode::output_of(argc, argv, "radau.json"));
}
