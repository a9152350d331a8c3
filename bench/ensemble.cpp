// SPDX-License-Identifier: Apache-2.0
// What does a lane cost, beside single solves one after the other, on one core? Solves and gradients of
// the Lorenz attractor (a sweep of rho) and of Lorenz96 with 16 components, tsit5, to t = 10 at 1e-8;
// beside them Boost.Odeint's controlled dopri5 at the same tolerance, one solve after the other.
// usage: bench_ensemble [lanes [repetitions]]; one line a case: lanes a second, the ratio, and what an
// attempt of one lane takes alone and among others; then the same of the peer, and both errors. On a
// device the solve also by Thrust's for_each in place of the launcher.
// Times are the least of the repetitions, of every single solve by itself, so that a busy machine
// spoils few of them; all take turns.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#if !defined(__CUDACC__)
#include <boost/numeric/odeint.hpp>
#endif

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// Processor time of the whole program; where lanes run on a device, of the clock on the wall.
double seconds() {
  if (on_device::catches) {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// The least times of pieces of work, for a busy machine; their sum.
class least_times {
 public:
  template <class Run>
  void time(std::size_t piece, Run&& run) {
    if (least_.size() <= piece) least_.resize(piece + 1, 1e300);
    const double start = seconds();
    run();
    least_[piece] = std::min(least_[piece], seconds() - start);
  }
  double sum() const {
    double sum = 0;
    for (const double t : least_) sum += t;
    return sum;
  }

 private:
  std::vector<double> least_;
};

struct square_loss {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    return 0.5 * (y[0] * y[0]);
  }
};

#if !defined(__CUDACC__)
/// The state of a problem at t1 by Boost.Odeint, and its calls of the field.
template <class Problem>
auto by_odeint(const Problem& q, double tolerance, long& calls) {
  constexpr std::size_t n = static_size_v<std::remove_cvref_t<decltype(q.y0)>>;
  using array = std::array<double, n>;
  array y;
  std::copy(q.y0.begin(), q.y0.end(), y.begin());
  const auto field = [&](const array& at, array& slope, double t) {
    ++calls;
    vec<double, static_cast<int>(n)> from, to;
    std::copy(at.begin(), at.end(), from.begin());
    q.f(t, from, q.p, to);
    std::copy(to.begin(), to.end(), slope.begin());
  };
  namespace odeint = boost::numeric::odeint;
  odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_dopri5<array>>(tolerance, tolerance), field, y,
      q.t0, q.t1, 1e-3);
  return y;
}
#endif

template <class A, class B>
double distance(const A& a, const B& b) {
  double most = 0;
  for (int i = 0; i < length(b); ++i) most = std::fmax(most, std::abs(a.data()[i] - b.data()[i]));
  return most;
}

template <class E>
void compare(const std::string& name, const E& e, int repetitions) {
  using F = typename E::field_type;
  using Y = typename E::state_type;
  using P = typename E::parameter_type;
  const options o{.rtol = 1e-8, .atol = 1e-8};
  const index lanes = lanes_of(e), few = std::min<index>(lanes, 256);  // alone
  const double share = static_cast<double>(few) / static_cast<double>(lanes);
  ensemble_solver<tsit5, F, Y, P, on_device, 0, false> solver(e, tsit5{}, o);
  least_times alone, together, pulled_alone, pulled, peer;
#if defined(__CUDACC__)  // Thrust's for_each beside the launcher
  ensemble_solver<tsit5, F, Y, P, on_device_by_for_each, 0, false> by_thrust(e, tsit5{}, o);
  least_times together_by_thrust;
#endif
  index steps = 0;
  long calls = 0;
  double sink = 0, error = 0, peer_error = 0;
  for (int r = 0; r < repetitions; ++r) {
    steps = 0, calls = 0;
    for (index l = 0; l < few; ++l) {
      const auto q = problem_of(e, l * lanes / few);
      const auto piece = static_cast<std::size_t>(l);
      Y y{}, bar{};
      alone.time(piece, [&] {
        const auto s = solve(q, tsit5{}, o);
        steps += s.stats.accepted + s.stats.rejected;
        y = s.y;
      });
      pulled_alone.time(piece, [&] {
        auto s = solve(q, tsit5{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
        bar[0] = s.y[0];
        sink += s.pullback(bar).p[0];
      });
#if !defined(__CUDACC__)
      std::array<double, static_cast<std::size_t>(static_size_v<Y>)> other;
      peer.time(piece, [&] { other = by_odeint(q, 1e-8, calls); });
      if (r > 0 || l % 16 != 0) continue;
      const auto exact = solve(q, tsit5{}, {.rtol = 1e-13, .atol = 1e-13}).y;
      error = std::fmax(error, distance(y, exact));
      peer_error = std::fmax(peer_error, distance(other, exact));
#endif
    }
    together.time(0, [&] { solver.run(); });
#if defined(__CUDACC__)
    together_by_thrust.time(0, [&] { by_thrust.run(); });
#endif
    pulled.time(0, [&] { sink += solver.gradient(square_loss{}).total_p[0]; });
  }
  const double n = static_cast<double>(lanes), one = static_cast<double>(few);
  // attempts of all lanes, on average those of the lanes also solved alone
  const double attempts = static_cast<double>(steps) / share;
  const auto show = [&](const char* what, const least_times& single, const least_times& lane,
                        int width) {
    std::printf(
        "%-12s %-8s  %9.0f lanes/s alone %9.0f lanes/s in %d lanes  x%.1f  (%.1f and %.2f ns an "
        "attempt)\n",
        name.c_str(), what, one / single.sum(), n / lane.sum(), width,
        single.sum() / (share * lane.sum()), 1e9 * single.sum() / static_cast<double>(steps),
        1e9 * lane.sum() / attempts);
  };
  show("solve", alone, together, solver.width);
  show("gradient", pulled_alone, pulled, solver.reverse_width);
#if defined(__CUDACC__)
  show("for_each", alone, together_by_thrust, by_thrust.width);
#else
  std::printf(
      "%-12s odeint    %9.0f lanes/s alone, %.0f calls of the field a lane, error %.1e; lanes "
      "%.1e with %.0f\n",
      name.c_str(), one / peer.sum(), static_cast<double>(calls) / one, peer_error, error,
      6 * static_cast<double>(steps) / one);
#endif
  if (sink == 0.1234) std::printf("\n");
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  using namespace revode;
  const int lanes = argc > 1 ? std::atoi(argv[1]) : 2048;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  ensemble<lorenz, vec<double, 3>, vec<double, 3>> sweep;
  sweep.y0 = {vec{1.0, 0.0, 0.0}};
  sweep.t1 = {10.0};
  sweep.p.clear();
  for (int l = 0; l < lanes; ++l) sweep.p.push_back({10, 20 + 10.0 * l / lanes, 8.0 / 3});
  compare("lorenz", sweep, repetitions);

  ensemble<lorenz96, vec<double, 16>, vec<double, 1>> ring;
  ring.f.n = 16;
  ring.y0 = {vec<double, 16>{8, 8, 8, 8, 8, 8, 8, 8.008, 8, 8, 8, 8, 8, 8, 8, 8}};
  ring.t1 = {10.0};
  ring.p.clear();
  for (int l = 0; l < lanes / 8; ++l) ring.p.push_back({8 + 8.0 * l / lanes});
  compare("lorenz96:16", ring, repetitions);
}
