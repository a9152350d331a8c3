// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <revode/solve/course/cuts.hpp>
#include <revode/solve/solution.hpp>

namespace revode {

index bytes_of_cuts(const cut_sizes& s, index located) {
  const index most = s.known + located;
  constexpr auto bytes = [](std::size_t n) { return static_cast<index>(n); };
  const index log = 3 * s.known * bytes(sizeof(known_time)) +
                    most * (bytes(sizeof(cut) + sizeof(cut_event)) + s.parameters);
  const index solution = 2 * most * bytes(sizeof(occurrence));
  const index gradient = s.known * 8 + 3 * most * 8 + s.given * 6 * 8 +
                         s.events * (bytes(sizeof(std::vector<double>)) + 64);
  constexpr index blocks = 24 * 16;  // all these lists, each in a block of its own
  return log + solution + gradient + 3 * (s.at_once + 5) * s.state + blocks;
}

cut_list::cut_list(const options& o, double t0, double t1)
    : t0_(t0),
      t1_(t1),
      direction_(t1 < t0 ? -1 : 1),
      pause_(direction_ * HUGE_VAL),
      end_(t1) {
  for (std::size_t k = 0; k < o.stops.size(); ++k) add_known_time(o.stops[k], -1, k, false);
  for (std::size_t k = 0; k < o.discontinuities.size(); ++k)
    add_known_time(o.discontinuities[k], -2, k, true);
}

void cut_list::add_known_time(double t, int which, std::size_t number, bool discontinuity) {
  if (!std::isfinite(t))
    throw std::invalid_argument("event " + std::to_string(which) + " at time " + std::to_string(t) +
                                " (a time is finite) give another one?");
  if (t < std::fmin(t0_, t1_) || t > std::fmax(t0_, t1_)) return;
  const double behind = t == t1_ ? t1_ : std::nextafter(t, t1_);
  const double before = std::nextafter(t, -direction_ * HUGE_VAL);
  const auto later = [this](double at, const known_time& other) {
    return direction_ * (other.t - at) > 0;
  };
  known_.insert(std::upper_bound(known_.begin(), known_.end(), t, later),
                {t, discontinuity ? before : t, discontinuity ? behind : t, which, number});
  enter_stretch(0);
}

void cut_list::reserve(index located) {
  const std::size_t most = known_.size() + static_cast<std::size_t>(located);
  known_.shrink_to_fit();
  cuts_.reserve(most);
  events_.reserve(most);
}

double cut_list::time_of(const cut& c, std::size_t k) const {
  const cut_event& e = events_[k];
  if (e.due >= 0) return known_[static_cast<std::size_t>(e.due)].t;
  return c.theta == 1 ? c.end : c.t;
}

std::size_t cut_list::cuts_before(index step) const {
  const auto at = std::partition_point(cuts_.begin(), cuts_.end(),
                                       [step](const cut& c) { return c.step < step; });
  return static_cast<std::size_t>(at - cuts_.begin());
}

index cut_list::bytes() const {
  return static_cast<index>(known_.capacity() * sizeof(known_time) +
                            cuts_.capacity() * sizeof(cut) +
                            events_.capacity() * sizeof(cut_event));
}

const cut& cut_list::log_cut(index step, double end, double t, double theta,
                             std::span<const bool> found, double aim) {
  cut c{step, end, t, theta, events_.size(), 0, due_, extra_, false};
  c.begins = pass_known_times(direction_, known_.data(), known_.size(), due_, c.t);
  in_order_of_cut(
      known_.data(), c.due, due_, static_cast<int>(found.size()),
      [&](int from, int before) {
        for (int k = from; k < before && k < static_cast<int>(found.size()); ++k)
          if (found[static_cast<std::size_t>(k)]) {
            events_.push_back({k, -1});
            c.begins = true;
          }
      },
      [&](std::size_t k) {
        events_.push_back({known_[k].which, static_cast<std::ptrdiff_t>(k)});
      });
  c.past = events_.size();
  c.due = due_;
  if (direction_ * (aim - c.t) > 0) ++c.extra;
  cuts_.push_back(c);
  return cuts_.back();
}

void cut_list::enter_stretch(std::size_t k) {
  stretch_ = k;
  due_ = k > 0 ? cuts_[k - 1].due : 0;
  extra_ = k > 0 ? cuts_[k - 1].extra : 0;
  cut_after_ = k < cuts_.size() ? cuts_[k].step + 1 : unbounded;
  find_end();
}

void cut_list::find_end() {
  end_ = due_ < known_.size() ? known_[due_].end : t1_;
  if (direction_ * (end_ - pause_) > 0) end_ = pause_;
}

}  // namespace revode
