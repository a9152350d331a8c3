// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/state/elements.hpp>

// A carry, the parameters, an input or an output of a loop is a tree of leaves.
//   leaves    floating-point numbers; integers (kept, never differentiated); dense arrays (vec,
//             Eigen, std::vector<double>); frozen<Z>
//   branches  std::tuple, std::pair, std::array, std::vector of anything but numbers, and structs
//             that name their parts:
//
//     template <template <class> class Leaf = plain>      // or template <class T>, or no template
//     struct cell {
//       Leaf<Eigen::VectorXd> h, c;
//       template <class Self, class Visit>
//       static void parts(Self& self, Visit&& visit) { visit(self.h, self.c); }
//     };
//
// cell<> is the value, cell<cotangent_t> its cotangent, cell<recorded_t> what a recorded body sees;
// over other numbers than double it says so: using scalar = float. A struct that is no template over
// its leaves is its own cotangent; its integers stay 0 there. parts() may also visit one part after
// the other where trees of one type meet (a body that brings its own pull needs no more).

namespace revode {

/// A leaf as it is: the argument of a struct over its leaves that makes it hold values.
template <class Z>
using plain = Z;

/// The cotangent of what is not differentiated. Empty.
struct no_cotangent {
  friend constexpr bool operator==(const no_cotangent&, const no_cotangent&) = default;
};

/// A reference to something that is not differentiated, read as *w: no copy, no cotangent, and in a
/// snapshot the reference alone. What it refers to must outlive it.
template <class Z>
class frozen {
 public:
  frozen() = default;
  explicit frozen(const Z& to) : to_(&to) {}
  explicit frozen(const Z&& temporary) = delete;

  const Z& operator*() const { return *to_; }
  const Z* operator->() const { return to_; }
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}  // for snapshots and tapes: there is nothing to store
  friend constexpr bool operator==(const frozen&, const frozen&) = default;

 private:
  const Z* to_ = nullptr;
};

template <class Z>
inline constexpr bool is_frozen_v = false;
template <class Z>
inline constexpr bool is_frozen_v<frozen<Z>> = true;

/// A struct that names its parts, all in one call visit(self.a, self.b) or one after the other.
template <class Z>
concept has_parts = !is_frozen_v<std::remove_const_t<Z>> && requires(Z & z) {
  std::remove_const_t<Z>::parts(z, [](auto&...) {});
};

template <class Z>
inline constexpr bool is_tuple_v = false;
template <class... Z>
inline constexpr bool is_tuple_v<std::tuple<Z...>> = true;
template <class A, class B>
inline constexpr bool is_tuple_v<std::pair<A, B>> = true;

/// What a recording makes of a matrix, or of a frozen one.
template <class Z>
concept matrix_like = requires(const Z& z) {
  z.rows();
}
|| requires(const Z& z) { (*z).rows(); };

template <class Z>
inline constexpr bool is_sequence_v = false;
template <class Z, std::size_t N>
inline constexpr bool is_sequence_v<std::array<Z, N>> = true;
template <class Z>
inline constexpr bool is_sequence_v<std::vector<Z>> =
    dense<Z> || has_parts<Z> || is_frozen_v<Z> || is_tuple_v<Z> || is_sequence_v<Z> ||
    matrix_like<Z>;

/// Has it parts, or is it a leaf itself?
template <class Z>
concept branch =
    is_tuple_v<std::remove_const_t<Z>> || is_sequence_v<std::remove_const_t<Z>> || has_parts<Z>;

template <class Z>
struct cotangent;
/// What the derivative by a tree is: the tree itself over the leaves that are differentiated.
template <class Tree>
using cotangent_t = typename cotangent<Tree>::type;

template <class Z>
inline constexpr bool is_counted_v = std::is_integral_v<Z> || std::is_enum_v<Z>;
template <dense Z>
inline constexpr bool is_counted_v<Z> = std::is_integral_v<scalar_t<Z>>;

template <class Z>
struct cotangent : std::conditional<is_counted_v<Z>, no_cotangent, Z> {};
template <class Z>
struct cotangent<frozen<Z>> {
  using type = no_cotangent;
};
template <class... Z>
struct cotangent<std::tuple<Z...>> {
  using type = std::tuple<cotangent_t<Z>...>;
};
template <class A, class B>
struct cotangent<std::pair<A, B>> {
  using type = std::pair<cotangent_t<A>, cotangent_t<B>>;
};
template <class Z, std::size_t N>
struct cotangent<std::array<Z, N>> {
  using part = cotangent_t<Z>;
  using type =
      std::conditional_t<std::is_same_v<part, no_cotangent>, no_cotangent, std::array<part, N>>;
};
template <class Z>
struct cotangent<std::vector<Z>> {
  using part = cotangent_t<Z>;
  using type =
      std::conditional_t<std::is_same_v<part, no_cotangent>, no_cotangent, std::vector<part>>;
};
template <template <template <class> class> class S, template <class> class Leaf>
struct cotangent<S<Leaf>> {
  using type = S<cotangent_t>;
};

/// The tree of numbers behind a tree of recorded variables (ad/recording/recorded.hpp); others are their own.
template <class V>
struct values_of {
  using type = V;
};
template <class V>
using values_of_t = typename values_of<V>::type;

}  // namespace revode
