// SPDX-License-Identifier: Apache-2.0
// Which solver reaches a given error at the end of the interval in the least time? Six problems, five
// methods of revode and the two adaptive ones of Boost.Odeint, over the same fields.

#include <array>
#include <cstdio>
#include <functional>
#include <map>

#include <boost/numeric/odeint.hpp>
#include <boost/version.hpp>

#include <revode/problems/all.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

#include "measure.hpp"
#include "monotone.hpp"

namespace revode {
namespace {

constexpr double targets[] = {1e-6, 1e-7, 1e-8, 1e-9};

template <class Y>
struct ending {
  Y y;
  index evaluations = 0, accepted = 0, rejected = 0;
};

/// One point of an error–time curve.
struct point {
  std::string problem, solver, benchmark;
  double tolerance, error, seconds;
  index evaluations, accepted, rejected;
};

/// max |yᵢ − rᵢ| / max |rᵢ|
template <class Y, class R>
double relative_error(const Y& y, const R& reference) {
  double difference = 0, size = 0;
  for (int i = 0; i < length(reference); ++i) {
    difference = std::fmax(difference, std::abs(y.data()[i] - reference.data()[i]));
    size = std::fmax(size, std::abs(reference.data()[i]));
  }
  return difference / size;
}

template <class M, class Problem>
auto run_revode(const Problem& q, const M& m, double tolerance) {
  auto s = solve(q, m, options{.rtol = tolerance, .atol = tolerance, .max_steps = 100'000'000});
  return ending{s.y, s.stats.field_evaluations, s.stats.accepted, s.stats.rejected};
}

// --- Boost.Odeint ---------------------------------------------------------------------------------

template <class F, class P, class Y>
struct odeint_system {
  const F& f;
  const P& p;
  void operator()(const Y& y, Y& dy, double t) const { f(t, y, p, dy); }
};

template <class Y>
struct odeint_state {
  using type = Y;
};
template <int N>
struct odeint_state<vec<double, N>> {
  using type = std::array<double, static_cast<std::size_t>(N)>;
};

/// odeint has no rule for the first step: it is given the one that revode chooses.
template <template <class...> class Stepper, class Problem>
auto run_odeint(const Problem& q, double tolerance, double first_step) {
  namespace odeint = boost::numeric::odeint;
  using state = typename odeint_state<typename Problem::state_type>::type;
  state y;
  if constexpr (requires { y.resize(q.y0.size()); }) y.resize(q.y0.size());
  std::copy(q.y0.begin(), q.y0.end(), y.begin());
  odeint_system<typename Problem::field_type, typename Problem::parameter_type, state> f{q.f, q.p};
  odeint::integrate_adaptive(odeint::make_controlled(tolerance, tolerance, Stepper<state>()),
                             std::ref(f), y, q.t0, q.t1, first_step);
  return ending<state>{y};
}

/// A field that counts its calls, for the numbers beside the times.
template <class F>
struct counting_field {
  const F& f;
  index* calls;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    ++*calls;
    f(t, y, p, dy);
  }
};

// --- The curves -----------------------------------------------------------------------------------

/// Tightens the tolerance by √10 a point and registers those whose error is worth a time.
template <class Reference, class Run>
void add_curve(std::vector<point>& points, const std::string& problem, const std::string& solver,
               const Reference& reference, Run run) {
  for (int k = 0; k <= 20; ++k) {
    const double tolerance = std::pow(10.0, -3 - 0.5 * k);
    const auto once = run(tolerance, true);
    const double error = relative_error(once.y, reference);
    if (!(error < 1e-4)) continue;
    const std::string name = problem + "/" + solver + "/" + std::to_string(k);
    points.push_back({problem, solver, name, tolerance, error, 0, once.evaluations, once.accepted,
                      once.rejected});
    measure(name, [run, tolerance] { return run(tolerance, false); });
    if (error < 3e-11) break;
  }
}

template <class Problem, class Reference, class M>
void add_revode(std::vector<point>& points, const std::string& name, const Problem& q,
                const Reference& reference, const M& m) {
  add_curve(points, name, M::name, reference,
            [q, m](double tolerance, bool) { return run_revode(q, m, tolerance); });
}

template <template <class...> class Stepper, class Problem, class Reference>
void add_odeint(std::vector<point>& points, const std::string& name, const std::string& solver,
                const Problem& q, const Reference& reference, int order) {
  using Y = typename Problem::state_type;
  using P = typename Problem::parameter_type;
  using F = typename Problem::field_type;
  const auto run = [q, order](double tolerance, bool count) {
    system<F, Y, P> sys(q.f, q.p);
    const double h = first_step(sys, q.t0, q.t1, q.y0, {tolerance, tolerance}, order);
    if (!count) return run_odeint<Stepper>(q, tolerance, h);
    index calls = 0;
    problem counted{counting_field<F>{q.f, &calls}, q.y0, q.t0, q.t1, q.p};
    auto end = run_odeint<Stepper>(counted, tolerance, h);
    end.evaluations = calls;
    return end;
  };
  add_curve(points, name, solver, reference, run);
}

template <class... T>
using odeint_dopri5 = boost::numeric::odeint::runge_kutta_dopri5<T...>;
template <class... T>
using odeint_fehlberg78 = boost::numeric::odeint::runge_kutta_fehlberg78<T...>;

/// The reference is vern7 at 1e-14; dop853 at 1e-14 says how far to believe it.
template <class F>
void add_problem(std::vector<point>& points, nlohmann::json& references, const std::string& name,
                 const F& field, double t1) {
  const problem q{F(field), field.y0(), field.t0, t1, field.parameters()};
  const auto reference = run_revode(q, vern7{}, 1e-14).y;
  const double doubt = relative_error(run_revode(q, dop853{}, 1e-14).y, reference);
  std::printf("%-16s reference: vern7 and dop853 at 1e-14 differ by %.1e\n", name.c_str(), doubt);
  references[name] = {{"t1", t1}, {"doubt", doubt}};
  add_revode(points, name, q, reference, tsit5{});
  add_revode(points, name, q, reference, dopri5{});
  add_revode(points, name, q, reference, bs5{});
  add_revode(points, name, q, reference, vern7{});
  add_revode(points, name, q, reference, dop853{});
  add_odeint<odeint_dopri5>(points, name, "odeint dopri5", q, reference, 4);
  add_odeint<odeint_fehlberg78>(points, name, "odeint fehlberg78", q, reference, 7);
}

/// The points' errors, made to fall with the tolerance (in logarithms).
std::vector<double> falling_errors(const std::vector<point>& curve) {
  std::vector<double> digits;
  for (const point& at : curve) digits.push_back(-std::log(at.error));
  digits = risen(digits);
  for (double& d : digits) d = std::exp(-d);
  return digits;
}

/// The quantity where the curve has this error, by interpolation between logarithms. A curve
/// that starts below it (stability decides, not accuracy) gives its cheapest point.
template <class Quantity>
double at_error(const std::vector<point>& curve, double error, Quantity quantity) {
  const std::vector<double> errors = falling_errors(curve);
  std::size_t i = 0;
  while (i < errors.size() && errors[i] > error) ++i;
  if (i == errors.size()) return std::nan("");
  if (i == 0) return quantity(curve[0]);
  const double weight = std::log(errors[i - 1] / error) / std::log(errors[i - 1] / errors[i]);
  return std::exp((1 - weight) * std::log(quantity(curve[i - 1])) +
                  weight * std::log(quantity(curve[i])));
}

using curves =
    std::vector<std::pair<std::string, std::vector<point>>>;  // of one problem, by solver

curves curves_of(const std::vector<point>& points, const std::string& problem) {
  curves all;
  for (const point& at : points) {
    if (at.problem != problem) continue;
    if (all.empty() || all.back().first != at.solver) all.push_back({at.solver, {}});
    all.back().second.push_back(at);
  }
  return all;
}

double geometric_mean_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  int n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    sum += std::log(a[i] / b[i]);
    ++n;
  }
  return n > 0 ? std::exp(sum / n) : std::nan("");
}

