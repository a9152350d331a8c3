// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// A number that is a sum over the blocks of a state, of which each block here has its share: what a cotangent of a
/// time is until a reverse pass ends. Shares are added and scaled one by one, and summed by the tree over blocks, so
/// that bits do not depend on who holds the blocks. Those that are missing behind are 0; a number by itself is the share
/// of the first block here.
class block_shares {
 public:
  block_shares() = default;
  block_shares(double first) {
    if (first != 0) shares_.push_back(first);
  }
  explicit block_shares(std::vector<double> shares) : shares_(std::move(shares)) {}

  double operator[](int b) const { return b < count() ? shares_[static_cast<std::size_t>(b)] : 0; }
  /// The share of the b-th block here, to be changed.
  double& of_block(int b) {
    make(b + 1);
    return shares_[static_cast<std::size_t>(b)];
  }
  const double* data() const { return shares_.data(); }
  double* data() { return shares_.data(); }
  std::size_t size() const { return shares_.size(); }

  block_shares& operator+=(const block_shares& x) {
    return *this = join(std::move(*this), x, [](double a, double b) { return a + b; });
  }
  block_shares& operator-=(const block_shares& x) {
    return *this = join(std::move(*this), x, [](double a, double b) { return a - b; });
  }
  friend block_shares operator+(block_shares a, const block_shares& b) { return a += b; }
  friend block_shares operator-(block_shares a, const block_shares& b) { return a -= b; }
  friend block_shares operator-(block_shares x) { return std::move(x) * -1.0; }
  friend block_shares operator*(block_shares x, double by) {
    for (double& share : x.shares_) share *= by;
    return x;
  }
  friend block_shares operator*(double by, block_shares x) { return std::move(x) * by; }
  friend block_shares operator/(block_shares x, double by) {
    for (double& share : x.shares_) share /= by;
    return x;
  }
  /// a x + sum
  template <class T>
  requires std::is_floating_point_v<T>
  friend block_shares muladd(const T& a, const block_shares& x, const block_shares& sum) {
    return join(sum, x, [a](double b, double c) { return muladd(static_cast<double>(a), c, b); });
  }

 private:
  int count() const { return static_cast<int>(shares_.size()); }
  void make(int most) {
    if (count() < most) shares_.resize(static_cast<std::size_t>(most));
  }
  template <class Joined>
  static block_shares join(block_shares a, const block_shares& b, const Joined& joined) {
    a.make(b.count());
    for (int k = 0; k < a.count(); ++k) a.shares_[static_cast<std::size_t>(k)] = joined(a[k], b[k]);
    return a;
  }

  std::vector<double> shares_;
};

/// The share of the b-th block here of what may be a number as well, to which all blocks add.
inline double& share_of_block(block_shares& x, int b) { return x.of_block(b); }
template <class T>
requires std::is_floating_point_v<T> T& share_of_block(T& x, int) { return x; }

}  // namespace revode
