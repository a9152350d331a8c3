// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/derivatives.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// A field that is also there as a sum: f.implicit_part and f.explicit_part, members that are called
/// like f itself, add up to f. Implicit–explicit methods treat the first, the stiff one, implicitly.
template <class F, class Y, class P>
concept split_field = requires(const F& f, scalar_t<Y> t, const Y& y, const P& p, Y& dy) {
  f.implicit_part(t, y, p, dy);
  f.explicit_part(t, y, p, dy);
};

/// One part as a field of its own.
template <class F>
struct implicit_part_of {
  const F& f;
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    f.implicit_part(t, y, p, dy);
  }
};
template <class F>
struct explicit_part_of {
  const F& f;
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    f.explicit_part(t, y, p, dy);
  }
};

/// What a method asks of a part, as it asks of a whole system; counted there.
template <class Part, class Y, class P>
class part_system {
 public:
  using scalar = scalar_t<Y>;
  using state_type = Y;
  using parameter_type = P;

  REVODE_HD part_system(Part part, const P& parameters, evaluation_counts& all,
                        derivatives<Part, Y, P>& d)
      : p(parameters),
        counts(all),
        part_(part),
        derivatives_(d) {}

  REVODE_HD void operator()(double t, const Y& y, Y& dy) {
    ++counts.field_evaluations;
    part_(static_cast<scalar>(t), y, p, dy);
  }
  template <class DP>
  REVODE_HD void jvp(double t, const Y& y, scalar t_dot, const Y& y_dot, const DP& p_dot, Y& out) {
    ++counts.jvp_evaluations;
    derivatives_.jvp(part_, static_cast<scalar>(t), y, p, t_dot, y_dot, p_dot, out);
  }
  template <class GP>
  REVODE_HD void vjp(double t, const Y& y, const Y& w, scalar* t_bar, Y& y_bar, GP& p_bar) {
    ++counts.vjp_evaluations;
    derivatives_.vjp(part_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar);
  }
  template <class Matrix>
  REVODE_HD void jacobian(double t, const Y& y, Matrix& j) {
    ++counts.jacobian_evaluations;
    derivatives_.jacobian(part_, static_cast<scalar>(t), y, p, j);
  }

  const P& p;
  evaluation_counts& counts;

 private:
  Part part_;
  derivatives<Part, Y, P>& derivatives_;
};

/// The working memory of both parts' derivatives.
template <class F, class Y, class P>
struct part_derivatives {
  derivatives<implicit_part_of<F>, Y, P> of_implicit{};
  derivatives<explicit_part_of<F>, Y, P> of_explicit{};
};

}  // namespace revode
