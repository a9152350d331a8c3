// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <revode/ad/derivatives.hpp>
#include <revode/nn/dense_layer.hpp>
#include <revode/nn/module/whole_samples.hpp>
#include <revode/state/samples.hpp>
#include <revode/state/vec.hpp>

namespace revode::nn {

/// No known part: y' is what the network says.
struct no_physics {
  static constexpr int states = -1, parameters = 0;
};
/// Is the time an input of the network, below the state?
enum class time_input { no, yes };

/// Memory of the calls of a field over one scalar: made when a batch is larger than those before.
template <class S>
struct field_work {
  using numbers = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  numbers input, output, kept, work, input_bar;

  static void fit(numbers& x, index size) {
    if (x.size() < size) x.resize(size);
  }
};

/// y' = network(y), of (y; t) with time_input::yes, or physics + network: the field of a problem.
///   neural_field f(mlp({2, 50, 2}));
///   problem q{f, batch, 0.0, 1.0, initial_parameters<double>(f.network(), seed)};
/// With physics, a field of one sample over vec, p begins with the physics' own parameters, and the
/// network's outputs are added to the derivatives from `first_row` on:
///   struct pendulum {
///     static constexpr int states = 2, parameters = 1;
///     template <class T, class Y, class Q>
///     void operator()(const T&, const Y& y, const Q& q, Y& dy) const {
///       dy[0] = y[1];
///       dy[1] = -q[0] * sin(y[0]);
///     }
///   };
///   neural_field f(mlp({2, 16, 1}), pendulum{}, 1);
/// shapes  y: states × samples, samples as columns (a batch of NumPy or torch, samples by rows, as it
///         lies), in anything dense; p: flat
/// cost    forwards a matrix product a layer; vjp and jvp three passes. Nothing is allocated after the
///         first call of a size. vjp and jvp take duals as well, which makes Hessian products
/// errors  std::invalid_argument: a network of other shapes than the state or with a width below 1, a state that is no whole
///         number of samples or none, p of another length
/// One object serves one thread at a time: its memory is its own. Copies have memory of their own.
template <class Module, class Physics = no_physics>
class neural_field {
  static constexpr int known_states = Physics::states, known = Physics::parameters;

 public:
  static constexpr bool has_physics = !std::is_same_v<Physics, no_physics>;
  /// vjp may be called with an empty array for p's part, and computes nothing for it.
  static constexpr bool vjp_without_parameters = true;
  /// t may be sample_times: each sample has its own.
  static constexpr bool takes_sample_times = true;

  explicit neural_field(Module network, time_input time = time_input::no) requires(!has_physics)
      : network_(std::move(network)),
        time_(time),
        states_(network_.outputs()) {
    expect_inputs();
  }
  neural_field(Module network, Physics physics, index first_row,
               time_input time = time_input::no) requires has_physics
      : network_(std::move(network)),
        physics_(std::move(physics)),
        time_(time),
        states_(known_states),
        first_(first_row) {
    expect_inputs();
    if (first_row < 0 || first_row + network_.outputs() > states_)
      throw std::invalid_argument("network with " + std::to_string(network_.outputs()) +
                                  " outputs from row " + std::to_string(first_row) +
                                  " on (the physics has " + std::to_string(states_) +
                                  " states) add them to rows that are there?");
  }

  const Module& network() const { return network_; }
  index states() const { return states_; }
  index parameters() const { return known + network_.parameters(); }

  /// Numbers of a tape: the network's activations of a batch, with what its derivatives read of them.
  template <class Y, class P>
  index tape_size(const Y& y, const P& p) const {
    return network_.kept() * samples_of(y, p);
  }

  /// dy = f. A tape, if there is one, is filled with what the derivatives here read.
  template <class Time, class Y, class P>
  void operator()(const Time& t, const Y& y, const P& p, Y& dy, scalar_t<Y>* tape = nullptr) const {
    using S = scalar_t<Y>;
    const index samples = samples_of(y, p);
    auto&& w = room<S>();
    const auto x = input(w, t, y, samples);
    const bool slopes = tape != nullptr;
    S* kept = slopes ? tape : room_to_keep(w, samples);
    if constexpr (has_physics) {
      call_physics(t, y, p, dy, samples);
      run(w, x, p, kept, slopes);
      for (index j = 0; j < samples; ++j)
        for (index i = 0; i < network_.outputs(); ++i)
          dy.data()[j * states_ + first_ + i] += w.output[j * network_.outputs() + i];
    } else {
      network_.forward(x, p.data(), columns_view<S>(dy.data(), states_, samples), kept, slopes);
    }
  }

