// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/concepts.hpp>
#include <revode/io/restart_watch.hpp>
#include <revode/schedule/planner.hpp>
#include <revode/solve/events.hpp>
#include <revode/solve/options.hpp>
#include <revode/solve/request/method_settings.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// What a solve is asked for, in bits that are summed up.
struct printed_request {
  double t0 = 0, t1 = 0;
  std::uint64_t state = 0, parameters = 0, field = 0;  ///< checksums of y0, p and f(t0, y0, p)
  std::size_t numbers = 0, scalar = 0;                 ///< how many elements, and their bytes
  std::uint64_t method = 0;                            ///< a checksum of its type and settings
  std::string events{};                                ///< how many, and a checksum of all
};
/// A checksum of so many bytes.
std::uint64_t sum_of_bytes(const void* data, std::size_t size);
/// How the calling code was compiled: the instructions that it may use, and whether it keeps bits.
[[gnu::always_inline]] inline const char* instructions() {
#if defined(__AVX512F__)
  return keeps_bits() ? "AVX-512" : "AVX-512, loose";
#elif defined(__FMA__)
  return keeps_bits() ? "FMA" : "FMA, loose";
#elif defined(__AVX__)
  return keeps_bits() ? "AVX" : "AVX, loose";
#else
  return keeps_bits() ? "those of every processor" : "those of every processor, loose";
#endif
}
/// The whole print: of the library, of the compiler and instructions, of the request.
run_print print_of(const printed_request& r, const options& o, std::string method, std::string what,
                   std::string compiler, std::string instructions);

/// What a gradient keeps, as a print tells it.
std::string told_of(const memory_plan& plan);

template <class Y>
std::uint64_t sum_of_elements(const Y& y) {
  return sum_of_bytes(y.data(), static_cast<std::size_t>(length(y)) * sizeof(*y.data()));
}

/// A checksum of a type, as its compiler names it, and of numbers.
template <class T>
std::uint64_t sum_of_type(const std::vector<double>& numbers) {
  const std::string_view name = __PRETTY_FUNCTION__;
  const std::uint64_t sums[] = {sum_of_bytes(name.data(), name.size()), sum_of_elements(numbers)};
  return sum_of_bytes(sums, sizeof sums);
}

/// Adds the kind of an event, and the times that it lists.
template <class E>
void add_event(const E& e, std::vector<double>& all) {
  all.push_back(static_cast<double>(direction_of(e)));
  all.push_back(passes(e));
  if constexpr (requires { e.terminal; }) all.push_back(e.terminal);
  if constexpr (listed_times<E>)
    for (const auto& t : e.times) all.push_back(static_cast<double>(t));
}
template <class... E>
std::string told_of_events(const event_list<E...>& events) {
  std::vector<double> all;
  std::apply([&](const E&... e) { (add_event(e, all), ...); }, events.each);
  return std::to_string(sizeof...(E)) + " of checksum " +
         std::to_string(sum_of_type<event_list<E...>>(all));
}
/// The same of those of a solve, with times that depend on p, and of located ones the condition at the start.
template <class Events, class Y, class P>
std::string told_of_events(Events& events, double t0, const Y& y0, const P& p) {
  std::vector<double> all;
  int number = 0;
  events.for_each([&](int, const auto& e) {
    using E = std::remove_cvref_t<decltype(e.event)>;
    ++number;
    add_event(e.event, all);
    if constexpr (!listed_times<E> && timed_event<E, P>)
      all.push_back(static_cast<double>(e.event.time(p)));
    if constexpr (!is_spread_v<Y> && located_event<E, Y, P>)
      all.push_back(static_cast<double>(e.event.condition(static_cast<scalar_t<Y>>(t0), y0, p)));
  });
  return std::to_string(number) + " of checksum " + std::to_string(sum_of_type<Events>(all));
}

/// That of a solve that a loop is about to do. The field is evaluated once at the start, which is not
/// counted.
template <class Loop, class P>
[[gnu::noinline, gnu::cold]] run_print print_of(Loop& loop, const P& p, const options& o,
                                                std::string what) {
  auto slope = loop.y0();
  const evaluation_counts counts = loop.sys().counts;
  loop.sys()(loop.t0(), loop.y0(), slope);
  loop.sys().counts = counts;
  const printed_request r{
      loop.t0(),
      loop.t1(),
      sum_of_elements(loop.y0()),
      sum_of_elements(p),
      sum_of_elements(slope),
      static_cast<std::size_t>(length(slope)),
      sizeof(*slope.data()),
      sum_of_type<std::remove_cvref_t<decltype(loop.scheme())>>(settings_of(loop.scheme())),
      told_of_events(loop.stretches().events(), loop.t0(), loop.y0(), p)};
  return print_of(r, o, loop.scheme().name, std::move(what), __VERSION__, instructions());
}

}  // namespace revode
