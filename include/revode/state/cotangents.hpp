// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>

#include <revode/state/leaves.hpp>

namespace revode {

/// Every differentiated leaf becomes 0, in place.
template <class Bar>
void set_zero(Bar& bar) {
  for_each_leaf(
      []<class Z>(Z& leaf) {
        if constexpr (std::is_same_v<cotangent_t<Z>, no_cotangent>)
          return;
        else if constexpr (dense<Z>)
          fill(leaf, scalar_t<Z>(0));
        else
          leaf = Z(0);
      },
      bar);
}

/// Gives bar, the cotangent of tree, its shape, all zero. Allocates only what bar does not have.
template <class Tree, class Bar>
void shape_as(const Tree& tree, Bar& bar) {
  fit_sequences(tree, bar);
  for_each_leaf(
      []<class Z, class B>(const Z& leaf, B& leaf_bar) {
        if constexpr (std::is_same_v<cotangent_t<Z>, no_cotangent> ||
                      std::is_same_v<B, no_cotangent>) {
          leaf_bar = B{};
        } else if constexpr (dense<Z>) {
          if (same_extents(leaf, leaf_bar))
            fill(leaf_bar, scalar_t<B>(0));
          else
            leaf_bar = rebind_like<scalar_t<B>>(leaf);
        } else {
          leaf_bar = B(0);
        }
      },
      tree, bar);
}

/// The cotangent of a tree, all zero.
template <class Tree>
cotangent_t<Tree> zero_cotangent(const Tree& tree) {
  cotangent_t<Tree> bar{};
  shape_as(tree, bar);
  return bar;
}

/// into += bar, leaf by leaf.
template <class Bar>
void add_cotangent(const Bar& bar, Bar& into) {
  for_each_leaf(
      []<class Z>(const Z& from, Z& to) {
        if constexpr (std::is_same_v<cotangent_t<Z>, no_cotangent>)
          return;
        else if constexpr (dense<Z>)
          add(from, to);
        else
          to = to + from;
      },
      bar, into);
}

/// "3 elements", or "2 x 3 elements" where rows and columns matter.
template <class Z>
std::string extents(const Z& leaf) {
  if constexpr (requires { leaf.rows() + leaf.cols(); }) {
    if (leaf.cols() != 1) return std::to_string(leaf.rows()) + " x " + std::to_string(leaf.cols());
  }
  return std::to_string(leaf.size());
}

/// Refuses a cotangent that has not the shape of a tree; owner is "a carry", "an output".
/// errors  std::invalid_argument
template <class Tree, class Bar>
void expect_shape(const Tree& tree, const Bar& bar, const std::string& owner) {
  int number = 0;
  for_each_leaf(
      [&]<class Z, class B>(const Z& leaf, const B& leaf_bar) {
        ++number;
        if constexpr (dense<Z> && dense<B>) {
          if (same_extents(leaf, leaf_bar)) return;
          const std::string place =
              branch<Tree> ? "leaf " + std::to_string(number) + " of " + owner + ", which has "
                           : owner + " of ";
          throw std::invalid_argument("a cotangent of " + extents(leaf_bar) + " elements for " +
                                      place + extents(leaf) +
                                      " (they have the same shape) resize it?");
        }
      },
      tree, bar);
}

}  // namespace revode
