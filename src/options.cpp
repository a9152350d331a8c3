// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <revode/solve/options.hpp>

namespace revode {

std::string shortest(double x) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  return std::string(buffer, end);
}

namespace {

[[noreturn]] void misuse(const std::string& what) { throw std::invalid_argument(what); }

void validate_tolerances(const options& o) {
  const std::string both =
      "invalid tolerances rtol=" + shortest(o.rtol) + ", atol=" + shortest(o.atol);
  if (!(o.rtol >= 0) || !(o.atol >= 0) || std::isinf(o.rtol) || std::isinf(o.atol))
    misuse(both + " (tolerances are finite and not negative) give e.g. rtol=1e-6, atol=1e-9?");
  if (o.rtol == 0 && o.atol == 0)
    misuse(both + " (at least one must be positive) give e.g. rtol=1e-6, atol=1e-9?");
}

void validate_each(const std::vector<double>& list, const char* name, int n, bool infinite) {
  if (list.empty()) return;
  if (list.size() != static_cast<std::size_t>(n))
    misuse(std::to_string(list.size()) + " tolerances in norm." + name + " for a state of " +
           std::to_string(n) + " elements (each element has one) give as many, or none?");
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!(list[i] >= 0) || (std::isinf(list[i]) && !infinite))
      misuse("invalid tolerance norm." + std::string(name) + "[" + std::to_string(i) +
             "] = " + shortest(list[i]) + " (tolerances are " + (infinite ? "" : "finite and ") +
             "not negative) give e.g. 1e-6?");
}

void validate_steps(const options& o, double t0, double t1, bool has_estimate, const char* method) {
  if (!(o.fixed_step >= 0) || std::isinf(o.fixed_step))
    misuse("invalid fixed step " + shortest(o.fixed_step) +
           " (a step length is positive and finite; its sign follows from t0 and t1) give its "
           "length?");
  if (o.fixed_step == 0 && o.grid.empty() && !has_estimate)
    misuse("method " + std::string(method) +
           " without a fixed step (it has no error estimate to choose steps by) give fixed_step, "
           "or a method with an estimate such as tsit5?");
  if (!std::isfinite(o.first_step))
    misuse("invalid first step " + shortest(o.first_step) + " (it must be finite) leave it at 0?");
  if (o.first_step * (t1 - t0) < 0)
    misuse("first step " + shortest(o.first_step) + " of the wrong sign (the interval runs from " +
           shortest(t0) + " to " + shortest(t1) + ") give it the sign of t1 - t0?");
  if (!(o.max_step >= 0))
    misuse("invalid max_step " + shortest(o.max_step) +
           " (it must be positive, or 0 for none) give "
           "its length?");
  if (o.max_step > 0 && o.fixed_step > o.max_step)
    misuse("fixed_step " + shortest(o.fixed_step) + " above max_step " + shortest(o.max_step) +
           " (no step is longer than that) leave max_step out?");
  if (!(o.min_step >= 0) || std::isinf(o.min_step))
    misuse("invalid min_step " + shortest(o.min_step) +
           " (it must be positive and finite, or 0 for "
           "none) give its length?");
  if (o.max_step > 0 && o.min_step > o.max_step)
    misuse("min_step " + shortest(o.min_step) + " above max_step " + shortest(o.max_step) +
           " (no step has a length between them) exchange them?");
  if (o.controller.ratio != 0 && o.controller.d != 0)
    misuse("controller with ratio=" + shortest(o.controller.ratio) +
           " and d=" + shortest(o.controller.d) +
           " (it remembers the last step ratio or the error before the last, not both) leave one "
           "at 0?");
  if (o.event_samples < 1)
    misuse("invalid event_samples " + std::to_string(o.event_samples) +
           " (a step's end is one place to look at events) give at least 1?");
  if (o.max_steps < 0)
    misuse("invalid max_steps " + std::to_string(o.max_steps) +
           " (a number of attempts is not negative) give a positive bound?");
}

void validate_grid(const options& o, double t0, double t1) {
  const auto& grid = o.grid;
  if (grid.empty()) return;
  if (o.fixed_step > 0)
    misuse("a grid of " + std::to_string(grid.size()) + " times with fixed_step " +
           shortest(o.fixed_step) + " (each says where steps end) give one of the two?");
  if (grid.front() != t0 || grid.back() != t1)
    misuse("grid from " + shortest(grid.front()) + " to " + shortest(grid.back()) +
           " (the interval runs from " + shortest(t0) + " to " + shortest(t1) +
           ") let it begin with t0 and end with t1?");
  for (std::size_t k = 1; k < grid.size(); ++k)
    if (!((t1 - t0) * (grid[k] - grid[k - 1]) > 0))
      misuse("grid time " + shortest(grid[k]) + " after " + shortest(grid[k - 1]) +
             " (every step has a length, from t0 towards t1) sort the grid, without repetitions?");
  for (std::size_t k = 1; o.max_step > 0 && k < grid.size(); ++k)
    if (std::abs(grid[k] - grid[k - 1]) > o.max_step)
      misuse("grid times " + shortest(grid[k - 1]) + " and " + shortest(grid[k]) +
             " with max_step " + shortest(o.max_step) +
             " (no step is longer than that) leave max_step out?");
}

