// SPDX-License-Identifier: Apache-2.0
// Does Radau of variable order take about as long as the best of the three fixed orders, whatever the
// tolerance? Named stiff problems at ten tolerances; times at equal digits lie on the curve of each
// method's time over its digits. The tables are markdown.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <revode/interop/eigen.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/radau.hpp>

#include "monotone.hpp"

namespace revode {
namespace {

struct row {
  bool success = false;
  double digits = 0, seconds = 1e300;
  statistics stats{};
};

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

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

/// Seconds for so many digits, on the curve of those that rise; 0 where it is not reached.
double seconds_at(const std::vector<row>& rows, double digits) {
  std::vector<double> at, seconds;
  for (const row& r : rows) {
    if (!r.success) continue;
    at.push_back(r.digits);
    seconds.push_back(std::log(r.seconds));
  }
  at = risen(at);
  seconds = risen(seconds);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < digits) continue;
    if (i == 0) return at[0] - digits < 1 ? std::exp(seconds[0]) : 0;
    const double part = (digits - at[i - 1]) / (at[i] - at[i - 1]);
    return std::exp(seconds[i - 1] + part * (seconds[i] - seconds[i - 1]));
  }
  return 0;
}

struct by_method {
  std::vector<row> rows[4];
};
const char* const names[] = {"radau", "radau_iia5", "radau_iia9", "radau_iia13"};

by_method measure_all(const std::string& name) {
  const erased_problem named = make_problem(name);
  Eigen::VectorXd reference = named.reference;
  if (reference.size() == 0) {
    options o = options_of(named, 1e-13);
    reference =
        solve(named_problem{named.f, named.y0, named.t0, named.t1, named.p}, radau_iia13{}, o).y;
  }
  by_method found;
  for (const double rtol : tolerances) {
    row of[4];
    const double start = processor_seconds();
    // In turn, so that a slow moment of the machine meets all alike.
    for (int run = 0; run < 40 && processor_seconds() - start < 1.5; ++run) {
      run_again<radau>(named, reference, rtol, of[0]);
      run_again<radau_iia5>(named, reference, rtol, of[1]);
      run_again<radau_iia9>(named, reference, rtol, of[2]);
      run_again<radau_iia13>(named, reference, rtol, of[3]);
    }
    for (int m = 0; m < 4; ++m) found.rows[m].push_back(of[m]);
  }
  return found;
}

void print_counts(const std::string& name, const by_method& found) {
  std::printf(
      "\n## %s\n\n| rtol | method | digits | steps + rejected | evaluations | Jacobians | "
      "factorisations | ms |\n|---|---|---|---|---|---|---|---|\n",
      name.c_str());
  for (const std::size_t k : {1U, 3U, 5U, 7U})
    for (int m = 0; m < 4; ++m) {
      const row& r = found.rows[m][k];
      if (!r.success) {
        std::printf("| %g | %s | fails | | | | | |\n", tolerances[k], names[m]);
        continue;
      }
      std::printf("| %g | %s | %.2f | %ld + %ld | %ld | %ld | %ld | %.3f |\n", tolerances[k],
                  names[m], r.digits, static_cast<long>(r.stats.accepted),
                  static_cast<long>(r.stats.rejected), static_cast<long>(r.stats.field_evaluations),
                  static_cast<long>(r.stats.jacobian_evaluations),
                  static_cast<long>(r.stats.factorizations), 1e3 * r.seconds);
    }
}

struct fastest {
  double seconds = 0;
  int method = 0;
};
/// Of the fixed orders at so many digits; 0 where none reaches them.
fastest fastest_fixed(const by_method& found, int digits) {
  fastest best;
  for (int m = 1; m < 4; ++m) {
    const double t = seconds_at(found.rows[m], digits);
    if (t > 0 && (best.seconds == 0 || t < best.seconds)) best = {t, m};
  }
  return best;
}

/// A geometric mean, and the largest.
struct ratios {
  double logarithms = 0, most = 0;
  int count = 0, beyond = 0;
  void add(double ratio) {
    logarithms += std::log(ratio);
    most = std::fmax(most, ratio);
    ++count;
    beyond += ratio > 1.15 ? 1 : 0;
  }
  double mean() const { return count > 0 ? std::exp(logarithms / count) : 0; }
};

void print_head(const char* title, const char* first) {
  std::printf("\n## %s\n\n| %s |", title, first);
  for (int d = 3; d <= 11; ++d) std::printf(" %d |", d);
  std::printf(" mean |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
}

/// Time of the variable order over the least of the fixed ones at the same digits.
void print_ratios(const std::vector<std::string>& problems, const std::vector<by_method>& all) {
  print_head("Times at equal digits, over the best fixed order's", "problem");
  ratios total;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    std::printf("| %s |", problems[i].c_str());
    ratios here;
    for (int d = 3; d <= 11; ++d) {
      const fastest best = fastest_fixed(all[i], d);
      const double own = seconds_at(all[i].rows[0], d);
      if (own == 0 || best.seconds == 0) {
        std::printf(" – |");
        continue;
      }
      const char* const order[] = {"", "5", "9", "13"};
      std::printf(" %.2f (%s) |", own / best.seconds, order[best.method]);
      here.add(own / best.seconds);
      total.add(own / best.seconds);
    }
    std::printf(" %.2f |\n", here.mean());
  }
  std::printf("\nGeometric mean of %d ratios: %.2f; %d above 1.15.\n", total.count, total.mean(),
              total.beyond);
}

/// The same of each method: the geometric mean over the problems it solves, and the largest.
void print_means(const std::vector<by_method>& all) {
  print_head("Geometric means over the problems, and the largest", "method");
  for (int m = 0; m < 4; ++m) {
    std::printf("| %s |", names[m]);
    ratios total;
    for (int d = 3; d <= 11; ++d) {
      ratios here;
      for (const by_method& found : all) {
        const fastest best = fastest_fixed(found, d);
        const double own = seconds_at(found.rows[m], d);
        if (own == 0 || best.seconds == 0) continue;
        here.add(own / best.seconds);
        total.add(own / best.seconds);
      }
      std::printf(" %.2f, %.2f |", here.mean(), here.most);
    }
    std::printf(" %.2f, %.2f of %d |\n", total.mean(), total.most, total.count);
  }
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  std::vector<std::string> problems(argv + 1, argv + argc);
  if (problems.empty())
    problems = {"rober", "hires", "pollu", "vdpol_stiff", "orego",
                "e5",    "beam",  "cusp",  "medakzo:20",  "ring_modulator"};
  std::vector<revode::by_method> all;
  std::printf("# Radau of variable order beside the fixed orders\n");
  for (const std::string& name : problems) {
    all.push_back(revode::measure_all(name));
    revode::print_counts(name, all.back());
    std::fflush(stdout);
  }
  revode::print_ratios(problems, all);
  revode::print_means(all);
}
