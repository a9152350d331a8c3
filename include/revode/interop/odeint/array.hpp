// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <boost/array.hpp>

#include <revode/state/elements.hpp>

// The arrays that odeint programs have as states.

namespace revode {

template <class T, std::size_t N, class S>
struct rebind<boost::array<T, N>, S> {
  using type = boost::array<S, N>;
};
template <class T, std::size_t N>
inline constexpr int static_size_v<boost::array<T, N>> = static_cast<int>(N);

template <class T, std::size_t N, class S>
struct rebind<std::array<T, N>, S> {
  using type = std::array<S, N>;
};
template <class T, std::size_t N>
inline constexpr int static_size_v<std::array<T, N>> = static_cast<int>(N);

}  // namespace revode

namespace boost {

// Boost.Range has functions of these names, which argument-dependent lookup finds beside revode's.
// Between arrays they mean the same, and these are the better match.
template <class T, class S, std::size_t N>
void copy(const array<T, N>& from, array<S, N>& to) {
  revode::copy(from, to);
}
template <class T, class S, std::size_t N>
void fill(array<T, N>& y, const S& value) {
  revode::fill(y, T(value));
}

}  // namespace boost
