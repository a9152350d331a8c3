// SPDX-License-Identifier: Apache-2.0
// What does the compiled interface cost? Solves by name, over callbacks and over an erased field, beside the
// templates, over vec or arrays of the problem's own and over Eigen vectors: times over those of the templates.

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <revode/any.hpp>
#include <revode/problems/all.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/revode.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

#include "measure.hpp"

namespace revode {
namespace {

template <class V>
any_state as_state(const V& v) {
  return {v.data(), v.data() + v.size()};
}

struct row {
  std::string problem, method;
  int n = 0;
  bool callbacks = true;
  std::string name(const char* way) const { return problem + "/" + method + "/" + way; }
};

constexpr const char* ways[] = {"template", "Eigen", "erased", "callbacks"};

template <class F, class M>
void add_row(std::vector<row>& rows, const F& f, const M& m) {
  constexpr bool stiff = !std::is_same_v<M, tsit5> && !std::is_same_v<M, dop853>;
  const options o{.rtol = 1e-6, .atol = 1e-9};
  const auto own = problem{F(f), f.y0(), F::t0, F::t1, f.parameters()};
  const any_state y0 = as_state(own.y0), p = as_state(own.p);
  const auto to_eigen = [](const any_state& v) -> Eigen::VectorXd {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), length(v));
  };
  const auto eigen = problem{F(f), to_eigen(y0), F::t0, F::t1, to_eigen(p)};
  any_problem erased{.y0 = y0, .t0 = F::t0, .t1 = F::t1, .p = p};
  erased.f = std::make_shared<const erased_field>(f);
  rows.push_back({F::name, M::name, length(y0), !stiff});
  const row& r = rows.back();
  measure(r.name(ways[0]), [own, m, o] { return solve(own, m, o).t; });
  measure(r.name(ways[1]), [eigen, m, o] { return solve(eigen, m, o).t; });
  measure(r.name(ways[2]), [erased, o] { return solve(erased, M::name, o).t; });
  if (stiff) return;  // callbacks would need a Jacobian of their own
  any_problem called = erased;
  called.f = any_callbacks{.f = [f](double t, auto y, auto q, std::span<double> dy) {
    // these fields want y and dy of one type
    f(t, std::span<double>(const_cast<double*>(y.data()), y.size()), q, dy);
  }};
  measure(r.name(ways[3]), [called, o] { return solve(called, M::name, o).t; });
}

int run(int argc, char** argv) {
  nlohmann::json out{{"machine", machine()}};
  print_machine(out["machine"]);
  std::vector<row> rows;
  add_row(rows, decay{}, tsit5{});
  add_row(rows, harmonic{}, tsit5{});
  add_row(rows, lotka_volterra{}, tsit5{});
  add_row(rows, lorenz{}, tsit5{});
  add_row(rows, kepler{}, dop853{});
  add_row(rows, arenstorf{}, dop853{});
  add_row(rows, lorenz96{}, tsit5{});
  add_row(rows, pleiades{}, dop853{});
  add_row(rows, rober{}, rodas5p{});
  add_row(rows, hires{}, rodas5p{});
  add_row(rows, pollu{}, radau_iia5{});
  add_row(rows, brusselator_1d{}, radau_iia5{});
  collector times;
  const std::string json = run_all(argc, argv, times);
  std::printf(
      "\n| problem | n | method | template, µs | Eigen | erased | callbacks "
      "|\n|---|---|---|---|---|---|---|\n");
  for (const row& r : rows) {
    const double of_own = times.median(r.name(ways[0]));
    std::printf("| %s | %d | %s | %.3g |", r.problem.c_str(), r.n, r.method.c_str(), 1e6 * of_own);
    nlohmann::json one{
        {"problem", r.problem}, {"method", r.method}, {"n", r.n}, {"template_seconds", of_own}};
    for (int k = 1; k < 4; ++k) {
      const double ratio = times.median(r.name(ways[k])) / of_own;
      std::isnan(ratio) ? std::printf(" – |") : std::printf(" %.2f |", ratio);
      if (!std::isnan(ratio)) one[ways[k]] = ratio;
    }
    std::printf("\n");
    out["rows"].push_back(one);
  }
  write_json(json, out);
  return 0;
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) { return revode::run(argc, argv); }
