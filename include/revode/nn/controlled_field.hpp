// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <revode/nn/control_path.hpp>
#include <revode/nn/module/whole_samples.hpp>
#include <revode/nn/neural_field.hpp>

namespace revode::nn {

/// A neural controlled equation, z' = F(z) X'(s): F(z), the network's outputs, is a matrix of states × (1 + channels)
/// for each sample, X = (t, x) the path through what was observed of it.
///   control_path path(control::cubic_hermite, times);
///   controlled_field f(mlp({8, 32, 8 * 4}), path, 3, observed);           // 3 channels, and the time
///   solve(problem{f, z0, path.begin(), path.end(), weights}, tsit5{}, path.at_knots(o, path.begin(), path.end()));
/// `observed` lies as torch's (samples, knots, channels), and is read where it lies, so it may be filled again
/// between solves. Without it p has the weights and then these numbers, and its gradient too: the exact
/// derivative by what was observed.
/// shapes  z: states × samples, samples as columns; network: states → states (1 + channels), its outputs
///         a row of F behind the other (torch's view(states, 1 + channels))
/// cost    the network's, and a product of F with X'. Nothing is allocated after the first call of a size
/// errors  std::invalid_argument: a network of other shapes, no channel, observations of another number or
///         not finite, p of another length, a state that is no whole number of samples or none
/// source  Kidger, Morrill, Foster & Lyons, Neural controlled differential equations for irregular time
///         series, NeurIPS 2020, definition 3.1
template <class Module, class T = double>
class controlled_field {
 public:
  static constexpr bool vjp_without_parameters = true;

  controlled_field(Module network, control_path path, index channels)
      : network_(std::move(network)),
        path_(std::move(path)),
        channels_(channels) {
    expect_widths(network_);
    if (channels < 1)
      throw std::invalid_argument("a path of " + std::to_string(channels) +
                                  " channels (it would be the time alone) give one or more?");
    if (network_.outputs() != states() * (channels + 1))
      throw std::invalid_argument("network with " + std::to_string(network_.outputs()) +
                                  " outputs (the field has " + std::to_string(states()) +
                                  " states, the path " + std::to_string(channels) +
                                  " channels and the time) give it " +
                                  std::to_string(states() * (channels + 1)) + " outputs?");
  }
  /// `observed` has to outlive the field and its copies.
  template <class Array>
  controlled_field(Module network, control_path path, index channels, const Array& observed)
      : controlled_field(std::move(network), std::move(path), channels) {
    observed_ = observed.data();
    size_ = static_cast<index>(observed.size());
    for (index k = 0; k < size_; ++k)
      if (!(observed_[k] - observed_[k] == T(0)))
        throw std::invalid_argument("observation " + std::to_string(k) +
                                    " not finite (a path leads through all of them) fill in "
                                    "what was not observed?");
  }
  template <class Array>
  controlled_field(Module, control_path, index, const Array&&) = delete;  // gone at once

  const Module& network() const { return network_; }
  const control_path& path() const { return path_; }
  index states() const { return network_.inputs(); }
  /// Of a batch: the weights and, where they are not given, the numbers observed.
  index parameters(index samples) const {
    return network_.parameters() + (observed_ == nullptr ? samples * per_sample() : 0);
  }

  /// Numbers of a tape: the network's activations, and behind them its outputs.
  template <class Y, class P>
  index tape_size(const Y& z, const P& p) const {
    return (network_.kept() + network_.outputs()) * samples_of(z, p);
  }

  /// dz = f. A tape, if there is one, is filled with what the derivatives here read.
  template <class S, class Y, class P>
  void operator()(const S& t, const Y& z, const P& p, Y& dz, S* tape = nullptr) const {
    const index samples = samples_of(z, p);
    auto&& w = room<S>();
    run(w, z, p, samples, tape);
    if (tape != nullptr)
      for (index i = 0, n = network_.outputs() * samples; i < n; ++i)
        tape[network_.kept() * samples + i] = w.output[i];
    take_rates(w, path_.at(t), p, samples);
    give(w.output.data(), w.rates.data(), dz, samples, false);
  }

