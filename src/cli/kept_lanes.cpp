// SPDX-License-Identifier: Apache-2.0
#include <cli/kept_lanes.hpp>

#include <algorithm>
#include <string>

#include <cli/text.hpp>
#include <revode/io/restart.hpp>

namespace revode::cli {
namespace {

constexpr index chunk = 1024;
constexpr std::string_view plans[] = {"", "states", "log", "controller",
                                      recursive_checkpoint::name};

class kept_lanes final : public restart_watch {
 public:
  using restart_watch::restart_watch;

  index done() const { return static_cast<index>(all_.ended.size()); }
  const lanes_result& all() const { return all_; }

  void append(const lanes_result& part) {
    const auto add = [](auto& list, const auto& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    add(all_.ended, part.ended);
    for (auto numbers : {&lanes_result::t, &lanes_result::y, &lanes_result::loss,
                         &lanes_result::y0_bar, &lanes_result::p_bar})
      add(all_.*numbers, part.*numbers);
    for (auto counts :
         {&lanes_result::accepted, &lanes_result::rejected, &lanes_result::evaluations})
      add(all_.*counts, part.*counts);
    all_.width = std::max(all_.width, part.width);
    for (auto most : {&lanes_result::slots, &lanes_result::resident_lanes, &lanes_result::bytes})
      all_.*most = std::max(all_.*most, part.*most);
    all_.pulled_rounds += part.pulled_rounds;
    all_.replayed_rounds += part.replayed_rounds;
    all_.seconds += part.seconds;
    all_.reverse_seconds += part.reverse_seconds;
    all_.plan = part.plan;
  }

 protected:
  void pass(byte_stream& s) override {
    s.list(all_.ended);
    for (auto numbers : {&all_.t, &all_.y, &all_.loss, &all_.y0_bar, &all_.p_bar}) s.list(*numbers);
    for (auto counts : {&all_.accepted, &all_.rejected, &all_.evaluations}) s.list(*counts);
    auto plan = std::find(std::begin(plans), std::end(plans), all_.plan) - std::begin(plans);
    s.values(all_.width, all_.slots, all_.resident_lanes, all_.bytes, all_.pulled_rounds,
             all_.replayed_rounds, all_.seconds, all_.reverse_seconds, plan);
    all_.plan = plans[std::clamp<std::ptrdiff_t>(plan, 0, std::ssize(plans) - 1)];
  }

 private:
  lanes_result all_;
};

run_print print_of(const ensemble_request& r) {
  const lanes_request& q = r.in_lanes;
  std::string sweeps = r.sweep_text.empty() ? "at random" : r.sweep_text, start;
  for (const double x : r.problem.y0) start += shortest(x) + " ";
  for (const double x : r.problem.p) start += shortest(x) + " ";
  run_print print = library_print();
  const auto add = [&](const char* name, const std::string& value) {
    print.emplace_back(name, value);
  };
  add("kind", q.gradient ? "an ensemble with gradients" : "an ensemble");
  add("problem", r.problem.name);
  add("method", std::string(r.method.name));
  add("algebra", std::string(r.algebra));
  add("device", std::string(r.program.run == nullptr ? thread_device : lane_device()));
  add("lanes", std::to_string(r.first) + " to " + std::to_string(r.first + q.lanes) + " of " +
                   std::to_string(r.all));
  add("sweep", sweeps);
  add("state and parameters", start);
  for (const auto& [name, x] : {std::pair{"t0", q.t0},
                                {"t1", q.t1},
                                {"rtol", r.settings.rtol},
                                {"atol", r.settings.atol},
                                {"fixed step", r.settings.fixed_step}})
    add(name, shortest(x));
  add("loss", describe(r.of, false));
  for (const auto& [name, n] : {std::pair{"most steps", r.settings.max_steps},
                                {"slots", q.slots},
                                {"budget", q.budget},
                                {"log", static_cast<index>(q.log)}})
    add(name, std::to_string(n));
  return print;
}

}  // namespace

auto run_kept_lanes(const ensemble_request& r,
                    const std::function<lanes_result(const ensemble_request&)>& run)
    -> lanes_result {
  kept_lanes kept(*r.restart, begin_solve(*r.restart, print_of(r)));
  kept.resume();
  const index lanes = r.in_lanes.lanes;
  while (kept.done() < lanes) {
    ensemble_request part = r;
    part.first = r.first + kept.done();
    part.in_lanes.lanes = std::min(chunk, lanes - kept.done());
    part.in_lanes.fill = [&part](index lane, double* y0, double* p) {
      part.fill(part.first + lane, y0, p);
    };
    kept.append(run(part));
    kept.look();
  }
  kept.write();
  lanes_result all = kept.all();
  all.device = r.program.run == nullptr ? thread_device : lane_device();
  return all;
}

}  // namespace revode::cli
