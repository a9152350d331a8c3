// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <utility>

#include <revode/config.hpp>

namespace revode {

/// Width numbers that one instruction works on.
template <class T, int Width>
struct register_of {
  typedef T type __attribute__((vector_size(16)));
};
template <class T>
struct register_of<T, 1> {
  using type = T;
};

#if !defined(__CUDACC__)
/// a*b + c in each lane, rounded as muladd of the numbers is.
REVODE_HD register_of<double, 2>::type muladd(register_of<double, 2>::type a,
                                              register_of<double, 2>::type b,
                                              register_of<double, 2>::type c) {
#if defined(__FMA__)
  return __builtin_ia32_vfmaddpd(a, b, c);
#elif defined(__ARM_FEATURE_FMA)
  for (int i = 0; i < 2; ++i) c[i] = muladd(a[i], b[i], c[i]);
  return c;
#else
  return a * b + c;
#endif
}

REVODE_HD register_of<float, 4>::type muladd(register_of<float, 4>::type a,
                                             register_of<float, 4>::type b,
                                             register_of<float, 4>::type c) {
#if defined(__FMA__)
  return __builtin_ia32_vfmaddps(a, b, c);
#elif defined(__ARM_FEATURE_FMA)
  for (int i = 0; i < 4; ++i) c[i] = muladd(a[i], b[i], c[i]);
  return c;
#else
  return a * b + c;
#endif
}
#endif

/// The N derivatives of a dual, as one quantity that is added and scaled. Numbers lie in parts of
/// 16 bytes, a vector register of every x86-64 and ARMv8, the last part filled up with zeros; a
/// single number, nested duals and the device take them one by one. The layout is the same for
/// every target and compiler, so objects built with different ones can be linked.
template <class T, int N>
struct direction_pack {
  static constexpr bool packed = N > 1 && (std::same_as<T, double> || std::same_as<T, float>);
  static constexpr int lanes = packed ? 16 / static_cast<int>(sizeof(T)) : 1;
  static constexpr int padded = (N + lanes - 1) / lanes * lanes;
#if defined(__CUDACC__)
  static constexpr int width = 1;
#else
  static constexpr int width = lanes;
#endif
  using part = typename register_of<T, width>::type;
  static constexpr int count = padded / width;

  alignas(packed ? 16 : alignof(T)) part parts[count];

  REVODE_HD T& operator[](int i) { return reinterpret_cast<T*>(parts)[i]; }
  REVODE_HD T operator[](int i) const {
    if constexpr (width == 1) {
      return parts[i];
    } else {
      return parts[i / width][i % width];
    }
  }

  /// {op(0), op(1), …}, one call a part. Not a loop: compilers unroll loops too late to keep what
  /// the loop fills in registers.
  template <class Op>
  REVODE_HD static direction_pack each(const Op& op) {
    return each(op, std::make_integer_sequence<int, count>{});
  }

  /// 1 in direction i, 0 in the others.
  REVODE_HD static direction_pack unit(int i) {
    return each([&](int k) {
      const int first = k * width;
      if constexpr (width == 1) {
        return first == i ? T(1) : T(0);
      } else if constexpr (width == 2) {
        return part{T(first == i), T(first + 1 == i)};
      } else {
        return part{T(first == i), T(first + 1 == i), T(first + 2 == i), T(first + 3 == i)};
      }
    });
  }

  /// s in every place of a part.
  REVODE_HD static part spread(const T& s) {
    if constexpr (width == 1) {
      return s;
    } else if constexpr (width == 2) {
      return part{s, s};
    } else {
      return part{s, s, s, s};
    }
  }

 private:
  template <class Op, int... K>
  REVODE_HD static direction_pack each(const Op& op, std::integer_sequence<int, K...>) {
    return {{op(K)...}};
  }
};

template <class T, int N>
REVODE_HD direction_pack<T, N> operator-(const direction_pack<T, N>& a) {
  return direction_pack<T, N>::each([&](int k) { return -a.parts[k]; });
}

template <class T, int N>
REVODE_HD direction_pack<T, N> operator+(const direction_pack<T, N>& a,
                                         const direction_pack<T, N>& b) {
  return direction_pack<T, N>::each([&](int k) { return a.parts[k] + b.parts[k]; });
}

template <class T, int N>
REVODE_HD direction_pack<T, N> operator-(const direction_pack<T, N>& a,
                                         const direction_pack<T, N>& b) {
  return direction_pack<T, N>::each([&](int k) { return a.parts[k] - b.parts[k]; });
}

template <class T, int N>
REVODE_HD direction_pack<T, N> operator*(const T& s, const direction_pack<T, N>& a) {
  const auto factor = direction_pack<T, N>::spread(s);
  return direction_pack<T, N>::each([&](int k) { return factor * a.parts[k]; });
}

/// s a + b
template <class T, int N>
REVODE_HD direction_pack<T, N> muladd(const T& s, const direction_pack<T, N>& a,
                                      const direction_pack<T, N>& b) {
  const auto factor = direction_pack<T, N>::spread(s);
  return direction_pack<T, N>::each([&](int k) { return muladd(factor, a.parts[k], b.parts[k]); });
}

/// True when x is 0 with all its derivatives.
template <class T>
REVODE_HD bool stands_still(const T& x) {
  return x == T(0);
}

/// slope a; a slope that does not exist does no harm to a direction that a is not in.
template <class T, int N>
REVODE_HD direction_pack<T, N> along(const T& slope, const direction_pack<T, N>& a) {
  const auto factor = direction_pack<T, N>::spread(slope);
  return direction_pack<T, N>::each([&](int k) {
    using part = typename direction_pack<T, N>::part;
    const part product = factor * a.parts[k];
    if constexpr (direction_pack<T, N>::width == 1) {
      return stands_still(a.parts[k]) ? T(0) : product;
    } else {
      return a.parts[k] == part{} ? part{} : product;
    }
  });
}

}  // namespace revode
