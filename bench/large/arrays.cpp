// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>

#include <revode/solve/stepping/first_step.hpp>
#include <revode/solve/system.hpp>

namespace revode::large {
namespace {

/// A task with the places that calls from C need.
struct places {
  explicit places(const task& of)
      : q(of),
        f{of.of.get()},
        y(of.y0),
        v(y),
        out(y),
        by_p(of.p.size()),
        sys(f, q.p) {}
  places(const places&) = delete;

  static places& at(void* self) { return *static_cast<places*>(self); }
  static void take(const double* from, numbers& to) { std::copy_n(from, to.size(), to.data()); }
  static void give(const numbers& from, double* to) { std::copy_n(from.data(), from.size(), to); }

  static void field(void* self, double t, const double* y, double* dy) {
    places& w = at(self);
    take(y, w.y);
    w.f(t, w.y, w.q.p, w.out);
    give(w.out, dy);
  }
  static void product(void* self, double t, const double* y, const double* v, double* jv) {
    places& w = at(self);
    take(y, w.y), take(v, w.v);
    w.f.jvp(t, w.y, w.q.p, 0, w.v, numbers{}, w.out);
    give(w.out, jv);
  }
  static void pull(void* self, double t, const double* y, const double* v, double* by_state,
                   double* by_parameters) {
    places& w = at(self);
    take(y, w.y), take(v, w.v);
    std::fill(w.out.begin(), w.out.end(), 0.0);
    std::fill(w.by_p.begin(), w.by_p.end(), 0.0);
    numbers none;
    double gt = 0;
    w.f.vjp(t, w.y, w.q.p, w.v, gt, w.out, by_parameters == nullptr ? none : w.by_p);
    if (by_state != nullptr) give(w.out, by_state);
    if (by_parameters != nullptr) give(w.by_p, by_parameters);
  }
  static void sparse(void* self, double t, const double* y,
                     const std::shared_ptr<const sparsity>& pattern, sparse_matrix<double>& j) {
    places& w = at(self);
    take(y, w.y);
    evaluate_on_pattern(w.sys, t, w.y, pattern, false, j);
  }
  static void sparse_on_its_own(void* self, double t, const double* y, sparse_matrix<double>& j) {
    sparse(self, t, y, std::shared_ptr<const sparsity>(j.pattern), j);
  }
  static double first_step(void* self, double t, const double* y, double rtol, int order) {
    places& w = at(self);
    take(y, w.y);
    return revode::first_step(w.sys, t, w.q.t1, w.y, {rtol, rtol}, order);
  }

  const task& q;
  called f;
  numbers y, v, out, by_p;
  system<called, numbers, numbers> sys;
};

double same(double rtol) { return rtol; }

}  // namespace

wpd::plain to_solve(const task& q) {
  const auto owner = std::make_shared<places>(q);
  wpd::plain p{};
  p.name = q.name;
  p.n = q.n;
  p.t1 = q.t1;
  p.ends = {q.t1};
  p.autonomous = true;
  p.atol = same;
  p.y0 = q.y0;
  p.self = owner.get();
  p.field = places::field;
  p.sparse_jacobian = places::sparse;
  p.product = places::product;
  p.first_step = places::first_step;
  p.owner = owner;
  return p;
}

bench::plain to_differentiate(const task& q) {
  const auto owner = std::make_shared<places>(q);
  bench::plain p{};
  p.name = q.name;
  p.n = q.n;
  p.np = static_cast<int>(q.p.size());
  p.pieces = {{0.0, q.t1}};
  p.atol = same;
  p.y0 = q.y0;
  p.self = owner.get();
  p.field = places::field;
  p.pull = places::pull;
  p.sparse = places::sparse_on_its_own;
  p.pattern = q.pattern;
  p.owner = owner;
  return p;
}

}  // namespace revode::large
