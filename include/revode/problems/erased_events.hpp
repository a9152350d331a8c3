// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <revode/problems/erased_field.hpp>
#include <revode/solve/events/event_vector.hpp>

namespace revode {

/// A located event, of whatever kind, behind one type: its condition and the jump of the state, over
/// vectors of dynamic length by value, over one dual direction, and recorded. The model is constant,
/// and copies share it.
class erased_event {
 public:
  template <class S>
  using vector = rebind_t<Eigen::VectorXd, S>;

  std::string name;
  crossing direction = crossing::both;
  bool terminal = false;
  bool passes = false;  ///< the solution goes on through its surface: it has no jump, or says so

  /// E has a name besides what revode/solve/events.hpp asks for.
  template <class E>
  requires located_event<E, Eigen::VectorXd, Eigen::VectorXd>
  explicit erased_event(E e)
      : name(E::name),
        direction(direction_v<E>),
        terminal(is_terminal_v<E>),
        passes(revode::passes(e) || !jumps_state<E, Eigen::VectorXd, Eigen::VectorXd>),
        model_(std::make_shared<const holder<E>>(std::move(e))) {
    static_assert(!jumps_parameters<E, Eigen::VectorXd, Eigen::VectorXd>,
                  "an erased event moves the state alone: keep what changes in the state?");
  }

  template <class S>
  S condition(const S& t, const vector<S>& y, const vector<S>& p) const {
    return static_cast<const over<S>&>(*model_).condition(t, y, p);
  }
  template <class S>
  void jump(const S& t, const vector<S>& y, const vector<S>& p, vector<S>& y_new) const {
    static_cast<const over<S>&>(*model_).jump(t, y, p, y_new);
  }

 private:
  template <class S>
  struct over {
    virtual ~over() = default;
    virtual S condition(const S& t, const vector<S>& y, const vector<S>& p) const = 0;
    virtual void jump(const S& t, const vector<S>& y, const vector<S>& p,
                      vector<S>& y_new) const = 0;
  };
  using pushed = erased_field::push_scalar;
  using recorded = variable<double>;
  struct model : over<double>, over<pushed>, over<recorded> {};

  /// The event of the model below, over one scalar.
  template <class E, class S, class Below>
  struct layer : Below {
    using Below::Below, Below::condition, Below::jump;
    S condition(const S& t, const vector<S>& y, const vector<S>& p) const override {
      return S(this->event.condition(t, y, p));
    }
    void jump([[maybe_unused]] const S& t, [[maybe_unused]] const vector<S>& y,
              [[maybe_unused]] const vector<S>& p,
              [[maybe_unused]] vector<S>& y_new) const override {
      if constexpr (jumps_state<E, vector<S>, vector<S>>) this->event.jump(t, y, p, y_new);
    }
  };
  template <class E>
  struct kept : model {
    E event;
    explicit kept(E e) : event(std::move(e)) {}
    using over<double>::condition, over<pushed>::condition, over<recorded>::condition;
    using over<double>::jump, over<pushed>::jump, over<recorded>::jump;
  };
  template <class E>
  using holder = layer<E, recorded, layer<E, pushed, layer<E, double, kept<E>>>>;

  std::shared_ptr<const model> model_;
};

/// The events of a problem whose type is not known: solve(q, m, o, events(erased_events{…})).
using erased_events = event_vector<erased_event, Eigen::VectorXd>;

template <class... E>
erased_events erase(const event_list<E...>& list) {
  static_assert(sizeof...(E) <= erased_events::most, "more events than erased_events::most");
  return std::apply([](const E&... e) { return erased_events{{erased_event(e)...}}; }, list.each);
}

}  // namespace revode
