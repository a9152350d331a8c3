// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/recording/recorded.hpp>
#include <revode/state/cotangents.hpp>

namespace revode {

template <class Tree>
struct recorded_tree;
/// What a recorded body sees in place of a tree: variables where the leaves are differentiated.
template <class Tree>
using recorded_t = typename recorded_tree<Tree>::type;

/// A leaf that ad/recording/recorded.hpp knows; others are constants that stay what they are.
template <class Z>
concept recorded_leaf = !branch<Z> && requires {
  typename recorded<Z>::type;
};

template <class Z>
struct recorded_tree {
  static_assert(!branch<Z>,
                "a struct in a recorded body is a template over its leaves (template <template "
                "<class> class Leaf> struct S) or over its scalar; or bring the body's own pull?");
  using type = Z;
};
template <recorded_leaf Z>
struct recorded_tree<Z> {
  using type = typename recorded<Z>::type;
};
/// What a recording makes of frozen<Z> where that is not frozen<Z> itself, and what it came from.
template <class Z>
struct frozen_variable : recorded<frozen<Z>>::type {
  using plain_type = frozen<Z>;
  frozen<Z> origin;
};
template <class Z>
struct recorded_tree<frozen<Z>> {
  using type = std::conditional_t<std::is_same_v<typename recorded<frozen<Z>>::type, frozen<Z>>,
                                  frozen<Z>, frozen_variable<Z>>;
};
template <class T, class Z, class V>
void open_frozen(recording<T>& r, const frozen<Z>& value, V& v) {
  if constexpr (std::is_same_v<V, frozen<Z>>) {
    v = value;
  } else {
    recorded<frozen<Z>>::open(recording_of_leaf<frozen<Z>>(r), value,
                              static_cast<frozen<Z>*>(nullptr), v);
    v.origin = value;
  }
}
template <class... Z>
struct recorded_tree<std::tuple<Z...>> {
  using type = std::tuple<recorded_t<Z>...>;
};
template <class A, class B>
struct recorded_tree<std::pair<A, B>> {
  using type = std::pair<recorded_t<A>, recorded_t<B>>;
};
template <class Z, std::size_t N>
struct recorded_tree<std::array<Z, N>> {
  using type = std::array<recorded_t<Z>, N>;
};
template <class Z>
requires is_sequence_v<std::vector<Z>>
struct recorded_tree<std::vector<Z>> {
  using type = std::vector<recorded_t<Z>>;
};
template <template <template <class> class> class S, template <class> class Leaf>
struct recorded_tree<S<Leaf>> {
  using type = S<recorded_t>;
};
template <template <class> class S, recordable T>
requires has_parts<S<T>>
struct recorded_tree<S<T>> {
  using type = S<variable<T>>;
};

// The way back, from variables to values.
template <class T>
struct values_of<variable<T>> {
  using type = T;
};
template <class V>
inline constexpr bool is_variable_v = false;
template <class T>
inline constexpr bool is_variable_v<variable<T>> = true;

template <dense V>
requires is_variable_v<scalar_t<V>>
struct values_of<V> {
  using type = rebind_t<V, values_of_t<scalar_t<V>>>;
};
template <class V>
requires requires { typename V::plain_type; }
struct values_of<V> {
  using type = typename V::plain_type;
};
template <class... V>
struct values_of<std::tuple<V...>> {
  using type = std::tuple<values_of_t<V>...>;
};
template <class A, class B>
struct values_of<std::pair<A, B>> {
  using type = std::pair<values_of_t<A>, values_of_t<B>>;
};
template <class V, std::size_t N>
requires(!is_variable_v<V>) struct values_of<std::array<V, N>> {
  using type = std::array<values_of_t<V>, N>;
};
template <class V>
requires is_sequence_v<std::vector<V>>
struct values_of<std::vector<V>> {
  using type = std::vector<values_of_t<V>>;
};
template <template <template <class> class> class S>
struct values_of<S<recorded_t>> {
  using type = S<plain>;
};
template <template <class> class S, class T>
requires has_parts<S<variable<T>>>
struct values_of<S<variable<T>>> {
  using type = S<T>;
};

/// Is it a tree of recorded variables?
template <class V>
inline constexpr bool is_recorded_v = !std::is_same_v<V, values_of_t<V>>;

/// Are all of them trees of values?
template <class... Trees>
inline constexpr bool no_recorded = !(is_recorded_v<std::remove_cvref_t<Trees>> || ...);

/// The scalar of the recording that a tree leads: its first one, or the struct's own `scalar`; void
/// where the type does not tell. Leaves over another scalar have a recording beside it.
template <class Z>
struct tree_scalar {
  using type = void;
};
template <class A, class B>
using first_scalar = std::conditional_t<std::is_void_v<typename tree_scalar<A>::type>,
                                        tree_scalar<B>, tree_scalar<A>>;
template <recordable T>
struct tree_scalar<T> {
  using type = T;
};
template <dense Z>
requires(!branch<Z> && recordable<scalar_t<Z>>) struct tree_scalar<Z> {
  using type = scalar_t<Z>;
};
template <class A, class... Z>
struct tree_scalar<std::tuple<A, Z...>> : first_scalar<A, std::tuple<Z...>> {};
template <class A, class B>
struct tree_scalar<std::pair<A, B>> : first_scalar<A, B> {};
template <class Z>
requires(is_sequence_v<Z>) struct tree_scalar<Z> : tree_scalar<typename Z::value_type> {
};
template <template <class> class S, recordable T>
requires has_parts<S<T>>
struct tree_scalar<S<T>> : tree_scalar<T> {
};
template <class S>
requires(has_parts<S>&& requires { typename S::scalar; }) struct tree_scalar<S> {
  using type = typename S::scalar;
};

/// The same for several trees; double where none tells.
template <class... Trees>
using tree_scalar_t = typename tree_scalar<std::tuple<Trees..., double>>::type;

}  // namespace revode
