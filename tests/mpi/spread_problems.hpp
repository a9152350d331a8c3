// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <revode/mpi/over_blocks.hpp>

namespace revode {

/// u' = D (uᵢ₋₁ − 2uᵢ + uᵢ₊₁) + R u (1 − u) on a ring; its vjp in gathered form.
struct ring {
  template <class T, class P>
  void operator()(const block_place& b, const T&, block_rows<const T> u, const P& p,
                  block_rows<T> du) const {
    for (int i = 0; i < b.rows; ++i)
      du(i) = p[0] * (u(i - 1) - 2 * u(i) + u(i + 1)) + p[1] * u(i) * (1 - u(i));
  }
};
struct gathering_ring : ring {
  template <class T, class P>
  void vjp(const block_place& b, const T&, block_rows<const T> u, const P& p, block_rows<const T> w,
           T&, block_rows<T> gu, std::span<T> gp) const {
    for (int i = 0; i < b.rows; ++i) {
      gu(i) += p[0] * (w(i - 1) - 2 * w(i) + w(i + 1)) + p[1] * (1 - 2 * u(i)) * w(i);
      gp[0] += w(i) * (u(i - 1) - 2 * u(i) + u(i + 1));
      gp[1] += w(i) * u(i) * (1 - u(i));
    }
  }
};

/// The ring's diffusion as the stiff part, with its transpose, and its reaction as the other.
struct split_ring : ring {
  template <class T, class P>
  void implicit_part(const block_place& b, const T&, block_rows<const T> u, const P& p,
                     block_rows<T> du) const {
    for (int i = 0; i < b.rows; ++i) du(i) = p[0] * (u(i - 1) - 2 * u(i) + u(i + 1));
  }
  template <class T, class P>
  void explicit_part(const block_place& b, const T&, block_rows<const T> u, const P& p,
                     block_rows<T> du) const {
    for (int i = 0; i < b.rows; ++i) du(i) = p[1] * u(i) * (1 - u(i));
  }
  template <class T, class P>
  void implicit_vjp(const block_place& b, const T&, block_rows<const T> u, const P& p,
                    block_rows<const T> w, T&, block_rows<T> gu, std::span<T> gp) const {
    for (int i = 0; i < b.rows; ++i) {
      gu(i) += p[0] * (w(i - 1) - 2 * w(i) + w(i + 1));
      gp[0] += w(i) * (u(i - 1) - 2 * u(i) + u(i + 1));
    }
  }
};

/// The periodic field of a block as one of a state that is here as a whole.
template <class Local>
struct in_one_block {
  Local local;
  template <class T>
  void operator()(const T& t, const std::vector<T>& u, const std::vector<T>& p,
                  std::vector<T>& du) const {
    std::vector<T> rows(u.size() + 2);
    std::copy(u.begin(), u.end(), rows.begin() + 1);
    rows.front() = u.back(), rows.back() = u.front();
    const block_place at{0, length(u), 1, length(u)};
    local(at, t, block_rows<const T>{rows.data() + 1, 1}, p, block_rows<T>{du.data(), 1});
  }
};
using whole_ring = in_one_block<ring>;

/// Two substances u, v side by side on a grid of rows, with walls on all sides: what one makes of the other
/// depends on t.
struct grid_reaction {
  template <class T, class P>
  void operator()(const block_place& b, const T& t, block_rows<const T> y, const P& p,
                  block_rows<T> dy) const {
    const int columns = b.width / 2;
    for (int i = 0; i < b.rows; ++i)
      for (int c = 0; c < b.width; ++c) {
        const int column = c % columns;
        T flow(0);
        if (!(b.begins() && i == 0)) flow = flow + (y(i - 1, c) - y(i, c));
        if (!(b.ends() && i == b.rows - 1)) flow = flow + (y(i + 1, c) - y(i, c));
        if (column > 0) flow = flow + (y(i, c - 1) - y(i, c));
        if (column < columns - 1) flow = flow + (y(i, c + 1) - y(i, c));
        const T u = y(i, column), v = y(i, column + columns);
        const T made = u * v * v;
        dy(i, c) = c < columns ? p[0] * flow - made + p[2] * (1 - u)
                               : p[1] * flow + made - (p[2] + p[3] * (1 + t / 10)) * v;
      }
  }
};

/// A state of numbers that depend on where they are in the problem alone.
inline spread<double> bumps(const spread_layout& layout, double phase) {
  spread<double> y(layout);
  const auto first = static_cast<double>(layout.first_row() * layout.shape().width);
  for (int i = 0; i < length(y); ++i) y[i] = 0.5 + 0.4 * std::sin(phase + 0.37 * (first + i));
  return y;
}

/// The same of unlike sizes: sums in another order have other last digits.
inline spread<double> uneven_bumps(const spread_layout& layout, double phase) {
  spread<double> w = bumps(layout, phase);
  const index first = layout.first_row() * layout.shape().width;
  for (int i = 0; i < length(w); ++i) w[i] *= static_cast<double>(1 << ((first + i) * 7 % 23));
  return w;
}

/// Is this the part of the whole that belongs here, bit for bit?
inline bool is_part(const spread<double>& part, const spread<double>& all) {
  const spread_layout& l = part.layout();
  return all.size() == static_cast<std::size_t>(l.elements()) &&
         std::memcmp(part.data(), all.data() + l.first_row() * l.shape().width,
                     part.size() * sizeof(double)) == 0;
}

/// A layout over the ranks of the job, and that of one rank with all of the problem.
struct both_layouts {
  communicator world{}, self{MPI_COMM_SELF};
  spread_layout spread_out, alone;
  explicit both_layouts(const spread_shape& shape) : spread_out(world, shape), alone(self, shape) {}
};

}  // namespace revode
