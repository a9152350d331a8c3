// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"
#include "prepared.hpp"

#include <array>
#include <optional>
#include <string_view>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/parameters.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode::python {
namespace {

using field = nn::neural_field<nn::mlp>;

constexpr std::array<std::string_view, 8> activations{"identity", "tanh", "sigmoid", "softplus",
                                                      "silu",     "gelu", "relu",    "sin"};
nn::activation find_activation(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < activations.size(); ++i) {
    if (activations[i] == name) return static_cast<nn::activation>(i);
    known.append(known.empty() ? "" : ", ").append(activations[i]);
  }
  throw std::invalid_argument("activation '" + std::string(name) + "' (there are " + known +
                              ") take one of these?");
}
field make_field(const std::vector<index>& widths, const std::string& activation, bool time) {
  return field(nn::mlp(widths, find_activation(activation)),
               time ? nn::time_input::yes : nn::time_input::no);
}

/// Batches that lie the other way may have the right number of numbers.
void expect_samples(const field& f, std::size_t numbers) {
  if (numbers != static_cast<std::size_t>(f.states()))
    throw std::invalid_argument("samples of " + std::to_string(numbers) +
                                " numbers (the field has " + std::to_string(f.states()) +
                                " states) give a batch with a sample a row?");
}
/// Sizes that do not fit, told before any work.
void expect_sizes(const field& f, std::size_t states, std::size_t parameters) {
  const auto of_sample = static_cast<std::size_t>(f.states());
  if (states == 0 || states % of_sample != 0)
    throw std::invalid_argument("a start of " + std::to_string(states) + " numbers (a sample has " +
                                std::to_string(of_sample) +
                                ", and there is at least one) give rows of " +
                                std::to_string(of_sample) + "?");
  if (parameters != static_cast<std::size_t>(f.parameters()))
    throw std::invalid_argument(std::to_string(parameters) + " weights (the network has " +
                                std::to_string(f.parameters()) + ") give those of this network?");
}

python_problem as_problem(const field& f, const nb::object& y0, double t0, double t1,
                          const nb::object& p) {
  const auto batch =
      nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(as_array(y0));
  if (batch.ndim() > 1) expect_samples(f, batch.shape(batch.ndim() - 1));
  python_problem q{{.f = any_field(std::make_shared<const erased_field>(f)),
                    .y0 = from_numpy(y0),
                    .t0 = t0,
                    .t1 = t1,
                    .p = from_numpy(p)}};
  expect_sizes(f, q.y0.size(), q.p.size());
  return q;
}

nb::list leaves(const field& f) {
  nb::list all;
  for (const nn::leaf& l : nn::leaves_of(f.network())) {
    const nb::tuple shape = l.is_matrix() ? nb::make_tuple(l.rows, l.cols) : nb::make_tuple(l.rows);
    all.append(nb::make_tuple(l.name, shape));
  }
  return all;
}

using numbers_in_float = Eigen::VectorXf;
using network_problem = problem<field, numbers_in_float, numbers_in_float>;

