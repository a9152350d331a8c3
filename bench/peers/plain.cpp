// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <revode/state/elements.hpp>

#include "contest.hpp"
#include "problems.hpp"

namespace revode::peers {
namespace {

/// A problem with the places that calls from C need.
template <class Problem>
struct whole {
  using state = decltype(std::declval<const Problem&>().y0());
  using parameters = decltype(std::declval<const Problem&>().parameters());
  static constexpr int n = static_size_v<state>;
  static constexpr int np = static_size_v<parameters>;

  Problem f;
  parameters p = f.parameters();
  int size = length(f.y0());

  static void field(void* self, double t, double* y, double* dy) {
    auto& q = *static_cast<whole*>(self);
    const view<n> from{y, q.size};
    view<n> to{dy, q.size};
    q.f(t, from, q.p, to);
  }
  static void pull(void* self, double t, double* y, double* w, double* by_state,
                   double* by_parameters) {
    auto& q = *static_cast<whole*>(self);
    const view<n> at{y, q.size}, cotangent{w, q.size};
    double none = 0;
    std::vector<double> unwanted;
    if (by_state == nullptr) unwanted.resize(static_cast<std::size_t>(q.size));
    view<n> bar{by_state == nullptr ? unwanted.data() : by_state, q.size};
    std::fill_n(bar.place, q.size, 0.0);
    if (by_parameters == nullptr) {
      view<0> nothing{nullptr};
      q.f.vjp(t, at, q.p, cotangent, none, bar, nothing);
    } else {
      view<np> sum{by_parameters};
      std::fill_n(by_parameters, np, 0.0);
      q.f.vjp(t, at, q.p, cotangent, none, bar, sum);
    }
  }
};

}  // namespace

std::vector<plain> plain_problems() {
  std::vector<plain> all;
  for_each_peer_problem([&]<class Problem>(const std::string& name, const Problem& f, double t1) {
    using here = whole<Problem>;
    const auto owner = std::make_shared<here>(here{f});
    const auto y0 = f.y0();
    all.push_back({name,
                   length(y0),
                   here::np,
                   t1,
                   {y0.data(), y0.data() + y0.size()},
                   {owner->p.data(), owner->p.data() + here::np},
                   owner.get(),
                   here::field,
                   here::pull,
                   owner});
  });
  return all;
}

}  // namespace revode::peers
