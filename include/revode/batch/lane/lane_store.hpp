// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <revode/batch/ensemble.hpp>
#include <revode/batch/ensemble_solution.hpp>
#include <revode/batch/lane/lane_arrays.hpp>
#include <revode/batch/place_memory.hpp>

namespace revode {

inline lane_rules rules_of(const options& o) {
  return {.controller = o.controller,
          .fixed_step = o.fixed_step,
          .first_step = o.first_step,
          .max_step = o.max_step,
          .save_t0 = o.save.t0,
          .save_t1 = o.save.t1};
}

/// Lanes are padded to whole vectors and warps.
inline index padded_lanes(index lanes) { return (lanes + 31) / 32 * 32; }

/// The arrays of an ensemble, where its lanes run.
template <class Place, class T>
class lane_store {
 public:
  template <class X>
  using array = typename Place::template array<X>;

  template <class F, class Y, class P>
  void upload(const ensemble<F, Y, P>& e, const options& o, index lanes) {
    lanes_ = lanes;
    fixed_ = o.fixed_step > 0;
    stride_ = padded_lanes(lanes);
    constexpr int n = static_size_v<Y>;
    points_ = 0;
    for (index l = 0; l < (e.save_ts.size() > 1 ? lanes : 1); ++l)
      points_ = std::max(points_, saves(e, o, l));
    require_memory<Place>(stride_, bytes_a_lane(e, n), "results");
    put_columns(e.y0, y0_, in_.y0);
    put_columns(e.p, p_, in_.p);
    put(e.t0, t0_, in_.t0);
    put(e.t1, t1_, in_.t1);
    put(e.rtol.empty() ? std::vector<double>{o.rtol} : e.rtol, rtol_, in_.rtol);
    put(e.atol.empty() ? std::vector<double>{o.atol} : e.atol, atol_, in_.atol);
    put(e.max_steps.empty() ? std::vector<index>{o.max_steps} : e.max_steps, max_steps_,
        in_.max_steps);
    put_save_points(e, o);
    sort(e.cost);
    in_.lanes = lanes;
    next_.assign(1, 0ULL);
    allocate_results(n);
  }

  /// Lanes that cost more start first, and lanes of like cost beside each other.
  void sort(const std::vector<double>& cost) {
    in_.order = nullptr;
    if (cost.size() <= 1) return;
    std::vector<index> numbers(cost.size());
    std::iota(numbers.begin(), numbers.end(), index{0});
    order_ = array<index>(numbers.begin(), numbers.end());
    array<double> keys(cost.begin(), cost.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), order_.begin(), thrust::greater<double>());
    in_.order = elements(order_);
  }

  template <class P>
  void set_parameters(const std::vector<P>& p) {
    put_columns(p, p_, in_.p);
  }

  /// From here on no lane has ended.
  void begin() { ended_.assign(static_cast<std::size_t>(stride_), running); }

  lane_queue queue() {
    if constexpr (Place::catches) {
      __atomic_store_n(elements(next_), 0ULL, __ATOMIC_RELAXED);
    } else {
      next_.assign(1, 0ULL);
    }
    return {elements(next_), lanes_};
  }
  /// Lanes handed out since; on a device 0, where nobody can look.
  index begun() const {
    if constexpr (Place::catches) {
      return std::min(static_cast<index>(__atomic_load_n(elements(next_), __ATOMIC_RELAXED)),
                      lanes_);
    } else {
      return 0;
    }
  }

  /// The results, back on the host.
  template <class Y>
  ensemble_solution<Y> download() const {
    const auto lanes = static_cast<std::size_t>(lanes_);
    ensemble_solution<Y> s;
    s.y = rows<Y>(y_);
    s.t = host(t_);
    s.t.resize(lanes);
    const auto attempts = host(attempts_), accepted = host(accepted_),
               evaluations = host(evaluations_);
    s.status = statuses();
    s.stats.resize(lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      s.stats[l] = {accepted[l], fixed_ ? 0 : attempts[l] - accepted[l], evaluations[l]};
    }
    if (points_ > 0) s.ys = {stride_, host(ys_), host(saved_)};
    return s;
  }

  /// How each lane has ended.
  /// errors  std::runtime_error: one has not, for device code that calls the host is none
  std::vector<status> statuses() const {
    std::vector<std::int64_t> codes = host(ended_);
    codes.resize(static_cast<std::size_t>(lanes_));
    std::vector<status> all;
    for (const std::int64_t code : codes) {
      if (code == running)
        throw std::runtime_error(
            "lane " + std::to_string(all.size()) +
            " was not solved on the device (what it calls is the host's: nvcc warns of it by "
            "numbers 20011 to 20015) make it REVODE_HD, or run on_host{}?");
      all.push_back(static_cast<status>(code));
    }
    return all;
  }