/// Prints one problem's table; returns its rows.
nlohmann::json tabulate(const std::string& problem, const curves& all) {
  std::map<std::string, std::vector<double>> times;
  for (const auto& [solver, curve] : all)
    for (const double error : targets)
      times[solver].push_back(at_error(curve, error, [](const point& at) { return at.seconds; }));
  std::vector<double> best(std::size(targets), std::nan(""));
  for (std::size_t i = 0; i < best.size(); ++i)
    best[i] = std::fmin(times["odeint dopri5"][i], times["odeint fehlberg78"][i]);

  std::printf("\n%s: microseconds to a final error of\n%-20s", problem.c_str(), "");
  for (const double error : targets) std::printf("%10.0e", error);
  std::printf("  evals at 1e-8   / odeint dopri5  / odeint's best\n");
  nlohmann::json rows;
  for (const auto& [solver, curve] : all) {
    const double evaluations =
        at_error(curve, 1e-8, [](const point& at) { return static_cast<double>(at.evaluations); });
    const double against = geometric_mean_ratio(times[solver], times["odeint dopri5"]);
    const double against_best = geometric_mean_ratio(times[solver], best);
    std::printf("%-20s", solver.c_str());
    for (const double t : times[solver]) std::printf("%10.1f", t * 1e6);
    std::printf("%15.0f%17.2f%17.2f\n", evaluations, against, against_best);
    rows[solver] = {{"seconds", times[solver]},
                    {"evaluations_at_1e-8", evaluations},
                    {"ratio_to_odeint_dopri5", against},
                    {"ratio_to_odeint_best", against_best}};
  }
  return rows;
}

nlohmann::json as_json(const point& at) {
  return {{"problem", at.problem},     {"solver", at.solver},
          {"tolerance", at.tolerance}, {"error", at.error},
          {"seconds", at.seconds},     {"accepted", at.accepted},
          {"rejected", at.rejected},   {"field_evaluations", at.evaluations}};
}

int run(int argc, char** argv) {
  nlohmann::json out{{"machine", machine()}, {"targets", targets}};
  out["machine"]["boost"] = BOOST_LIB_VERSION;
  print_machine(out["machine"]);
  std::vector<point> points;
  nlohmann::json& references = out["references"];
  add_problem(points, references, "lorenz", lorenz{}, lorenz::t1);
  add_problem(points, references, "lotka_volterra", lotka_volterra{}, lotka_volterra::t1);
  add_problem(points, references, "arenstorf", arenstorf{}, arenstorf::t1);
  add_problem(points, references, "pleiades", pleiades{}, pleiades::t1);
  add_problem(points, references, "lorenz96:40", lorenz96{}, 3.0);
  add_problem(points, references, "brusselator_1d:500", brusselator_1d{}, 1.0);

  collector times;
  const std::string json = run_all(argc, argv, times);
  for (point& at : points) at.seconds = times.median(at.benchmark);
  for (const auto& [problem, info] : references.items())
    out["tables"][problem] = tabulate(problem, curves_of(points, problem));
  for (const point& at : points) out["points"].push_back(as_json(at));
  write_json(json, out);
  return 0;
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) { return revode::run(argc, argv); }
