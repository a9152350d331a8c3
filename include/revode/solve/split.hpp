// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/faces.hpp>
#include <revode/ad/time_shares.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// A field that is also there as a sum: f.implicit_part and f.explicit_part, members that are called
/// like f itself, add up to f. Implicit–explicit methods treat the first, the stiff one, implicitly.
/// It may bring derivatives of its parts (ad/faces.hpp).
template <class F, class Y, class P>
concept split_field = requires(const F& f, scalar_t<Y> t, const Y& y, const P& p, Y& dy) {
  f.implicit_part(t, y, p, dy);
  f.explicit_part(t, y, p, dy);
};

/// One part as a field of its own.
template <class F>
using implicit_part_of = field_by<face_of<implicit_face, F>>;
template <class F>
using explicit_part_of = field_by<face_of<explicit_face, F>>;

/// What a method asks of a part, as it asks of a whole system, which owns it; counted there.
template <class Part, class Y, class P>
class part_system {
 public:
  using scalar = scalar_t<Y>;
  using time_bar = time_bar_t<Y>;
  using state_type = Y;
  using parameter_type = P;

  static constexpr bool pulls = derivatives<Part, Y, P>::vjp_source != derivative_source::none;

  REVODE_HD part_system(Part part, const P& parameters, evaluation_counts& all)
      : p(parameters),
        counts(all),
        part_(part) {}

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
  REVODE_HD void vjp(double t, const Y& y, const Y& w, time_bar* t_bar, Y& y_bar, GP& p_bar) {
    ++counts.vjp_evaluations;
    if constexpr (std::is_same_v<time_bar, scalar>)
      derivatives_.vjp(part_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar);
    else
      vjp_in_shares(derivatives_, part_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar);
  }
  template <class Matrix>
  REVODE_HD void jacobian(double t, const Y& y, Matrix& j) {
    ++counts.jacobian_evaluations;
    derivatives_.jacobian(part_, static_cast<scalar>(t), y, p, j);
  }
  REVODE_HD void second(double t, const Y& y, const Y& u, scalar t_dot, const Y& k, time_bar* t_bar,
                        Y& y_bar, P& p_bar) {
    derivatives_.second(part_, static_cast<scalar>(t), y, p, u, t_dot, k, t_bar, y_bar, p_bar);
  }

  const P& p;
  evaluation_counts& counts;

 private:
  Part part_;
  [[no_unique_address]] derivatives<Part, Y, P> derivatives_{};
};

/// Both parts of a split field; of any other, nothing.
template <class F, class Y, class P>
struct system_parts {
  REVODE_HD system_parts(const F&, const P&, evaluation_counts&) {}
};
template <class F, class Y, class P>
requires split_field<F, Y, P>
struct system_parts<F, Y, P> {
  part_system<implicit_part_of<F>, Y, P> of_implicit;
  part_system<explicit_part_of<F>, Y, P> of_explicit;

  REVODE_HD system_parts(const F& f, const P& p, evaluation_counts& all)
      : of_implicit({{f}}, p, all),
        of_explicit({{f}}, p, all) {}
};

}  // namespace revode
