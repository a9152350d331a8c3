// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <any/one_of.hpp>
#include <revode/any/compiled.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/problems/erased_massive_field.hpp>
#if REVODE_WITH_KLU
#include <revode/interop/klu.hpp>
#endif

namespace revode::compiled {

// Algebras other than the dense one over an erased field.

/// The field of y' = f as algebras with a structure see it: without a Jacobian n × n.
struct structured_field {
  const erased_field* f;

  template <class T, class V>
  void operator()(const T& t, const V& y, const V& p, V& dy) const requires
      requires(const erased_field& of) {
    of(t, y, p, dy);
  }
  { (*f)(t, y, p, dy); }
  template <class T, class V>
  void vjp(const T& t, const V& y, const V& p, const V& w, T& gt, V& gy, V& gp) const requires
      requires(const erased_field& of) {
    of.vjp(t, y, p, w, gt, gy, gp);
  }
  { f->vjp(t, y, p, w, gt, gy, gp); }
  void jvp(double t, const vector& y, const vector& p, double dt, const vector& dy,
           const vector& dp, vector& out) const {
    f->jvp(t, y, p, dt, dy, dp, out);
  }
};

/// That of M y' = f. A consistent start asks for all of the Jacobian.
struct structured_massive_field : structured_field {
  std::shared_ptr<const erased_massive_field> whole;

  explicit structured_massive_field(std::shared_ptr<const erased_massive_field> of)
      : structured_field{&of->alone()},
        whole(std::move(of)) {}
  template <class Matrix>
  void mass(Matrix& m) const {
    whole->mass(m);
  }
  const std::vector<int>& index() const { return whole->index(); }
  void jacobian(double t, const vector& y, const vector& p, dense_matrix<double>& all) const {
    whole->jacobian(t, y, p, all);
  }
};

/// A problem with such a field.
template <kind_of_problem Kind>
auto structured(const initial_value_problem& q) {
  const auto with = [&q](auto f) {
    return problem<decltype(f), vector, vector>{std::move(f), q.y0, q.t0, q.t1, q.p};
  };
  if constexpr (Kind.massive)
    return with(structured_massive_field(std::make_shared<const erased_massive_field>(q.f)));
  else
    return with(structured_field{&q.f});
}

/// An algebra that takes the Jacobian which the field brings in its shape, and products where it brings none.
template <class L>
struct brought_first : L {
  const erased_field* field = nullptr;

  template <class System, class Matrix>
  void evaluate(System& sys, double t, const vector& y, Matrix& j) const {
    if constexpr (requires { this->lower; }) {
      j.resize(length(y), this->lower, this->upper);
      j.fit_places(y);
    } else {
      j.pattern = this->pattern;
      j.values.resize(static_cast<std::size_t>(j.pattern->entries()));
    }
    if (!field->bring_jacobian(t, y, sys.p, j)) return L::evaluate(sys, t, y, j);
    ++sys.counts.jacobian_evaluations;
  }
};

using by_band = brought_first<banded>;
using by_ilu0 = brought_first<ilu0>;
using by_products = gmres<one_of<unconditioned, by_ilu0>>;
#if REVODE_WITH_KLU
inline constexpr bool with_klu = true;
using by_klu = brought_first<klu>;
using by_factors = one_of<by_band, by_klu>;
#else
inline constexpr bool with_klu = false;
using by_factors = one_of<by_band>;
#endif

}  // namespace revode::compiled
