// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/config.hpp>

namespace revode {

// Numbers that one instruction handles, as the vectors of gcc and clang, with their operators. A
// type without such vectors, and every type under nvcc, is its own pack: the same operations on one
// number after the other.

/// Bytes of a pack. Four doubles at most, whatever the machine: layouts do not depend on flags.
#if defined(__AVX__)
inline constexpr int pack_bytes = 32;
#else
inline constexpr int pack_bytes = 16;
#endif

template <class T>
struct pack_type {
  using type = T;
};
#if !defined(__CUDACC__)
template <>
struct pack_type<double> {
  typedef double type [[gnu::vector_size(pack_bytes)]];
};
template <>
struct pack_type<float> {
  typedef float type [[gnu::vector_size(16)]];
};
#endif

template <class V, class T>
inline constexpr int pack_width = static_cast<int>(sizeof(V) / sizeof(T));

/// From and to memory at a multiple of 16 bytes.
template <class V, class T>
REVODE_HD V load_pack(const T* from) {
  V x;
  if constexpr (std::is_same_v<V, T>)
    x = *from;
  else
    __builtin_memcpy(&x, __builtin_assume_aligned(from, 16), sizeof x);
  return x;
}
template <class V, class T>
REVODE_HD void store_pack(const V& x, T* to) {
  if constexpr (std::is_same_v<V, T>)
    *to = x;
  else
    __builtin_memcpy(__builtin_assume_aligned(to, 16), &x, sizeof x);
}

/// Number `lane` of a pack.
template <class T, class V>
REVODE_HD T lane_of(const V& x, int lane) {
  if constexpr (std::is_same_v<V, T>)
    return x;
  else
    return x[lane];
}

/// The pack of lane(0), lane(1), …
template <class V, class T, class Lane>
REVODE_HD V make_pack(Lane&& lane) {
  if constexpr (pack_width<V, T> == 1) {
    return lane(0);
  } else if constexpr (pack_width<V, T> == 2) {
    return V{lane(0), lane(1)};
  } else {
    return V{lane(0), lane(1), lane(2), lane(3)};
  }
}

/// A real number or, in two parts, a complex one, as it stands in arrays of each part. Products are
/// written out: std::complex would test each of them for NaN.
template <class V, int Parts>
struct in_parts {
  V of[Parts];

  /// The product with x, or that of the conjugate with x.
  template <bool Conjugate = false, class U>
  REVODE_HD auto times(const in_parts<U, Parts>& x) const {
    if constexpr (Parts == 1) {
      return in_parts<decltype(of[0] * x.of[0]), 1>{{of[0] * x.of[0]}};
    } else if constexpr (Conjugate) {
      return in_parts<decltype(of[0] * x.of[0]), 2>{
          {of[0] * x.of[0] + of[1] * x.of[1], of[0] * x.of[1] - of[1] * x.of[0]}};
    } else {
      return in_parts<decltype(of[0] * x.of[0]), 2>{
          {of[0] * x.of[0] - of[1] * x.of[1], of[0] * x.of[1] + of[1] * x.of[0]}};
    }
  }
  /// |re| + |im|
  REVODE_HD V magnitude() const {
    using std::abs;
    V sum = abs(of[0]);
    for (int p = 1; p < Parts; ++p) sum = sum + abs(of[p]);
    return sum;
  }
  REVODE_HD in_parts minus(const in_parts& x) const {
    in_parts found;
    for (int p = 0; p < Parts; ++p) found.of[p] = of[p] - x.of[p];
    return found;
  }
};

}  // namespace revode
