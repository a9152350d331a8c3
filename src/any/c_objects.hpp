// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <revode/any.hpp>

// The layouts that C sees, as C++ objects.
struct revode_problem {
  revode::any_problem q;
  std::optional<revode::any_callbacks> callbacks{};  // none: a named problem
  std::optional<revode::any_callbacks> explicit_part{};
  void* user = nullptr;
  std::optional<revode::any_callbacks> integrand{};
  revode::any_state integrals{};  // where they start
  revode::any_algebra algebra{};  // the structure that it takes

  /// That of the callbacks, and the explicit part, if there is one; differences are taken of both.
  revode::any_field field() const {
    if (!explicit_part) return *callbacks;
    revode::any_callbacks g = *explicit_part;
    g.by_finite_differences = callbacks->by_finite_differences;
    g.typical_size = callbacks->typical_size;
    g.typical_time = callbacks->typical_time;
    return {*callbacks, g};
  }
  /// With its integrals, if it has some.
  revode::any_problem posed() const {
    if (!integrand) return q;
    revode::any_callbacks g = *integrand;
    if (callbacks) {
      g.by_finite_differences = g.vjp && callbacks->by_finite_differences;
      g.typical_size = callbacks->typical_size;
      g.typical_time = callbacks->typical_time;
    }
    return with_quadrature(q, g, integrals);
  }
};
struct revode_solution {
  std::size_t n = 0, np = 0;
  std::variant<revode::any_solution, revode::any_dense_solution,
               revode::any_differentiable_solution>
      of;
  const revode::any_solution& plain() const {
    return std::visit(
        [](const revode::any_solution& s) -> const revode::any_solution& { return s; }, of);
  }
};

namespace revode::c {

// What the functions of revode.h share.

inline thread_local std::string last_error;

/// A function of the caller's returned another number than 0.
struct callback_failed {
  const char* what;
  int number;
};
inline void expect_zero(const char* what, int number) {
  if (number != 0) throw callback_failed{what, number};
}

[[noreturn]] inline void misuse(const std::string& text) { throw std::invalid_argument(text); }

/// Runs what may throw, and says by code and text how it went.
template <class Work>
revode_code guarded(Work&& work) noexcept {
  try {
    work();
    return REVODE_OK;
  } catch (const std::invalid_argument& e) {
    last_error = e.what();
    return REVODE_MISUSE;
  } catch (const std::bad_alloc&) {
    last_error = "out of memory (an allocation failed) give a smaller budget or problem?";
    return REVODE_OUT_OF_MEMORY;
  } catch (const callback_failed& e) {
    last_error = std::string("the caller's ") + e.what + " returned " + std::to_string(e.number) +
                 " (it ends the call) return 0 to go on?";
    return REVODE_CALLBACK;
  } catch (const std::exception& e) {
    last_error = e.what();
  } catch (...) {
    last_error = "an exception that says nothing of itself";
  }
  return REVODE_FAILURE;
}

template <class T>
T& given(T* pointer, const char* what) {
  if (pointer == nullptr)
    misuse(std::string(what) + " is NULL (it is needed) pass what an earlier call gave?");
  return *pointer;
}

/// A struct of the caller's as this version knows it: members behind the caller's size keep their defaults.
template <class T>
T as_known(const T* from, const T& defaults, const char* what) {
  if (from == nullptr) return defaults;
  if (from->size < sizeof(std::size_t) || from->size > 16 * sizeof(T))
    misuse(std::string(what) + " of " + std::to_string(from->size) +
           " bytes (its first member is its size) begin with its initialiser in revode.h?");
  T known = defaults;
  std::memcpy(&known, from, std::min(from->size, sizeof(T)));
  return known;
}

/// So many numbers, or none where there is no pointer.
template <class T>
std::vector<T> listed(const T* from, std::size_t count) {
  if (from == nullptr) return {};
  return {from, from + count};
}
/// A length that the caller wrote, of things of this size.
inline void expect_length(const char* what, std::size_t count, std::size_t each) {
  if (count > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / each)
    misuse(std::string(what) + " = " + std::to_string(count) +
           " (no array is so long) give the number of its elements?");
}
/// A list of the caller's, of which both say whether it is there.
inline std::vector<double> listed(const char* what, const double* from, const char* counted,
                                  std::size_t count) {
  if (from == nullptr && count > 0)
    misuse(std::string(what) + " is NULL, but " + counted + " = " + std::to_string(count) +
           " (a list is there with its length) pass the numbers, or a count of 0?");
  expect_length(counted, count, sizeof(double));
  return listed(from, count);
}
/// One with a number for each of the state's, or none: what lies behind is not read.
inline std::vector<double> listed(const char* what, const double* from, const char* counted,
                                  std::size_t count, std::size_t n) {
  if (from != nullptr && count > n)
    misuse(std::string(counted) + " = " + std::to_string(count) + " for a state of " +
           std::to_string(n) + " (" + what + " has one number for each) give " + std::to_string(n) +
           " of them, or none?");
  return listed(what, from, counted, count);
}

inline void give(const any_state& from, double* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

}  // namespace revode::c
