// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include <revode/interop/eigen_recording.hpp>

#include <revode/state/cotangents.hpp>

namespace revode {

/// body(inputs…, result) over plain Eigen, and over recorded leaves.
template <class Body, class Result, class... Inputs>
struct plain_and_recorded {
  using T = typename recorded<Result>::scalar;
  Body body;
  recording<T> r{};
  std::tuple<typename recorded<Inputs>::type...> inputs{};
  typename recorded<Result>::type result{};

  /// bars += the pull of result_bar.
  void pull(const std::tuple<Inputs...>& values, const Result& result_bar,
            std::tuple<Inputs...>& bars) {
    record(values, bars);
    r.begin_pull();
    recorded<Result>::seed(r, result, result_bar);
    r.pull();
    each([&]<class Z>(auto& v, const Z&, Z& bar) { recorded<Z>::collect(r, v, &bar); }, values,
         bars);
  }
  void record(const std::tuple<Inputs...>& values, std::tuple<Inputs...>& bars) {
    r.clear();
    each([&]<class Z>(auto& v, const Z& value, Z& bar) { recorded<Z>::open(r, value, &bar, v); },
         values, bars);
    recorded<Result>::shape(r, result_shape, result);
    std::apply([&](auto&... v) { body(std::as_const(v)..., result); }, inputs);
  }
  Result result_shape{};

 private:
  template <class F>
  void each(const F& f, const std::tuple<Inputs...>& values, std::tuple<Inputs...>& bars) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(std::get<I>(inputs), std::get<I>(values), std::get<I>(bars)), ...);
    }
    (std::index_sequence_for<Inputs...>{});
  }
};

template <class Z>
double inner(const Z& a, const Z& b) {
  if constexpr (dense<Z>) {
    double sum = 0;
    for (int i = 0; i < length(a); ++i)
      sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
    return sum;
  } else {
    return static_cast<double>(a) * static_cast<double>(b);
  }
}
template <class Z>
Z moved(const Z& x, double h, const Z& v) {
  using T = std::conditional_t<dense<Z>, double, Z>;
  return Z(x + static_cast<T>(h) * v);
}

/// Checks a body at these inputs: its recorded value, and wᵀ J v from the pull against differences
/// of the plain body in a fixed direction, Richardson-extrapolated: (4 D(h) − D(2h)) / 3.
/// h is chosen by the caller for formulas that are polynomials of low degree: differences are then
/// exact but for rounding. Every law is checked for each input alone.
template <class Result, class Body, class... Inputs>
void check_body(const Body& body, const Result& like, double h, double tolerance,
                const Inputs&... inputs) {
  plain_and_recorded<Body, Result, Inputs...> recorded_call{body};
  recorded_call.result_shape = like;
  const std::tuple<Inputs...> values(inputs...);
  const auto wave = []<class Z>(const Z& shape, double phase) {
    Z z = shape;
    if constexpr (dense<Z>) {
      for (int i = 0; i < length(z); ++i)
        z.data()[i] = static_cast<scalar_t<Z>>(std::sin(phase + 1.3 * i));
    } else {
      z = static_cast<Z>(std::sin(phase));
    }
    return z;
  };
  const Result w = wave(like, 0.4);
  std::tuple<Inputs...> bars(wave(inputs, 2.0)...), start = bars;

  std::tuple<Inputs...> dummy = bars;
  recorded_call.record(values, dummy);
  Result plain = like;
  body(inputs..., plain);
  Result seen = like;
  recorded<Result>::read(recorded_call.result, seen);
  CHECK(inner(Result(seen - plain), Result(seen - plain)) <= 1e-28 * (1 + inner(plain, plain)));

  recorded_call.pull(values, w, bars);
  const auto differences = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    const auto v = wave(std::get<I>(values), 0.9 + static_cast<double>(I));
    const auto along = [&](double step) {
      Result ends[2] = {like, like};
      for (const int side : {0, 1}) {
        std::tuple<Inputs...> at = values;
        std::get<I>(at) = moved(std::get<I>(values), side == 0 ? -step : step, v);
        std::apply([&](const auto&... x) { body(x..., ends[side]); }, at);
      }
      return (inner(w, ends[1]) - inner(w, ends[0])) / (2 * step);
    };
    const double expected = (4 * along(h) - along(2 * h)) / 3;
    const double found = inner(v, std::get<I>(bars)) - inner(v, std::get<I>(start));
    CAPTURE(I);
    CHECK(std::abs(found - expected) <= tolerance * (1 + std::abs(expected)));
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (differences(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::index_sequence_for<Inputs...>{});
}

}  // namespace revode
