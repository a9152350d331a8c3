// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <cli/ensemble_output.hpp>
#include <cli/kept_lanes.hpp>
#include <cli/output_arrays.hpp>
#include <cli/progress.hpp>
#include <cli/report_file.hpp>

namespace revode::cli {
namespace {

/// Runs `work` beside a thread that shows every 100 ms how much of it has begun.
void run_watched(const char* what, const std::function<double()>& begun,
                 const std::function<void()>& work) {
  const std::jthread line([&](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    bool shown = false;
    for (; !wake.wait_for(lock, stop, std::chrono::milliseconds(100),
                          [&] { return stop.stop_requested(); });
         shown = true)
      show_progress(what, begun(), "");
    if (shown) clear_progress();
  });
  work();
}

lanes_result run_lanes(const ensemble_request& r) {
  if (r.program.run == nullptr) return solve_on_threads(r);
  lanes_result found = r.program.run(r.in_lanes);
  found.device = lane_device();
  return found;
}

}  // namespace

report ensemble_command(const arguments& given) {
  ensemble_request r = read_ensemble(given);
  r.in_lanes.fill = [&r](index lane, double* y0, double* p) { r.fill(r.first + lane, y0, p); };
  r.in_lanes.watch = run_watched;
  if (!progress::wanted())
    r.in_lanes.watch = [](auto, auto&, const std::function<void()>& work) { work(); };
  const lanes_result found = r.restart ? run_kept_lanes(r, run_lanes) : run_lanes(r);
  report done{r.json ? json_of_ensemble(r, found) : text_of_ensemble(r, found)};
  auto counts = count_statuses(found);
  if (counts[status::success] + counts[status::terminal_event] != r.in_lanes.lanes) {
    std::string others;
    for (const auto& [how, count] : counts)
      if (!is_complete(how) && count > 0)
        others.append(others.empty() ? "" : ", ")
            .append(std::to_string(count) + " with " + name(how));
    done.complaint =
        "not all of " + std::to_string(r.in_lanes.lanes) + " lanes reached t1 (" + others + ")";
    done.exit_status = 1;
  }
  if (has_arrays(r.out))
    add_file(done, [&] { write_arrays(r, found); });
  else if (!r.out.empty())
    add_file(done, [&] { write_csv(r, found); });
  if (!r.plot.empty()) add_file(done, [&] { draw_lanes(r, found); });
  if (!r.histogram.empty()) add_file(done, [&] { draw_histogram(r, found); });
  if (!r.report.empty()) add_file(done, [&] { write_report(given, r, found, done.text); });
  return done;
}

}  // namespace revode::cli
