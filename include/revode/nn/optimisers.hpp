// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/nn/parameters.hpp>

// Optimisers change a flat array of parameters in place: there is one copy of the weights, the p of
// the problem. What they keep, their moments, is public, so that a training can be saved.

namespace revode::nn {

/// The numbers [first, first + count) of the flat array lose `decay` × rate of themselves a step.
struct decay_range {
  index first = 0, count = 0;
  double decay = 0;
};

/// Decay for the leaves that are matrices, as is usual: biases and the weights of norms keep theirs.
template <class Module>
std::vector<decay_range> decay_of_matrices(const Module& network, double decay) {
  std::vector<decay_range> ranges;
  for (const leaf& l : leaves_of(network))
    if (!l.is_frozen && l.is_matrix()) ranges.push_back({l.offset, l.size(), decay});
  return ranges;
}

template <class T>
using moments = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// Have p and its gradient as many numbers as the optimiser was made for?
/// errors  std::invalid_argument: no
inline void expect_sizes(index made_for, index p, index gradient) {
  if (p != made_for || gradient != made_for)
    throw std::invalid_argument(std::to_string(p) + " parameters and a gradient of " +
                                std::to_string(gradient) + " (the optimiser is one for " +
                                std::to_string(made_for) + ") give as many of both?");
}

/// errors  std::invalid_argument: what is kept of an average is no part of it
inline void expect_part(const char* name, double kept) {
  if (!(kept >= 0 && kept < 1))
    throw std::invalid_argument(std::string(name) + " = " + std::to_string(kept) +
                                " (what is kept of an average is 0 or more and below 1) give e.g. "
                                "0.9?");
}

/// A step with a rate that is no number would leave no weight.
/// errors  std::invalid_argument: it is none
inline void expect_rate(double rate) {
  if (!std::isfinite(rate))
    throw std::invalid_argument("a step of rate " + std::to_string(rate) +
                                " (no weight would be left) give a finite one?");
}

/// errors  std::invalid_argument: a range that is not within the parameters
inline void expect_ranges(index parameters, const std::vector<decay_range>& ranges) {
  for (const decay_range& r : ranges)
    if (r.first < 0 || r.count < 0 || r.first > parameters - r.count)
      throw std::invalid_argument("decay of " + std::to_string(r.count) + " numbers from " +
                                  std::to_string(r.first) + " on (there are " +
                                  std::to_string(parameters) +
                                  " parameters) take the ranges of this network?");
}

/// p −= rate decay p on each range: decoupled weight decay.
template <class P>
void decay_weights(const std::vector<decay_range>& ranges, double rate, P& p) {
  for (const decay_range& r : ranges) {
    const auto kept = static_cast<scalar_t<P>>(1 - rate * r.decay);
    for (index i = r.first; i < r.first + r.count; ++i) p.data()[i] *= kept;
  }
}

struct adam_options {
  double mean_kept = 0.9;      ///< β₁
  double square_kept = 0.999;  ///< β₂
  double epsilon = 1e-8;
  std::vector<decay_range> decay{};  ///< not empty: AdamW
};

/// m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²,
/// p ← p − rate decay p − rate (m/(1 − β₁ᵏ))/(√(v/(1 − β₂ᵏ)) + ε),  k the number of the step, from 1
/// bytes   two arrays of p's size, in p's scalar
/// source  Kingma & Ba, ICLR 2015, algorithm 1; Loshchilov & Hutter, ICLR 2019, algorithm 2 (AdamW)
/// errors  std::invalid_argument: p or g of another length than it was made for, decay of what is not there, a
///         rate that is not finite, β below 0 or not below 1
template <class T>
class adam {
 public:
  explicit adam(index parameters, adam_options o = {})
      : mean(moments<T>::Zero(parameters)),
        square(moments<T>::Zero(parameters)),
        options_(std::move(o)) {
    expect_ranges(parameters, options_.decay);
    expect_part("mean_kept", options_.mean_kept);
    expect_part("square_kept", options_.square_kept);
  }

