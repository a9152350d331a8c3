// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <revode/solve/solution.hpp>

namespace revode::python {

/// A solve that has been made and can be pulled back, with memory of its own.
template <class T>
struct kept_solve {
  virtual ~kept_solve() = default;
  /// Was it made of these, bit by bit?
  virtual bool is_of(std::span<const T> y0, std::span<const T> p) const = 0;
  /// gy0, gp ← the derivative of a loss whose derivative by the result is w; NaN where the solve has failed.
  virtual void pull(std::span<const T> w, std::span<T> gy0, std::span<T> gp) = 0;
};

/// A problem, a method, options and memory, chosen beforehand: starts and parameters come with the calls, from
/// JAX's programs and torch's. Calls come from any thread.
struct prepared_solve {
  std::size_t states = 0, parameters = 0;
  std::size_t integrals = 0;  ///< behind the states of results
  std::size_t rows = 0;       ///< of results at the times asked for; 0: that at the end
  int threads = 0;            ///< of an ensemble; 0: all there are

  virtual ~prepared_solve() = default;
  std::size_t width() const { return states + integrals; }
  std::size_t results() const { return width() * std::max<std::size_t>(rows, 1); }
};
/// In numbers T. A solve that fails gives NaN.
/// errors  std::invalid_argument: what revode::solve refuses
template <class T>
struct prepared_solve_of : prepared_solve {
  virtual void value(std::span<const T> y0, std::span<const T> p, std::span<T> y) const = 0;
  virtual std::unique_ptr<kept_solve<T>> keep(std::span<const T> y0, std::span<const T> p,
                                              std::span<T> y) const = 0;
};

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}
template <class T>
void fill_with_nan(std::span<T> x) {
  std::fill(x.begin(), x.end(), std::numeric_limits<T>::quiet_NaN());
}

/// The result of a solve, into y; is it whole?
template <class Solution, class T>
bool take(const Solution& s, std::size_t rows, std::span<T> y) {
  if (!is_complete(s.status) || s.ys.size() < rows) {
    fill_with_nan(y);
    return false;
  }
  T* to = y.data();
  if (rows == 0) std::copy(s.y.begin(), s.y.end(), to);
  for (std::size_t i = 0; i < rows; ++i) to = std::copy(s.ys[i].begin(), s.ys[i].end(), to);
  return true;
}

/// An array of many points: the axes in front count them, 1 where all points share a row, and a row has `size`
/// numbers.
template <class T>
struct points {
  T* data = nullptr;
  std::span<const std::int64_t> axes;
  std::size_t size = 0;

  std::size_t count() const {
    std::size_t n = 1;
    for (const std::int64_t of_axis : axes) n *= static_cast<std::size_t>(of_axis);
    return n;
  }
  /// That of point number `point` among those that `all` counts.
  std::span<T> row(std::size_t point, std::span<const std::int64_t> all) const {
    std::size_t number = 0, stride = 1;
    for (std::size_t k = axes.size(); k-- > 0;) {
      const auto of_axis = static_cast<std::size_t>(all[k]);
      if (axes[k] != 1) number += point % of_axis * stride;
      point /= of_axis;
      stride *= static_cast<std::size_t>(axes[k]);
    }
    return {data + number * size, size};
  }
};

/// errors  std::invalid_argument: rows of another length than the solve has
inline void expect_row(std::size_t numbers, std::size_t wanted) {
  if (numbers != wanted)
    throw std::invalid_argument("a row of " + std::to_string(numbers) +
                                " numbers (this solve has " + std::to_string(wanted) +
                                ") give as many?");
}

/// work(0) … work(count − 1), by threads that take the next one.
/// errors  what the work throws: that of the first one that does, when the others have ended
template <class Work>
void for_each_point(std::size_t count, int threads, const Work& work) {
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  const std::size_t most = threads > 0
                               ? static_cast<std::size_t>(threads)
                               : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < std::min(most, count); ++k) others.emplace_back(run);
  run();
  others.clear();  // joins them
  for (const std::exception_ptr& e : thrown)
    if (e) std::rethrow_exception(e);
}

/// y ← the solves of all points of y: one ensemble on threads.
template <class T>
void values(const prepared_solve_of<T>& s, points<const T> y0, points<const T> p, points<T> y) {
  for_each_point(y.count(), s.threads, [&](std::size_t i) {
    s.value(y0.row(i, y.axes), p.row(i, y.axes), y.row(i, y.axes));
  });
}
/// gy0, gp ← the gradients of all points. Each solves again.
template <class T>
void gradients(const prepared_solve_of<T>& s, points<const T> y0, points<const T> p,
               points<const T> w, points<T> gy0, points<T> gp) {
  const std::span<const std::int64_t> all = gy0.axes;
  for_each_point(gy0.count(), s.threads, [&](std::size_t i) {
    std::vector<T> y(s.results());
    s.keep(y0.row(i, all), p.row(i, all), y)->pull(w.row(i, all), gy0.row(i, all), gp.row(i, all));
  });
}

}  // namespace revode::python
