// SPDX-License-Identifier: Apache-2.0
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/advection_diffusion_3d.hpp>

#include "../adjoint/problems.hpp"
#include "../processor_seconds.hpp"
#include "fields.hpp"
#include "task.hpp"

namespace revode::large {
namespace {

template <class F>
struct calls_of : calls {
  F f;
  explicit calls_of(F of) : f(std::move(of)) {}
  void field(double t, const numbers& y, const numbers& p, numbers& dy) const override {
    f(t, y, p, dy);
  }
  void jvp(double t, const numbers& y, const numbers& p, const numbers& d, const numbers& dp,
           numbers& out) const override {
    f.jvp(t, y, p, 0.0, d, dp, out);
  }
  void vjp(double t, const numbers& y, const numbers& p, const numbers& w, numbers& gy,
           numbers& gp) const override {
    double gt = 0;
    f.vjp(t, y, p, w, gt, gy, gp);
  }
};

template <class F>
task task_of(const size& which, F f, double t1, int band) {
  const auto p = f.parameters();
  task q{which.family + ":" + std::to_string(which.width), which.family, which.n, t1, band, f.y0(),
         numbers(p.data(), p.data() + p.size()),           nullptr,      nullptr, 0};
  const double before = processor_seconds();
  q.pattern = std::make_shared<const sparsity>(sparsity_of(f, 0.0, q.y0, q.p));
  q.pattern_seconds = processor_seconds() - before;
  q.of = std::make_shared<calls_of<F>>(std::move(f));
  return q;
}

/// Widths of some 500, 10⁴, 10⁵ and 10⁶ unknowns, `fields` on each of width^dimension points.
struct family {
  const char* name;
  int dimension, fields;
  std::vector<int> widths;
};
const std::vector<family> known{
    {"heat_2d", 2, 1, {22, 100, 316, 1000}},
    {"brusselator_2d", 2, 2, {16, 71, 224, 707}},
    {"advection_diffusion_3d", 3, 1, {8, 22, 46, 100}},
    {"brusselator_graph", 2, 2, {16, 71, 224}},  // pairs of nodes are looked at to make it
};

}  // namespace

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const family& one : known) names.push_back(one.name);
  return names;
}

std::vector<size> sizes(const std::vector<std::string>& asked, double largest) {
  std::vector<size> all;
  for (const family& one : known) {
    if (!wpd::contest::among(asked, one.name)) continue;
    for (const int width : one.widths) {
      const int n = one.fields * width * width * (one.dimension == 3 ? width : 1);
      if (n <= 1.01 * largest) all.push_back({one.name, width, n});
    }
  }
  return all;
}

task make_task(const size& which) {
  const int width = which.width;
  if (which.family == "heat_2d") return task_of(which, heat_2d{width}, heat_2d::t1, width);
  if (which.family == "brusselator_2d")
    return task_of(which, bench::written_brusselator{{width}}, brusselator_2d::jump, 0);
  if (which.family == "advection_diffusion_3d")
    return task_of(which, advection_diffusion_3d{width}, advection_diffusion_3d::t1, width * width);
  return task_of(which, written_graph(width), brusselator_2d::jump, 0);
}

}  // namespace revode::large
