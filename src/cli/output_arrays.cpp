// SPDX-License-Identifier: Apache-2.0
#include <cli/output_arrays.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <cli/ensemble_output.hpp>
#include <cli/text.hpp>
#if defined(REVODE_HDF5)
#include <revode/io/hdf5.hpp>
#endif

namespace revode::cli {
namespace {

using numbers = std::vector<double>;

numbers list_of(const vector& y) { return {y.begin(), y.end()}; }

/// What was asked for.
named_arrays arrays_of_request(const run_request& r) {
  return {{"revode", npy_array::one(std::string(REVODE_VERSION))},
          {"problem", npy_array::one(r.problem.name)},
          {"method", npy_array::one(std::string(r.method.name))},
          {"labels", npy_array::list(r.problem.labels)},
          {"parameter_names", npy_array::list(r.problem.parameter_names)},
          {"t0", npy_array::one(r.problem.t0)},
          {"t1", npy_array::one(r.problem.t1)},
          {"rtol", npy_array::one(r.settings.rtol)},
          {"atol", npy_array::one(r.settings.atol)},
          {"fixed_step", npy_array::one(r.settings.fixed_step)},
          {"max_steps", npy_array::one(r.settings.max_steps)}};
}

void add_points(named_arrays& all, const run_request& r, const solution_type& s) {
  numbers ts = s.ts, ys;
  for (const vector& y : s.ys) ys.insert(ys.end(), y.begin(), y.end());
  if (ts.empty()) {  // both ends, as in CSV
    ts = {r.problem.t0, s.t};
    ys = list_of(r.start());
    ys.insert(ys.end(), s.y.begin(), s.y.end());
  }
  all.emplace_back("t", npy_array::list(std::move(ts)));
  all.emplace_back("y", npy_array::rows(std::move(ys), s.y.size()));
}

void add_events(named_arrays& all, const run_request& r, const solution_type& s) {
  numbers ts;
  std::vector<std::string> names;
  std::vector<index> steps;
  for (const occurrence& e : s.events) {
    ts.push_back(e.t);
    names.push_back(r.event_name(e));
    steps.push_back(e.step);
  }
  all.emplace_back("event_t", npy_array::list(std::move(ts)));
  all.emplace_back("event", npy_array::list(std::move(names)));
  all.emplace_back("event_step", npy_array::list(std::move(steps)));
}

void add_counts(named_arrays& all, const statistics& stats) {
  for (const auto& [name, count] : {std::pair{"accepted", stats.accepted},
                                    {"rejected", stats.rejected},
                                    {"field_evaluations", stats.field_evaluations},
                                    {"jacobian_evaluations", stats.jacobian_evaluations},
                                    {"factorizations", stats.factorizations},
                                    {"linear_solves", stats.linear_solves},
                                    {"newton_iterations", stats.newton_iterations}})
    all.emplace_back(name, npy_array::one(count));
}

constexpr std::string_view of_lanes[] = {
    "status", "t", "y",    "accepted", "rejected", "field_evaluations",
    "y0",     "p", "loss", "grad_y0",  "grad_p"};

/// Zeros of lanes whose gradient is none become NaN.
numbers of_success(numbers all, const lanes_result& found) {
  const std::size_t lanes = found.ended.size(), each = all.size() / lanes;
  for (std::size_t l = 0; l < lanes; ++l)
    if (!is_complete(found.ended[l]))
      std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(l * each), each,
                  std::numeric_limits<double>::quiet_NaN());
  return all;
}

}  // namespace

void write_arrays(const std::string& path, const named_arrays& all) {
#if defined(REVODE_HDF5)
  if (path.ends_with(".h5")) return write_file("--out", path, hdf5_bytes(all));
#endif
  write_file("--out", path, npz_bytes(all));
}

named_arrays read_arrays(const std::string& bytes, const std::string& path) {
  if (!path.ends_with(".h5")) return read_npz(bytes, in_quotes(path));
#if defined(REVODE_HDF5)
  return read_hdf5(bytes, in_quotes(path));
#else
  misuse("cannot read " + in_quotes(path) +
         " (this revode was built without HDF5) give NPZ files?");
#endif
}

