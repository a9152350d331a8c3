// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace revode {

/// The algebra of states: everything a step does to a state goes through data() and size(), so
/// vec, dense Eigen vectors and matrices, and std::vector are states without an adapter. Loops run
/// from the first element to the last and add one product at a time: the order, hence the bits, is
/// ours and not a library's.
template <class Y>
concept dense = requires(Y& y, const Y& cy) {
  *y.data();
  *cy.data();
  { cy.size() } -> std::convertible_to<long>;
};

template <class Y>
using scalar_t = std::remove_cvref_t<decltype(*std::declval<Y&>().data())>;
/// What a time is beside a state of scalar T: double, or a dual where states are duals.
template <class T>
using event_time_t = std::conditional_t<std::is_floating_point_v<T>, double, T>;

}  // namespace revode