  template <class P, class G>
  void step(P& p, const G& gradient, double rate) {
    expect_rate(rate);
    expect_sizes(mean.size(), static_cast<index>(p.size()), static_cast<index>(gradient.size()));
    ++steps;
    const auto k = static_cast<double>(steps);
    decay_weights(options_.decay, rate, p);
    const auto b1 = static_cast<T>(options_.mean_kept), b2 = static_cast<T>(options_.square_kept);
    const auto towards = static_cast<T>(rate / (1 - std::pow(options_.mean_kept, k)));
    const auto of_square = static_cast<T>(1 / (1 - std::pow(options_.square_kept, k)));
    const auto epsilon = static_cast<T>(options_.epsilon);
    for (index i = 0; i < mean.size(); ++i) {
      const T g = gradient.data()[i];
      mean[i] = b1 * mean[i] + (1 - b1) * g;
      square[i] = b2 * square[i] + (1 - b2) * g * g;
      p.data()[i] -= towards * mean[i] / (std::sqrt(square[i] * of_square) + epsilon);
    }
  }

  moments<T> mean, square;
  index steps = 0;

 private:
  adam_options options_;
};

struct sgd_options {
  double momentum = 0;
  bool nesterov = false;
  std::vector<decay_range> decay{};
};

/// v ← momentum v + g,  p ← p − rate decay p − rate v  (nesterov: − rate (g + momentum v))
/// bytes   one array of p's size
/// source  Sutskever, Martens, Dahl & Hinton, ICML 2013, section 2, in the form of torch.optim.SGD
/// errors  as adam's
template <class T>
class sgd {
 public:
  explicit sgd(index parameters, sgd_options o = {})
      : velocity(moments<T>::Zero(parameters)),
        options_(std::move(o)) {
    expect_ranges(parameters, options_.decay);
  }

  template <class P, class G>
  void step(P& p, const G& gradient, double rate) {
    expect_rate(rate);
    expect_sizes(velocity.size(), static_cast<index>(p.size()),
                 static_cast<index>(gradient.size()));
    ++steps;
    decay_weights(options_.decay, rate, p);
    const auto kept = static_cast<T>(options_.momentum), h = static_cast<T>(rate);
    for (index i = 0; i < velocity.size(); ++i) {
      const T g = gradient.data()[i];
      velocity[i] = kept * velocity[i] + g;
      p.data()[i] -= h * (options_.nesterov ? g + kept * velocity[i] : velocity[i]);
    }
  }

  moments<T> velocity;
  index steps = 0;

 private:
  sgd_options options_;
};

/// Scales g so that its 2-norm is at most `largest`, and returns the norm that it had. The sum of
/// squares is one of doubles, from the first to the last. A norm that is no number leaves g alone.
/// errors  std::invalid_argument: a largest norm that is not positive
template <class G>
double clip_by_global_norm(G& g, double largest) {
  if (!(largest > 0))
    throw std::invalid_argument("clipping to a norm of " + std::to_string(largest) +
                                " (nothing would be left) give a positive one?");
  double sum = 0;
  const auto n = static_cast<index>(g.size());
  for (index i = 0; i < n; ++i)
    sum += static_cast<double>(g.data()[i]) * static_cast<double>(g.data()[i]);
  const double norm = std::sqrt(sum);
  if (norm > largest && std::isfinite(norm)) {
    const auto scale = static_cast<scalar_t<G>>(largest / norm);
    for (index i = 0; i < n; ++i) g.data()[i] *= scale;
  }
  return norm;
}

/// a ← kept a + (1 − kept) p after each step, beginning as the weights it was made from: what to
/// evaluate with.
/// bytes   one array of p's size
/// errors  std::invalid_argument: p of another length, kept below 0 or not below 1
template <class T>
class averaged_weights {
 public:
  template <class P>
  explicit averaged_weights(const P& p, double kept = 0.999)
      : average(vector_view<const T>(p.data(), p.size())),
        kept_(kept) {
    expect_part("kept", kept);
  }

  template <class P>
  void follow(const P& p) {
    expect_sizes(average.size(), static_cast<index>(p.size()), average.size());
    const auto kept = static_cast<T>(kept_);
    for (index i = 0; i < average.size(); ++i)
      average[i] = kept * average[i] + (1 - kept) * p.data()[i];
  }

  moments<T> average;

 private:
  double kept_;
};

}  // namespace revode::nn
