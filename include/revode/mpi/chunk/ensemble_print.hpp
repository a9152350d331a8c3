// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <revode/batch/ensemble.hpp>
#include <revode/solve/kept/run_print.hpp>

namespace revode {

/// f(t0, y0, p) of the first lane in bits; of a field that does not take these, or throws there, nothing.
template <class F, class Y, class P>
std::uint64_t sum_of_slope(const ensemble<F, Y, P>& e) {
  if (e.y0.empty() || e.p.empty() || e.t0.empty()) return 0;
  if constexpr (requires(Y & dy) { e.f(scalar_t<Y>(), e.y0[0], e.p[0], dy); }) {
    try {
      Y slope{};
      e.f(static_cast<scalar_t<Y>>(e.t0[0]), e.y0[0], e.p[0], slope);
      return sum_of_elements(slope);
    } catch (...) {
    }
  }
  return 0;
}

/// What decides the bits of an ensemble's result: of the request, the build and the library. Ranks hold
/// theirs beside each other, and kept chunks those of the run that kept them.
template <class M, class F, class Y, class P>
run_print print_of(const M& m, const ensemble<F, Y, P>& e, const options& o, index chunk) {
  const auto sum = [](const auto& v) {
    return "checksum " + std::to_string(sum_of_bytes(v.data(), v.size() * sizeof(v[0])));
  };
  std::size_t lanes = 0;
  for (const std::size_t n : {e.y0.size(), e.t0.size(), e.t1.size(), e.p.size(), e.rtol.size(),
                              e.atol.size(), e.max_steps.size(), e.save_ts.size()})
    lanes = std::max(lanes, n);
  std::string points;
  for (const auto& ts : e.save_ts) points += std::to_string(ts.size()) + sum(ts);
  const double t0 = e.t0.empty() ? 0 : e.t0[0], t1 = e.t1.empty() ? 0 : e.t1[0];
  const printed_request first{t0,
                              t1,
                              sum_of_bytes(e.y0.data(), e.y0.size() * sizeof(Y)),
                              sum_of_bytes(e.p.data(), e.p.size() * sizeof(P)),
                              sum_of_slope(e),
                              static_cast<std::size_t>(static_size_v<Y>),
                              sizeof(scalar_t<Y>),
                              sum_of_type<M>(settings_of(m))};
  run_print print{{"number of lanes", std::to_string(lanes)}, {"chunk", std::to_string(chunk)}};
  for (auto& entry :
       print_of(first, o, std::string(M::name), "an ensemble", __VERSION__, instructions()))
    print.push_back(std::move(entry));
  print.emplace_back("t0 of lanes", sum(e.t0));
  print.emplace_back("t1 of lanes", sum(e.t1));
  print.emplace_back("rtol of lanes", sum(e.rtol));
  print.emplace_back("atol of lanes", sum(e.atol));
  print.emplace_back("max_steps of lanes", sum(e.max_steps));
  print.emplace_back("save_ts of lanes", sum(points));
  print.emplace_back("cost of lanes", sum(e.cost));
  return print;
}

}  // namespace revode
