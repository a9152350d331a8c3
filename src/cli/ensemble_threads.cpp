// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include <cli/ensemble_request.hpp>

namespace revode::cli {
namespace {

/// Where the numbers of one lane go.
template <class Numbers>
auto place(Numbers& all, index lane, Eigen::Index n) {
  return all.begin() + static_cast<std::ptrdiff_t>(lane) * n;
}

void make_room(const ensemble_request& r, lanes_result& found) {
  const auto lanes = static_cast<std::size_t>(r.in_lanes.lanes);
  const auto n = static_cast<std::size_t>(r.problem.y0.size()),
             np = static_cast<std::size_t>(r.problem.p.size());
  found.ended.resize(lanes);
  found.t.resize(lanes);
  found.y.resize(lanes * n);
  for (auto* counts : {&found.accepted, &found.rejected, &found.evaluations}) counts->resize(lanes);
  if (!r.in_lanes.gradient) return;
  found.loss.resize(lanes);
  found.y0_bar.resize(lanes * n);
  found.p_bar.resize(lanes * np);
}

/// The lanes that one thread takes, each a solve of its own; what it keeps of reverse passes.
class lane_worker {
 public:
  lane_worker(const ensemble_request& r, lanes_result& found)
      : r_(r),
        found_(found),
        problem_(r.problem) {}

  lane_worker(const lane_worker&) = delete;
  lane_worker& operator=(const lane_worker&) = delete;

  void solve(index lane) {
    fill(lane);
    const initial_value_problem q = bind(problem_, problem_.f);
    if (r_.in_lanes.gradient)
      keep_gradient(lane, cli::differentiate(r_.method, q, r_.settings, r_.checkpoints(),
                                             weightings_, problem_.events));
    else
      keep(lane, r_.method.uses(q.f, problem_.events).solve(q, r_.settings, problem_.events));
  }
  const reverse_statistics& reverse() const { return reverse_; }
  index bytes() const { return bytes_; }

 private:
  void fill(index lane) { r_.fill(r_.first + lane, problem_.y0.data(), problem_.p.data()); }

  void keep(index lane, const solution_type& s) {
    const auto l = static_cast<std::size_t>(lane);
    found_.ended[l] = s.status;
    found_.t[l] = s.t;
    std::copy(s.y.begin(), s.y.end(), place(found_.y, lane, s.y.size()));
    found_.accepted[l] = s.stats.accepted;
    found_.rejected[l] = s.stats.rejected;
    found_.evaluations[l] = s.stats.field_evaluations;
  }

  void keep_gradient(index lane, const differentiated& d) {
    keep(lane, d.result);
    const auto l = static_cast<std::size_t>(lane);
    found_.ended[l] = d.ended();
    if (!d.has_gradient()) return;
    const gradient_type& g = d.gradients.front().bar;
    found_.loss[l] = r_.of.value(d.result);
    std::copy(g.y0.begin(), g.y0.end(), place(found_.y0_bar, lane, g.y0.size()));
    std::copy(g.p.begin(), g.p.end(), place(found_.p_bar, lane, g.p.size()));
    bytes_ = std::max(bytes_, bytes_held(g.reverse));
    reverse_.peak_states = std::max(reverse_.peak_states, g.reverse.peak_states);
    reverse_.pulled_steps += g.reverse.pulled_steps;
    reverse_.replayed_steps += g.reverse.replayed_steps;
  }

  const ensemble_request& r_;
  lanes_result& found_;
  erased_problem problem_;  // its field serves one thread
  std::vector<weighting> weightings_{[this](const solution_type& s) { return r_.of.weigh(s); }};
  reverse_statistics reverse_;
  index bytes_ = 0;
};

}  // namespace

recursive_checkpoint ensemble_request::checkpoints() const {
  recursive_checkpoint adjoint{.log = in_lanes.log};
  if (in_lanes.slots > 0) adjoint.slots = in_lanes.slots;
  if (in_lanes.budget > 0) adjoint.budget = in_lanes.budget;
  return adjoint;
}

lanes_result solve_on_threads(const ensemble_request& r) {
  lanes_result found;
  found.device = thread_device;
  make_room(r, found);
  const index lanes = r.in_lanes.lanes;
  const index threads =
      std::clamp<index>(static_cast<index>(std::thread::hardware_concurrency()), 1, lanes);
  found.width = static_cast<int>(threads);
  std::deque<lane_worker> workers;
  for (index k = 0; k < threads; ++k) workers.emplace_back(r, found);
  std::atomic<index> next{0};
  std::exception_ptr thrown;
  std::mutex first;
  const auto run = [&](lane_worker& worker) {
    try {
      for (index l = next++; l < lanes; l = next++) worker.solve(l);
    } catch (...) {
      const std::lock_guard one(first);
      thrown = std::current_exception();
      next = lanes;
    }
  };
  const auto start = std::chrono::steady_clock::now();
  const auto begun = [&] {
    return static_cast<double>(std::min<index>(next, lanes)) / static_cast<double>(lanes);
  };
  r.in_lanes.watch("solve  ", begun, [&] {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < workers.size(); ++k)
      others.emplace_back([&, k] { run(workers[k]); });
    run(workers.front());
  });
  if (thrown) std::rethrow_exception(thrown);
  found.seconds = seconds_since(start);
  found.plan = recursive_checkpoint::name;
  found.resident_lanes = threads;
  for (const lane_worker& w : workers) {
    found.bytes += w.bytes();
    found.slots = std::max(found.slots, w.reverse().peak_states);
    found.pulled_rounds += w.reverse().pulled_steps;
    found.replayed_rounds += w.reverse().replayed_steps;
  }
  return found;
}

}  // namespace revode::cli
