// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <Eigen/Core>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/testing/references.hpp>

#include "rosenbrock_methods.hpp"

namespace revode {
/// A stiff, driven, nonlinear pair.
struct stiff_pair {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy.data()[0] = -p.data()[0] * (y.data()[0] - cos(p.data()[1] * t)) + y.data()[1] * y.data()[1];
    dy.data()[1] = y.data()[0] * y.data()[1] * cos(t) - p.data()[1] * y.data()[1];
  }
};

template <class M, class Y, class P>
void check_laws(const M& m, const problem<stiff_pair, Y, P>& q) {
  for (const double fixed : {0.0, 0.02}) {
    CAPTURE(std::string(M::name));
    CAPTURE(fixed);
    options o{.rtol = 1e-4, .atol = 1e-6, .fixed_step = fixed};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};

    CHECK(replay_law(q, m, o).holds);
    const law_result product = dot_product_law(q, m, o, adjoint, 1, 1e-13);
    CHECK_MESSAGE(product.holds, product.worst);
    if (!is_exact_v<M>) continue;
    const law_result frozen = frozen_grid_law(q, m, o, adjoint);
    CHECK_MESSAGE(frozen.holds, frozen.worst);
    const law_result differences = finite_difference_check(q, m, o, adjoint, 1e-6);
    CHECK_MESSAGE(differences.holds, differences.worst);
  }
}

}  // namespace revode
