// SPDX-License-Identifier: Apache-2.0
#include <any/integrals.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

namespace revode {
namespace {

any_problem at(const any_problem& q, const any_point& point) {
  any_problem here = q;
  if (!point.y0.empty()) here.y0 = point.y0;
  if (!point.p.empty()) here.p = point.p;
  return here;
}

/// The exception at hand; of misuse with the point's number, where those before it were none.
std::exception_ptr told_of_point(std::size_t i) {
  try {
    throw;
  } catch (const std::invalid_argument& e) {
    if (i == 0) return std::current_exception();
    return std::make_exception_ptr(
        std::invalid_argument("point " + std::to_string(i) + ": " + e.what()));
  } catch (...) {
    return std::current_exception();
  }
}

/// work(problem) for each point, by threads that take the next one; the results in the order of points. Behind one that
/// throws none is begun, and all before it were: the first of those that throw is the same on any number of threads.
template <class Result, class Work>
std::vector<Result> for_each_point(const any_problem& q, const options& o,
                                   std::span<const any_point> points, int threads,
                                   const Work& work) {
  if (threads < 0)
    throw std::invalid_argument("threads = " + std::to_string(threads) +
                                " (a number of threads is not negative) give one >= 0?");
  if (o.restart && threads != 1)
    throw std::invalid_argument(
        "options::restart in solves on threads (a file keeps solves one after another, in their "
        "order) give threads = 1, or leave it out?");
  std::vector<Result> results(points.size());
  std::vector<std::exception_ptr> thrown(points.size());
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < points.size(); i = next++) {
      try {
        results[i] = work(at(q, points[i]));
      } catch (...) {
        thrown[i] = told_of_point(i);
        next = points.size();
      }
    }
  };
  const auto most = threads > 0 ? static_cast<std::size_t>(threads)
                                : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < std::min(most, points.size()); ++k) others.emplace_back(run);
  run();
  others.clear();  // joins them
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
  return results;
}

}  // namespace

std::vector<any_solution> solve_each(const any_problem& q, const any_method& m, const options& o,
                                     std::span<const any_point> points, int threads) {
  const any_method by = compiled::beside_integrals(m, q);  // once for all
  return for_each_point<any_solution>(q, o, points, threads,
                                      [&](const any_problem& here) { return solve(here, by, o); });
}

std::vector<any_value_and_gradient> value_and_gradient_each(
    const any_problem& q, const any_method& m, const options& o, std::span<const any_point> points,
    const any_loss& loss, const recursive_checkpoint& adjoint, int threads) {
  const any_method by = compiled::beside_integrals(m, q);
  return for_each_point<any_value_and_gradient>(
      q, o, points, threads,
      [&](const any_problem& here) { return value_and_gradient(here, by, o, loss, adjoint); });
}

}  // namespace revode
