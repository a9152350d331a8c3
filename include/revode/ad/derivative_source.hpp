// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// Where a derivative of a field comes from, decided at compile time: the field's own member, duals or a
/// recording of a few rows at a time, forward duals, the reverse recording, of whole arrays or of numbers;
/// `none` is a compile-time error where it is asked for.
enum class derivative_source { own, rows, duals, arrays, recording, none };

/// What a field's own Jacobian is asked whether it takes.
template <class T>
struct any_matrix {
  T& operator()(int i, int j);
};

// What to do about a field without a derivative, said once and first: whatever a solve asks of its field
// names these before it begins.

template <derivative_source From>
struct field_with_vjp {
  static_assert(From != derivative_source::none,
                "this field has no vjp (its call operator accepts one scalar type only, and it "
                "has no member vjp): make operator() a template over the scalar of t, y, p and "
                "dy, or add vjp(t, y, p, w, gt, gy, gp), or use by_finite_differences(field)?");
  static constexpr bool there = true;
};
template <derivative_source From>
struct field_with_jvp {
  static_assert(From != derivative_source::none,
                "this field has no jvp (its call operator accepts one scalar type only, and it "
                "has no member jvp): make operator() a template over the scalar of t, y, p and "
                "dy, or add jvp(t, y, p, dt, dy, dp, out), or use by_finite_differences(field)?");
  static constexpr bool there = true;
};
template <bool Has>
struct field_with_jacobian {
  static_assert(Has,
                "this field has no Jacobian (its call operator accepts one scalar type only, and "
                "it has no member jacobian, jvp or vjp): make operator() a template over the "
                "scalar of t, y, p and dy, or add jacobian(t, y, p, J), or use "
                "by_finite_differences(field)?");
  static constexpr bool there = true;
};

}  // namespace revode
