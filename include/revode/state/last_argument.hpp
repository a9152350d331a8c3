// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace revode {

/// The last argument of a function, as it is declared; void of what has none, or is none.
template <class Function>
struct last_argument {
  using type = void;
};
template <class... A>
struct last_of {
  using type = void;
};
template <class A>
struct last_of<A> {
  using type = A;
};
template <class A, class B, class... C>
struct last_of<A, B, C...> : last_of<B, C...> {};
template <class R, class... A>
struct last_argument<R (*)(A...)> : last_of<A...> {};
template <class R, class F, class... A>
struct last_argument<R (F::*)(A...) const> : last_of<A...> {};
template <class R, class F, class... A>
struct last_argument<R (F::*)(A...) const noexcept> : last_of<A...> {};

/// Does F(args…), by its own words, take a copy of its last argument, or one that it cannot write to? Told of functions,
/// and of objects whose call operator is one function, or a template of the types of all arguments.
template <class F, class... Args>
inline constexpr bool copies_last_argument = [] {
  using last = std::remove_cvref_t<typename last_of<Args...>::type>;
  const auto copied = []<class Found>(std::type_identity<Found>) {
    return std::is_same_v<std::remove_const_t<Found>, last> || std::is_same_v<Found, const last&>;
  };
  if constexpr (std::is_pointer_v<F>)
    return copied(std::type_identity<typename last_argument<F>::type>{});
  else if constexpr (requires { &F::operator(); })
    return copied(std::type_identity<typename last_argument<decltype(&F::operator())>::type>{});
  else if constexpr (requires { &F::template operator()<std::remove_cvref_t<Args>...>; })
    return copied(std::type_identity<typename last_argument<
                      decltype(&F::template operator()<std::remove_cvref_t<Args>...>)>::type>{});
  else
    return false;
}();

}  // namespace revode
