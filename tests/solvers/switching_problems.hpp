// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/solvers/switching.hpp>

#include "implicit_fields.hpp"

namespace revode {

/// A relaxation oscillation: slow and stiff but for a moment twice in 1.614 p.
struct relaxation {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * ((1.0 - y[0] * y[0]) * y[1]) - y[0];
  }
};
inline const problem oscillation{relaxation{}, vec{2.0, 0.0}, 0.0, 3000.0, vec<double, 1>{1000.0}};

inline const tsit5_rodas5p begins_explicitly{.begins_stiffly_to = 0};

/// Which method made each step.
template <class M, class F, class Y, class P>
std::vector<bool> methods_of(const problem<F, Y, P>& q, const options& o, const M& m = {}) {
  stepper<M, F, Y, P> loop(q, m, o);
  std::vector<bool> stiffly;
  while (!loop.finished()) {
    loop.step(loop.work_tape());
    stiffly.push_back(loop.work_tape().record.stiffly);
  }
  if (loop.status() != status::success) stiffly.clear();
  return stiffly;
}
inline int switches(const std::vector<bool>& stiffly) {
  int count = 0;
  for (std::size_t i = 1; i < stiffly.size(); ++i) count += stiffly[i] != stiffly[i - 1] ? 1 : 0;
  return count;
}

}  // namespace revode