network_problem pose(const field& f, std::span<const float> y0, double t0, double t1,
                     std::span<const float> p) {
  const auto vector = [](std::span<const float> x) {
    return numbers_in_float(
        Eigen::Map<const numbers_in_float>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  return {f, vector(y0), t0, t1, vector(p)};
}
/// A network in single precision, solved and pulled back.
template <class M>
struct kept_network final : kept_solve<float> {
  network_problem q;
  decltype(solve(std::declval<const network_problem&>(), M{}, options{}, recursive_checkpoint{})) s;
  std::size_t rows;
  bool whole;

  kept_network(network_problem of, const options& o, const recursive_checkpoint& memory,
               std::size_t saves, std::span<float> y)
      : q(std::move(of)),
        s(solve(q, M{}, o, memory)),
        rows(saves),
        whole(take(s, rows, y)) {}
  bool is_of(std::span<const float> y0, std::span<const float> p) const override {
    return same_bits<float>({q.y0.data(), y0.size()}, y0) &&
           same_bits<float>({q.p.data(), p.size()}, p);
  }
  void pull(std::span<const float> w, std::span<float> gy0, std::span<float> gp) override {
    if (!whole) {
      fill_with_nan(gy0);
      return fill_with_nan(gp);
    }
    cotangents<numbers_in_float> of;
    const auto row = [&](std::size_t i) {
      return numbers_in_float(Eigen::Map<const numbers_in_float>(
          w.data() + i * static_cast<std::size_t>(q.y0.size()), q.y0.size()));
    };
    if (rows == 0) of.y = row(0);
    for (std::size_t i = 0; i < rows; ++i) of.ys.push_back(row(i));
    const auto g = s.pullback(of);
    std::copy(g.y0.begin(), g.y0.end(), gy0.begin());
    std::copy(g.p.begin(), g.p.end(), gp.begin());
  }
};

template <class M>
struct prepared_network final : prepared_solve_of<float> {
  field f;
  double t0, t1;
  options o;
  recursive_checkpoint memory;

  prepared_network(field of, std::size_t numbers, double from, double to, options with,
                   recursive_checkpoint adjoint)
      : f(std::move(of)),
        t0(from),
        t1(to),
        o(std::move(with)),
        memory(std::move(adjoint)) {
    states = numbers;
    parameters = static_cast<std::size_t>(f.parameters());
    rows = o.save.ts.size();
    expect_sizes(f, states, parameters);
  }
  void value(std::span<const float> y0, std::span<const float> p,
             std::span<float> y) const override {
    take(solve(pose(f, y0, t0, t1, p), M{}, o), rows, y);
  }
  std::unique_ptr<kept_solve<float>> keep(std::span<const float> y0, std::span<const float> p,
                                          std::span<float> y) const override {
    return std::make_unique<kept_network<M>>(pose(f, y0, t0, t1, p), o, memory, rows, y);
  }
};

/// errors  std::invalid_argument: a method that is not compiled for single precision
auto prepare_network(const std::string& method, auto&&... given) {
  if (method != tsit5::name)
    throw std::invalid_argument(
        "method '" + method +
        "' for a network in single precision (tsit5 is compiled for it) take "
        "that, or float64?");
  return std::make_shared<prepared_network<tsit5>>(given...);
}

}  // namespace

void bind_networks(nb::module_& m) {
  nb::class_<field>(m, "Network", "y' = network(y), or of (y; t) with time: dense layers.")
      .def(
          "__init__",
          [](field* self, const std::vector<index>& widths, const std::string& activation,
             bool time) { new (self) field(make_field(widths, activation, time)); },
          nb::arg("widths"), nb::arg("activation") = "tanh", nb::kw_only(), nb::arg("time") = false)
      .def("expect_samples", &expect_samples, nb::arg("numbers"),
           "ValueError for rows of other length than a sample's.")
      .def_prop_ro("description",
                   [](const field& f) {
                     const auto& layers = f.network().layers();
                     nb::list widths;
                     for (const nn::dense_layer& l : layers) widths.append(l.in);
                     widths.append(layers.back().out);
                     return nb::make_tuple(nb::tuple(widths),
                                           static_cast<int>(layers.front().sigma),
                                           f.network().inputs() != f.states());
                   })
      .def_prop_ro("states", &field::states, "Numbers of a sample.")
      .def_prop_ro("parameters", &field::parameters, "Weights and biases.")
      .def_prop_ro("leaves", &leaves, "(name, shape) of each array, as they lie behind each other.")
      .def(
          "initial",
          [](const field& f, std::uint64_t seed) {
            const auto p = nn::initial_parameters<double>(f.network(), seed);
            return to_numpy(std::vector<double>(p.begin(), p.end()));
          },
          nb::arg("seed"), nb::rv_policy::automatic, "Untrained weights (Glorot's).")
      .def("problem", &as_problem, nb::arg("y0"), nb::arg("t0"), nb::arg("t1"), nb::arg("p"),
           "A Problem whose start are these samples, a row each, with the weights p, flat.");
  m.def(
      "prepare_in_float",
      [](const field& f, std::size_t numbers, double t0, double t1, const std::string& method,
         const options& o, std::optional<index> slots, std::optional<index> budget,
         const std::optional<std::string>& schedule, int threads) {
        std::shared_ptr<prepared_solve_of<float>> s =
            prepare_network(method, f, numbers, t0, t1, o, as_checkpoint(slots, budget, schedule));
        s->threads = threads;
        return s;
      },
      nb::arg("network"), nb::arg("numbers"), nb::arg("t0"), nb::arg("t1"), nb::arg("method"),
      nb::arg("options"), nb::arg("slots").none(), nb::arg("budget").none(),
      nb::arg("schedule").none(), nb::arg("threads"));
}

}  // namespace revode::python
