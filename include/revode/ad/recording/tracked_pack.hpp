// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/ad/direction_pack.hpp>
#include <revode/config.hpp>

namespace revode {

/// The N derivatives of a dual with a note of the parts that move: a part outside the note is 0 and
/// costs nothing where the compiler knows the note, as it does of a formula without branches on the
/// state. Entries equal those of direction_pack (s 0 + x is x): they differ in the sign of a zero,
/// and where s is not finite, which does no harm to a part outside the note. T is float or double,
/// a part `Width` of them: one where neighbouring lanes share vectors.
template <class T, int N, int Width = direction_pack<T, N>::width>
struct tracked_pack {
  using dense = direction_pack<T, N>;
  using part = typename register_of<T, Width>::type;
  static constexpr int width = Width, count = (N + Width - 1) / Width;
  static_assert(dense::packed && count <= 32, "numbers only, and a bit a part");

  alignas(part) part parts[count];
  unsigned moving;  ///< bit k: parts[k] may differ from 0

  REVODE_HD bool moves(int k) const { return (moving >> k & 1U) != 0; }

  REVODE_HD T operator[](int i) const {
    if constexpr (width == 1) {
      return parts[i];
    } else {
      return parts[i / width][i % width];
    }
  }

  /// {op(k) where k moves, otherwise 0}
  template <class Op>
  REVODE_HD static tracked_pack each(unsigned moving, const Op& op) {
    return each(moving, op, std::make_integer_sequence<int, count>{});
  }

  /// 1 in direction i, 0 in the others.
  REVODE_HD static tracked_pack unit(int i) {
    if constexpr (width == 1) {
      return each(1U << i, [](int) { return T(1); });
    } else {
      const dense d = dense::unit(i);
      return each(1U << (i / width), [&](int k) { return d.parts[k]; });
    }
  }
  /// s in every place of a part.
  REVODE_HD static part spread(const T& s) {
    if constexpr (width == 1)
      return s;
    else
      return dense::spread(s);
  }

  /// a b + c, rounded as muladd of the numbers is; not by the instruction of direction_pack, a
  /// builtin of the target behind which g++ 12 no longer knows the notes.
  REVODE_HD static part multiply_add(const part& a, const part& b, const part& c) {
#if defined(__FMA__)
    return multiply_add(a, b, c, std::make_integer_sequence<int, width>{});
#else
    return muladd(a, b, c);
#endif
  }

 private:
  template <int... I>
  REVODE_HD static part multiply_add(const part& a, const part& b, const part& c,
                                     std::integer_sequence<int, I...>) {
    if constexpr (width == 1) {
      return muladd(a, b, c);
    } else {
      return part{muladd(a[I], b[I], c[I])...};
    }
  }

  template <class Op, int... K>
  REVODE_HD static tracked_pack each(unsigned moving, const Op& op,
                                     std::integer_sequence<int, K...>) {
    return {{((moving >> K & 1U) != 0 ? op(K) : part{})...}, moving};
  }
};

template <class T, int N, int W>
REVODE_HD tracked_pack<T, N, W> operator-(const tracked_pack<T, N, W>& a) {
  return tracked_pack<T, N, W>::each(a.moving, [&](int k) { return -a.parts[k]; });
}

template <class T, int N, int W>
REVODE_HD tracked_pack<T, N, W> operator+(const tracked_pack<T, N, W>& a,
                                          const tracked_pack<T, N, W>& b) {
  return tracked_pack<T, N, W>::each(a.moving | b.moving, [&](int k) {
    if (!b.moves(k)) return a.parts[k];
    if (!a.moves(k)) return b.parts[k];
    return typename tracked_pack<T, N, W>::part(a.parts[k] + b.parts[k]);
  });
}

template <class T, int N, int W>
REVODE_HD tracked_pack<T, N, W> operator-(const tracked_pack<T, N, W>& a,
                                          const tracked_pack<T, N, W>& b) {
  return tracked_pack<T, N, W>::each(a.moving | b.moving, [&](int k) {
    using part = typename tracked_pack<T, N, W>::part;
    if (!b.moves(k)) return a.parts[k];
    if (!a.moves(k)) return part(-b.parts[k]);
    return part(a.parts[k] - b.parts[k]);
  });
}

template <class T, int N, int W>
REVODE_HD tracked_pack<T, N, W> operator*(const T& s, const tracked_pack<T, N, W>& a) {
  const auto factor = tracked_pack<T, N, W>::spread(s);
  return tracked_pack<T, N, W>::each(a.moving, [&](int k) { return factor * a.parts[k]; });
}

/// s a + b
template <class T, int N, int W>
REVODE_HD tracked_pack<T, N, W> muladd(const T& s, const tracked_pack<T, N, W>& a,
                                       const tracked_pack<T, N, W>& b) {
  const auto factor = tracked_pack<T, N, W>::spread(s);
  return tracked_pack<T, N, W>::each(a.moving | b.moving, [&](int k) {
    if (!a.moves(k)) return b.parts[k];
    if (!b.moves(k)) return typename tracked_pack<T, N, W>::part(factor * a.parts[k]);
    return tracked_pack<T, N, W>::multiply_add(factor, a.parts[k], b.parts[k]);
  });
}

/// slope a; a slope that does not exist does no harm to a direction that a is not in.
template <class T, int N, int W>
REVODE_HD tracked_pack<T, N, W> along(const T& slope, const tracked_pack<T, N, W>& a) {
  using part = typename tracked_pack<T, N, W>::part;
  const auto factor = tracked_pack<T, N, W>::spread(slope);
  return tracked_pack<T, N, W>::each(a.moving, [&](int k) {
    const part product = factor * a.parts[k];
    return a.parts[k] == part{} ? part{} : product;
  });
}

}  // namespace revode
