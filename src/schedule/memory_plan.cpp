// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <revode/schedule/planner.hpp>

namespace revode {

schedule_kind kind_for_known_count(const memory_plan& p) {
  switch (p.schedule) {
    case schedule_kind::online:
    case schedule_kind::online_seeded:
    case schedule_kind::wang_moin: return schedule_kind::binomial;
    case schedule_kind::mixed:
      return p.bytes == unbounded || p.request.decisions ? schedule_kind::mixed
                                                         : schedule_kind::binomial;
    default: return p.schedule;
  }
}

std::string describe(const memory_plan& p) {
  const auto number = [](index n) { return std::to_string(n); };
  std::string text(name(p.schedule));
  if (takes_slots(p.schedule))
    text +=
        ", " + number(p.request.slots) +
        (p.schedule == schedule_kind::mixed ? " units, " + number(p.request.tape_units) + " a tape"
                                            : " slots");
  if (p.formula)
    text += "; steps by a formula";
  else if (p.log_bytes == 0)
    text += "; steps by the controller";
  else if (p.log_bytes == unbounded)
    text += "; a log of every step";
  else
    text += "; a log of at most " + number(p.log_bytes) + " bytes, then the controller";
  if (p.bytes != unbounded)
    text +=
        "; at most " + number(p.bytes) + " bytes, " + number(p.work_bytes) + " of them to work in";
  if (p.field_tapes == unbounded)
    text += "; tapes of all calls of the field";
  else if (p.field_tapes > 0)
    text += "; tapes of " + number(p.field_tapes) + " calls of the field";
  if (p.replays) text += "; " + number(*p.replays) + " steps again";
  return text;
}

}  // namespace revode
