// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/dual.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/state/elements.hpp>

namespace revode {

using D = dual<double, 1>;

template <class Z>
auto moving(const Z& value, const Z& direction) {
  rebind_t<Z, D> x = rebind_like<D>(value);
  for (int i = 0; i < length(value); ++i) {
    x.data()[i].value = value.data()[i];
    x.data()[i].d[0] = direction.data()[i];
  }
  return x;
}
template <class Z>
auto value_part(const Z& x) {
  return rebind_t<Z, double>(x.unaryExpr([](const D& d) { return d.value; }));
}
template <class Z>
auto moving_part(const Z& x) {
  return rebind_t<Z, double>(x.unaryExpr([](const D& d) { return d.d[0]; }));
}

}  // namespace revode
