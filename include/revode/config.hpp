// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#define REVODE_VERSION "0.2.0"

// A step that overflows or a field that gives NaN is found by asking whether a number is finite. Compilers
// that may take every number for finite answer without looking, and a NaN then passes for a solution.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#error \
    "revode compiled with -ffinite-math-only, part of -ffast-math and -Ofast (NaN and infinity would \
pass for solutions) add -fno-finite-math-only behind it, which leaves the rest of -ffast-math on?"
#endif

// Inlining by force gains nothing without optimisation or with an address sanitizer, and takes a fifth to a
// half of the time to compile.
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define REVODE_FORCE(...) [[__VA_ARGS__]]
#else
#define REVODE_FORCE(...)
#endif

// Small functions that a lane or a kernel calls: host and device, always inlined (a call left in the
// inner loop of a lane group costs it its vectorisation). Defined as `inline` beforehand, half the time
// to compile where neither lanes nor small states are.
#if defined(__CUDACC__)
#define REVODE_HD __host__ __device__ __forceinline__
#elif !defined(REVODE_HD)
#define REVODE_HD REVODE_FORCE(gnu::always_inline) inline
#endif

// The same for larger ones that lanes seldom call: a solve by itself has them inlined where that pays.
#if defined(__CUDACC__)
#define REVODE_SELDOM __host__ __device__
#else
#define REVODE_SELDOM
#endif

// A small step as one piece of code without a call: its numbers then stay in registers.
#if defined(__CUDACC__)
#define REVODE_FLAT REVODE_HD
#else
#define REVODE_FLAT REVODE_FORCE(gnu::flatten, gnu::aligned(64))
#endif

// A broken promise inside the library, checked in debug builds only; never an answer to the user.
#if defined(NDEBUG) || defined(__CUDA_ARCH__)
#define REVODE_EXPECT(condition) static_cast<void>(0)
#else
#define REVODE_EXPECT(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : __builtin_trap())
#endif

namespace revode {

/// Step numbers, slot numbers and counts of evaluations.
using index = std::int64_t;

/// What a method or a type does not have.
struct nothing {
  friend constexpr bool operator==(nothing, nothing) = default;
};
/// What a step has whose calls of the field leave no tapes (ad/field_tape.hpp): another type, for two members of
/// one empty type have two addresses.
struct no_calls {};

/// a*b + c: one rounding where the target has fused multiply-add, two elsewhere. Written out
/// wherever a fused product is wanted, since -ffp-contract=off keeps the compiler from choosing.
REVODE_HD double muladd(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);  // std::fma without <cmath>, which takes long to read
#else
  return a * b + c;
#endif
}

REVODE_HD float muladd(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return fmaf(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// The same expression for duals and recorded variables.
template <class A, class B, class C>
REVODE_HD auto muladd(const A& a, const B& b, const C& c) {
  return a * b + c;
}

/// body() in a function of its own: out of the way of the code around it, and compiled once where many
/// callers share it. On a device a lane is one function.
template <class Body>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline]]
#endif
    auto
    apart(const Body& body) {
  return body();
}
/// The same with all that body() calls inlined in it.
template <class Body>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline, gnu::flatten]]
#endif
    auto
    flat_apart(const Body& body) {
  return body();
}

/// True when the compiler fuses products on its own in the code that calls this (-ffp-contract=fast
/// with an FMA target).
[[gnu::always_inline]] inline bool fuses_products() {
  volatile double x = 1.0 + 0x1p-52;
  volatile double y = -(1.0 + 0x1p-51);
  const double a = x, c = y;
  return a * a + c != 0.0;
}

/// True when it sums in another order than is written (-fassociative-math), or divides by a product with
/// an inverse (-freciprocal-math); both are parts of -ffast-math.
[[gnu::always_inline]] inline bool rewrites_formulas() {
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__FAST_MATH__)
  return true;
#else  // clang 14 does not say
  volatile double small = 0x1p-60, one = 1, five = 5;
  const double a = small, b = one, c = five;
  return (a + b) - b != 0.0 || c / 3.0 != 0x1.aaaaaaaaaaaabp+0;
#endif
}

/// True when it tells NaN and infinity from numbers: not with -ffinite-math-only by a pragma, which no
/// macro shows.
[[gnu::always_inline]] inline bool tells_finite() {
  volatile double zero = 0;
  const double nan = zero / zero;
  return !(nan - nan == 0.0) && !(nan <= 1.0);
}

/// True when the code that calls this computes what its formulas say, to the bit. Where it does not, bits
/// depend on inlining, so equality of bits cannot be promised.
[[gnu::always_inline]] inline bool keeps_bits() {
  return !fuses_products() && !rewrites_formulas();
}

}  // namespace revode
