// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>
#include <cli/output_json.hpp>
#include <cli/output_text.hpp>
#include <cli/request.hpp>
#include <cli/schedule_picture.hpp>

namespace revode::cli {

report schedule_command(const arguments& given) {
  const schedule_arguments s = read_schedule(given);
  const schedule_run r = run_schedule(s);
  report done{s.json ? json_of_schedule(s, r) : text_of_schedule(s, r)};
  if (!s.plot.empty()) add_file(done, [&] { draw_schedule(s, r); });
  return done;
}

}  // namespace revode::cli
