// expect-error: this field has no vjp .its call operator accepts one scalar type only
// SPDX-License-Identifier: Apache-2.0
#include <revode/ad/derivatives.hpp>

using state = revode::vec<double, 2>;
using none = revode::vec<double, 0>;

struct one_scalar_field {
  void operator()(double, const state& y, const none&, state& dy) const { dy = y; }
};

int main() {
  revode::derivatives<one_scalar_field, state, none> d;
  state y{1, 2}, g{};
  none p{};
  d.vjp(one_scalar_field{}, 0.0, y, p, y, nullptr, g, p);
}
