// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <revode/loop/body.hpp>
#include <revode/loop/recorded_operation.hpp>

namespace revode {

/// A function whose call in a recorded body is one operation: see remat.
template <class F>
class remat_function {
 public:
  explicit remat_function(const F& f) : core_(std::make_shared<core>(f)) {}
  remat_function(const remat_function& other) : remat_function(other.function()) {}
  remat_function& operator=(const remat_function& other) {
    core_ = std::make_shared<core>(other.function());
    return *this;
  }

  const F& function() const { return core_->f; }

  template <class... Args>
  void operator()(Args&&... args) const {
    if constexpr ((is_recorded_v<std::remove_cvref_t<Args>> || ...)) {
      const auto all = std::tie(args...);
      constexpr std::size_t last = sizeof...(Args) - 1;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        record_call(
            core_, std::tie(std::as_const(std::get<I>(all))...), std::tie(std::get<last>(all)),
            [&](const auto&, auto& outs) { read_values(std::tie(std::get<last>(all)), outs); });
      }
      (std::make_index_sequence<last>{});
    } else {
      function()(std::forward<Args>(args)...);
    }
  }

 private:
  struct core {
    F f;
    object_pool pool{};

    explicit core(const F& function) : f(function) {}

    template <class Values, class Outs>
    void run(const Values& values, Outs& outs) const {
      std::apply([&](const auto&... in) { f(in..., std::get<0>(outs)); }, values);
    }
    template <class Values, class Outs, class ResultBars, class Bars>
    void pull(const Values& values, const Outs& outs, const ResultBars& result_bars, Bars& bars) {
      auto call = pool.template take<recorded_call<tree_scalar_t<Values>, Values, Outs>>();
      call->pull(f, values, outs, result_bars, bars);
    }
  };
  std::shared_ptr<core> core_;
};

/// f(inputs…, result) as one operation of a recording: the recording keeps the inputs' values and
/// none of f's intermediate ones; they are recorded again, alone, when it is pulled. Costs one more
/// evaluation of f.
///
///   const auto inner = remat([](const auto& x, const auto& y, auto& r) { r = sin(x) * y; });
///   scan([&](const auto& c, const auto& x, const auto& p, auto& next, auto&) {
///     inner(c[0], p[0], next[0]);
///   }, …)
///
/// Make it once, outside the body: then it allocates nothing after the first recording. Called with
/// values it is f. As the body of a loop, remat(body) is body: one call's recording is all that a
/// loop ever keeps.
template <class F>
remat_function<F> remat(const F& f) {
  return remat_function<F>(f);
}
template <class F>
const F& recorded_body(const remat_function<F>& body) {
  return body.function();
}

}  // namespace revode
