// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <revode/ad/field_calls.hpp>
#include <revode/nn/flow/one_hidden_layer.hpp>
#include <revode/nn/flow/probed_field.hpp>
#include <revode/nn/module/whole_samples.hpp>

namespace revode::nn {

/// What is carried beside x, and by which vectors the Jacobian is looked at.
struct flow_options {
  probes by = probes::unit_vectors;
  std::uint64_t seed = 0;  ///< of random vectors
  bool log_density = true, kinetic_energy = false, squared_jacobian = false;
};

/// Memory of the calls of a flow over one scalar.
template <class S>
struct flow_work {
  using matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
  matrix x, f, dx, gx;
  Eigen::Matrix<S, flow_rows, Eigen::Dynamic> rows;
  probe_work<S> probing;
  hidden_work<S> hidden;
};

/// A batched field x' = f(t, x, θ) with rows below x that integrate what belongs to each sample:
///   log_density       (log p)' = −tr J, the density of what flows along (J = ∂f/∂x)
///   kinetic_energy    |f|², whose integral is least for straight lines at constant speed
///   squared_jacobian  ‖J‖_F²
/// in this order, those that are asked for. As regularisers the last two are summed over the samples at the
/// end, like any other part of the loss.
///   flow_field flow(neural_field(mlp({3, 64, 2}), time_input::yes));                       // exact
///   flow_field fast(f, {.by = probes::rademacher, .seed = 1, .kinetic_energy = true});
///   fast.draw(step);                          // before a solve: other vectors
/// With random vectors trace and norm are unbiased estimates, and the gradient is exact for the vectors
/// of the solve: they stay until the next draw, which has to wait for the pullback.
/// shapes  y: (states + rows) × samples, samples as columns; p: flat, that of f
/// cost    a call of f and, for trace or norm, a pull a vector (a neural_field shares the forward pass, other fields repeat it);
///         vjp and jvp take f's vjp over duals, one a vector. Of a neural_field<mlp> with one hidden layer the exact
///         trace costs little more than f (closed form).
///         Nothing is allocated after the first call of a size
/// f       a field with states(), parameters(), vjp_without_parameters and a call, vjp and jvp over duals, p plain or not, as
///         neural_field
/// errors  std::invalid_argument: no row; a state that is no whole number of samples, or none; p of another length
/// source  Chen et al., Neural ordinary differential equations, NeurIPS 2018, theorem 1; Grathwohl et al., FFJORD,
///         ICLR 2019, section 3.1; Finlay et al., How to train your neural ODE, ICML 2020 (both regularisers)
template <class Field>
class flow_field {
  static_assert(vjp_without_parameters_v<Field>, "a flow pulls its field without parameters");

 public:
  static constexpr bool vjp_without_parameters = true;

  explicit flow_field(Field f, flow_options o = {})
      : f_(std::move(f)),
        options_(o),
        vectors_(o.by, f_.states(), o.seed) {
    if (rows() == 0)
      throw std::invalid_argument(
          "flow without a row beside its states (it would be the field itself) ask for the "
          "log_density, kinetic_energy or squared_jacobian?");
  }

  const Field& field() const { return f_; }
  const flow_options& options() const { return options_; }
  /// Of a sample: x and the rows below it.
  index states() const { return f_.states() + rows(); }
  index rows() const {
    return index{options_.log_density} + index{options_.kinetic_energy} +
           index{options_.squared_jacobian};
  }
  index parameters() const { return f_.parameters(); }

  /// Other random vectors, those with this number.
  void draw(index number) { vectors_.draw(static_cast<std::uint64_t>(number)); }
  const probe_vectors& vectors() const { return vectors_; }

  template <class S, class Y, class P>
  void operator()(const S& t, const Y& y, const P& p, Y& dy) const {
    auto&& w = room<S>(samples_of(y, p));
    take(y, w.x);
    with_engine(
        w, [&](const auto& engine, auto& work) { engine.value(work, t, w.x, p, w.f, w.rows); });
    give(w, dy);
  }

