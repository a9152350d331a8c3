// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <revode/state/trees.hpp>

// Visiting the leaves of trees, of one or of several of the same structure at once.

namespace revode {

/// Could A and B stand at the same place of two parallel trees?
template <class A, class B>
inline constexpr bool correspond_v =
    std::is_same_v<std::remove_cvref_t<B>, no_cotangent> ||
    std::is_same_v<cotangent_t<values_of_t<std::remove_cvref_t<A>>>,
                   cotangent_t<values_of_t<std::remove_cvref_t<B>>>>;

template <std::size_t I, class Tree>
constexpr auto& part_at(Tree& tree) {
  if constexpr (std::is_same_v<std::remove_const_t<Tree>, no_cotangent>)
    return tree;
  else
    return std::get<I>(tree);
}
template <class Tree>
constexpr auto& part_at(Tree& tree, std::size_t i) {
  if constexpr (std::is_same_v<std::remove_const_t<Tree>, no_cotangent>)
    return tree;
  else
    return tree[i];
}

template <class Tree>
void expect_length(const Tree& tree, std::size_t parts) {
  if constexpr (requires { tree.size(); })
    if (tree.size() != parts)
      throw std::invalid_argument(std::to_string(tree.size()) + " parts where there are " +
                                  std::to_string(parts) +
                                  " (parallel trees have the same shape) resize it?");
}

/// use(parts of the first, parts of the second, …), each a tuple of references (or no_cotangent,
/// which has as many parts as one likes). `turn` counts the calls of visit within each struct.
template <class Use, class... Seen>
void with_parts(Use& use, int, const std::tuple<Seen...>& seen) {
  std::apply(use, seen);
}
template <class Use, class... Seen, class Tree, class... More>
void with_parts(Use& use, int turn, const std::tuple<Seen...>& seen, Tree& tree, More&... more) {
  const auto go_on = [&](int now, const auto& parts) {
    with_parts(use, now, std::tuple_cat(seen, std::make_tuple(parts)), more...);
  };
  if constexpr (std::is_same_v<std::remove_const_t<Tree>, no_cotangent>) {
    go_on(turn, tree);
  } else {
    int calls = 0;
    std::remove_const_t<Tree>::parts(tree, [&](auto&... parts) {
      if (const int now = calls++; turn < 0 || turn == now) go_on(now, std::tie(parts...));
    });
  }
}

/// f(part of the first tree, the corresponding part of the second, …) for the parts of a branch, in
/// order. The trees are of one structure; a no_cotangent stands for any part.
/// errors  std::invalid_argument: parallel sequences of different lengths
template <class F, class Tree, class... Trees>
requires branch<Tree>
void for_each_part(F&& f, Tree& tree, Trees&... trees) {
  using Z = std::remove_const_t<Tree>;
  const auto zip = [&]<class First, class... Others>(First& first, Others&... others) {
    const auto at = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      f(std::get<I>(first), part_at<I>(others)...);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (at(std::integral_constant<std::size_t, I>{}), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<std::remove_const_t<First>>>{});
  };
  if constexpr (is_tuple_v<Z>) {
    zip(tree, trees...);
  } else if constexpr (is_sequence_v<Z>) {
    (expect_length(trees, tree.size()), ...);
    for (std::size_t i = 0; i < tree.size(); ++i) f(tree[i], part_at(trees, i)...);
  } else {
    const auto zip_alike = [&]<class First, class... Others>(const First& a, const Others&... b) {
      if constexpr (std::tuple_size_v<First> != 1)
        zip(a, b...);
      else if constexpr ((correspond_v<decltype(std::get<0>(a)), decltype(part_at<0>(b))> && ...))
        zip(a, b...);  // the parts are visited one after the other: only those of one type meet
    };
    with_parts(zip_alike, -1, std::tuple<>(), tree, trees...);
  }
}

/// visit(leaf of the first tree, the corresponding leaf of the second, …), in order.
template <class Visit, class Tree, class... Trees>
void for_each_leaf(Visit&& visit, Tree& tree, Trees&... trees) {
  if constexpr (branch<Tree>)
    for_each_part([&](auto&... parts) { for_each_leaf(visit, parts...); }, tree, trees...);
  else
    visit(tree, trees...);
}

/// to = from, number by number where the tree is small and trivial: what a step has just written is
/// then read as it was written, without the wait of a wide load behind narrow stores.
template <class Tree>
void copy_tree(const Tree& from, Tree& to) {
  if constexpr (!std::is_trivially_copyable_v<Tree> || is_frozen_v<Tree>)
    to = from;
  else if constexpr (branch<Tree>)
    for_each_part([](const auto& a, auto& b) { copy_tree(a, b); }, from, to);
  else if constexpr (dense<Tree>)
    copy(from, to);
  else
    to = from;
}

/// Gives every std::vector of other's branches the length that it has in tree; one that is a leaf
/// keeps its own.
template <class Tree, class Other>
void fit_sequences(const Tree& tree, Other& other) {
  if constexpr (branch<Tree> && !std::is_same_v<Other, no_cotangent>) {
    if constexpr (is_sequence_v<Tree> && requires { other.resize(tree.size()); })
      if (other.size() != tree.size()) other.resize(tree.size());
    for_each_part([](const auto& a, auto& b) { fit_sequences(a, b); }, tree, other);
  }
}

/// Have two leaves the same rows and columns, or as many elements?
template <dense A, dense B>
bool same_extents(const A& a, const B& b) {
  if constexpr (requires { a.rows() == b.rows() && a.cols() == b.cols(); })
    return a.rows() == b.rows() && a.cols() == b.cols();
  else
    return length(a) == length(b);
}

/// Bytes of all leaves; what is frozen takes none.
template <class Tree>
index leaf_bytes(const Tree& tree) {
  index bytes = 0;
  for_each_leaf(
      [&]<class Z>(const Z& leaf) {
        if constexpr (dense<Z>)
          bytes += bytes_of(leaf);
        else if constexpr (!is_frozen_v<Z>)
          bytes += static_cast<index>(sizeof(Z));
      },
      tree);
  return bytes;
}

}  // namespace revode
