// SPDX-License-Identifier: Apache-2.0
// memory_case CASE SETTING LENGTH [SIZE]: what one gradient takes in this process, as one line of JSON.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/problems/kepler.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/revode.hpp>

#include "../../examples/bodies.hpp"
#include "../../examples/dropout_model.hpp"
#include "measure.hpp"

namespace revode {
namespace {

using bodies::matrix;

/// What was measured, and what the gradient says about itself.
struct outcome {
  footprint_of_run run{};
  long steps = 0, evaluations = 0, states = 0;
  double value = 0;  ///< an element of the gradient, for comparison with the others
};

[[noreturn]] void refuse(const std::string& word) {
  throw std::invalid_argument("unknown word " + word + " (see bench/memory/run.py) try another?");
}

/// The rest of a setting after `prefix:`, empty when it does not begin with that.
std::string after(const std::string& prefix, const std::string& setting) {
  return setting.starts_with(prefix + ":") ? setting.substr(prefix.size() + 1) : "";
}

/// store_all, slots:N, log (⌈log₂ n⌉ slots), budget:BYTES; controller:… of these: no log of the steps.
template <class Options>
Options kept(const std::string& setting, long n) {
  if constexpr (std::is_same_v<Options, recursive_checkpoint>)
    if (const auto rest = after("controller", setting); !rest.empty()) {
      auto o = kept<Options>(rest, n);
      o.log = step_replay::controller;
      return o;
    }
  if (setting == "store_all") return {.schedule = schedule_kind::store_all};
  if (setting == "log")
    return {.slots = static_cast<long>(std::ceil(std::log2(static_cast<double>(n))))};
  if (const auto slots = after("slots", setting); !slots.empty())
    return {.slots = std::stol(slots)};
  if (const auto bytes = after("budget", setting); !bytes.empty())
    return {.budget = std::stol(bytes)};
  refuse(setting);
}

/// Numbers in [-1, 1) that look random and that every language computes alike: the k-th in row order.
matrix hashed(long rows, long cols, float scale = 1) {
  matrix m(rows, cols);
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < cols; ++j) {
      auto h = static_cast<std::uint32_t>(i * cols + j) * 2654435761u;
      h = (h ^ (h >> 15)) * 2246822519u;
      h ^= h >> 13;
      m(i, j) = scale * (static_cast<float>(h >> 8) * 0x1p-23f - 1);
    }
  return m;
}

/// Lorenz to t = 10 in n equal steps of tsit5.
outcome lorenz_case(const std::string& setting, long n) {
  const lorenz f;
  const problem q{f, f.y0(), 0.0, 10.0, f.parameters()};
  const options o{.fixed_step = 10.0 / static_cast<double>(n), .max_steps = 2 * n};
  outcome r{.steps = n};
  r.run = measure_run(
      [&] {
        auto s = solve(q, tsit5{}, o, kept<recursive_checkpoint>(setting, n));
        const auto g = s.pullback(vec{1.0, 0.0, 0.0});
        r.value = g.p[1];
        r.states = g.reverse.peak_states;
        r.evaluations = n + g.reverse.replayed_steps;
      },
      [&] { solve(q, tsit5{}, o); });
  return r;
}

/// An eccentric orbit, adaptive, for about n steps.
outcome orbit_case(const std::string& setting, long n) {
  const kepler f{.eccentricity = 0.5};
  const problem q{f, f.y0(), 0.0, 0.0552 * static_cast<double>(n), f.parameters()};
  const options o{.rtol = 1e-9, .atol = 1e-9, .max_steps = 4 * n};
  outcome r;
  r.run = measure_run(
      [&] {
        auto s = solve(q, tsit5{}, o, kept<recursive_checkpoint>(setting, n));
        const auto g = s.pullback(vec{1.0, 0.0, 0.0, 0.0});
        r.steps = s.stats.accepted;
        r.value = g.p[0];
        r.states = g.reverse.peak_states;
        r.evaluations = r.steps + g.reverse.replayed_steps;
      },
      [&] { solve(q, tsit5{}, o); });
  return r;
}

/// c ← tanh(p c + x), which is also the output.
struct filter {
  template <class C, class X, class P, class O>
  void operator()(const C& c, const X& x, const P& p, C& next, O& out) const {
    using std::tanh;
    next[0] = tanh(p[0] * c[0] + x[0]);
    out[0] = next[0];
  }
};

struct filter_with_pull : filter {
  template <class C, class X, class P, class O>
  void pull(const C& c, const X& x, const P& p, const C& next_bar, const O& out_bar, C& c_bar,
            X& x_bar, P& p_bar) const {
    const auto next = std::tanh(p[0] * c[0] + x[0]);
    const auto a = (next_bar[0] + out_bar[0]) * (1 - next * next);
    c_bar[0] += a * p[0];
    x_bar[0] += a;
    p_bar[0] += a * c[0];
  }
};

/// A scan over n inputs with n outputs, all of which count.
template <class Body>
outcome series_case(const std::string& setting, long n, const Body& body) {
  std::vector<vec<double, 1>> xs, ones(static_cast<std::size_t>(n), vec{1.0});
  for (long i = 0; i < n; ++i) xs.push_back({0.5 * std::sin(0.01 * static_cast<double>(i))});
  const vec p{0.8};
  outcome r{.steps = n};
  r.run = measure_run([&] {
    auto s = scan(body, vec{0.0}, xs, p, vec{0.0}, kept<loop_options>(setting, n));
    r.value = s.pullback(vec{0.0}, ones).params[0];
    r.states = s.peak_states();
    r.evaluations = s.counts().steps;
  });
  return r;
}

template <class Start, class Series, class P, class Body>
outcome scan_case(const std::string& setting, long n, const Body& body, const Start& start,
                  const Series& xs, const P& p, const Start& bar, auto value) {
  outcome r{.steps = n};
  r.run = measure_run([&] {
    auto s = scan(body, start, xs, p, vec<float, 0>{}, kept<loop_options>(setting, n));
    r.value = static_cast<double>(value(s.pullback(bar).params));
    r.states = s.peak_states();
    r.evaluations = s.counts().steps;
  });
  return r;
}

/// The mean of Σ x (y + z) over n numbers y.
outcome sums_case(const std::string& setting, long n, long size) {
  using bodies::sum_of_products;
  const matrix z = matrix::Ones(size, size), zero = matrix::Zero(size, size);
  const matrix bar = matrix::Constant(size, size, 1 / static_cast<float>(z.size()));
  const std::vector<float> ys(static_cast<std::size_t>(n), 1.0f);
  const sum_of_products::parameters p{1.0f, frozen(z)};
  const auto value = [](const auto& g) { return std::get<0>(g); };
  if (const auto rest = after("plain", setting); !rest.empty())
    return scan_case(rest, n, sum_of_products{}, zero, ys, p, bar, value);
  return scan_case(setting, n, bodies::sum_of_products_with_pull{}, zero, ys, p, bar, value);
}

template <class Own, class Plain, class P>
outcome matrix_case(const std::string& setting, long n, const Own& own, const Plain& plain,
                    const matrix& start, const P& p, auto value) {
  const matrix ones = matrix::Ones(start.rows(), start.cols());
  const std::vector<int> times(static_cast<std::size_t>(n));
  if (setting == "by_hand") {
    outcome r{.steps = n, .evaluations = n, .states = n};
    r.run = measure_run(
        [&] { r.value = static_cast<double>(value(bodies::by_hand(own, start, p, n))); });
    return r;
  }
  if (const auto rest = after("plain", setting); !rest.empty())
    return scan_case(rest, n, plain, start, times, p, ones, value);
  return scan_case(setting, n, own, start, times, p, ones, value);
}

/// A frozen weight of 1024 x size with adapters of rank 64, n steps of rk4.
outcome adapters_case(const std::string& setting, long n, long size) {
  using bodies::vector;
  const long hidden = std::min(1024L, size), rank = std::max(1L, hidden / 16);
  const matrix weight = hashed(hidden, size, 1 / std::sqrt(static_cast<float>(size)));
  vector p(rank * (size + hidden));  // A and B, column by column
  p << hashed(rank, size, 0.01f).reshaped(), hashed(hidden, rank, 0.01f).reshaped();
  const problem q{bodies::adapted_field{&weight, rank}, vector::Ones(size).eval(), 0.0, 1.0, p};
  const options o{.fixed_step = 1 / static_cast<double>(n)};
  outcome r{.steps = n};
  r.run = measure_run([&] {
    auto s = solve(q, rk4{}, o, kept<recursive_checkpoint>(setting, n));
    const auto g = s.pullback(vector::Constant(size, 1 / static_cast<float>(size)).eval());
    r.value = static_cast<double>(g.p.norm());
    r.states = g.reverse.peak_states;
    r.evaluations = n + g.reverse.replayed_steps;
  });
  return r;
}

/// A model of `size` recurrent units trained on a wave of n steps, an epoch a run, with dropout.
outcome dropout_case(const std::string& setting, long n, long size) {
  using namespace dropout_model;
  const auto random = [](long rows, long cols, double scale) {
    return (scale * hashed(rows, cols).cast<double>()).eval();
  };
  const auto units = static_cast<double>(size);
  weights<> p{random(size, size, 0.5 / std::sqrt(units)), random(size, 1, 1), vector::Zero(size),
              random(size, 1, 1 / units)};
  const wave seen(static_cast<int>(n));
  outcome r{.steps = n};
  std::uint32_t epoch = 0;
  r.run = measure_run([&] {
    const double loss = train(p, epoch, seen, kept<loop_options>(setting, n));
    if (epoch++ == 1) r.value = loss;
  });
  return r;
}

outcome measure_case(const std::string& name, const std::string& setting, long n, long size) {
  if (name == "lorenz") return lorenz_case(setting, n);
  if (name == "orbit") return orbit_case(setting, n);
  if (name == "series") {
    const auto rest = after("own", setting);
    return rest.empty() ? series_case(setting, n, filter{})
                        : series_case(rest, n, filter_with_pull{});
  }
  if (name == "sums") return sums_case(setting, n, size);
  if (name == "dropout") return dropout_case(setting, n, size);
  if (name == "adapters") return adapters_case(setting, n, size);
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  if (name == "products")
    return matrix_case(setting, n, bodies::chained_product_with_pull{}, bodies::chained_product{},
                       hashed(size, size), hashed(size, size, 1.7f * scale),
                       [](const auto& g) { return g(0, 0); });
  if (name == "recurrent") {
    const matrix p = hashed(size + 1, size, scale);
    return matrix_case(setting, n, bodies::recurrent_with_pull{}, bodies::recurrent{},
                       hashed(16, size),
                       bodies::recurrent::parameters(p.topRows(size), p.row(size)),
                       [](const auto& g) { return std::get<0>(g)(0, 0); });
  }
  refuse(name);
}

/// The coefficients of tsit5, for the same steps elsewhere.
int print_tableau() {
  constexpr auto tb = tsit5::tableau;
  std::printf("{\"a\": [");
  for (int i = 0; i < 7; ++i) {
    std::printf("%s[", i > 0 ? ", " : "");
    for (int j = 0; j < i; ++j) std::printf("%s%.17g", j > 0 ? ", " : "", tb.a[i][j]);
    std::printf("]");
  }
  std::printf("]}\n");
  return 0;
}

int run(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string("tableau")) return print_tableau();
  if (argc < 4) {
    std::fprintf(stderr, "usage: memory_case CASE SETTING LENGTH [SIZE], or memory_case tableau\n");
    return 2;
  }
  const std::string name = argv[1], setting = argv[2];
  const long n = std::atol(argv[3]), size = argc > 4 ? std::atol(argv[4]) : 300;
  const outcome r = measure_case(name, setting, n, size);
  std::printf(
      "{\"case\": \"%s\", \"setting\": \"%s\", \"length\": %ld, \"size\": %ld, "
      "\"steps\": %ld, \"evaluations\": %ld, \"states\": %ld, \"allocated\": %.0f, "
      "\"rss\": %.0f, \"seconds\": %.6e, \"forward\": %.6e, \"value\": %.17g}\n",
      name.c_str(), setting.c_str(), n, size, r.steps, r.evaluations, r.states, r.run.allocated,
      r.run.rss, r.run.seconds, r.run.forward, r.value);
  return 0;
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  try {
    return revode::run(argc, argv);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "memory_case: %s\n", trouble.what());
    return 1;
  }
}
