// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <any/callbacks.hpp>
#include <revode/any.hpp>
#include <revode/any/compiled.hpp>

namespace revode::compiled {

// Between the arrays of the compiled interface and the vectors of what is compiled.

[[noreturn]] inline void misuse(const std::string& text) { throw std::invalid_argument(text); }

inline vector to_eigen(std::span<const double> v) {
  return Eigen::Map<const vector>(v.data(), static_cast<Eigen::Index>(v.size()));
}
inline any_state from_eigen(const vector& v) { return {v.begin(), v.end()}; }

inline any_solution told(const solution_type& s) {
  any_solution out{s.status, s.t, from_eigen(s.y), s.ts, {}, s.events, s.stats};
  out.ys.reserve(s.ys.size());
  for (const vector& y : s.ys) out.ys.push_back(from_eigen(y));
  return out;
}

inline any_gradient told(gradient_type g) {
  any_gradient out{.y0 = from_eigen(g.y0), .p = from_eigen(g.p), .t0 = g.t0, .t1 = g.t1};
  out.ts = std::move(g.ts);
  out.reverse = g.reverse;
  out.stops = std::move(g.stops);
  out.events = std::move(g.events);
  out.times = std::move(g.times);
  out.status = g.status;
  return out;
}

inline cotangents<vector> to_eigen(const any_cotangents& w) {
  cotangents<vector> out;
  if (w.y) out.y = to_eigen(*w.y);
  out.ys.reserve(w.ys.size());
  for (const any_state& y : w.ys) out.ys.push_back(to_eigen(y));
  out.events = w.events;
  return out;
}

/// Of a sum, and of y beside its integrals: a product may take one by its jvp and pull the other.
inline any_field::given_parts of_both(const any_field::given_parts& a,
                                      const any_field::given_parts& b) {
  const bool exact = (a.jvp || a.vjp) && (b.jvp || b.vjp);
  return {.jvp = exact && (a.jvp || b.jvp),
          .vjp = exact && a.vjp && b.vjp,
          .band = false,
          .entries = false};
}

/// There is a field, and its mass matrix is as large as the state.
inline void check_field(const any_problem& q) {
  if (!q.f.erased())
    misuse("a problem without a field (any_problem::f is empty) give it one, or named_problem?");
  const std::size_t n = q.y0.size(), numbers = q.f.mass_numbers();
  if (numbers > 0 && numbers != n * n)
    misuse("a mass matrix of " + std::to_string(numbers) + " numbers for " + std::to_string(n) +
           " states (it has n × n, row by row) give " + std::to_string(n * n) + "?");
}

/// A problem over Eigen vectors, of its own: it stays where it is while something refers to it.
struct held_problem {
  erased_field f;
  erased_events events;
  initial_value_problem q;

  explicit held_problem(const any_problem& from)
      : f(*from.f.erased()),
        events(events_of(from)),
        q{f, to_eigen(from.y0), from.t0, from.t1, to_eigen(from.p)} {}
  held_problem(const held_problem&) = delete;
  held_problem& operator=(const held_problem&) = delete;

 private:
  static erased_events events_of(const any_problem& from) {
    erased_events all;
    for (const any_event& e : from.events) all.each.push_back(*e.erased());
    if (from.after_step)
      all.after_step = [tell = from.after_step](double t, const vector& y) {
        return tell(t, seen(y));
      };
    return all;
  }
};

}  // namespace revode::compiled
