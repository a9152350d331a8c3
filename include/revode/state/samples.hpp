// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/config.hpp>
#include <revode/state/elements.hpp>

// Samples as columns, and their times: what a field of a batch is called with, where each sample is at a
// time of its own. All are views, whose numbers are somebody else's.

namespace revode {

/// One sample: `rows` numbers beside each other.
template <class T>
struct sample_column {
  T* numbers = nullptr;
  int rows = 0;

  T* data() const { return numbers; }
  int size() const { return rows; }
};
template <class T, class S>
struct rebind<sample_column<T>, S> {
  using type = std::vector<S>;
};

/// Some samples, one behind the other: a matrix of as many columns.
template <class T>
struct sample_columns {
  T* numbers = nullptr;
  int samples = 0, of_each = 0;

  T* data() const { return numbers; }
  int size() const { return samples * of_each; }
  int rows() const { return of_each; }
  int cols() const { return samples; }
  sample_column<T> column(int j) const { return {numbers + j * of_each, of_each}; }
};

/// A number a column, its time or the cotangent of that, and which sample of the whole batch it is: a
/// field's `t` where samples have times of their own.
///   f(t, y, p, dy)                t[j] is the time of column j, t.sample(j) its number in the batch
///   f.vjp(t, y, p, w, gt, gy, gp) adds to gt[j]
/// A field that can be called so says it by a member `static constexpr bool takes_sample_times = true`.
template <class T>
struct sample_times {
  T* numbers = nullptr;
  const int* which = nullptr;
  int samples = 0;

  int size() const { return samples; }
  T& operator[](index j) const { return numbers[j]; }
  index sample(index j) const { return which[j]; }
};

template <class F>
inline constexpr bool takes_sample_times_v = requires {
  requires F::takes_sample_times;
};

/// The time of column j, where all have one and where each has its own.
template <class Time>
Time& time_of(Time& t, index) {
  return t;
}
template <class T>
T& time_of(const sample_times<T>& t, index j) {
  return t[j];
}
template <class T>
T& time_of(sample_times<T>& t, index j) {
  return t[j];
}

}  // namespace revode
