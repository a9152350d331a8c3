// SPDX-License-Identifier: Apache-2.0
#include "gradients.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <random>

#include <revode/adjoint/error/resolved_gradient.hpp>
#include <revode/adjoint/with_error.hpp>

namespace revode::honesty {
namespace {

using cli::vector;

constexpr Eigen::Index most_elements = 30;  // a solve with a gradient a row
constexpr double most_work = 1e5;           // steps × elements
constexpr double most_error = 1e-3;         // of an accurate gradient

double atol_of(const erased_problem& q, double rtol) { return q.stiff() ? q.atol(rtol) : rtol; }

/// One over the size of each yᵢ(t1), more or less, so that no two cancel by symmetry.
auto weights_of(const erased_problem& q, const vector& y) -> vector {
  vector w(y.size());
  for (Eigen::Index i = 0; i < y.size(); ++i)
    w[i] = (1 + 0.3 * std::cos(static_cast<double>(i))) / (std::abs(y[i]) + atol_of(q, 1e-3));
  return w;
}

options options_at(const erased_problem& q, double rtol, double work) {
  options o{.rtol = rtol, .atol = atol_of(q, rtol)};
  o.max_steps = static_cast<index>(work / static_cast<double>(q.y0.size()));
  o.discontinuities = q.jumps;
  return o;
}

auto differentiate(const cli::method_entry& m, const erased_problem& q, const vector& y0,
                   const vector& p, const options& o, const vector& weights) {
  const std::vector<cli::weighting> weightings{
      [&](const cli::solution_type&) { return cotangents<vector>{.y = weights}; }};
  return cli::differentiate(m, {q.f, y0, q.t0, q.t1, p}, o, {.schedule = schedule_kind::store_all},
                            weightings);
}

/// With the error of the gradient.
auto differentiate_with_error(const cli::method_entry& m, const erased_problem& q, const options& o,
                              const vector& weights) {
  auto d = differentiate(m, q, q.y0, q.p, o, weights);
  if (d.gradients.empty()) return d;
  auto& g = d.gradients.front().bar;
  if (g.status != status::success) return d;
  const auto find = [&](const other_solve& how) {
    const auto other = differentiate(m, q, q.y0, q.p, how.o, weights);
    other_gradient<vector, vector> found{.stats = other.result.stats};
    if (!other.gradients.empty()) found.bar = other.gradients.front().bar;
    return found;
  };
  tell_error_by_others(o, m.order, d.result.stats.accepted, 0.1, g, find);
  return d;
}

/// The larger part by which (y0, p) differs from a gradient.
double difference(const vector& y0, const vector& p, const vector& of_y0, const vector& of_p) {
  const auto part = [](const vector& a, const vector& b) {
    return b.norm() > 0 ? (a - b).norm() / b.norm() : 0.0;
  };
  return std::max(part(y0, of_y0), p.size() > 0 ? part(p, of_p) : 0.0);
}

/// x with each element changed by one part in rtol, up or down.
auto disturbed(const vector& x, double rtol, double atol, std::mt19937& signs) -> vector {
  vector y = x;
  for (double& element : y)
    element += (signs() % 2 == 0 ? 1 : -1) * (atol + rtol * std::abs(element));
  return y;
}

}  // namespace

double gradient_row::off() const { return error / (std::pow(10, -digits) * condition); }

auto accurate_gradient_of(const erased_problem& q) -> accurate_gradient {
  const cli::method_entry m = cli::find_method(q.stiff() ? "radau_iia13" : "vern9"),
                          other = cli::find_method(q.stiff() ? "radau_iia9" : "vern8");
  const double rtol = q.stiff() ? 1e-12 : 1e-13, part = 1e-6;
  const options o = options_at(q, rtol, 1e7);
  accurate_gradient truth{.error = INFINITY};
  truth.weights = weights_of(q, m.plain.solve({q.f, q.y0, q.t0, q.t1, q.p}, o, {}).y);
  const auto first = differentiate(m, q, q.y0, q.p, o, truth.weights),
             second = differentiate(other, q, q.y0, q.p, o, truth.weights);
  if (first.gradients.empty() || second.gradients.empty()) return truth;
  const auto &g = first.gradients.front().bar, &h = second.gradients.front().bar;
  truth.y0 = g.y0;
  truth.p = g.p;
  truth.error = difference(h.y0, h.p, g.y0, g.p);
  std::mt19937 signs(7);
  for (int k = 0; k < 4; ++k) {
    const auto near =
        differentiate(m, q, disturbed(q.y0, part, q.stiff() ? q.atol(part) : part, signs),
                      disturbed(q.p, part, 0, signs), o, truth.weights);
    if (near.gradients.empty()) continue;
    const auto& there = near.gradients.front().bar;
    truth.condition =
        std::max(truth.condition, difference(there.y0, there.p, truth.y0, truth.p) / part);
  }
  return truth;
}

auto gradient_row_of(const cli::method_entry& m, const erased_problem& q,
                     const accurate_gradient& truth, int digits) -> gradient_row {
  gradient_row r{.method = std::string(m.name), .problem = q.name, .digits = digits};
  const auto d = differentiate_with_error(m, q, options_at(q, std::pow(10, -digits), most_work),
                                          truth.weights);
  r.status = d.result.status;
  if (d.gradients.empty()) return r;
  const auto& g = d.gradients.front().bar;
  r.status = g.status;
  if (!g.error) return r;
  r.error = difference(g.y0, g.p, truth.y0, truth.p);
  r.estimate = difference(truth.y0 + g.error->y0, truth.p + g.error->p, truth.y0, truth.p);
  r.told = g.status == status::gradient_not_resolved;
  r.least = 10 * truth.error;
  r.condition = truth.condition;
  return r;
}

auto measure_gradients(bool stiff, std::ostream& progress, std::vector<std::string>& left_out)
    -> std::vector<gradient_row> {
  family f = family_of(stiff);
  std::erase_if(f.problems, [](const erased_problem& q) { return q.y0.size() > most_elements; });
  std::vector<accurate_gradient> truths;
  for (const erased_problem& q : f.problems) {
    truths.push_back(accurate_gradient_of(q));
    progress << q.name << " condition " << truths.back().condition << ", accurate to "
             << truths.back().error << std::endl;
    if (!(truths.back().error < most_error)) left_out.push_back(q.name);
  }
  std::vector<gradient_row> rows;
  for (const cli::method_entry& m : f.methods) {
    progress << m.name << std::endl;
    for (std::size_t k = 0; k < f.problems.size(); ++k)
      for (int digits = 3; digits <= 8; ++digits)
        if (truths[k].error < most_error)
          rows.push_back(gradient_row_of(m, f.problems[k], truths[k], digits));
  }
  return rows;
}

auto resolved_row_of(const cli::method_entry& m, const erased_problem& q,
                     const accurate_gradient& truth) -> resolved_row {
  resolved_row r{.method = std::string(m.name), .problem = q.name};
  for (double digits = 3; digits <= 13 && r.least == 0; digits += 0.5) {
    const options o = options_at(q, std::pow(10, -digits), 6e5);
    const auto d = differentiate(m, q, q.y0, q.p, o, truth.weights);
    if (d.gradients.empty()) continue;
    const auto& g = d.gradients.front().bar;
    if (difference(g.y0, g.p, truth.y0, truth.p) <= gradient_rtol)
      r.least = d.result.stats.accepted + d.result.stats.rejected;
  }
  const auto last =
      resolve_gradient(gradient_rtol, m.order, options_at(q, 1e-4, 6e5), [&](const options& o) {
        ++r.solves;
        const auto d = differentiate(m, q, q.y0, q.p, o, truth.weights);
        r.attempts += d.result.stats.accepted + d.result.stats.rejected;
        value_and_gradient_result<vector, vector> v{.solution = d.result};
        if (d.gradients.empty()) return v;
        v.value = truth.weights.dot(d.result.y);
        v.gradient = d.gradients.front().bar;
        return v;
      });
  if (!last.gradient || !last.gradient->error) return r;
  r.estimate = last.gradient->error->relative;
  r.error = difference(last.gradient->y0, last.gradient->p, truth.y0, truth.p);
  return r;
}

auto measure_gradient_rtol(std::ostream& progress) -> std::vector<resolved_row> {
  std::vector<resolved_row> rows;
  for (const char* problem : {"vdpol_stiff", "vdpol_fast", "ring_modulator", "rober", "orego"}) {
    const erased_problem q = make_problem(problem);
    const accurate_gradient truth = accurate_gradient_of(q);
    if (!(truth.error < gradient_rtol)) continue;
    for (const char* method : {"kencarp4", "esdirk547", "rodas5p", "radau_iia5", "radau_iia9"}) {
      progress << problem << ' ' << method << std::endl;
      rows.push_back(resolved_row_of(cli::find_method(method), q, truth));
    }
  }
  return rows;
}

}  // namespace revode::honesty
