// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/batch/batch_problem.hpp>
#include <revode/batch/batch_solution.hpp>

namespace revode {

/// The field of a batch, called for some of its samples at a time, each at its own; every call is counted.
template <class F, class Y, class P>
class field_columns {
  using T = scalar_t<Y>;
  using columns = sample_columns<T>;

 public:
  explicit field_columns(const batch_problem<F, Y, P>& b)
      : b_(b),
        times_(static_cast<std::size_t>(b.y0.cols())),
        times_bar_(times_.size()) {}

  /// call(times, y, out): out ← f at times(c), for columns that are these samples.
  auto of(const std::vector<int>& which) {
    return [this, &which](const auto& times, const columns& y, columns out) {
      ++calls.field_calls;
      calls.columns += y.samples;
      b_.f(at(times, which, y.samples), y, b_.p, out);
    };
  }
  /// vjp(times, y, w, out): out += wᵀ f_y, p_bar += wᵀ f_p.
  auto vjp_of(const std::vector<int>& which, P& p_bar) {
    return
        [this, &which, &p_bar](const auto& times, const columns& y, const columns& w, columns out) {
          ++vjp_calls.field_calls;
          vjp_calls.columns += y.samples;
          sample_times<T> gt{times_bar_.data(), which.data(), y.samples};
          b_.f.vjp(at(times, which, y.samples), y, b_.p, w, gt, out, p_bar);
        };
  }
  /// dy = f(t, y, p) of sample j, as attempts ask why the last one was in vain.
  auto alone(int j) {
    return [this, j](double t, const sample_column<T>& y, auto& dy) {
      T time = static_cast<T>(t);
      columns out{dy.data(), 1, y.rows};
      b_.f(sample_times<T>{&time, &j, 1}, columns{y.numbers, 1, y.rows}, b_.p, out);
    };
  }

  batch_statistics calls{}, vjp_calls{};

 private:
  template <class Times>
  sample_times<T> at(const Times& times, const std::vector<int>& which, int count) {
    for (int c = 0; c < count; ++c) times_[static_cast<std::size_t>(c)] = static_cast<T>(times(c));
    return {times_.data(), which.data(), count};
  }

  const batch_problem<F, Y, P>& b_;
  std::vector<T> times_, times_bar_;
};

}  // namespace revode