  /// Adds wᵀ f_t, wᵀ f_y, wᵀ f_p. gp may be empty: then nothing is computed for it. With the tape of this
  /// call there are two passes instead of three.
  template <class Time, class TimeBar, class Y, class P, class G>
  void vjp(const Time& t, const Y& y, const P& p, const Y& weights, TimeBar& gt, Y& gy, G& gp,
           const scalar_t<Y>* tape = nullptr) const {
    using S = scalar_t<Y>;
    const index samples = samples_of(y, p);
    expect_as_p(gp);
    auto&& w = room<S>();
    const auto x = input(w, t, y, samples);
    const S* kept = kept_of(w, x, p, tape);
    pull_network(w, x, p, kept, weights,
                 gp.size() > 0 ? gp.data() + known : static_cast<S*>(nullptr));
    for (index j = 0; j < samples; ++j) {
      const S* column = w.input_bar.data() + j * x.rows();
      for (index i = 0; i < states_; ++i) gy.data()[j * states_ + i] += column[i];
      if (time_ == time_input::yes) time_of(gt, j) += column[states_];
    }
    if constexpr (has_physics) pull_physics(t, y, p, weights, gt, gy, gp, samples);
  }

  /// dy = f, and with the same forward pass g = f_yᵀ w for `count` weights: next(k, w) writes those with
  /// number k, take(w, g) is told what they give.
  template <class S, class Y, class P, class Next, class Take>
  void call_and_pull(const S& t, const Y& y, const P& p, Y& dy, index count, Y& weights, Y& g,
                     const Next& next, const Take& take) const {
    const index samples = samples_of(y, p), outputs = network_.outputs();
    auto&& w = room<S>();
    const auto x = input(w, t, y, samples);
    const S* kept = kept_of(w, x, p, static_cast<const S*>(nullptr));
    if constexpr (has_physics) call_physics(t, y, p, dy, samples);
    for (index j = 0; j < samples; ++j)
      for (index i = 0; i < outputs; ++i) {
        S& to = dy.data()[j * states_ + first_ + i];
        to = has_physics ? S(to + w.output[j * outputs + i]) : w.output[j * outputs + i];
      }
    vec<S, 0> none{};
    S gt(0);
    for (index k = 0; k < count; ++k) {
      next(k, weights);
      pull_network(w, x, p, kept, weights, static_cast<S*>(nullptr));
      for (index j = 0; j < samples; ++j)
        for (index i = 0; i < states_; ++i)
          g.data()[j * states_ + i] = w.input_bar[j * x.rows() + i];
      if constexpr (has_physics) pull_physics(t, y, p, weights, gt, g, none, samples);
      take(weights, g);
    }
  }

  /// out = f_t dt + f_y dy + f_p dp. A tape as for vjp.
  template <class S, class Y, class P>
  void jvp(const S& t, const Y& y, const P& p, const S& dt, const Y& dy, const P& dp, Y& out,
           const S* tape = nullptr) const {
    const index samples = samples_of(y, p), outputs = network_.outputs();
    expect_as_p(dp);
    auto&& w = room<S>();
    const auto x = input(w, t, y, samples);
    const S* kept = kept_of(w, x, p, tape);
    const S* moves = dy.data();
    if (time_ == time_input::yes) {
      field_work<S>::fit(w.input_bar, x.size());
      fill_input(w.input_bar.data(), dt, dy, samples);
      moves = w.input_bar.data();
    }
    network_.push(x, p.data() + known, kept, columns_view<const S>(moves, x.rows(), samples),
                  dp.data() + known, columns_view<S>(w.output.data(), outputs, samples),
                  w.work.data());
    if constexpr (has_physics) push_physics(t, y, p, dt, dy, dp, out, samples);
    for (index j = 0; j < samples; ++j)
      for (index i = 0; i < outputs; ++i) {
        S& to = out.data()[j * states_ + first_ + i];
        to = has_physics ? S(to + w.output[j * outputs + i]) : w.output[j * outputs + i];
      }
  }

 private:
  template <class S>
  using sample = vec<S, has_physics ? known_states : 1>;
  template <class S>
  using constants = vec<S, known>;

  void expect_inputs() const {
    expect_widths(network_);
    const index wanted = states_ + (time_ == time_input::yes ? 1 : 0);
    if (network_.inputs() != wanted)
      throw std::invalid_argument("network with " + std::to_string(network_.inputs()) +
                                  " inputs (the field has " + std::to_string(states_) + " states" +
                                  (time_ == time_input::yes ? " and the time" : "") + ") give it " +
                                  std::to_string(wanted) + " inputs?");
  }

  template <class Y, class P>
  index samples_of(const Y& y, const P& p) const {
    const index samples = whole_samples("batch", y, states_);
    if (static_cast<index>(p.size()) != parameters())
      throw std::invalid_argument(std::to_string(p.size()) + " parameters (the network has " +
                                  std::to_string(parameters()) +
                                  ") give as many, initial_parameters for a start?");
    return samples;
  }

  /// A derivative by p has its length; an empty one is not asked for.
  template <class G>
  void expect_as_p(const G& g) const {
    if (g.size() > 0) expect_parameters(static_cast<index>(g.size()), parameters());
  }

  template <class S>
  decltype(auto) room() const {
    if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double> ||
                  std::is_same_v<S, dual<float, 1>> || std::is_same_v<S, dual<double, 1>>)
      return (std::get<field_work<S>>(rooms_));
    else
      return field_work<S>{};
  }