bool has_lanes(std::string_view array) {
  return std::find(std::begin(of_lanes), std::end(of_lanes), array) != std::end(of_lanes);
}

named_arrays arrays_of_gradient(const gradient_request& r, const differentiated& d) {
  if (!d.has_gradient()) return {};
  const gradient_type& g = d.gradients.front().bar;
  named_arrays all{{"adjoint", npy_array::one(r.adjoint_name)},
                   {"loss_name", npy_array::one(describe(r.of, !d.result.ts.empty()))},
                   {"loss", npy_array::one(r.of.value(d.result))},
                   {"grad_status", npy_array::one(std::string(name(g.status)))},
                   {"grad_y0", npy_array::list(list_of(g.y0))},
                   {"grad_p", npy_array::list(list_of(g.p))},
                   {"grad_t0", npy_array::one(g.t0)},
                   {"grad_t1", npy_array::one(g.t1)},
                   {"grad_ts", npy_array::list(g.ts)},
                   {"pulled_steps", npy_array::one(g.reverse.pulled_steps)},
                   {"replayed_steps", npy_array::one(g.reverse.replayed_steps)},
                   {"peak_states", npy_array::one(g.reverse.peak_states)}};
  if (g.error) all.emplace_back("grad_error", npy_array::one(g.error->relative));
  return all;
}

void write_arrays(const run_request& r, const solution_type& s, const named_arrays& more) {
  named_arrays all = arrays_of_request(r);
  all.emplace_back("y0", npy_array::list(list_of(r.problem.y0)));
  all.emplace_back("p", npy_array::list(list_of(r.problem.p)));
  all.emplace_back("status", npy_array::one(std::string(name(s.status))));
  add_points(all, r, s);
  if (r.has_events()) add_events(all, r, s);
  add_counts(all, s.stats);
  all.insert(all.end(), more.begin(), more.end());
  write_arrays(r.out, all);
}

void write_arrays(const ensemble_request& r, const lanes_result& found) {
  const index n = r.problem.y0.size(), np = r.problem.p.size();
  named_arrays all = arrays_of_request(r);
  all.emplace_back("sweep", npy_array::one(r.sweep_text));
  all.emplace_back("lanes", npy_array::one(r.all));
  all.emplace_back("first_lane", npy_array::one(r.first));
  std::vector<std::string> ended;
  for (const status s : found.ended) ended.emplace_back(name(s));
  numbers y0, p;
  for (std::size_t l = 0; l < found.ended.size(); ++l) {
    const lane_problem q = problem_of_lane(r, l);
    y0.insert(y0.end(), q.y0.begin(), q.y0.end());
    p.insert(p.end(), q.p.begin(), q.p.end());
  }
  const auto rows = [lanes = r.in_lanes.lanes](numbers all_of, index columns) {
    return npy_array{{lanes, columns}, std::move(all_of)};
  };
  all.emplace_back("status", npy_array::list(std::move(ended)));
  all.emplace_back("t", npy_array::list(found.t));
  all.emplace_back("y", rows(found.y, n));
  all.emplace_back("accepted", npy_array::list(found.accepted));
  all.emplace_back("rejected", npy_array::list(found.rejected));
  all.emplace_back("field_evaluations", npy_array::list(found.evaluations));
  all.emplace_back("y0", rows(std::move(y0), n));
  all.emplace_back("p", rows(std::move(p), np));
  if (r.in_lanes.gradient) {
    all.emplace_back("loss_name", npy_array::one(describe(r.of, false)));
    all.emplace_back("loss", npy_array::list(of_success(found.loss, found)));
    all.emplace_back("grad_y0", rows(of_success(found.y0_bar, found), n));
    all.emplace_back("grad_p", rows(of_success(found.p_bar, found), np));
  }
  write_arrays(r.out, all);
}

}  // namespace revode::cli