  /// Component-major numbers as one Z a lane.
  template <class Z>
  std::vector<Z> rows(const array<T>& columns) const {
    const std::vector<T> numbers = host(columns);
    std::vector<Z> result(static_cast<std::size_t>(lanes_));
    for (index l = 0; l < lanes_; ++l)
      for (int i = 0; i < static_size_v<Z>; ++i)
        result[static_cast<std::size_t>(l)].data()[i] =
            numbers[static_cast<std::size_t>(i * stride_ + l)];
    return result;
  }

  template <class X>
  static std::vector<X> host(const array<X>& a) {
    std::vector<X> result(a.size());
    thrust::copy(a.begin(), a.end(), result.begin());
    return result;
  }

  /// Attempts of every lane in the last run.
  std::vector<double> last_attempts() const {
    const std::vector<index> attempts = host(attempts_);
    return {attempts.begin(), attempts.begin() + static_cast<std::ptrdiff_t>(lanes_)};
  }
  /// How many save points every lane has in its list.
  std::vector<index> listed() const {
    const std::vector<index> begin = host(save_begin_), end = host(save_end_);
    std::vector<index> counts(static_cast<std::size_t>(lanes_), end[0] - begin[0]);
    for (std::size_t l = 1; l < end.size(); ++l) counts[l] = end[l] - begin[l];
    return counts;
  }
  bool unsorted() const { return in_.order == nullptr; }

  const lane_inputs<T>& inputs() const { return in_; }
  const lane_outputs<T>& outputs() const { return out_; }
  index lanes() const { return lanes_; }
  index stride() const { return stride_; }
  index points() const { return points_; }

 private:
  template <class E>
  static index saves(const E& e, const options& o, index l) {
    const std::size_t listed = e.save_ts.empty() ? o.save.ts.size() : of_lane(e.save_ts, l).size();
    return static_cast<index>(listed) + o.save.t0 + o.save.t1;
  }

  template <class E>
  index bytes_a_lane(const E& e, int n) const {
    constexpr int np = static_size_v<typename E::parameter_type>;
    const index numbers = n * (points_ + 1) + (e.y0.size() > 1 ? n : 0) + (e.p.size() > 1 ? np : 0);
    return numbers * static_cast<index>(sizeof(T)) + 12 * 8;
  }

  template <class X>
  void put(const std::vector<X>& v, array<X>& to, lane_column<X>& column) {
    to = array<X>(v.begin(), v.end());
    column = {elements(to), static_cast<index>(v.size()), v.size() > 1 ? 1 : 0};
  }

  template <class Z>
  void put_columns(const std::vector<Z>& v, array<T>& to, lane_column<T>& column) {
    const std::size_t stride = v.size() > 1 ? static_cast<std::size_t>(stride_) : 1;
    constexpr std::size_t n = static_cast<std::size_t>(static_size_v<Z>);
    std::vector<T> numbers(stride * n);
    for (std::size_t l = 0; l < v.size(); ++l)
      for (std::size_t i = 0; i < n; ++i) numbers[i * stride + l] = v[l].data()[i];
    to = array<T>(numbers.begin(), numbers.end());
    column = {elements(to), static_cast<index>(stride), v.size() > 1 ? 1 : 0};
  }

  template <class E>
  void put_save_points(const E& e, const options& o) {
    std::vector<double> ts;
    std::vector<index> begin, end;
    const std::size_t lists = e.save_ts.empty() ? 1 : e.save_ts.size();
    for (std::size_t l = 0; l < lists; ++l) {
      const std::vector<double>& list = e.save_ts.empty() ? o.save.ts : e.save_ts[l];
      begin.push_back(static_cast<index>(ts.size()));
      ts.insert(ts.end(), list.begin(), list.end());
      end.push_back(static_cast<index>(ts.size()));
    }
    save_ts_ = array<double>(ts.begin(), ts.end());
    in_.save_ts = elements(save_ts_);
    put(begin, save_begin_, in_.save_begin);
    put(end, save_end_, in_.save_end);
  }

  void allocate_results(int n) {
    const auto stride = static_cast<std::size_t>(stride_);
    y_.assign(stride * static_cast<std::size_t>(n), T(0));
    t_.assign(stride, 0.0);
    ended_.assign(stride, 0);
    for (auto* counts : {&attempts_, &accepted_, &evaluations_, &saved_}) counts->assign(stride, 0);
    ys_.assign(stride * static_cast<std::size_t>(n * points_), T(0));
    out_ = {.stride = stride_,
            .y = elements(y_),
            .t = elements(t_),
            .ended = elements(ended_),
            .attempts = elements(attempts_),
            .accepted = elements(accepted_),
            .evaluations = elements(evaluations_),
            .saved = elements(saved_),
            .ys = elements(ys_)};
  }

  index lanes_ = 0, stride_ = 0, points_ = 0;
  bool fixed_ = false;
  lane_inputs<T> in_;
  lane_outputs<T> out_;
  array<T> y0_, p_, y_, ys_;
  array<double> t0_, t1_, rtol_, atol_, save_ts_, t_;
  array<index> max_steps_, save_begin_, save_end_, order_;
  array<index> attempts_, accepted_, evaluations_, saved_;
  array<std::int64_t> ended_;
  array<unsigned long long> next_;
};

}  // namespace revode