  /// Adds wᵀ f_t, wᵀ f_y, wᵀ f_p. gp may be empty: then nothing is computed for it.
  template <class S, class Y, class P, class G>
  void vjp(const S& t, const Y& y, const P& p, const Y& weights, S& gt, Y& gy, G& gp) const {
    auto&& w = room<S>(samples_of(y, p));
    take(y, w.x);
    take(weights, w.dx);
    for (index j = 0; j < w.x.cols(); ++j) {
      const S* column = weights.data() + j * states() + f_.states();
      w.rows(trace_row, j) = options_.log_density ? S(-*column++) : S(0);
      w.rows(energy_row, j) = options_.kinetic_energy ? *column++ : S(0);
      w.rows(norm_row, j) = options_.squared_jacobian ? *column : S(0);
    }
    for (index i = 0; i < w.gx.size(); ++i) w.gx.data()[i] = S(0);
    with_engine(w, [&](const auto& engine, auto& work) {
      engine.pull(work, t, w.x, p, w.dx, w.rows, gt, w.gx, gp);
    });
    for (index j = 0; j < w.x.cols(); ++j)
      for (index i = 0; i < f_.states(); ++i) gy.data()[j * states() + i] += w.gx(i, j);
  }

  /// out = f_t dt + f_y dy + f_p dp.
  template <class S, class Y, class P>
  void jvp(const S& t, const Y& y, const P& p, const S& dt, const Y& dy, const P& dp,
           Y& out) const {
    auto&& w = room<S>(samples_of(y, p));
    take(y, w.x);
    take(dy, w.dx);
    with_engine(w, [&](const auto& engine, auto& work) {
      engine.push(work, t, w.x, p, dt, w.dx, dp, w.f, w.rows);
    });
    give(w, out);
  }

 private:
  template <class Y, class P>
  index samples_of(const Y& y, const P& p) const {
    const index samples = whole_samples("batch", y, states(), [this] {
      return "a sample of this flow has " + std::to_string(f_.states()) + " and " +
             std::to_string(rows()) + " beside them";
    });
    if (static_cast<index>(p.size()) != parameters())
      throw std::invalid_argument(std::to_string(p.size()) + " parameters (the field has " +
                                  std::to_string(parameters()) +
                                  ") give as many, initial_parameters for a start?");
    return samples;
  }

  template <class S>
  static void fit(flow_work<S>& w, index states, index samples) {
    w.x.resize(states, samples);
    w.f.resize(states, samples);
    w.dx.resize(states, samples);
    w.gx.resize(states, samples);
    w.rows.resize(flow_rows, samples);
  }
  template <class S>
  decltype(auto) room(index samples) const {
    if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double> ||
                  std::is_same_v<S, dual<float, 1>> || std::is_same_v<S, dual<double, 1>>) {
      auto& w = std::get<flow_work<S>>(rooms_);
      fit(w, f_.states(), samples);
      return (w);
    } else {
      flow_work<S> w;
      fit(w, f_.states(), samples);
      return w;
    }
  }

  /// The closed form where there is one, products with vectors elsewhere.
  template <class S, class Work>
  void with_engine(flow_work<S>& w, const Work& work) const {
    if constexpr (may_have_one_hidden_layer<Field>) {
      if (one_hidden_layer::fits(f_) && options_.by == probes::unit_vectors &&
          !options_.squared_jacobian)
        return work(one_hidden_layer(f_), w.hidden);
    }
    work(probed_field(f_, vectors_, options_.kinetic_energy, options_.squared_jacobian,
                      options_.log_density),
         w.probing);
  }

  template <class Y, class X>
  void take(const Y& y, X& x) const {
    for (index j = 0; j < x.cols(); ++j)
      for (index i = 0; i < x.rows(); ++i) x(i, j) = y.data()[j * states() + i];
  }
  template <class S, class Y>
  void give(const flow_work<S>& w, Y& dy) const {
    auto* to = dy.data();
    for (index j = 0; j < w.f.cols(); ++j) {
      for (index i = 0; i < w.f.rows(); ++i) *to++ = w.f(i, j);
      if (options_.log_density) *to++ = -w.rows(trace_row, j);
      if (options_.kinetic_energy) *to++ = w.rows(energy_row, j);
      if (options_.squared_jacobian) *to++ = w.rows(norm_row, j);
    }
  }

  Field f_;
  flow_options options_;
  probe_vectors vectors_;
  mutable std::tuple<flow_work<float>, flow_work<double>, flow_work<dual<float, 1>>,
                     flow_work<dual<double, 1>>>
      rooms_;
};

}  // namespace revode::nn
