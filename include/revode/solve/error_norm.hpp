// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/solve/request/norm_request.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// An error_norm as attempts see it: arrays of n, and room for the errors.
struct component_scale {
  const double* rtol = nullptr;
  const double* atol = nullptr;
  double *size = nullptr, *scaled = nullptr;
  int n = 0, inside = 0;
  double (*combine)(const void* norm, const double* scaled, int n) = nullptr;
  const void* norm = nullptr;  // error_norm::combine, which device code cannot name
  int paired = 0;
  int period = 0;

  /// The element whose size element i is measured by.
  REVODE_HD int like(int i) const { return period > 0 ? i % period : i; }
  REVODE_HD bool is_inside(int i) const { return atol[i] - atol[i] == 0; }
  /// The error of element i, of a state of this size there.
  REVODE_HD void put(int i, double size_there, double error) const {
    size[i] = size_there;
    scaled[i] = error;
  }
  /// What element i is measured by, from the sizes.
  REVODE_HD double extent(int i) const {
    const int k = like(i);
    return k < paired ? std::sqrt(size[k] * size[k] + size[k ^ 1] * size[k ^ 1]) : size[k];
  }
  /// The square of the norm of all that was put.
#if defined(__CUDACC__)
  __host__ __device__
#else
  [[gnu::noinline, gnu::cold]]
#endif
      double
      squared() const {
    for (int i = 0; i < n; ++i)
      scaled[i] = is_inside(i) ? scaled[i] / (atol[i] + rtol[i] * extent(i)) : 0 * scaled[i];
    return combined();
  }
  /// That of the scaled errors.
  REVODE_HD double combined() const {
    double sum = 0;
    if (combine != nullptr) {
      sum = combine(norm, scaled, n);
      return sum * sum;
    }
    for (int i = 0; i < n; ++i) sum += scaled[i] * scaled[i];
    return inside > 0 ? sum / inside : 0.0;
  }
};

/// What a tolerance asks of the elements of a state; see options.
struct tolerance {
  double rtol = 1e-6;
  double atol = 1e-9;
  bool estimate = true;  ///< false: do not estimate (fixed steps)
  const component_scale* each =
      nullptr;  ///< where components have tolerances or a norm of their own
};

/// Puts the errors error(i), for a step from y to y_new; the norm's square.
template <class Y, class Error>
REVODE_HD double norm_squared(const component_scale& each, const Y& y, const Y& y_new,
                              const Error& error) {
  for (int i = 0, n = length(y); i < n; ++i) {
    const double a = std::abs(static_cast<double>(value_of(y.data()[i])));
    const double b = std::abs(static_cast<double>(value_of(y_new.data()[i])));
    each.put(i, a > b ? a : b, static_cast<double>(value_of(error(i))));
  }
  return each.squared();
}

/// An error_norm made for a state of n elements; nothing is allocated where none is given.
class component_tolerances {
 public:
  component_tolerances() = default;
  component_tolerances(const error_norm& norm, double rtol, double atol, int n);
  component_tolerances(const component_tolerances&) = delete;
  component_tolerances& operator=(const component_tolerances&) = delete;

  const component_scale* get() const { return scale_.n > 0 ? &scale_ : nullptr; }

 private:
  using combination = decltype(error_norm::combine);
  static double call(const void* norm, const double* scaled, int n) {
    return (*static_cast<const combination*>(norm))(scaled, n);
  }

  std::vector<double> rtol_, atol_, work_;
  combination combine_;
  component_scale scale_{};
};

}  // namespace revode
