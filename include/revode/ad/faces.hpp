// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/ad/field_calls.hpp>
#include <revode/config.hpp>

namespace revode {

// A face of a field is a map (t, y, p) → dy that it offers, with the derivatives that it brings of it:
//
//   whole           f(t, y, p, dy)             f.vjp           f.jvp           f.jacobian
//   implicit part   f.implicit_part(…)         f.implicit_vjp  f.implicit_jvp  f.implicit_jacobian
//   explicit part   f.explicit_part(…)         f.explicit_vjp  f.explicit_jvp  f.explicit_jacobian
//   halves          f.dq(…), f.dp(…)
//
// Arguments are those of field_calls.hpp. The functions of a face are there where the field's are. The whole may
// have a tape, f.tape_size (field_tape.hpp): a rule hands its field's on where its functions take one behind their
// arguments, and drops it otherwise. A field may have a mass matrix besides, f.mass(m), and indices f.index()
// (solve/mass/mass_matrix.hpp): a rule gives its field's, or refuses it.

struct whole_face {
  template <class F, class... A>
  REVODE_HD static auto value(F& f, A&&... a) -> decltype(f(a...)) {
    return f(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto vjp(F& f, A&&... a) -> decltype(f.vjp(a...)) {
    return f.vjp(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto jvp(F& f, A&&... a) -> decltype(f.jvp(a...)) {
    return f.jvp(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto jacobian(F& f, A&&... a) -> decltype(f.jacobian(a...)) {
    return f.jacobian(a...);
  }
};
struct implicit_face {
  template <class F, class... A>
  REVODE_HD static auto value(F& f, A&&... a) -> decltype(f.implicit_part(a...)) {
    return f.implicit_part(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto vjp(F& f, A&&... a) -> decltype(f.implicit_vjp(a...)) {
    return f.implicit_vjp(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto jvp(F& f, A&&... a) -> decltype(f.implicit_jvp(a...)) {
    return f.implicit_jvp(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto jacobian(F& f, A&&... a) -> decltype(f.implicit_jacobian(a...)) {
    return f.implicit_jacobian(a...);
  }
};
struct explicit_face {
  template <class F, class... A>
  REVODE_HD static auto value(F& f, A&&... a) -> decltype(f.explicit_part(a...)) {
    return f.explicit_part(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto vjp(F& f, A&&... a) -> decltype(f.explicit_vjp(a...)) {
    return f.explicit_vjp(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto jvp(F& f, A&&... a) -> decltype(f.explicit_jvp(a...)) {
    return f.explicit_jvp(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto jacobian(F& f, A&&... a) -> decltype(f.explicit_jacobian(a...)) {
    return f.explicit_jacobian(a...);
  }
};
template <int Half>
struct half_face {
  template <class F, class... A>
  REVODE_HD static auto value(F& f, A&&... a) -> decltype(f.dq(a...)) requires(Half == 0) {
    return f.dq(a...);
  }
  template <class F, class... A>
  REVODE_HD static auto value(F& f, A&&... a) -> decltype(f.dp(a...)) requires(Half == 1) {
    return f.dp(a...);
  }
};

template <class Face, class F, class Y, class P, class S>
concept has_face = requires(const F& f, const S& t, const rebind_t<Y, S>& y,
                            const rebind_t<P, S>& p, rebind_t<Y, S>& dy) {
  Face::value(f, t, y, p, dy);
};
template <class Face, class F, class Y, class P, class S>
concept has_face_vjp = requires(const F& f, const S& t, const rebind_t<Y, S>& y,
                                const rebind_t<P, S>& p, S& gt, rebind_t<Y, S>& gy,
                                rebind_t<P, S>& gp) {
  Face::vjp(f, t, y, p, y, gt, gy, gp);
};
template <class Face, class F, class Y, class P, class S>
concept has_face_jvp = requires(const F& f, const S& t, const rebind_t<Y, S>& y,
                                const rebind_t<P, S>& p, rebind_t<Y, S>& out) {
  Face::jvp(f, t, y, p, t, y, p, out);
};

/// What a field says of itself at compile time.
template <class F>
inline constexpr bool says_autonomous = requires {
  requires F::autonomous;
};
template <class F>
inline constexpr bool says_complex_pairs = requires {
  requires F::complex_pairs;
};

/// May the field be handed recorded arrays (array_calls.hpp)? It may say so, `static constexpr bool takes_arrays`. If not,
/// named problems (problems/all.hpp: they have a summary) are left as they are, element by element, whatever a file that
/// erases them includes. What is made of another field may where its rule says so, which asks the same of that one.
template <class F>
inline constexpr bool takes_arrays_v = [] {
  if constexpr (requires { F::takes_arrays; })
    return F::takes_arrays;
  else
    return !requires { F::summary; };
}();

/// A field made of another one, or of something else, by a rule, with every face that the rule can
/// give. For each Face a Rule has any of
///   value(Face{}, t, y, p, dy)                     pull(Face{}, t, y, p, w, gt, gy, gp)
///   push(Face{}, t, y, p, dt, dy, dp, out)         matrix(Face{}, t, y, p, J)
///   tape_size(y, p), and a tape behind the arguments of the first three, of the whole
/// constrained to where it can do that, so that the field's own derivatives are where they can be had
/// and are made as those of any other field elsewhere.
template <class Rule>
struct field_by : Rule {
  static constexpr bool takes_arrays = requires { requires Rule::takes_arrays; };

  template <class... A, class R = Rule>
  REVODE_HD auto operator()(A&&... a) const
      -> decltype(std::declval<const R&>().value(whole_face{}, a...)) {
    return Rule::value(whole_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto implicit_part(A&&... a) const
      -> decltype(std::declval<const R&>().value(implicit_face{}, a...)) {
    return Rule::value(implicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto explicit_part(A&&... a) const
      -> decltype(std::declval<const R&>().value(explicit_face{}, a...)) {
    return Rule::value(explicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto dq(A&&... a) const
      -> decltype(std::declval<const R&>().value(half_face<0>{}, a...)) {
    return Rule::value(half_face<0>{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto dp(A&&... a) const
      -> decltype(std::declval<const R&>().value(half_face<1>{}, a...)) {
    return Rule::value(half_face<1>{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto vjp(A&&... a) const
      -> decltype(std::declval<const R&>().pull(whole_face{}, a...)) {
    return Rule::pull(whole_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto implicit_vjp(A&&... a) const
      -> decltype(std::declval<const R&>().pull(implicit_face{}, a...)) {
    return Rule::pull(implicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto explicit_vjp(A&&... a) const
      -> decltype(std::declval<const R&>().pull(explicit_face{}, a...)) {
    return Rule::pull(explicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto jvp(A&&... a) const
      -> decltype(std::declval<const R&>().push(whole_face{}, a...)) {
    return Rule::push(whole_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto implicit_jvp(A&&... a) const
      -> decltype(std::declval<const R&>().push(implicit_face{}, a...)) {
    return Rule::push(implicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto explicit_jvp(A&&... a) const
      -> decltype(std::declval<const R&>().push(explicit_face{}, a...)) {
    return Rule::push(explicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto jacobian(A&&... a) const
      -> decltype(std::declval<const R&>().matrix(whole_face{}, a...)) {
    return Rule::matrix(whole_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto implicit_jacobian(A&&... a) const
      -> decltype(std::declval<const R&>().matrix(implicit_face{}, a...)) {
    return Rule::matrix(implicit_face{}, a...);
  }
  template <class... A, class R = Rule>
  REVODE_HD auto explicit_jacobian(A&&... a) const
      -> decltype(std::declval<const R&>().matrix(explicit_face{}, a...)) {
    return Rule::matrix(explicit_face{}, a...);
  }
};

/// The derivatives of f, and its mass matrix, as they are, for rules that change nothing but how f is called.
template <class F>
struct passed_derivatives {
  using field = std::remove_cvref_t<F>;
  static constexpr bool autonomous = says_autonomous<field>;
  static constexpr bool complex_pairs = says_complex_pairs<field>;
  static constexpr bool takes_arrays = takes_arrays_v<field>;
  F callable;

  template <class Entries>
  void mass(Entries& m) const requires requires(const field& f) {
    f.mass(m);
  }
  { callable.mass(m); }
  auto index() const requires requires(const field& f) { f.index(); }
  { return callable.index(); }
  template <class Face, class... A>
  REVODE_HD auto pull(Face, A&&... a) const -> decltype(Face::vjp(std::declval<const F&>(), a...)) {
    return Face::vjp(callable, a...);
  }
  template <class Face, class... A>
  REVODE_HD auto push(Face, A&&... a) const -> decltype(Face::jvp(std::declval<const F&>(), a...)) {
    return Face::jvp(callable, a...);
  }
  template <class Face, class... A>
  REVODE_HD auto matrix(Face, A&&... a) const
      -> decltype(Face::jacobian(std::declval<const F&>(), a...)) {
    return Face::jacobian(callable, a...);
  }
};

/// One face as a field of its own, which refers to the field or has one.
template <class Face, class F, class Held = const F&>
struct face_of {
  static constexpr bool takes_arrays = takes_arrays_v<F>;
  Held f;

  template <class... A>
  REVODE_HD auto value(whole_face, A&&... a) const -> decltype(Face::value(f, a...)) {
    return Face::value(f, a...);
  }
  template <class... A>
  REVODE_HD auto pull(whole_face, A&&... a) const -> decltype(Face::vjp(f, a...)) {
    return Face::vjp(f, a...);
  }
  template <class... A>
  REVODE_HD auto push(whole_face, A&&... a) const -> decltype(Face::jvp(f, a...)) {
    return Face::jvp(f, a...);
  }
  template <class... A>
  REVODE_HD auto matrix(whole_face, A&&... a) const -> decltype(Face::jacobian(f, a...)) {
    return Face::jacobian(f, a...);
  }
};

}  // namespace revode
