// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <span>

#include <revode/loop/tiers.hpp>
#include <revode/schedule/all.hpp>
#include <revode/solve/kept/run_print.hpp>

namespace revode {
namespace {

std::uint64_t sum_of_list(const std::vector<double>& list) {
  return sum_of_bytes(list.data(), list.size() * sizeof(double));
}

/// All that decides steps and save points besides tolerances.
std::string sum_of_options(const options& o) {
  const double numbers[] = {o.fixed_step,
                            o.first_step,
                            o.max_step,
                            o.min_step,
                            static_cast<double>(o.max_steps),
                            static_cast<double>(o.step_rounding),
                            static_cast<double>(o.event_samples),
                            static_cast<double>(o.save.every),
                            o.save.t0 ? 1.0 : 0.0,
                            o.save.t1 ? 1.0 : 0.0,
                            o.norm.pairs ? 1.0 : 0.0,
                            static_cast<double>(o.norm.paired),
                            static_cast<double>(o.norm.period)};
  const std::uint64_t sums[] = {
      sum_of_bytes(numbers, sizeof numbers),
      sum_of_list(o.grid),
      sum_of_list(o.stops),
      sum_of_list(o.discontinuities),
      sum_of_list(o.save.ts),
      sum_of_list(o.norm.rtol),
      sum_of_list(o.norm.atol),
      sum_of_bytes(&o.controller, offsetof(pid_controller, at_most_integral) + 1)};
  return std::to_string(sum_of_bytes(sums, sizeof sums));
}
/// Of a norm of one's own: what it makes of some errors of n elements.
std::string told_of_norm(const error_norm& norm, std::size_t n) {
  if (!norm.combine) return "the root mean square";
  std::vector<double> errors(n);
  for (std::size_t i = 0; i < n; ++i) errors[i] = 1 / (1.0 + static_cast<double>(i % 7));
  return "one's own, of value " + shortest(norm.combine(errors.data(), static_cast<int>(n)));
}

}  // namespace

std::uint64_t sum_of_bytes(const void* data, std::size_t size) {
  return checksum(std::span(static_cast<const std::byte*>(data), size));
}

std::string told_of(const memory_plan& plan) {
  return "a gradient by the schedule " + std::string(name(plan.schedule)) + " in " +
         std::to_string(plan.request.slots) + " slots, log of at most " +
         std::to_string(plan.log_bytes) + " bytes";
}

run_print print_of(const printed_request& r, const options& o, std::string method, std::string what,
                   std::string compiler, std::string instructions) {
  run_print print = library_print();
  print.emplace_back("compiler", std::move(compiler));
  print.emplace_back("processor instructions", std::move(instructions));
  print.emplace_back("kind", std::move(what));
  print.emplace_back("method", std::move(method));
  print.emplace_back("method's type and settings", "checksum " + std::to_string(r.method));
  if (!r.events.empty()) print.emplace_back("list of events", r.events);
  print.emplace_back("number of components", std::to_string(r.numbers));
  print.emplace_back("scalar", std::to_string(r.scalar) + " bytes");
  print.emplace_back("t0", shortest(r.t0));
  print.emplace_back("t1", shortest(r.t1));
  print.emplace_back("rtol", shortest(o.rtol));
  print.emplace_back("atol", shortest(o.atol));
  if (r.numbers > 0)  // ranks have none
    print.emplace_back("norm", told_of_norm(o.norm, r.numbers));
  print.emplace_back("initial state", "checksum " + std::to_string(r.state));
  print.emplace_back("parameters", "checksum " + std::to_string(r.parameters));
  print.emplace_back("field at the start", "checksum " + std::to_string(r.field));
  print.emplace_back("options", "checksum " + sum_of_options(o));
  return print;
}

}  // namespace revode
