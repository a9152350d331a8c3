// SPDX-License-Identifier: Apache-2.0
// links: revode::safetensors
// What docs/networks.md shows, between what a reader has of one's own.
#include <revode/batch/batch_solver.hpp>
#include <revode/interop/eigen_recording.hpp>
#include <revode/nn/blocks.hpp>
#include <revode/nn/controlled_field.hpp>
#include <revode/nn/density.hpp>
#include <revode/nn/layer_norm.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/safetensors.hpp>
#include <revode/nn/training_state.hpp>
#include <revode/revode.hpp>
using namespace revode;
using namespace revode::nn;

void compose() {
const chain network(dense_layer{3, 16, activation::tanh}, layer_norm{16}, dense_layer{16, 2});
const neural_field driven_by_time(network, time_input::yes);        // two states and the time
static_cast<void>(driven_by_time);
}

void train(const Eigen::MatrixXd& batch, const Eigen::MatrixXd& target, const options& o) {
neural_field f(mlp({2, 50, 2}));                                    // y' = W2 tanh(W1 y + b1) + b2
problem q{f, batch, 0.0, 1.0, initial_parameters<double>(f.network(), 1)};
adam<double> optimiser(q.p.size());
for (revode::index step = 0; step < 1000; ++step) {
  auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 20});
  auto g = s.pullback({.y = 2 * (s.y - target)});
  optimiser.step(q.p, g.p, 0.01);                                   // in place: one copy of the weights
}

write_tensors("spiral.safetensors", tensors_of(f.network(), q.p));
load_tensors(f.network(), read_tensors("spiral.safetensors"), q.p);

  revode::index step = 0;
training_state kept;
kept.array("weights", q.p);
kept.array("adam.mean", optimiser.mean);
kept.array("adam.square", optimiser.square);
kept.counter("adam.steps", optimiser.steps);
kept.counter("step", step);
kept.setting("batch", "20");                        // what must be the same to go on, in words
kept.resume("run.safetensors");                     // where there is one
}

void matrices(const Eigen::MatrixXd& y0, const Eigen::VectorXd& p, const options& o) {
const auto f = [](const auto& t, const auto& y, const auto& p, auto& dy) {
  const auto n = y.rows();
  const auto w = p.head(n * n).reshaped(n, n);                      // p is one vector; matrices are parts of it
  dy = ((w * y).colwise() + p.tail(n) * cos(t)).array().tanh().matrix() - y;
};
problem q{f, y0, 0.0, 1.0, p};                                      // y0 an Eigen matrix, p an Eigen vector
auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 20});
}

void each_by_itself(const neural_field<mlp>& f, const Eigen::MatrixXd& y0, const Eigen::MatrixXd& target, const Eigen::VectorXd& p,
                    const std::vector<double>& t0_of_samples, const std::vector<double>& t1_of_samples,
                    const std::vector<std::vector<double>>& times_of_samples, const options& o) {
batch_problem each{f, y0, t0_of_samples, t1_of_samples, p};         // one for each sample, or {0.0} for all
each.save_ts = times_of_samples;                                    // likewise; or options::save
auto solved = solve(each, tsit5{}, o, recursive_checkpoint{.slots = 20});
auto by_samples = solved.pullback({.y = solved.y - target});        // by_samples.y0, .p
}

void density(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights, const options& o) {
flow_field flow(neural_field(mlp({3, 64, 2}), time_input::yes), {.kinetic_energy = true});
problem likelihood{flow, points, 0.0, 1.0, weights};                // points: x, and 0 in the rows below it
auto ended = solve(likelihood, tsit5{}, o, recursive_checkpoint{.slots = 20});
Eigen::MatrixXd w = ended.y;
double loss = negative_log_likelihood(flow, ended.y, w);            // the mean of −log p(x), w its cotangents
w.row(3).setConstant(0.03 / double(w.cols()));                      // and 0.03 of the mean energy
auto gradient = ended.pullback({.y = w});
}

void controlled(const std::vector<double>& times, const Eigen::VectorXd& observed, const Eigen::MatrixXd& z0, const Eigen::VectorXd& weights,
                const options& o) {
control_path path(control::cubic_hermite, times);                   // or linear, rectilinear
controlled_field driven(mlp({8, 32, 8 * 4}), path, 3, observed);    // 3 channels beside the time
const options to_knots = path.at_knots(o, path.begin(), path.end());
auto last = solve(problem{driven, z0, path.begin(), path.end(), weights}, tsit5{}, to_knots, recursive_checkpoint{});
}
