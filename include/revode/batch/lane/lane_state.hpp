// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane_pull/lane_loss.hpp>
#include <revode/batch/place.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// A state among others in a loop over lanes: a vec whose element loops are written out up to
/// most_in_lanes elements, since compilers make vectors of a loop over lanes only where no loop is left
/// inside. A single solve makes vectors of those loops themselves.
template <class T, int N>
struct lane_vec : vec<T, N> {
  using vec<T, N>::operator=;
};
template <class T, int N>
inline constexpr int static_size_v<lane_vec<T, N>> = N;
template <class T, int N>
inline constexpr int most_unrolled<lane_vec<T, N>> = most_in_lanes;
template <class T, int N, class S>
struct rebind<lane_vec<T, N>, S> : rebind<vec<T, N>, S> {};
template <class T, int N>
struct state_of_loss<lane_vec<T, N>> {
  using type = vec<T, N>;
};

/// What W lanes have for a state.
template <class Y, int W>
struct lane_state {
  using type = Y;
};
template <class T, int N, int W>
requires(W > 1 && N > most_unrolled<vec<T, N>>) struct lane_state<vec<T, N>, W> {
  using type = lane_vec<T, N>;
};

}  // namespace revode
