// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <revode/loop/object_pool.hpp>
#include <revode/loop/recorded_trees.hpp>

namespace revode {

/// The recording that a tree of variables belongs to; null where all are constants.
template <class T, class Tree>
recording<T>* home_of(const Tree& variables) {
  recording<T>* home = nullptr;
  for_each_leaf(
      [&]<class V>(const V& v) {
        if constexpr (is_recorded_v<V>)
          if (home == nullptr)
            if (auto* const its = recording_of(v); its != nullptr) home = &its->template over<T>();
      },
      variables);
  return home;
}
template <class T>
recording<T>* recording_of(const variable<T>& v) {
  return v.home;
}
template <dense V>
requires is_variable_v<scalar_t<V>>
auto recording_of(const V& variables) {
  auto* home = scalar_t<V>().home;
  for (int i = 0, n = length(variables); i < n && home == nullptr; ++i)
    home = variables.data()[i].home;
  return home;
}

template <class V>
requires requires(const V& v) { v.array_node(); }
auto recording_of(const V& v) { return v.array_node().where(); }
template <class V>
requires requires(const V& v) { v->array_node(); }
auto recording_of(const V& v) {  // a frozen matrix
  return v->array_node().where();
}

/// Adds bar to the cotangent of v, in the middle of a pull: bar may change afterwards.
template <class Z, class T, class V, class B>
void contribute(recording<T>& r, const V& v, const B& bar) {
  if constexpr (requires { v.array_node(); }) {
    if (!v.array_node().is_set() || !v.array_node().tracked()) return;
    T* to = v.array_node().place().bar_to_add();
    for (int i = 0, n = length(bar); i < n; ++i) to[i] = to[i] + bar.data()[i];
  } else {
    recorded<Z>::seed(recording_of_leaf<Z>(r), v, bar);
  }
}

/// One call in a recording: its arguments' and results' places there, and the arguments' values.
/// Ins and Outs are tuples of trees of variables (or of values, which are constants).
template <class Ins, class Outs>
struct call_frame {
  Ins variables{};
  Outs results{};
  values_of_t<Ins> values{};

  /// Lets go of arrays of the recording.
  void release() noexcept {
    const auto forget = []<class V>(V& v) {
      if constexpr (is_recorded_v<V> && !dense<V>) v = V{};
    };
    for_each_leaf(forget, variables);
    for_each_leaf(forget, results);
  }
};

/// What the pull of one call needs besides, shared by all calls of a kind.
template <class Ins, class Outs>
struct call_work {
  values_of_t<Outs> outs{};
  cotangent_t<values_of_t<Outs>> result_bars{};
  cotangent_t<values_of_t<Ins>> bars{};
};

/// values = the values of variables.
template <class Tree, class Values>
void read_values(const Tree& variables, Values& values) {
  fit_sequences(variables, values);
  for_each_leaf(
      []<class V, class Z>(const V& v, Z& z) {
        if constexpr (!is_recorded_v<V>) {
          z = v;
        } else if constexpr (is_frozen_v<Z>) {
          z = v.origin;
        } else {
          if constexpr (dense<V>)
            if (!same_extents(v, z)) z = rebind_like<scalar_t<Z>>(v);
          recorded<Z>::read(v, z);
        }
      },
      variables, values);
}

/// results = values, as results of an operation of r, or as constants where there is no r.
template <class T, class Values, class Tree>
void write_results(recording<T>* r, const Values& values, Tree& results) {
  fit_sequences(values, results);
  thread_local recording<T> nowhere;  // outlives the constants that refer to it
  for_each_leaf(
      [&]<class Z, class V>(const Z& z, V& v) {
        if constexpr (!is_recorded_v<V>)
          v = z;
        else if constexpr (is_frozen_v<Z>)
          open_frozen(r != nullptr ? *r : nowhere, z, v);
        else if (r != nullptr)
          recorded<Z>::output(recording_of_leaf<Z>(*r), z, v);
        else
          recorded<Z>::constant(z, v);
      },
      values, results);
}

/// Runs core->run(values, results' values) on the values of a call with recorded arguments and puts
/// it into their recording as one operation, which keeps the arguments' values and calls
///   core->pull(values, outs, result_bars, bars)      // bars += (∂outs/∂values)ᵀ result_bars
/// when the recording is pulled. shape(values, outs) gives the results' values their shapes.
template <class Core, class... In, class... Out, class Shape>
void record_call(const std::shared_ptr<Core>& core, const std::tuple<const In&...>& ins,
                 const std::tuple<Out&...>& results, const Shape& shape) {
  using frame_type = call_frame<std::tuple<In...>, std::tuple<Out...>>;
  using work_type = call_work<std::tuple<In...>, std::tuple<Out...>>;
  using T = tree_scalar_t<values_of_t<std::tuple<In...>>>;

  auto frame = core->pool.template take<frame_type>();
  read_values(ins, frame->values);
  recording<T>* home = home_of<T>(ins);
  {
    auto work = core->pool.template take<work_type>();
    shape(frame->values, work->outs);
    core->run(std::as_const(frame->values), work->outs);
    write_results(home, std::as_const(work->outs), results);
  }
  if (home == nullptr) return;
  frame->variables = ins;
  frame->results = results;
  home->joint_operation([core, home, frame = std::move(frame)] {
    auto work = core->pool.template take<work_type>();
    read_values(frame->results, work->outs);
    shape_as(work->outs, work->result_bars);
    shape_as(frame->values, work->bars);
    for_each_leaf(
        [&]<class Z, class B, class V>(const Z&, B& bar, const V& v) {
          if constexpr (is_recorded_v<V> && !std::is_same_v<B, no_cotangent>)
            recorded<Z>::add_cotangent(recording_of_leaf<Z>(*home), v, bar);
        },
        work->outs, work->result_bars, frame->results);
    core->pull(std::as_const(frame->values), work->outs, std::as_const(work->result_bars),
               work->bars);
    for_each_leaf(
        [&]<class Z, class B, class V>(const Z&, const B& bar, const V& v) {
          if constexpr (is_recorded_v<V> && !std::is_same_v<B, no_cotangent>)
            contribute<Z>(*home, v, bar);
        },
        frame->values, work->bars, frame->variables);
  });
}

}  // namespace revode