  template <class S, class Time, class Y>
  void fill_input(S* to, const Time& t, const Y& y, index samples) const {
    for (index j = 0; j < samples; ++j) {
      for (index i = 0; i < states_; ++i) *to++ = y.data()[j * states_ + i];
      *to++ = time_of(t, j);
    }
  }
  template <class S, class Time, class Y>
  columns_view<const S> input(field_work<S>& w, const Time& t, const Y& y, index samples) const {
    if (time_ == time_input::no) return {y.data(), states_, samples};
    field_work<S>::fit(w.input, (states_ + 1) * samples);
    fill_input(w.input.data(), t, y, samples);
    return {w.input.data(), states_ + 1, samples};
  }

  template <class S>
  S* room_to_keep(field_work<S>& w, index samples) const {
    field_work<S>::fit(w.kept, network_.kept() * samples);
    return w.kept.data();
  }

  /// The network's outputs into w.output; what its derivatives read into `kept`.
  template <class S, class P>
  void run(field_work<S>& w, columns_view<const S> x, const P& p, S* kept, bool slopes) const {
    field_work<S>::fit(w.output, network_.outputs() * x.cols());
    network_.forward(x, p.data() + known,
                     columns_view<S>(w.output.data(), network_.outputs(), x.cols()), kept, slopes);
  }

  /// What the derivatives at x read: the tape, or what a forward pass leaves.
  template <class S, class P>
  const S* kept_of(field_work<S>& w, columns_view<const S> x, const P& p, const S* tape) const {
    field_work<S>::fit(w.output, network_.outputs() * x.cols());
    field_work<S>::fit(w.work, network_.work() * x.cols());
    if (tape != nullptr) return tape;
    S* kept = room_to_keep(w, x.cols());
    run(w, x, p, kept, true);
    return kept;
  }

  /// w.input_bar ← what these weights of f give its input, after a run with slopes; adds to gp, if any.
  template <class S, class P, class Y>
  void pull_network(field_work<S>& w, columns_view<const S> x, const P& p, const S* kept,
                    const Y& weights, S* gp) const {
    const index outputs = network_.outputs();
    for (index j = 0; j < x.cols(); ++j)
      for (index i = 0; i < outputs; ++i)
        w.output[j * outputs + i] = weights.data()[j * states_ + first_ + i];
    field_work<S>::fit(w.input_bar, x.size());
    network_.pull(x, p.data() + known, kept, columns_view<S>(w.output.data(), outputs, x.cols()),
                  w.input_bar.data(), gp, w.work.data());
  }

  template <class S, class Y>
  sample<S> sample_of(const Y& y, index j) const {
    sample<S> one{};
    for (int i = 0; i < one.size(); ++i) one[i] = y.data()[j * states_ + i];
    return one;
  }
  template <class S, class P>
  static constants<S> constants_of(const P& p) {
    constants<S> q{};
    for (int i = 0; i < known; ++i) q[i] = p.data()[i];
    return q;
  }

  template <class Time, class Y, class P>
  void call_physics(const Time& t, const Y& y, const P& p, Y& dy, index samples) const {
    using S = scalar_t<Y>;
    const auto q = constants_of<S>(p);
    for (index j = 0; j < samples; ++j) {
      sample<S> rate{};
      physics_(time_of(t, j), sample_of<S>(y, j), q, rate);
      for (int i = 0; i < rate.size(); ++i) dy.data()[j * states_ + i] = rate[i];
    }
  }

  template <class Time, class TimeBar, class Y, class P, class G>
  void pull_physics(const Time& t, const Y& y, const P& p, const Y& weights, TimeBar& gt, Y& gy,
                    G& gp, index samples) const {
    using S = scalar_t<Y>;
    derivatives<Physics, sample<S>, constants<S>> of;
    const auto q = constants_of<S>(p);
    constants<S> gq{};
    for (index j = 0; j < samples; ++j) {
      sample<S> g{};
      of.vjp(physics_, time_of(t, j), sample_of<S>(y, j), q, sample_of<S>(weights, j),
             &time_of(gt, j), g, gq);
      for (int i = 0; i < g.size(); ++i) gy.data()[j * states_ + i] += g[i];
    }
    if (gp.size() > 0)
      for (int i = 0; i < known; ++i) gp.data()[i] += gq[i];
  }

  template <class S, class Y, class P>
  void push_physics(const S& t, const Y& y, const P& p, const S& dt, const Y& dy, const P& dp,
                    Y& out, index samples) const {
    derivatives<Physics, sample<S>, constants<S>> of;
    const auto q = constants_of<S>(p), dq = constants_of<S>(dp);
    for (index j = 0; j < samples; ++j) {
      sample<S> rate{};
      of.jvp(physics_, t, sample_of<S>(y, j), q, dt, sample_of<S>(dy, j), dq, rate);
      for (int i = 0; i < rate.size(); ++i) out.data()[j * states_ + i] = rate[i];
    }
  }

  Module network_;
  [[no_unique_address]] Physics physics_{};
  time_input time_ = time_input::no;
  index states_ = 0, first_ = 0;
  mutable std::tuple<field_work<float>, field_work<double>, field_work<dual<float, 1>>,
                     field_work<dual<double, 1>>>
      rooms_;
};

}  // namespace revode::nn
