// SPDX-License-Identifier: Apache-2.0
// What does an exact gradient cost over the solve it belongs to, in time, in steps and in memory? The
// Lorenz system, with the automatic derivatives of the field and with a hand-written vjp.

#include <cstdio>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/all.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

#include "measure.hpp"

namespace revode {
namespace {

using state = vec<double, 3>;

struct lorenz_with_vjp : lorenz {
  static constexpr const char* name = "own vjp";
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  REVODE_HD void vjp(const T&, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    gy[0] += (p[1] - y[2]) * w[1] + y[1] * w[2] - p[0] * w[0];
    gy[1] += p[0] * w[0] - w[1] + y[0] * w[2];
    gy[2] -= y[0] * w[1] + p[2] * w[2];
    if (gp.size() > 0) {
      gp[0] += (y[1] - y[0]) * w[0];
      gp[1] += y[0] * w[1];
      gp[2] -= y[2] * w[2];
    }
  }
};

struct lorenz_automatic : lorenz {
  static constexpr const char* name = "auto";
};

/// How a row of the first table is integrated.
struct setting {
  const char* name;
  options how;
  recursive_checkpoint kept;
  double t1 = 10;
};

struct row {
  std::string solver, derivative, setting, forward, gradient;
  index steps = 0;
  reverse_statistics reverse{};
};

template <class F>
auto lorenz_problem(const F& field, double t1) {
  return problem{F(field), field.y0(), 0.0, t1, field.parameters()};
}

template <class M, class F>
void add_rows(std::vector<row>& rows, const M& m, const F& field,
              const std::vector<setting>& settings) {
  for (const setting& s : settings) {
    const auto q = lorenz_problem(field, s.t1);
    auto once = solve(q, m, s.how, s.kept);
    row r{M::name, F::name, s.name, "", "", once.stats.accepted, {}};
    r.reverse = once.pullback(state{1, 0, 0}).reverse;
    const std::string at = r.solver + "/" + r.derivative + "/" + r.setting;
    r.forward = at + "/forward";
    r.gradient = at + "/gradient";
    measure(r.forward, [q, m, s] { return solve(q, m, s.how).y; });
    measure(r.gradient, [q, m, s] {
      auto d = solve(q, m, s.how, s.kept);
      return d.pullback(state{1, 0, 0});
    });
    rows.push_back(r);
  }
}

nlohmann::json tabulate(const std::vector<row>& rows, const collector& times) {
  std::printf("\n%-8s %-8s %-34s %9s %9s %7s %9s %7s %7s\n", "method", "vjp", "", "forward us",
              "grad us", "ratio", "steps", "replays", "peak kB");
  nlohmann::json out;
  for (const row& r : rows) {
    const double forward = times.median(r.forward), gradient = times.median(r.gradient);
    const double replays =
        static_cast<double>(r.reverse.replayed_steps) / static_cast<double>(r.steps);
    std::printf("%-8s %-8s %-34s %10.1f %9.1f %7.2f %9ld %7.2f %7.0f\n", r.solver.c_str(),
                r.derivative.c_str(), r.setting.c_str(), forward * 1e6, gradient * 1e6,
                gradient / forward, static_cast<long>(r.steps), replays,
                static_cast<double>(r.reverse.peak_bytes) / 1e3);
    out.push_back({{"method", r.solver},
                   {"derivative", r.derivative},
                   {"setting", r.setting},
                   {"forward_seconds", forward},
                   {"gradient_seconds", gradient},
                   {"ratio", gradient / forward},
                   {"steps", r.steps},
                   {"replayed_steps", r.reverse.replayed_steps},
                   {"vjp_evaluations", r.reverse.vjp_evaluations},
                   {"peak_bytes", r.reverse.peak_bytes}});
  }
  return out;
}

/// Peak bytes and replays of fixed steps, against the number of steps. Nothing is timed.
nlohmann::json memory_table() {
  std::printf("\nfixed steps of tsit5 on decay: peak bytes (replays a step)\n%12s", "steps");
  struct budget {
    const char* name;
    recursive_checkpoint kept;
  };
  const std::vector<budget> budgets{{"10 slots", {.slots = 10}},
                                    {"20 slots", {.slots = 20}},
                                    {"68 slots", {.slots = 68}},
                                    {"store_all", {.schedule = schedule_kind::store_all}}};
  for (const budget& b : budgets) std::printf("%26s", b.name);
  std::printf("\n");
  nlohmann::json out;
  for (index n = 100; n <= 1'000'000; n *= 10) {
    std::printf("%12ld", static_cast<long>(n));
    for (const budget& b : budgets) {
      const decay field;
      const problem q{decay{}, field.y0(), 0.0, 1.0, field.parameters()};
      auto d = solve(q, tsit5{}, options{.fixed_step = 1.0 / static_cast<double>(n)}, b.kept);
      const reverse_statistics r = d.pullback(vec{1.0}).reverse;
      std::printf("%15ld (%8.4f)", static_cast<long>(r.peak_bytes),
                  static_cast<double>(r.replayed_steps) / static_cast<double>(n));
      out.push_back({{"steps", n},
                     {"budget", b.name},
                     {"peak_bytes", r.peak_bytes},
                     {"peak_states", r.peak_states},
                     {"replayed_steps", r.replayed_steps},
                     {"restores", r.restores}});
    }
    std::printf("\n");
  }
  return out;
}

int run(int argc, char** argv) {
  nlohmann::json out{{"machine", machine()}};
  print_machine(out["machine"]);
  const recursive_checkpoint all{.schedule = schedule_kind::store_all};
  const recursive_checkpoint twenty{.slots = 20};
  const recursive_checkpoint offline{.slots = 20, .schedule = schedule_kind::binomial};
  const options adaptive{.rtol = 1e-8, .atol = 1e-8}, fixed{.fixed_step = 1e-3};
  const double long_run = 105;  // some 10^4 steps at 1e-8
  const std::vector<setting> settings{
      {"adaptive, store_all", adaptive, all},
      {"adaptive, long, store_all", adaptive, all, long_run},
      {"adaptive, long, 20 slots", adaptive, twenty, long_run},
      {"adaptive, long, 20, two sweeps", adaptive, offline, long_run},
      {"10^4 fixed steps, store_all", fixed, all},
      {"10^4 fixed steps, 20 slots", fixed, twenty}};
  std::vector<row> rows;
  add_rows(rows, tsit5{}, lorenz_automatic{}, settings);
  add_rows(rows, tsit5{}, lorenz_with_vjp{}, settings);
  add_rows(rows, dopri5{}, lorenz_automatic{}, settings);
  add_rows(rows, dopri5{}, lorenz_with_vjp{}, settings);
  collector times;
  const std::string json = run_all(argc, argv, times);
  out["gradients"] = tabulate(rows, times);
  out["memory"] = memory_table();
  write_json(json, out);
  return 0;
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) { return revode::run(argc, argv); }
