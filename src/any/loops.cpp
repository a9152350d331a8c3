// SPDX-License-Identifier: Apache-2.0
#include <any/loops.hpp>

namespace revode::compiled {
namespace {

/// With the loops for its traits.
template <method_traits... Known, class System>
void add_uses(const method_entry& m, const erased_functions<System>& f, method_uses& plain,
              method_uses& with_events) {
  const auto add = [&]<method_traits Traits>() {
    const erased_method<System, Traits> of{m.name.data(), m.order, f.estimate_falls, f.of};
    plain = uses_by_loops<false>(of);
    with_events = uses_by_loops<true>(of);
    return true;
  };
  static_cast<void>(((f.traits == Known && add.template operator()<Known>()) || ...));
}

}  // namespace

auto by_loops(described_method m) -> method_entry {
  method_entry& all = m.entry;
  if (m.plain.of)
    add_uses<without_estimate, resuming, recording>(all, m.plain, all.plain, all.with_events);
  if (m.massive.of)
    add_uses<resuming, recording>(all, m.massive, all.massive, all.massive_with_events);
  return all;
}

}  // namespace revode::compiled
