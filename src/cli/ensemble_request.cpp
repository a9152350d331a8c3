// SPDX-License-Identifier: Apache-2.0
#include <cli/ensemble_request.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <cli/text.hpp>
#if defined(REVODE_RANDOM123)
#include <revode/interop/random123.hpp>
#endif

namespace revode::cli {
namespace {

/// The device that is asked for by name; empty: lanes where they are compiled, threads elsewhere.
std::string read_device(const arguments& given) {
  if (!given.has("--device")) return {};
  const std::string device = given.at("--device"), built(lane_device());
  const std::string_view known[] = {"cpp", "omp", "tbb", "cuda", thread_device};
  if (std::find(std::begin(known), std::end(known), device) == std::end(known))
    unknown_name("device", device, "devices", known, "give cpp, omp, tbb, cuda or threads");
  if (device == built || device == thread_device) return device;
  std::string upper = device;
  for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
  misuse("--device " + device + " (lanes of this build run on " +
         (built.empty() ? "threads" : built) +
         ") leave it out, or configure a build with -DREVODE_BATCH_SYSTEM=" + upper + "?");
}

/// The method of the lanes for the rest of the request to be read: by default the problem's first, or
/// the first with gradients where these are asked for.
auto with_lane_method(arguments given) -> arguments {
  const std::string name = given.subject.substr(0, given.subject.find(':'));
  std::string_view otherwise;
  bool found = false;
  for (const lane_program& l : lane_programs()) {
    if (l.problem != name || found) continue;
    found = l.has_gradient || !given.has("--gradient");
    if (found || otherwise.empty()) otherwise = l.method;
  }
  if (!otherwise.empty() && !given.has("--method")) given.values["--method"] = otherwise;
  return given;
}

bool is_of(const lane_program& program, const erased_problem& p) {
  return program.problem == p.name.substr(0, p.name.find(':')) &&
         program.components == length(p.y0);
}

/// "decay, harmonic, …, lorenz96:8"
std::string problems_of_lanes() {
  std::string known;
  std::set<std::string_view> listed;
  for (const lane_program& program : lane_programs()) {
    if (!listed.insert(program.problem).second) continue;
    known.append(known.empty() ? "" : ", ").append(program.problem);
    if (program.problem == "lorenz96") known.append(":").append(std::to_string(program.components));
  }
  return known;
}

/// The lanes of the device; where none are compiled, and none are asked for by name, a solve each.
auto find_program(const ensemble_request& r, const std::string& device, bool gradient)
    -> lane_program {
  const lane_program on_threads{r.problem.name, length(r.problem.y0), r.method.name, true};
  if (device == thread_device) return on_threads;
  if (r.algebra != compiled::dense_name) {
    if (device.empty()) return on_threads;
    misuse("--device " + device + " with --algebra " + std::string(r.algebra) +
           " (lanes have dense matrices) leave one of them out?");
  }
  std::string methods;
  for (const lane_program& program : lane_programs()) {
    if (!is_of(program, r.problem)) continue;
    const bool serves = program.method == r.method.name && (program.has_gradient || !gradient);
    if (serves) return program;
    if (program.has_gradient || !gradient)
      methods.append(methods.empty() ? "" : ", ").append(program.method);
  }
  if (device.empty()) return on_threads;
  const std::string what = gradient ? "gradients of " : "";
  if (methods.empty())
    misuse("--device " + device + " for " + what + r.problem.name +
           " (its lanes are compiled for " + problems_of_lanes() +
           ") leave it out to solve on threads?");
  misuse("--device " + device + " with --method " + std::string(r.method.name) + " (lanes for " +
         what + r.problem.name + " are compiled for " + methods +
         ") choose one of these, or leave it out to solve on threads?");
}

/// The parts of "p:1=20:30:log"; nothing where they are none. Taken apart from both ends, since
/// std::regex needs a stack as deep as the text is long.
auto parts_of_sweep(std::string_view text, const erased_problem& q) -> std::optional<sweep> {
  sweep s;
  s.of_state = text.starts_with("y0:");
  if (!s.of_state && !text.starts_with("p:")) return {};
  text.remove_prefix(text.find(':') + 1);
  s.logarithmic = text.ends_with(":log");
  if (s.logarithmic) text.remove_suffix(4);
  const std::size_t equal = text.find('='), colon = text.find(':');
  if (equal == text.npos || colon == text.npos || colon < equal) return {};
  s.at = place_of(text.substr(0, equal), s.of_state ? q.labels : q.parameter_names);
  try {
    s.lo = number("--sweep", text.substr(equal + 1, colon - equal - 1));
    s.hi = number("--sweep", text.substr(colon + 1));
  } catch (const std::invalid_argument&) {
    return {};
  }
  return s;
}

auto read_sweep(const std::string& text, const erased_problem& p) -> sweep {
  const auto invalid = [&](const std::string& why) {
    misuse("invalid --sweep " + in_quotes(text) + " (" + why + ") give e.g. --sweep p:0=1:2?");
  };
  const std::optional<sweep> parts = parts_of_sweep(text, p);
  if (!parts) invalid("p:I=lo:hi, y0:I=lo:hi, or one of these with :log is needed");
  const sweep s = *parts;
  if (s.at < 0)
    invalid(std::string(s.of_state ? "the components" : "the parameters") + " of " + p.name +
            " are 0 to " + std::to_string(length(s.of_state ? p.y0 : p.p) - 1) +
            ", or their names");
  if (!std::isfinite(s.hi - s.lo)) invalid("its ends are not finite");
  if (s.logarithmic && !(s.lo > 0 && s.hi > 0)) invalid("logarithms need positive ends");
  return s;
}

void read_sweeps(const arguments& given, ensemble_request& r) {
  const std::string all = r.sweep_text = given.value_or("--sweep", "");
  for (std::size_t from = 0; given.has("--sweep") && from <= all.size();) {
    const std::size_t to = std::min(all.find(',', from), all.size());
    r.sweeps.push_back(read_sweep(all.substr(from, to - from), r.problem));
    from = to + 1;
  }
#if !defined(REVODE_RANDOM123)
  if (r.sweeps.empty())
    misuse(
        "no --sweep (lanes differ at random by Random123, which this build is without) give e.g. "
        "--sweep p:0=1:2, or build with librandom123-dev?");
#endif
}

/// x^n, or a number beyond any count of lanes.
index power(index x, std::size_t n) {
  const double y = std::pow(static_cast<double>(x), static_cast<double>(n));
  return y < 1e18 ? static_cast<index>(y) : index{1} << 60;
}

void read_lanes(const arguments& given, ensemble_request& r) {
  if (!given.has("--lanes"))
    misuse("no --lanes (an ensemble is made of so many problems) give e.g. --lanes 1000?");
  const index lanes = whole_number("--lanes", given.at("--lanes"));
  if (lanes < 1 || lanes > 1'000'000'000'000)
    misuse("--lanes " + std::to_string(lanes) +
           " (an ensemble has 1 to 1000000000000) give a number between?");
  r.in_lanes.lanes = r.all = lanes;
  const std::size_t n = std::max<std::size_t>(1, r.sweeps.size());
  r.side = static_cast<index>(std::pow(static_cast<double>(lanes), 1.0 / static_cast<double>(n)));
  while (power(r.side + 1, n) <= lanes) ++r.side;
  const index below = power(r.side, n);
  if (below != lanes)
    misuse("--lanes " + std::to_string(lanes) + " with " + std::to_string(n) +
           " sweeps (a grid has as many values of each) give " + std::to_string(below) + " or " +
           std::to_string(power(r.side + 1, n)) + "?");
}

/// Of all lanes those that are solved.
void read_range(const arguments& given, ensemble_request& r) {
  index to = r.all;
  if (given.has("--lanes-from")) r.first = whole_number("--lanes-from", given.at("--lanes-from"));
  if (given.has("--lanes-to")) to = whole_number("--lanes-to", given.at("--lanes-to"));
  if (!(0 <= r.first && r.first < to && to <= r.all))
    misuse("lanes from " + std::to_string(r.first) + " to " + std::to_string(to) + " of " +
           std::to_string(r.all) +
           " (a part begins at 0 or behind and ends behind its first lane, at the last or before) "
           "give e.g. --lanes-from 0 --lanes-to " +
           std::to_string(std::max<index>(1, r.all / 2)) + "?");
  r.in_lanes.lanes = to - r.first;
}

void read_reverse(const arguments& given, ensemble_request& r) {
  lanes_request& q = r.in_lanes;
  q.gradient = given.has("--gradient");
  for (const char* option : {"--loss", "--slots", "--budget", "--log"})
    if (given.has(option) && !q.gradient)
      misuse(std::string(option) +
             " without --gradient (it says how a gradient is made) add --gradient, or leave it "
             "out?");
  r.of = read_loss(given.value_or("--loss", "sum"), r.problem);
  q.squared = r.of.what == loss::form::squared;
  q.component = r.of.what == loss::form::component ? r.of.component : -1;
  if (given.has("--slots")) {
    q.slots = whole_number("--slots", given.at("--slots"));
    if (q.slots < 1)
      misuse("slots = " + std::to_string(q.slots) +
             " (a reverse pass needs at least the initial state) give slots >= 1?");
  }
  if (given.has("--budget")) q.budget = byte_count("--budget", given.at("--budget"));
  if (given.has("--log")) q.log = find_log(given.at("--log"));
}

double random_factor([[maybe_unused]] index lane, [[maybe_unused]] int i) {
#if defined(REVODE_RANDOM123)
  return 1 + 0.1 * uniform<double>({0, static_cast<std::uint32_t>(lane)}, lane >> 32, i);
#else
  return 1;
#endif
}

}  // namespace

double sweep::value(index k, index m) const {
  if (m == 1 || k == 0) return lo;
  if (k == m - 1) return hi;
  const double part = static_cast<double>(k) / static_cast<double>(m - 1);
  return logarithmic ? lo * std::pow(hi / lo, part) : lo + part * (hi - lo);
}

void ensemble_request::fill(index lane, double* y0, double* p) const {
  std::copy(problem.y0.begin(), problem.y0.end(), y0);
  std::copy(problem.p.begin(), problem.p.end(), p);
  for (std::size_t s = sweeps.size(); s-- > 0; lane /= side)
    (sweeps[s].of_state ? y0 : p)[sweeps[s].at] = sweeps[s].value(lane % side, side);
  for (int i = 0; sweeps.empty() && i < length(problem.p); ++i) p[i] *= random_factor(lane, i);
}

auto read_ensemble(const arguments& given) -> ensemble_request {
  const std::string device = read_device(given);
  const bool on_lanes = device != thread_device && !names_algebra(given);
  ensemble_request r(read_run(on_lanes ? with_lane_method(given) : given));
  r.chosen = !given.has("--method");
  r.restart = std::exchange(r.settings.restart, nullptr);  // of the lanes, not of each solve
  r.program = find_program(r, device, given.has("--gradient"));
  read_sweeps(given, r);
  read_lanes(given, r);
  read_range(given, r);
  read_reverse(given, r);
  r.histogram = given.value_or("--histogram", "");
  if (given.has("--histogram")) check_picture("--histogram", r.histogram);
  r.in_lanes.t0 = r.problem.t0;
  r.in_lanes.t1 = r.problem.t1;
  r.in_lanes.settings = r.settings;
  for (const sweep& s : r.sweeps) r.in_lanes.own_y0 = r.in_lanes.own_y0 || s.of_state;
  return r;
}

}  // namespace revode::cli