  /// Adds wᵀ f_t, wᵀ f_z, wᵀ f_p. gp may be empty: then nothing is computed for it.
  template <class S, class Y, class P, class G>
  void vjp(const S& t, const Y& z, const P& p, const Y& weights, S& gt, Y& gz, G& gp,
           const S* tape = nullptr) const {
    const index samples = samples_of(z, p), n = states(), wide = channels_ + 1;
    auto&& w = room<S>();
    const S* kept = kept_of(w, z, p, samples, tape);
    const auto at = path_.at(t);
    take_rates(w, at, p, samples);
    for (index j = 0; j < samples; ++j) {
      S* F = w.output.data() + j * n * wide;
      const S* rates = w.rates.data() + j * wide;
      S* rates_bar = w.rates_bar.data() + j * wide;
      for (index c = 0; c < wide; ++c) rates_bar[c] = S(0);
      for (index i = 0; i < n; ++i)
        for (index c = 0; c < wide; ++c) {
          rates_bar[c] += weights.data()[j * n + i] * F[i * wide + c];
          F[i * wide + c] = weights.data()[j * n + i] * rates[c];  // used up, it is F's cotangent
        }
      gt += rates_bar[0] * at.clock_bend;
      pull_rates(at, p, rates_bar, j, gt, gp);
    }
    field_work<S>::fit(w.input_bar, n * samples);
    network_.pull(columns_view<const S>(z.data(), n, samples), p.data(), kept,
                  columns_view<S>(w.output.data(), n * wide, samples), w.input_bar.data(),
                  gp.size() > 0 ? gp.data() : static_cast<S*>(nullptr), w.work.data());
    for (index i = 0; i < n * samples; ++i) gz.data()[i] += w.input_bar[i];
  }

  /// out = f_t dt + f_z dz + f_p dp.
  template <class S, class Y, class P>
  void jvp(const S& t, const Y& z, const P& p, const S& dt, const Y& dz, const P& dp, Y& out,
           const S* tape = nullptr) const {
    const index samples = samples_of(z, p), n = states(), wide = channels_ + 1;
    auto&& w = room<S>();
    const S* kept = kept_of(w, z, p, samples, tape);
    const auto at = path_.at(t);
    take_rates(w, at, p, samples);
    field_work<S>::fit(w.output_dot, n * wide * samples);
    network_.push(columns_view<const S>(z.data(), n, samples), p.data(), kept,
                  columns_view<const S>(dz.data(), n, samples), dp.data(),
                  columns_view<S>(w.output_dot.data(), n * wide, samples), w.work.data());
    give(w.output_dot.data(), w.rates.data(), out, samples, false);
    for (index j = 0; j < samples; ++j) {
      S* moves = w.rates_bar.data() + j * wide;
      moves[0] = at.clock_bend * dt;
      for (index c = 0; c < channels_; ++c) {
        moves[c + 1] = S(0);
        for (int k = 0; k < at.count; ++k) {
          moves[c + 1] += at.bend[k] * dt * value<S>(p, j, at.first + k, c);
          if (observed_ == nullptr) moves[c + 1] += at.c[k] * dp.data()[place(j, at.first + k, c)];
        }
      }
    }
    give(w.output.data(), w.rates_bar.data(), out, samples, true);
  }

 private:
  template <class S>
  struct controlled_work : field_work<S> {
    typename field_work<S>::numbers output_dot, rates, rates_bar;
  };

  index per_sample() const { return path_.knots() * channels_; }
  /// Where a number that was observed lies in p.
  index place(index sample, index knot, index channel) const {
    return network_.parameters() + sample * per_sample() + knot * channels_ + channel;
  }
  template <class S, class P>
  S value(const P& p, index sample, index knot, index channel) const {
    const index k = place(sample, knot, channel);
    return observed_ != nullptr ? lift<S>(observed_[k - network_.parameters()]) : S(p.data()[k]);
  }

  template <class Y, class P>
  index samples_of(const Y& z, const P& p) const {
    const index samples = whole_samples("batch", z, states());
    if (observed_ != nullptr && size_ != samples * per_sample())
      throw std::invalid_argument(std::to_string(size_) + " observations of " +
                                  std::to_string(samples) + " samples (each has " +
                                  std::to_string(per_sample()) +
                                  ": its channels at every time) give as many?");
    if (static_cast<index>(p.size()) != parameters(samples))
      throw std::invalid_argument(std::to_string(p.size()) + " parameters (the network and " +
                                  "what is observed have " + std::to_string(parameters(samples)) +
                                  ") give as many?");
    return samples;
  }

