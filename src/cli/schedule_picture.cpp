// SPDX-License-Identifier: Apache-2.0
#include <cli/schedule_picture.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <cli/gnuplot.hpp>

namespace revode::cli {
namespace {

/// From (x, y) along (dx, dy), as gnuplot's vectors want it.
struct stroke {
  double x, y, dx, dy;
};

struct strokes {
  std::vector<stroke> runs, recordings, pulls, snapshots, slow, tapes;
};

/// What is kept in slots: where, and since which action. What is stored upon something ends it.
class kept {
 public:
  explicit kept(std::vector<stroke>& lines) : lines_(&lines) {}

  void store(index slot, double x, double since) {
    drop(slot, since);
    places_[slot] = {x, since, 0, 0};
  }
  void drop(index slot, double until) {
    const auto found = places_.find(slot);
    if (found == places_.end()) return;
    found->second.dy = until - found->second.y;
    lines_->push_back(found->second);
    places_.erase(found);
  }

 private:
  std::map<index, stroke> places_;
  std::vector<stroke>* lines_;
};

strokes strokes_of(const schedule_run& r) {
  strokes s;
  kept snapshots(s.snapshots), slow(s.slow), tapes(s.tapes);
  for (std::size_t k = 0; k < r.actions.size(); ++k) {
    const action& a = r.actions[k];
    const auto row = static_cast<double>(k), from = static_cast<double>(a.from);
    const double run = static_cast<double>(a.to - a.from);
    kept& tier = a.slot < r.slow_slots ? slow : snapshots;
    switch (a.what) {
      case op::advance: s.runs.push_back({from, row, run, 0}); break;
      case op::record:
        s.recordings.push_back({from, row, run, 0});
        for (index i = 0; a.slot != work && i < a.to - a.from; ++i)
          tapes.store((a.slot + i) % r.tape_slots, from + static_cast<double>(i) + 0.5, row);
        break;
      case op::snapshot: tier.store(a.slot, from, row); break;
      case op::drop: tier.drop(a.slot, row); break;
      case op::move:
        tier.drop(a.slot, row);
        (a.to < r.slow_slots ? slow : snapshots).store(a.to, from, row);
        break;
      case op::discard: tapes.drop(a.slot, row); break;
      case op::pull:
        s.pulls.push_back({from + 1, row, -1, 0});
        if (a.slot != work) tapes.drop(a.slot, row);
        break;
      case op::restore:
      case op::resume:
      case op::done: break;
    }
  }
  return s;
}

void add_data(gnuplot_program& g, const std::string& name, const std::vector<stroke>& lines) {
  g << "$" + name + " << EOD\n";
  for (const stroke& l : lines)
    ((((((g << l.x) << " ") << l.y) << " ") << l.dx) << " ") << l.dy << "\n";
  g << "EOD\n";
}

/// How the strokes look: thick with arrows while there are few.
struct pens {
  explicit pens(int actions)
      : few(actions <= 250),
        width(few              ? "2.4"
              : actions <= 600 ? "1.6"
                               : "0.9") {}

  bool few;
  std::string width;

  std::string plot(const char* data, const char* colour, const char* text,
                   bool arrow = false) const {
    return "$" + std::string(data) + " using 1:2:3:4 with vectors " +
           (arrow && few ? "head filled size screen 0.007,18" : "nohead") + " lw " + width +
           " lc rgb '" + colour + "' title '" + text + "'";
  }
};

}  // namespace

void draw_schedule(const schedule_arguments& s, const schedule_run& r) {
  const strokes lines = strokes_of(r);
  const auto actions = static_cast<int>(r.actions.size());
  const std::string last_step = std::to_string(std::max<index>(1, s.steps));
  const pens pen(actions);
  gnuplot_program g(s.plot, 1000, std::clamp(actions * 8, 500, 1000));
  add_data(g, "snapshots", lines.snapshots);
  add_data(g, "slow", lines.slow);
  add_data(g, "tapes", lines.tapes);
  add_data(g, "runs", lines.runs);
  add_data(g, "recordings", lines.recordings);
  add_data(g, "pulls", lines.pulls);
  g.title(heading(s, r.slots) + ": " + std::to_string(r.counts.forward_steps) +
          " step evaluations");
  g << "set xlabel 'step'\nset ylabel 'action'\nset key inside bottom right opaque width 1\n";
  g << "set xrange [-0.02*" + last_step + ":" + last_step + "*1.02]\n";
  g << "set yrange [" + std::to_string(std::max(1, actions)) + ":-1]\n";
  g << "plot " + pen.plot("tapes", "#f3cf92", "tape kept") + ", " +
           pen.plot("snapshots", "#7fb8d8", "snapshot kept") + ", " +
           (lines.slow.empty() ? "" : pen.plot("slow", "#9a86c9", "snapshot kept, slow") + ", ") +
           pen.plot("runs", "#333333", "steps forward") + ", " +
           pen.plot("recordings", "#e69f00", "steps forward, recorded") + ", " +
           pen.plot("pulls", "#c43c39", "step pulled", true) + "\n";
  g.run();
}

}  // namespace revode::cli
