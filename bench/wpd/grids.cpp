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
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/esdirk325.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "../adjoint/problems.hpp"
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

const std::vector<double>& reference_of(int width) {
  static std::map<int, std::vector<double>> known;
  std::vector<double>& y = known[width];
  if (y.empty()) {
    const grid f{{width}};
    y = solve_stiff(f, f.y0(), dop853{}, {.rtol = 1e-12, .atol = 1e-12, .max_steps = 1000000}).y;
  }
  return y;
}

double digits_on(int width, const std::vector<double>& y, double scale) {
  const std::vector<double>& expected = reference_of(width);
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(y[i] - expected[i]) / (scale + std::abs(expected[i]));
    worst = error <= worst || std::isnan(worst) ? worst : error;
  }
  return -std::log10(worst < 1e-17 ? 1e-17 : worst);
}

template <class M>
void add(contest& c, int width, const char* label, const M& m) {
  using tag = std::remove_cvref_t<M>;
  if (!contest::among(c.methods, tag::name)) return;
  contest one;
  add_run(one, std::string(tag::name) + label, m, grid{{width}});
  for (contender& who : one.all)
    c.add(grid_name(width), who.solver, who.peer, std::move(who.solve));
}

template <class M>
void add_with_klu(contest& c, int width, const std::shared_ptr<const sparsity>& pattern) {
  add(c, width, sparse_label, with_algebra<M, sparse_algebra>{{}, {pattern}});
}

}  // namespace

std::string grid_name(int width) {
  const std::string name = brusselator_2d::name;
  return width == brusselator_2d::default_size ? name : name + ":" + std::to_string(width);
}

std::vector<task> grid_tasks() {
  std::vector<task> found;
  for (const int width : fine_widths)
    found.push_back(
        {grid_name(width), 2 * width * width,
         [width](const std::vector<double>& y, double rtol) {
           return digits_on(width, y, brusselator_2d::atol(rtol) / rtol);
         },
         [width](const std::vector<double>& y) { return digits_on(width, y, 1e-300); }});
  return found;
}

std::vector<plain> grid_problems(const contest& c) {
  std::vector<plain> found;
  for (const int width : fine_widths) {
    if (!contest::among(c.problems, grid_name(width))) continue;
    found.push_back(plain_of(grid{{width}}));
    found.back().name = grid_name(width);
  }
  return found;
}

void add_grids(contest& c) {
  std::vector<int> widths = fine_widths;
  widths.push_back(brusselator_2d::default_size);
  for (const int width : widths) {
    if (!contest::among(c.problems, grid_name(width))) continue;
    add(c, width, ", BiCGSTAB", with_algebra<esdirk325, bicgstab<>>{});
    add(c, width, ", BiCGSTAB", with_algebra<esdirk547, bicgstab<>>{});
    if (width == brusselator_2d::default_size) continue;  // the rest is there
    const grid f{{width}};
    const auto pattern =
        std::make_shared<const sparsity>(sparsity_of(f, f.t0, f.y0(), f.parameters()));
    add_with_klu<radau_iia5>(c, width, pattern);
    add_with_klu<radau_iia9>(c, width, pattern);
    add_with_klu<esdirk547>(c, width, pattern);
    add_with_klu<rodas5p>(c, width, pattern);
    add(c, width, "", rock4{});
    add(c, width, "", rock2{});
    add(c, width, "", dop853{});
  }
}

}  // namespace revode::wpd
