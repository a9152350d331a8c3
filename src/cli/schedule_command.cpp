// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>
#include <cli/output_json.hpp>
#include <cli/output_text.hpp>
#include <cli/request.hpp>
#include <cli/schedule_picture.hpp>
#include <cli/text.hpp>

namespace revode::cli {

report schedule_command(const arguments& given) {
  schedule_arguments s;
  s.kind = find_schedule(given.value_or("--kind", name(schedule_kind::binomial)));
  if (!given.has("--steps"))
    misuse("no --steps (a schedule is made for a number of steps) give e.g. --steps 10?");
  s.steps = whole_number("--steps", given.at("--steps"));
  if (given.has("--slots")) s.slots = whole_number("--slots", given.at("--slots"));
  read_schedule(given, s.kind, s.slots, s.request);
  s.count_known = !given.has("--count-unknown");
  s.plot = given.value_or("--plot", "");
  if (given.has("--plot")) check_picture("--plot", s.plot);
  s.json = given.has("--json");
  const schedule_run r = run_schedule(s);
  report done{s.json ? json_of_schedule(s, r) : text_of_schedule(s, r)};
  if (!s.plot.empty()) add_file(done, [&] { draw_schedule(s, r); });
  return done;
}

}  // namespace revode::cli
