// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/ad/faces.hpp>

namespace revode {

template <class F>
struct elements_rule : passed_derivatives<F> {
  static constexpr bool takes_arrays = false;

  template <class Face, class... A>
  auto value(Face, A&&... a) const -> decltype(Face::value(std::declval<const F&>(), a...)) {
    return Face::value(std::as_const(this->callable), a...);
  }
};

/// The field, recorded number by number where interop/eigen_recording.hpp would record it on arrays: for fields
/// that loop over elements of an Eigen state, or that use of Eigen what recorded matrices do not have. A field
/// given by its name is referred to.
template <class F>
field_by<elements_rule<F>> by_elements(F&& field) {
  return {{{std::forward<F>(field)}}};
}

}  // namespace revode
