// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau/radau_adjoint.hpp>
#include <revode/solvers/radau/radau_dense.hpp>
#include <revode/solvers/radau/radau_step.hpp>

namespace revode {

/// The numbers of three stages.
/// source  Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), IV.8
template <>
struct radau_numbers<3> {
  static constexpr double root6 = 2.449489742783178098197;
  static constexpr double c[3] = {(4 - root6) / 10, (4 + root6) / 10, 1};
  /// A⁻¹
  static constexpr double inverse[3][3] = {
      {3.224744871391589049099, 1.167840084690405494924, -0.2531972647421808261859},
      {-3.567840084690405494924, 0.7752551286084109509014, 1.053197264742180826186},
      {5.531972647421808261859, -7.531972647421808261859, 5}};
  /// A⁻¹ = T diag(γ, (α −β; β α)) T⁻¹
  static constexpr double gamma = 3.637834252744495732208;
  static constexpr double alpha[1] = {2.681082873627752133896};
  static constexpr double beta[1] = {3.050430199247410569426};
  static constexpr double t[3][3] = {
      {0.091232394870892942792, -0.14125529502095420843, -0.030029194105147424492},
      {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
      {0.96604818261509293619, 1, 0}};
  static constexpr double t_inverse[3][3] = {
      {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
  /// The estimate is (γ/h I − J)⁻¹ (f(t, y) + Σ eᵢ zᵢ / h).
  static constexpr double e[3] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1. / 3};
};

using radau_iia5 = radau_iia<3>;

}  // namespace revode
