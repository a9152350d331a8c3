// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/batch/batch_problem.hpp>
#include <revode/batch/batch_solution.hpp>
#include <revode/solve/course/rules.hpp>

namespace revode {

/// The save points of a batch: which times each sample has, how many it has passed, and where in the
/// solution they lie.
template <class F, class Y, class P>
class save_columns {
  using T = scalar_t<Y>;

 public:
  /// All of them must outlive it.
  save_columns(const batch_problem<F, Y, P>& b, const options& o, batch_solution<Y>& kept)
      : b_(b),
        options_(o),
        kept_(kept) {
    const auto samples = static_cast<std::size_t>(b.y0.cols());
    kept_.first_point.resize(samples);
    kept_.points.assign(samples, 0);
    index total = 0;
    for (std::size_t j = 0; j < samples; ++j) {
      kept_.first_point[j] = total;
      total += static_cast<index>(times(j).size()) + (o.save.t0 ? 1 : 0) + (o.save.t1 ? 1 : 0);
    }
    kept_.ys.resize(b.y0.rows(), static_cast<decltype(b.y0.rows())>(total));
    if (total > 0) fill(kept_.ys, T(0));
    next_.assign(samples, 0);
  }

  double direction(int j) const { return of_sample(b_.t1, j) < of_sample(b_.t0, j) ? -1 : 1; }
  /// How many listed times sample j has passed, and the k-th of them.
  index passed(int j) const { return next_[static_cast<std::size_t>(j)]; }
  double time(int j, index k) const {
    return times(static_cast<std::size_t>(j))[static_cast<std::size_t>(k)];
  }
  /// The column of the k-th listed time of sample j.
  index place(int j, index k) const {
    return kept_.first_point[static_cast<std::size_t>(j)] + (options_.save.t0 ? 1 : 0) + k;
  }
  /// Does a listed time lie between where sample j is and the end of its step?
  bool inside(int j, double t_new) const {
    const index k = passed(j);
    return k < static_cast<index>(times(static_cast<std::size_t>(j)).size()) &&
           lies_inside(direction(j), t_new, time(j, k), true);
  }

  void keep_start(int j, const sample_column<T>& y) {
    if (options_.save.t0) put(j, y);
    keep_reached(j, of_sample(b_.t0, j), y);
  }
  /// The next listed time, inside of a step: where its state goes.
  sample_column<T> keep_inside(int j) {
    ++next_[static_cast<std::size_t>(j)];
    return room(j);
  }
  /// Those listed up to t, where sample j has state y.
  void keep_reached(int j, double t, const sample_column<T>& y) {
    const auto& listed = times(static_cast<std::size_t>(j));
    auto& k = next_[static_cast<std::size_t>(j)];
    for (; k < static_cast<index>(listed.size()) &&
           reaches(direction(j), t, listed[static_cast<std::size_t>(k)]);
         ++k)
      put(j, y);
  }
  void keep_end(int j, const sample_column<T>& y) {
    if (options_.save.t1) put(j, y);
  }

 private:
  const std::vector<double>& times(std::size_t j) const {
    return save_times(b_, options_, static_cast<index>(j));
  }
  sample_column<T> room(int j) {
    const auto at = static_cast<std::size_t>(j);
    const int rows = static_cast<int>(b_.y0.rows());
    return {kept_.ys.data() + (kept_.first_point[at] + kept_.points[at]++) * rows, rows};
  }
  void put(int j, const sample_column<T>& y) {
    auto to = room(j);
    copy(y, to);
  }

  const batch_problem<F, Y, P>& b_;
  const options& options_;
  batch_solution<Y>& kept_;
  std::vector<index> next_;
};

}  // namespace revode
