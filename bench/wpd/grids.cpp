// SPDX-License-Identifier: Apache-2.0
#include "grids.hpp"

#include <map>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#if __has_include(<klu.h>)
#include <revode/interop/klu.hpp>
#else
#include <revode/interop/eigen/sparse.hpp>
#endif
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/esdirk325.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "../adjoint/problems.hpp"
#include "graph.hpp"
#include "plain.hpp"

namespace revode::wpd {
namespace {

#if __has_include(<klu.h>)
using sparse_algebra = klu;
constexpr const char* sparse_label = ", KLU";
#else
using sparse_algebra = eigen_sparse;
constexpr const char* sparse_label = ", SparseLU";
#endif

/// The products with its Jacobian are written out, as a user of Krylov methods would.
using grid = bench::written_brusselator;

template <class F>
const std::vector<double>& reference_of(const std::string& name, const F& f) {
  static std::map<std::string, std::vector<double>> known;
  std::vector<double>& y = known[name];
  if (y.empty())
    y = solve_stiff(f, f.y0(), dop853{}, {.rtol = 1e-12, .atol = 1e-12, .max_steps = 1000000}).y;
  return y;
}

template <class F>
task task_of(const std::string& name, const F& f) {
  const auto digits = [name, f](const std::vector<double>& y, double scale) {
    const std::vector<double>& expected = reference_of(name, f);
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = std::abs(y[i] - expected[i]) / (scale + std::abs(expected[i]));
      worst = error <= worst || std::isnan(worst) ? worst : error;
    }
    return -std::log10(worst < 1e-17 ? 1e-17 : worst);
  };
  return {name, static_cast<int>(f.y0().size()),
          [digits](const std::vector<double>& y, double rtol) {
            return digits(y, F::atol(rtol) / rtol);
          },
          [digits](const std::vector<double>& y) { return digits(y, 1e-300); }};
}

template <class M, class F>
void add(contest& c, const std::string& name, const F& f, const char* label, const M& m) {
  using tag = std::remove_cvref_t<M>;
  if (!contest::among(c.methods, tag::name)) return;
  contest one;
  add_run(one, std::string(tag::name) + label, m, f);
  for (contender& who : one.all) c.add(name, who.solver, who.peer, std::move(who.solve));
}

template <class M, class F>
void add_with_klu(contest& c, const std::string& name, const F& f,
                  const std::shared_ptr<const sparsity>& pattern) {
  add(c, name, f, sparse_label, with_algebra<M, sparse_algebra>{{}, {pattern}});
}

template <class F>
std::shared_ptr<const sparsity> pattern_of(const F& f) {
  return std::make_shared<const sparsity>(sparsity_of(f, f.t0, f.y0(), f.parameters()));
}

}  // namespace

std::string grid_name(int width) {
  const std::string name = brusselator_2d::name;
  return width == brusselator_2d::default_size ? name : name + ":" + std::to_string(width);
}

std::vector<task> grid_tasks() {
  std::vector<task> found;
  for (const int width : fine_widths) found.push_back(task_of(grid_name(width), grid{{width}}));
  found.push_back(task_of(graph_brusselator::name, graph_brusselator(graph_width)));
  return found;
}

std::vector<plain> grid_problems(const contest& c) {
  std::vector<plain> found;
  for (const int width : fine_widths) {
    if (!contest::among(c.problems, grid_name(width))) continue;
    found.push_back(plain_of(grid{{width}}));
    found.back().name = grid_name(width);
  }
  if (contest::among(c.problems, graph_brusselator::name))
    found.push_back(plain_of(graph_brusselator(graph_width)));
  return found;
}

void add_grids(contest& c) {
  std::vector<int> widths = fine_widths;
  widths.push_back(brusselator_2d::default_size);
  for (const int width : widths) {
    const std::string name = grid_name(width);
    if (!contest::among(c.problems, name)) continue;
    const grid f{{width}};
    add(c, name, f, ", BiCGSTAB", with_algebra<esdirk325, bicgstab<>>{});
    add(c, name, f, ", BiCGSTAB", with_algebra<esdirk547, bicgstab<>>{});
    const auto pattern = pattern_of(f);
    add_with_klu<bdf5>(c, name, f, pattern);
    if (width == brusselator_2d::default_size) continue;  // the rest is there
    add_with_klu<radau_iia5>(c, name, f, pattern);
    add_with_klu<radau_iia9>(c, name, f, pattern);
    add_with_klu<esdirk547>(c, name, f, pattern);
    add_with_klu<rodas5p>(c, name, f, pattern);
    add(c, name, f, "", rock4{});
    add(c, name, f, "", rock2{});
    add(c, name, f, "", dop853{});
  }
  if (!contest::among(c.problems, graph_brusselator::name)) return;
  const graph_brusselator f(graph_width);
  const auto pattern = pattern_of(f);
  add_with_klu<bdf5>(c, f.name, f, pattern);
  add_with_klu<esdirk547>(c, f.name, f, pattern);
}

}  // namespace revode::wpd
