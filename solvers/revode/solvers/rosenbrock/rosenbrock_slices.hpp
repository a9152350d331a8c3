// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock/rosenbrock_step.hpp>

namespace revode {

/// A step in slices of one stage each, for lanes that take them in turn and solve for all lanes
/// between two. Its sums are those of try_rosenbrock_step.
template <class M, class Y>
struct rosenbrock_slices {
  using T = scalar_t<Y>;
  using numbers = rosenbrock_numbers<M>;
  static constexpr int stages = numbers::stages, kept = numbers::kept;
  static constexpr bool fsal = numbers::fsal, refines = refines_v<M>;
  static constexpr double gamma = numbers::gamma();

  /// What a stage may leave for later ones.
  static consteval bool is_shared(int i) { return numbers::is_shared(i); }
  static consteval bool reads_shared(int i) { return numbers::source(i) != i; }

  /// Calls of the field in a step of which `count` stages are taken.
  static consteval int evaluations(int count) {
    int sum = fsal ? 1 : 0;
    for (int i = 0; i < count; ++i) sum += numbers::evaluates(i) ? 1 : 0;
    return sum;
  }

  /// Where stage i lies, of those the step keeps and those that only make the estimate.
  template <int I>
  REVODE_HD static Y& stage(rosenbrock_tape<M, Y>& tape, rosenbrock_work<M, Y>& w) {
    if constexpr (I < kept)
      return tape.u[I];
    else
      return w.u_extra[I - kept];
  }

  /// The right side of stage I in its place, earlier stages being solved; w.f is given where the
  /// stage does not evaluate the field, w.shared where it reads that, w.f_t = ∂f/∂t.
  template <int I, class System>
  REVODE_HD static void right_side(System& sys, double t, double t_new, rosenbrock_tape<M, Y>& tape,
                                   rosenbrock_work<M, Y>& w) {
    const rosenbrock_pointers<M, Y> s(tape, w);
    Y argument;
    form_right_side<M, I>(sys, t, t_new, tape.y, s, w, argument);
  }
  REVODE_HD static void new_state(rosenbrock_tape<M, Y>& tape, rosenbrock_work<M, Y>& w, Y& out) {
    add_all_stages<M>(tape.y, rosenbrock_pointers<M, Y>(tape, w).u, out);
  }
  REVODE_HD static double error_squared(const tolerance& tol, rosenbrock_tape<M, Y>& tape,
                                        rosenbrock_work<M, Y>& w, const Y& y_new) {
    return rosenbrock_error_squared<M>(tol, tape.y, y_new, rosenbrock_pointers<M, Y>(tape, w).u);
  }
};

}  // namespace revode