  template <class S>
  decltype(auto) room() const {
    if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double> ||
                  std::is_same_v<S, dual<float, 1>> || std::is_same_v<S, dual<double, 1>>)
      return (std::get<controlled_work<S>>(rooms_));
    else
      return controlled_work<S>{};
  }

  /// The network's outputs into w.output; what its derivatives read into `kept`, unless that is null.
  template <class S, class Y, class P>
  void run(controlled_work<S>& w, const Y& z, const P& p, index samples, S* kept) const {
    const index outputs = network_.outputs();
    field_work<S>::fit(w.output, outputs * samples);
    field_work<S>::fit(w.kept, network_.kept() * samples);
    network_.forward(columns_view<const S>(z.data(), states(), samples), p.data(),
                     columns_view<S>(w.output.data(), outputs, samples),
                     kept != nullptr ? kept : w.kept.data(), kept != nullptr);
  }

  /// What derivatives at z read, and the network's outputs in w.output: from the tape, or by a forward pass.
  template <class S, class Y, class P>
  const S* kept_of(controlled_work<S>& w, const Y& z, const P& p, index samples,
                   const S* tape) const {
    field_work<S>::fit(w.work, network_.work() * samples);
    if (tape == nullptr) {
      field_work<S>::fit(w.kept, network_.kept() * samples);
      run(w, z, p, samples, w.kept.data());
      return w.kept.data();
    }
    field_work<S>::fit(w.output, network_.outputs() * samples);
    for (index i = 0, n = network_.outputs() * samples; i < n; ++i)
      w.output[i] = tape[network_.kept() * samples + i];
    return tape;
  }

  /// w.rates ← X' of each sample.
  template <class S, class P>
  void take_rates(controlled_work<S>& w, const control_rates<S>& at, const P& p,
                  index samples) const {
    const index wide = channels_ + 1;
    field_work<S>::fit(w.rates, wide * samples);
    field_work<S>::fit(w.rates_bar, wide * samples);
    for (index j = 0; j < samples; ++j) {
      S* rates = w.rates.data() + j * wide;
      rates[0] = at.clock;
      for (index c = 0; c < channels_; ++c) {
        rates[c + 1] = S(0);
        for (int k = 0; k < at.count; ++k)
          rates[c + 1] += at.c[k] * value<S>(p, j, at.first + k, c);
      }
    }
  }

  /// dz ← F X', or dz += …
  template <class S, class Y>
  void give(const S* F, const S* rates, Y& dz, index samples, bool add) const {
    const index n = states(), wide = channels_ + 1;
    for (index j = 0; j < samples; ++j)
      for (index i = 0; i < n; ++i) {
        S sum = add ? dz.data()[j * n + i] : S(0);
        for (index c = 0; c < wide; ++c) sum += F[(j * n + i) * wide + c] * rates[j * wide + c];
        dz.data()[j * n + i] = sum;
      }
  }

  template <class S, class P, class G>
  void pull_rates(const control_rates<S>& at, const P& p, const S* rates_bar, index j, S& gt,
                  G& gp) const {
    for (int k = 0; k < at.count; ++k)
      for (index c = 0; c < channels_; ++c) {
        gt += rates_bar[c + 1] * at.bend[k] * value<S>(p, j, at.first + k, c);
        if (observed_ == nullptr && gp.size() > 0)
          gp.data()[place(j, at.first + k, c)] += rates_bar[c + 1] * at.c[k];
      }
  }

  Module network_;
  control_path path_;
  index channels_ = 0;
  const T* observed_ = nullptr;
  index size_ = 0;
  mutable std::tuple<controlled_work<float>, controlled_work<double>,
                     controlled_work<dual<float, 1>>, controlled_work<dual<double, 1>>>
      rooms_;
};
template <class Module>
controlled_field(Module, control_path, index) -> controlled_field<Module>;
template <class Module, class Array>
controlled_field(Module, control_path, index, const Array&)
    -> controlled_field<Module,
                        std::remove_cvref_t<decltype(*std::declval<const Array&>().data())>>;

}  // namespace revode::nn
