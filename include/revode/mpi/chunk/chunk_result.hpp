// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/io/byte_stream.hpp>
#include <revode/mpi/together.hpp>

namespace revode {

/// What came of some lanes: their solution, and where it was asked for their gradient.
template <class Y, class P>
struct lanes_result {
  ensemble_solution<Y> solution{};
  ensemble_gradient<Y, P> gradient{};
  bool pulled = false;

  /// Room for so many lanes, with so many save points each.
  void make_room(index lanes, index points, bool times) {
    const auto n = static_cast<std::size_t>(lanes);
    auto& s = solution;
    s.status.resize(n), s.t.resize(n), s.y.resize(n), s.stats.resize(n);
    s.ys = {};
    if (points > 0) {
      s.ys.stride = padded_lanes(lanes);
      const auto stride = static_cast<std::size_t>(s.ys.stride);
      s.ys.numbers.assign(stride * static_cast<std::size_t>(points * static_size_v<Y>), 0);
      s.ys.counts.assign(stride, 0);
    }
    if (!pulled) return;
    auto& g = gradient;
    g.loss.resize(n), g.y0.resize(n), g.p.resize(n), g.status.resize(n);
    if (times) g.t0.resize(n), g.t1.resize(n), g.ts.resize(n);
  }

  /// The lanes of e where an exception left nothing of them.
  template <class F>
  void give_up(const ensemble<F, Y, P>& e) {
    make_room(lanes_of(e), 0, false);
    gradient.status.assign(gradient.status.size(), status::user_error);
    for (index l = 0; l < lanes_of(e); ++l) {
      const auto at = static_cast<std::size_t>(l);
      solution.status[at] = status::user_error;
      solution.t[at] = of_lane(e.t0, l);
      solution.y[at] = of_lane(e.y0, l);
    }
  }

  /// Passes a lane through a stream of bytes.
  void pass(byte_stream& b, index lane) {
    const auto l = static_cast<std::size_t>(lane);
    auto& s = solution;
    b.values(s.status[l], s.t[l], s.y[l], s.stats[l]);
    pass_points(b, lane);
    if (!pulled) return;
    auto& g = gradient;
    b.values(g.status[l], g.loss[l], g.y0[l], g.p[l]);
    bool times = !g.t0.empty();  // those of a chunk that threw has none
    b.values(times);
    if (!times) return;
    b.values(g.t0[l], g.t1[l]);
    b.list(g.ts[l]);
  }

 private:
  void pass_points(byte_stream& b, index lane) {
    auto& ys = solution.ys;
    index count = b.reads() ? 0 : ys.size(lane);
    b.values(count);
    const index rows = count * static_size_v<Y>;
    if (rows < 0 || rows * ys.stride > static_cast<index>(ys.numbers.size()))
      throw std::invalid_argument("more save points than a lane has");
    for (index i = 0; i < rows; ++i)
      b.values(ys.numbers[static_cast<std::size_t>(i * ys.stride + lane)]);
    if (count > 0) ys.counts[static_cast<std::size_t>(lane)] = count;
  }
};

/// What all ranks are told of a chunk: the sums over its lanes, what its work took, and how long what it says
/// besides is. Trivially copyable.
template <class Y, class P>
struct chunk_report {
  index chunk = 0;
  index bytes = 0;      ///< of its lanes, whole words of 8
  index text = 0;       ///< characters of what was thrown in it
  bool misuse = false;  ///< that was a std::invalid_argument
  bool kept = false;    ///< it was read, not solved
  scalar_t<Y> total_loss{};
  Y total_y0{};
  P total_p{};
  lane_reverse_statistics reverse{};
};

/// A chunk that is done: its report, its lanes as bytes, and what was thrown in it.
template <class Y, class P>
struct finished_chunk {
  chunk_report<Y, P> report{};
  std::string lanes{};
  thrown_words thrown{};

  finished_chunk() = default;
  finished_chunk(index chunk, lanes_result<Y, P>& result, thrown_words words)
      : thrown(std::move(words)) {
    byte_stream b;
    for (index l = 0; l < result.solution.lanes(); ++l) result.pass(b, l);
    lanes = b.written();
    lanes.resize((lanes.size() + 7) / 8 * 8);
    const auto& g = result.gradient;
    report = {.chunk = chunk,
              .bytes = static_cast<index>(lanes.size()),
              .text = static_cast<index>(thrown.text.size()),
              .misuse = thrown.misuse,
              .total_loss = g.total_loss,
              .total_y0 = g.total_y0,
              .total_p = g.total_p,
              .reverse = g.reverse};
  }

  /// Passes one in which nothing was thrown through a stream of bytes.
  void pass(byte_stream& b) {
    b.values(report);
    lanes.resize(b.length(lanes.size(), 1));
    b.bytes(lanes.data(), lanes.size());
  }
};

}  // namespace revode
