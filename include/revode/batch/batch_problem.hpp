// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/problem.hpp>
#include <revode/solve/solve.hpp>
#include <revode/state/samples.hpp>

namespace revode {

/// Does a matrix of this type have as many columns as it is asked for, one behind the other in memory?
template <class Y>
inline constexpr bool holds_samples_v = requires(Y& y) {
  y.resize(y.rows(), y.cols());
  *y.data();
};
template <class Y>
requires requires { Y::MaxColsAtCompileTime, Y::IsRowMajor; }
inline constexpr bool holds_samples_v<Y> =
    int(Y::MaxColsAtCompileTime) == -1 && (!Y::IsRowMajor || int(Y::RowsAtCompileTime) == 1);

/// An initial value problem of many samples, one field and one set of parameters for all of them, as
/// neural networks have: each sample has an initial state, an interval and save points of its own.
///
///   batch_problem b{neural_field(mlp({2, 50, 2})), y0, {0.0}, t1_of_samples, p};
///
/// y0      states × samples, a sample a column: an Eigen::MatrixXd, say
/// t0, t1  one a sample, or one for all
/// save_ts likewise, or empty: those of options::save for all
/// f       takes sample_times (state/samples.hpp)
template <class F, class Y, class P>
struct batch_problem {
  static_assert(holds_samples_v<Y>,
                "a batch whose states are no matrix of columns (y0 has a column a sample, as have "
                "save points: one behind the other, as many as there are) take Eigen::MatrixXd?");
  static_assert(
      requires(const P& p) { *p.data(); },
      "a batch whose parameters are no array (p of all samples) take an Eigen::VectorXd or vec?");
  static_assert(takes_sample_times_v<F>,
                "a field that knows one time (each sample of a batch has its own: t[j] is that of "
                "column j) let it take sample_times and say takes_sample_times = true, as "
                "neural_field does?");
  static_assert(!has_mass_v<F>,
                "a batch whose field has a mass matrix (explicit methods take none) solve the "
                "samples one by one?");
  using field_type = F;
  using state_type = Y;
  using parameter_type = P;

  F f;
  Y y0;
  std::vector<double> t0{0.0};
  std::vector<double> t1{1.0};
  P p{};
  std::vector<std::vector<double>> save_ts{};
};
template <class F, class Y, class P>
batch_problem(F, Y, std::vector<double>, std::vector<double>, P)
    -> batch_problem<F, own_array_t<Y>, own_array_t<P>>;
template <class F, class Y, class P>
batch_problem(F, Y, std::vector<double>, std::vector<double>, P, std::vector<std::vector<double>>)
    -> batch_problem<F, own_array_t<Y>, own_array_t<P>>;

/// Element j of a list with one for each sample, or one for all.
template <class V>
const auto& of_sample(const V& v, index j) {
  return v[v.size() == 1 ? 0 : static_cast<std::size_t>(j)];
}

/// The number of samples. Throws std::invalid_argument for none, and for a list of another length than
/// that, 1, or 0 where it may be empty.
template <class F, class Y, class P>
index samples_of(const batch_problem<F, Y, P>& b) {
  const auto samples = static_cast<index>(b.y0.cols());
  if (samples == 0 || b.y0.rows() == 0)
    throw std::invalid_argument("a batch of " + std::to_string(samples) + " samples of " +
                                std::to_string(b.y0.rows()) +
                                " states (y0 has a column a sample) give one or more?");
  const auto check = [&](const char* name, std::size_t size, bool may_be_empty) {
    if (static_cast<index>(size) == samples || size == 1 || (size == 0 && may_be_empty)) return;
    throw std::invalid_argument(std::string(name) + " with " + std::to_string(size) +
                                " elements in a batch of " + std::to_string(samples) +
                                " samples (each sample has its own, or all share one) give " +
                                std::to_string(samples) + " of them, or 1?");
  };
  check("t0", b.t0.size(), false), check("t1", b.t1.size(), false);
  check("save_ts", b.save_ts.size(), true);
  return samples;
}

/// The save points of sample j.
template <class F, class Y, class P>
const std::vector<double>& save_times(const batch_problem<F, Y, P>& b, const options& o, index j) {
  return b.save_ts.empty() ? o.save.ts : of_sample(b.save_ts, j);
}

/// Does the method step many samples at once, by errors of its own?
template <class M, class T>
inline constexpr bool takes_batches_v = has_estimate_v<M>&& requires {
  typename method_types<M, sample_column<T>>::columns;
};

/// Throws for what a batch of steps of their own is without.
inline void refuse_what_batches_lack(const options& o) {
  const char* what = o.fixed_step > 0             ? "fixed_step"
                     : !o.grid.empty()            ? "grid"
                     : !o.stops.empty()           ? "stops"
                     : !o.discontinuities.empty() ? "discontinuities"
                     : o.save.every > 0           ? "save.every"
                     : o.restart                  ? "restart"
                                                  : nullptr;
  if (what != nullptr)
    throw std::invalid_argument(std::string(what) +
                                " in a batch_problem (each sample has steps of its own, and no "
                                "events) leave it out, or solve a problem whose state is the "
                                "whole batch?");
}

/// Throws std::invalid_argument, before any work, for the first thing wrong. A state that is no number is
/// told by its sample's status.
template <method M, class F, class Y, class P>
void validate(const batch_problem<F, Y, P>& b, const M&, const options& o) {
  const index samples = samples_of(b);
  if (!takes_batches_v<M, scalar_t<Y>>)
    throw std::invalid_argument("method " + std::string(M::name) +
                                " in a batch_problem (samples step together by explicit "
                                "Runge-Kutta methods with an error estimate) choose a method "
                                "such as tsit5?");
  if (!tells_finite()) refuse_finite_math();
  if (o.threads > 1 && !has_threads) refuse_threads(o.threads);
  refuse_what_batches_lack(o);
  if (!b.save_ts.empty() && !o.save.ts.empty())
    throw std::invalid_argument("save_ts of a batch beside " + std::to_string(o.save.ts.size()) +
                                " times in options::save.ts (each sample has one list) leave one "
                                "of them empty?");
  validate(o.norm, static_cast<int>(b.y0.rows()));
  const bool alike = b.t0.size() == 1 && b.t1.size() == 1 && b.save_ts.size() <= 1;
  options of_one = o;
  for (index j = 0; j < (alike ? 1 : samples); ++j) {
    if (!b.save_ts.empty()) of_one.save.ts = save_times(b, o, j);
    validate(of_one, of_sample(b.t0, j), of_sample(b.t1, j), has_estimate_v<M>, M::name,
             !keeps_bits());
  }
}

template <class... Else>
struct batches_with {
  static_assert(sizeof...(Else) > 1000,
                "a batch_problem with events, tangents or another adjoint than "
                "recursive_checkpoint (each sample has steps of its own, pulled by their log) "
                "solve the samples one by one, or a problem whose state is the whole batch?");
};
template <class F, class Y, class P, method M, class... Else>
requires(sizeof...(Else) > 0) batches_with<Else...> solve(const batch_problem<F, Y, P>&, const M&,
                                                          const options&, const Else&...) {
  return {};
}

}  // namespace revode
