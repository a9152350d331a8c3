// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/state/cotangents.hpp>

// What a scan visits: anything with xs[i] and size() (vectors of trees, of numbers, of layers;
// step_numbers), the columns of an Eigen matrix, or frozen(series), whose inputs have no cotangent.

namespace revode {

/// A series without content: x is the number of the step, 0 … count − 1.
struct step_numbers {
  index count = 0;
  index operator[](std::size_t i) const { return static_cast<index>(i); }
  std::size_t size() const { return static_cast<std::size_t>(count); }
};
template <>
struct cotangent<step_numbers> {
  using type = no_cotangent;
};

template <class Xs>
inline constexpr bool has_columns_v = false;
template <class Xs>
requires requires(const Xs& xs) {
  typename decltype(xs.col(0))::PlainObject;
  requires !Xs::IsVectorAtCompileTime;
}
inline constexpr bool has_columns_v<Xs> = true;

template <class Xs>
const Xs& series_of(const Xs& xs) {
  return xs;
}
template <class Xs>
const Xs& series_of(const frozen<Xs>& xs) {
  return *xs;
}

template <class Xs>
index series_length(const Xs& xs) {
  if constexpr (has_columns_v<Xs>)
    return static_cast<index>(xs.cols());
  else
    return static_cast<index>(xs.size());
}

/// xs[i] with whatever type of index xs likes, or column i.
template <class Xs>
decltype(auto) series_at(Xs& xs, index i) {
  if constexpr (has_columns_v<std::remove_const_t<Xs>>)
    return xs.col(i);
  else if constexpr (dense<Xs>)
    return xs.data()[i];
  else
    return xs[static_cast<std::size_t>(i)];
}

template <class Xs>
struct series_input {
  using type = std::remove_cvref_t<decltype(series_at(std::declval<const Xs&>(), 0))>;
};
template <class Xs>
requires has_columns_v<Xs>
struct series_input<Xs> {
  using type = typename decltype(std::declval<const Xs&>().col(0))::PlainObject;
};
template <class Xs>
struct series_input<frozen<Xs>> : series_input<Xs> {};
/// The type of one input.
template <class Xs>
using series_input_t = typename series_input<Xs>::type;

/// The cotangents of all inputs: the series' own cotangent, or none.
template <class Xs>
using series_cotangent_t =
    std::conditional_t<is_frozen_v<Xs> ||
                           std::is_same_v<cotangent_t<series_input_t<Xs>>, no_cotangent>,
                       no_cotangent, cotangent_t<Xs>>;

/// Inputs of a series, one at a time. Copies an input only where the series makes it up on the way
/// (columns, ranges), into one place.
template <class Xs>
class series_reader {
 public:
  using input = series_input_t<Xs>;
  using bar_type = std::conditional_t<std::is_same_v<series_cotangent_t<Xs>, no_cotangent>,
                                      no_cotangent, cotangent_t<input>>;

  const input& at(const Xs& xs, index i) {
    if constexpr (in_place) {
      return series_at(series_of(xs), i);
    } else {
      place_ = series_at(series_of(xs), i);
      return place_;
    }
  }

  /// pull(bar of input i), which adds to it.
  template <class Pull>
  void with_bar(series_cotangent_t<Xs>& bars, index i, const Pull& pull) {
    if constexpr (std::is_same_v<bar_type, no_cotangent>) {
      pull(bars);
    } else if constexpr (has_columns_v<Xs>) {
      shape_as(place_, place_bar_);
      pull(place_bar_);
      bars.col(i) += place_bar_;
    } else {
      pull(series_at(bars, i));
    }
  }

 private:
  struct nothing {};
  static constexpr bool in_place =
      std::is_reference_v<decltype(series_at(series_of(std::declval<const Xs&>()), 0))>;
  std::conditional_t<in_place, nothing, input> place_{};
  std::conditional_t<has_columns_v<Xs>, cotangent_t<input>, nothing> place_bar_{};
};

}  // namespace revode