void validate_save_points(const save_at& save, double t0, double t1) {
  const double direction = t1 < t0 ? -1 : 1;
  double previous = t0;
  for (const double t : save.ts) {
    if (!(direction * (t - t0) >= 0) || !(direction * (t1 - t) >= 0))
      misuse("save point " + shortest(t) + " outside the interval (it runs from " + shortest(t0) +
             " to " + shortest(t1) + ") leave it out, or move t1?");
    if (direction * (t - previous) < 0)
      misuse("save point " + shortest(t) + " after " + shortest(previous) +
             " (save points follow the direction of integration) sort them?");
    previous = t;
  }
  if (save.every < 0)
    misuse("invalid save.every " + std::to_string(save.every) +
           " (a number of steps is not negative) give a positive one, or 0 for none?");
  if (save.every > 0 && !save.ts.empty())
    misuse("save.every = " + std::to_string(save.every) + " with " +
           std::to_string(save.ts.size()) +
           " listed save points (the one is in the steps' order, the other in that of times) give "
           "one of the two?");
}

void validate_stops(const std::vector<double>& stops, const char* what, double t0, double t1) {
  const double direction = t1 < t0 ? -1 : 1;
  for (const double t : stops)
    if (!(direction * (t - t0) >= 0) || !(direction * (t1 - t) >= 0))
      misuse(what + shortest(t) + " outside the interval (it runs from " + shortest(t0) + " to " +
             shortest(t1) + ") leave it out, or move t1?");
}

}  // namespace

component_tolerances::component_tolerances(const error_norm& norm, double rtol, double atol,
                                           int n) {
  if (!norm.given()) return;
  const auto size = static_cast<std::size_t>(n);
  rtol_ = norm.rtol.empty() ? std::vector<double>(size, rtol) : norm.rtol;
  atol_ = norm.atol.empty() ? std::vector<double>(size, atol) : norm.atol;
  work_.assign(2 * size, 0.0);
  combine_ = norm.combine;
  scale_ = {rtol_.data(),
            atol_.data(),
            work_.data(),
            work_.data() + size,
            n,
            0,
            combine_ ? &call : nullptr,
            &combine_,
            norm.pairs ? (norm.paired < 0 ? n : norm.paired) : 0,
            norm.period};
  for (int i = 0; i < n; ++i) scale_.inside += scale_.is_inside(i) ? 1 : 0;
}

void validate(const options& o, double t0, double t1, bool has_estimate, const char* method,
              bool loose) {
  if (!std::isfinite(t0) || !std::isfinite(t1))
    misuse("interval from " + shortest(t0) + " to " + shortest(t1) +
           " (both ends must be finite) give finite t0 and t1?");
  validate_tolerances(o);
  validate_steps(o, t0, t1, has_estimate, method);
  validate_grid(o, t0, t1);
  validate_save_points(o.save, t0, t1);
  validate_stops(o.stops, "stop ", t0, t1);
  validate_stops(o.discontinuities, "discontinuity ", t0, t1);
  if (o.threads < 1)
    misuse("threads = " + std::to_string(o.threads) +
           " (a solve runs on one at least) give 1 or more?");
  if (o.require_equal_bits && loose)
    misuse(
        "require_equal_bits in a build that fuses products or rewrites sums (bits then depend on "
        "inlining) compile with -ffp-contract=off and without -ffast-math, as revode::revode "
        "does?");
}

void refuse_finite_math() {
  misuse(
      "a solve in code that takes every number for finite (-ffinite-math-only, by a pragma "
      "perhaps: "
      "NaN would pass for a solution) compile with -fno-finite-math-only?");
}

void refuse_threads(int threads) {
  misuse("threads = " + std::to_string(threads) +
         " in code without OpenMP (all of it would run on one) compile with -fopenmp, or leave "
         "threads at 1?");
}

void refuse_start(index i) {
  misuse("y0[" + std::to_string(i) +
         "] = nan (a solve starts from numbers) give that element a value?");
}

void refuse_time(const std::string& what, double t, double from, double to) {
  misuse(what + " at t = " + shortest(t) + " (the solution covers " + shortest(from) + " to " +
         shortest(to) + ") ask within, or solve farther?");
}

void validate(const error_norm& norm, int n) {
  validate_each(norm.rtol, "rtol", n, false);
  validate_each(norm.atol, "atol", n, true);
  bool inside = norm.atol.empty();
  for (const double a : norm.atol) inside = inside || !std::isinf(a);
  if (norm.pairs && (norm.paired < 0 ? n : norm.paired) % 2 != 0)
    misuse("norm.pairs for a state of " + std::to_string(n) +
           " elements (a complex number has two) leave it false?");
  if (norm.period < 0 || (norm.period > 0 && n % norm.period != 0))
    misuse("norm.period = " + std::to_string(norm.period) + " for a state of " + std::to_string(n) +
           " elements (it is that of a state and of tangents behind it) give a divisor, or 0?");
  if (!inside)
    misuse(
        "no component inside norm.atol (with every tolerance infinite nothing is left to choose "
        "steps by) give at least one a finite tolerance?");
}

index fixed_step_count(double t0, double t1, double h) {
  const double n = std::ceil(std::abs(t1 - t0) / h - 1e-9);
  if (n > 0x1p53)
    misuse("fixed step " + shortest(h) + " (it would take more than 2^53 steps from " +
           shortest(t0) + " to " + shortest(t1) + ") give a longer one?");
  return n < 1 && t0 != t1 ? 1 : static_cast<index>(n);
}

}  // namespace revode
