// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <revode/ad/dual.hpp>
#include <revode/ad/functions.hpp>
#include <revode/batch/elementary.hpp>
#include <revode/config.hpp>
#include <revode/interop/eigen.hpp>

namespace revode::nn {

/// σ of a layer's units, element by element:
///   identity x · tanh · sigmoid 1/(1 + e⁻ˣ) · softplus ln(1 + eˣ) · silu x sigmoid(x) ·
///   gelu x Φ(x), by the error function (what torch.nn.GELU() computes) · relu · sin
enum class activation { identity, tanh, sigmoid, softplus, silu, gelu, relu, sin };

/// A matrix of samples as columns, of a parameter by rows (as NumPy and torch lay out weights), and
/// a vector: all refer to numbers that lie elsewhere.
template <class S>
using columns_view = Eigen::Map<std::conditional_t<
    std::is_const_v<S>, const Eigen::Matrix<std::remove_const_t<S>, Eigen::Dynamic, Eigen::Dynamic>,
    Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>>>;
template <class S>
using rows_view = Eigen::Map<std::conditional_t<
    std::is_const_v<S>,
    const Eigen::Matrix<std::remove_const_t<S>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
    Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>>;
template <class S>
using vector_view =
    Eigen::Map<std::conditional_t<std::is_const_v<S>,
                                  const Eigen::Matrix<std::remove_const_t<S>, Eigen::Dynamic, 1>,
                                  Eigen::Matrix<S, Eigen::Dynamic, 1>>>;

/// The error function's complement, for numbers and whatever is differentiated.
template <class S>
S erfc_of(const S& x) {
  if constexpr (std::is_floating_point_v<S>) {
    return std::erfc(x);
  } else {
    using std::exp;
    using inner = inner_t<S>;
    const inner slope = exp(inner(-(x.value * x.value))) * lift<inner>(-1.1283791670955125739);
    return chained(x, erfc_of(x.value), slope);
  }
}

/// z ← tanh z. Vectorised for float and double, below 3 units in the last place.
template <class S>
void tanh_of_all(S* z, index n) {
  if constexpr (std::is_same_v<S, double>) {
    for (index i = 0; i < n; ++i) z[i] = elementary::fast_tanh(z[i]);
  } else if constexpr (std::is_same_v<S, float>) {
    Eigen::Map<Eigen::ArrayXf> all(z, n);
    all = all.tanh();
  } else {
    using std::tanh;
    for (index i = 0; i < n; ++i) z[i] = tanh(z[i]);
  }
}

/// z ← e^z.
template <class S>
void exp_of_all(S* z, index n) {
  if constexpr (std::is_same_v<S, double>) {
    for (index i = 0; i < n; ++i) z[i] = elementary::fast_exp(z[i]);
  } else if constexpr (std::is_same_v<S, float>) {
    // Eigen's vectors and its single numbers round otherwise: all go through vectors, wherever they lie.
    constexpr index block = 64;
    Eigen::Array<float, block, 1> part;
    part.setZero();
    for (index from = 0; from < n; from += block) {
      const index m = std::min(block, n - from);
      for (index i = 0; i < m; ++i) part[i] = z[from + i];
      part = part.exp();
      for (index i = 0; i < m; ++i) z[from + i] = part[i];
    }
  } else {
    using std::exp;
    for (index i = 0; i < n; ++i) z[i] = exp(z[i]);
  }
}

/// z ← 1/(1 + e^−z).
template <class S>
void sigmoid_of_all(S* z, index n) {
  for (index i = 0; i < n; ++i) z[i] = -z[i];
  exp_of_all(z, n);
  for (index i = 0; i < n; ++i) z[i] = S(1) / (S(1) + z[i]);
}

/// z ← σ(z), slope ← σ'(z). `other` has room for n numbers.
template <class S>
void softplus_of_all(S* z, S* slope, S* other, index n) {
  using std::log1p;
  for (index i = 0; i < n; ++i) other[i] = z[i] > S(0) ? S(-z[i]) : z[i];
  exp_of_all(other, n);
  for (index i = 0; i < n; ++i) {
    slope[i] = (z[i] > S(0) ? S(1) : other[i]) / (S(1) + other[i]);
    z[i] = log1p(other[i]) + (z[i] > S(0) ? z[i] : S(0));
  }
}
template <class S>
void gelu_of_all(S* z, S* slope, S* other, index n) {
  for (index i = 0; i < n; ++i) other[i] = z[i] * z[i] * S(-0.5);
  exp_of_all(other, n);
  for (index i = 0; i < n; ++i) {
    const S part = erfc_of(S(z[i] * S(-0.70710678118654752440))) * S(0.5);
    slope[i] = part + z[i] * other[i] * S(0.39894228040143267794);
    z[i] = z[i] * part;
  }
}

/// One block of a pass, all of it in the first-level cache: at most so many numbers.
inline constexpr index activation_block = 256;
template <class S>
void activate_block(activation sigma, S* z, S* slope, S* other, index n) {
  using std::cos;
  using std::sin;
  switch (sigma) {
    case activation::identity:
      for (index i = 0; i < n; ++i) slope[i] = S(1);
      break;
    case activation::tanh:
      tanh_of_all(z, n);
      for (index i = 0; i < n; ++i) slope[i] = S(1) - z[i] * z[i];
      break;
    case activation::sigmoid:
      sigmoid_of_all(z, n);
      for (index i = 0; i < n; ++i) slope[i] = z[i] * (S(1) - z[i]);
      break;
    case activation::softplus: softplus_of_all(z, slope, other, n); break;
    case activation::silu:
      for (index i = 0; i < n; ++i) other[i] = z[i];
      sigmoid_of_all(other, n);
      for (index i = 0; i < n; ++i) {
        slope[i] = other[i] * (S(1) + z[i] * (S(1) - other[i]));
        z[i] = z[i] * other[i];
      }
      break;
    case activation::gelu: gelu_of_all(z, slope, other, n); break;
    case activation::relu:  // a NaN stays one
      for (index i = 0; i < n; ++i) {
        slope[i] = S(z[i] > S(0) ? 1 : 0);
        z[i] = z[i] < S(0) ? S(0) : z[i];
      }
      break;
    case activation::sin:
      for (index i = 0; i < n; ++i) {
        slope[i] = cos(z[i]);
        z[i] = sin(z[i]);
      }
      break;
  }
}

/// σ' is a function of σ alone, so that outputs are all that derivatives need: h (1 − h) say, of h = σ(a).
constexpr bool slope_by_value(activation sigma) {
  return sigma == activation::tanh || sigma == activation::sigmoid || sigma == activation::relu;
}
/// g ← g σ', where h = σ(a) is known.
template <class S>
void multiply_by_slope(activation sigma, const S* h, S* g, index n) {
  switch (sigma) {
    case activation::tanh:
      for (index i = 0; i < n; ++i) g[i] *= S(1) - h[i] * h[i];
      break;
    case activation::sigmoid:
      for (index i = 0; i < n; ++i) g[i] *= h[i] * (S(1) - h[i]);
      break;
    case activation::relu:
      for (index i = 0; i < n; ++i) g[i] *= S(h[i] > S(0) ? 1 : 0);
      break;
    default: break;
  }
}

/// σ''(a), where h = σ(a) and slope = σ'(a) are known.
template <class S>
S curvature_of(activation sigma, const S& a, const S& h, const S& slope) {
  using std::exp;
  switch (sigma) {
    case activation::identity:
    case activation::relu: return S(0);
    case activation::tanh: return S(-2) * h * slope;
    case activation::sigmoid: return slope * (S(1) - h * S(2));
    case activation::softplus: return slope * (S(1) - slope);
    case activation::silu: {
      const S s = S(1) / (S(1) + exp(S(-a)));
      return s * (S(1) - s) * (S(2) + a * (S(1) - s * S(2)));
    }
    case activation::gelu:
      return exp(S(a * a * S(-0.5))) * (S(2) - a * a) * S(0.39894228040143267794);
    case activation::sin: return -h;
  }
  return S(0);
}

/// Over duals with one direction: σ and σ' of plain numbers, in vectors where those are, and σ''.
template <class T>
requires(std::is_floating_point_v<T>) void activate_block(activation sigma, dual<T, 1>* z,
                                                          dual<T, 1>* slope, dual<T, 1>*, index n) {
  T a[activation_block], value[activation_block], plain_slope[activation_block],
      other[activation_block];
  for (index i = 0; i < n; ++i) a[i] = value[i] = z[i].value;
  activate_block(sigma, value, plain_slope, other, n);
  for (index i = 0; i < n; ++i) {
    const T moves = z[i].d[0];
    z[i].value = value[i];
    z[i].d[0] = plain_slope[i] * moves;
    slope[i].value = plain_slope[i];
    slope[i].d[0] = curvature_of(sigma, a[i], value[i], plain_slope[i]) * moves;
  }
}

/// z ← σ(z + b 1ᵀ) and slope ← σ'(z + b 1ᵀ), in one pass over memory.
/// shapes  z, slope: rows × samples; b: rows, or null
/// cost    no allocation; slope may be null, when no derivative will be asked for
template <class S, class W>
void bias_and_activation(activation sigma, const W* b, columns_view<S> z, S* slope) {
  constexpr index block = activation_block;
  S slopes[block], other[block];
  const index rows = z.rows(), size = z.size();
  S* numbers = z.data();
  index row = 0;
  for (index from = 0; from < size; from += block) {
    const index n = std::min(block, size - from);
    if (b != nullptr) {
      for (index i = 0; i < n; ++i) {
        numbers[from + i] += b[row];
        row = row + 1 < rows ? row + 1 : 0;
      }
    }
    if (sigma != activation::identity)
      activate_block(sigma, numbers + from, slope != nullptr ? slope + from : slopes, other, n);
  }
}

}  // namespace revode::nn
