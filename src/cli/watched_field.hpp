// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cli/progress.hpp>
#include <revode/ad/faces.hpp>
#include <revode/problems/erased_massive_field.hpp>

namespace revode::cli {

/// Tells a progress line of calls.
template <class Field>
struct watched_rule : passed_derivatives<const Field&> {
  progress* line;

  template <class Face, class T, class V>
  auto value(Face, const T& t, const V& y, const V& p, V& dy) const
      -> decltype(Face::value(this->callable, t, y, p, dy)) {
    line->forward(value_of(t));
    Face::value(this->callable, t, y, p, dy);
  }
  template <class Face, class T, class V>
  auto pull(Face, const T& t, const V& y, const V& p, const V& w, T& gt, V& gy, V& gp) const
      -> decltype(Face::vjp(this->callable, t, y, p, w, gt, gy, gp)) {
    line->reverse(value_of(t));
    Face::vjp(this->callable, t, y, p, w, gt, gy, gp);
  }
};

/// A named problem's field with all its derivatives, and its mass matrix, watched by a progress line.
template <class Field>
struct watched_field : field_by<watched_rule<Field>> {
  watched_field(const Field& f, progress& line) : field_by<watched_rule<Field>>{{{f}, &line}} {}
};

}  // namespace revode::cli
