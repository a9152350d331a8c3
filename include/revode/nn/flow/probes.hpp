// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include <revode/interop/eigen.hpp>
#include <revode/state/counter_random.hpp>

namespace revode::nn {

/// Number i of a stream of a seed, of the standard normal distribution: the same on every machine that
/// has the same cosine and logarithm, whatever was drawn before.
/// source  Box & Muller, Ann. Math. Stat. 29 (1958) 610–611
inline double counter_normal(std::uint64_t seed, std::uint64_t stream, index i) {
  const double radius = std::sqrt(-2 * std::log(1 - counter_uniform(seed, stream, 2 * i)));
  return radius * std::cos(2 * std::numbers::pi * counter_uniform(seed, stream, 2 * i + 1));
}

/// The vectors v by which a Jacobian is looked at, vᵀJ:
///   unit_vectors  all of them: the trace Σ eₖᵀ J eₖ and the norm Σ |eₖᵀ J|² are exact
///   rademacher    one for a sample, of ±1: E[vᵀ J v] = tr J, E|vᵀ J|² = ‖J‖_F²
///   gaussian      one for a sample, of normal numbers: the same, with a larger variance
/// source  Hutchinson, Commun. Stat. Simul. 18 (1989) 1059–1076
enum class probes { unit_vectors, rademacher, gaussian };

/// Those of the samples of a batch. Element i of sample j depends on the seed, the number of the
/// drawing, i and j alone, so all evaluations of a solve, its replays and its pull see the same ones.
class probe_vectors {
 public:
  probe_vectors(probes kind, index rows, std::uint64_t seed)
      : kind_(kind),
        rows_(rows),
        seed_(seed) {}

  probes kind() const { return kind_; }
  /// How many are there for a sample?
  index count() const { return kind_ == probes::unit_vectors ? rows_ : 1; }

  void draw(std::uint64_t number) {
    drawing_ = number;
    drawn_.resize(0);
  }
  /// Element i of the one of sample j, where they are random.
  double at(index i, index j) const {
    const index number = j * rows_ + i;
    if (kind_ == probes::gaussian) return counter_normal(seed_, drawing_, number);
    return counter_bits(seed_, drawing_, number) >> 63 == 0 ? 1 : -1;
  }

  /// v ← number k of each sample. shapes  v: rows × samples
  template <class V>
  void fill(index k, V& v) const {
    using S = typename V::Scalar;
    if (kind_ == probes::unit_vectors) {
      for (index j = 0; j < v.cols(); ++j)
        for (index i = 0; i < rows_; ++i) v(i, j) = S(i == k ? 1 : 0);
      return;
    }
    if (drawn_.size() < v.size()) {
      drawn_.resize(v.size());
      for (index n = 0; n < v.size(); ++n) drawn_[n] = at(n % rows_, n / rows_);
    }
    for (index n = 0; n < v.size(); ++n) v.data()[n] = lift<S>(drawn_[n]);
  }

 private:
  probes kind_;
  index rows_;
  std::uint64_t seed_, drawing_ = 0;
  mutable Eigen::VectorXd drawn_;
};

}  // namespace revode::nn
