// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/ad/derivatives.hpp>
#include <revode/state/mat.hpp>

// Where the sizes lie at which derivatives go another way: the largest that goes the one, and the next.

namespace revode {
namespace {

/// A ring of any length, which counts its calls.
struct counted_ring {
  int* calls = nullptr;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    ++*calls;
    const int n = length(y);
    for (int i = 0; i < n; ++i)
      dy.data()[i] = p.data()[0] * y.data()[(i + 1) % n] * y.data()[i] - y.data()[i];
  }
};

template <int N, int NP>
using of = derivatives<counted_ring, vec<double, N>, vec<double, NP>>;

}  // namespace

// Products of cotangents: duals while n + np + 1 <= 16, then the recording.
static_assert(of<8, 7>::vjp_source == derivative_source::duals);
static_assert(of<8, 8>::vjp_source == derivative_source::recording);
static_assert(of<14, 1>::vjp_source == derivative_source::duals);
static_assert(of<15, 1>::vjp_source == derivative_source::recording);

// The recording in registers is tried while n + np <= 64.
static_assert(!of<8, 7>::straight && of<15, 1>::straight);
static_assert(of<63, 1>::straight && !of<64, 1>::straight);

// The Jacobian over duals that note which directions move: 5 to 32 elements, p of at most 64.
static_assert(!of<4, 1>::trackable && of<5, 1>::trackable);
static_assert(of<32, 1>::trackable && !of<33, 1>::trackable);
static_assert(of<5, 64>::trackable && !of<5, 65>::trackable);

namespace {

/// Calls of the field for a Jacobian over dense duals, whose entries are those of the ring.
template <int N>
int calls_of_dense_jacobian() {
  static_assert(!of<N, 1>::trackable);
  int calls = 0;
  vec<double, N> y;
  for (int i = 0; i < N; ++i) y[i] = 1 + 0.125 * i;
  mat<double, N> jac;
  of<N, 1>{}.jacobian(counted_ring{&calls}, 0.0, y, vec{2.0}, jac);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      const double expected = j == i ? 2 * y[(i + 1) % N] - 1 : j == (i + 1) % N ? 2 * y[i] : 0;
      CHECK(jac(i, j) == expected);
    }
  return calls;
}

}  // namespace

TEST_CASE("dense duals make up to ten columns of a Jacobian in one call of the field") {
  CHECK(calls_of_dense_jacobian<4>() == 1);
  CHECK(calls_of_dense_jacobian<33>() == 4);
  CHECK(calls_of_dense_jacobian<40>() == 4);
  CHECK(calls_of_dense_jacobian<41>() == 5);
}

}  // namespace revode
