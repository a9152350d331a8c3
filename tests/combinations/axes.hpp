// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

/// The axes of the product: what is chosen to solve a problem and to differentiate it. Types belong to
/// the values in cell.hpp.
namespace revode::combinations {

enum axis { family, algebra, situation, adjoint, state, scalar, axes };

inline constexpr std::array<std::string_view, axes> axis_names{
    "method family", "linear algebra", "situation", "adjoint", "state", "scalar"};

enum family_value {
  explicit_rk,
  symplectic,
  stabilised,
  low_storage,
  adams_pece,
  rosenbrock,
  esdirk,
  additive,
  radau5,
  radau9,
  radau357,
  bdf_steps,
  ndf_steps,
  switching_pair
};
enum algebra_value { dense, band, eigen, suite_sparse, krylov_gmres, krylov_bicgstab };
enum situation_value { plain, with_events, save_points, quadrature, running_cost, stops };
enum adjoint_value { checkpoints, several, hessian, by_gauss, by_interpolating, by_backsolve };
enum state_value { fixed, eigen_vector, eigen_matrix, std_vector };
enum scalar_value { single, real, complex_pairs };

using names = std::vector<std::string_view>;
inline const std::array<names, axes> values{
    names{"explicit RK", "symplectic", "stabilised", "low-storage", "Adams", "Rosenbrock", "ESDIRK",
          "IMEX", "Radau 5", "Radau 9", "Radau 3/5/7", "BDF", "NDF", "switching"},
    names{"dense", "banded", "Eigen sparse", "KLU", "GMRES", "BiCGSTAB"},
    names{"plain", "events", "save points", "quadrature", "running cost", "stops"},
    names{"recursive_checkpoint, tangents", "gradients", "Hessian", "gauss", "interpolating",
          "backsolve"},
    names{"vec", "Eigen vector", "Eigen matrix", "std::vector"},
    names{"float", "double", "complex pairs"}};

/// How many values each axis has.
inline constexpr std::array<int, axes> sizes{14, 6, 6, 6, 4, 3};

inline constexpr int product_size = [] {
  int size = 1;
  for (const int n : sizes) size *= n;
  return size;
}();

/// One choice on every axis.
using choice = std::array<int, axes>;

constexpr bool is_implicit(int f) { return f >= rosenbrock; }
constexpr bool is_multistep(int f) { return f == adams_pece || f == bdf_steps || f == ndf_steps; }

/// Why a pair of values is refused: the text of the exception or static_assert that refusals.cpp or a
/// file of tests/compile_fail sees; empty where it is not.
constexpr std::string_view refusal(const choice& c) {
  const int f = c[family], l = c[algebra], s = c[situation], a = c[adjoint];
  if (!is_implicit(f) && l != dense) return "an explicit method solves no linear systems";
  if (is_multistep(f) && a == hessian) return "take a one-step method, such as tsit5 or rodas5p";
  if (is_implicit(f) && a == by_backsolve) return "backsolve takes explicit methods";
  if (l != dense && a == by_backsolve) return "backsolve takes explicit methods";
  if (l == suite_sparse && (c[scalar] == single || a == hessian)) return "KLU knows double only";
  if ((l == band || l == eigen || l == suite_sparse) && a == by_interpolating)
    return "interpolating with a band or a sparsity pattern";
  if (f == symplectic && (s == quadrature || s == running_cost))
    return "its state is q and p, two equal halves";
  if (f == symplectic && (a == by_interpolating || a == by_backsolve))
    return "a field that is not separable";
  return {};
}

inline std::string text_of(const choice& c) {
  std::string text;
  for (int i = 0; i < axes; ++i) text += (i > 0 ? " · " : "") + std::string(values[i][c[i]]);
  return text;
}

}  // namespace revode::combinations
