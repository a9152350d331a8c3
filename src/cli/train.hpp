// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cli/arguments.hpp>
#include <cli/report_page.hpp>
#include <revode/config.hpp>
#include <revode/io/restart.hpp>
#include <revode/status.hpp>

namespace revode::cli {

/// What `revode train` was asked for.
struct training_request {
  std::string what;
  index epochs = 0;
  std::uint64_t seed = 1;
  double rate = 0;
  std::string plot, loss_plot, report, out;
  bool json = false;
  std::shared_ptr<restart_journal> restart;  ///< null: the training is not kept
};

/// One number that a training found, under its name in JSON and in words.
struct found_number {
  const char* name;
  double value;
  const char* words;
};

/// How a training went. What it made is behind two functions, called where its status is success.
struct training {
  status ended = status::success;
  index steps = 0, parameters = 0;
  std::vector<double> losses;  ///< the means of whole epochs
  double seconds = 0;
  std::vector<found_number> found;
  std::function<std::vector<plane>()> learned;
  std::function<void(const std::string& path)> save;
};

/// One minibatch: its loss, or why there is none.
struct trained_step {
  status ended;
  double loss;
};

/// Runs epochs of `batches` steps until all are done or one has no loss; `step` gets epoch, batch and
/// rate. Shows how far it is where stderr is a terminal. Where the request has a journal, `numbers` passes
/// what steps change, and a training that was killed goes on behind its last step there, to the same bits.
void run_epochs(const training_request& r, index batches, training& t,
                const std::function<trained_step(index, index, double)>& step,
                const std::function<void(byte_stream&)>& numbers);

/// What a step of Adam changes.
template <class P, class Adam>
void pass_trained(byte_stream& s, P& p, Adam& adam) {
  const auto bytes = [](const auto& x) {
    return static_cast<std::size_t>(x.size()) * sizeof(*x.data());
  };
  s.bytes(p.data(), bytes(p));
  s.bytes(adam.mean.data(), bytes(adam.mean));
  s.bytes(adam.square.data(), bytes(adam.square));
  s.values(adam.steps);
}

/// A network of 252 weights that learns a spiral's field from segments of it.
training train_spiral(const training_request& r);
/// A flow of 386 weights that learns the density of points about eight places on a ring.
training train_density(const training_request& r);

/// The losses by epoch, on a logarithmic scale where all are positive and far apart.
chart losses_by_epoch(const training_request& r, const training& t);
void draw_losses(const training_request& r, const training& t);

/// What was learned, by gnuplot, the planes side by side.
void draw_planes(const std::string& path, const std::vector<plane>& planes);

/// The page of --report: what was typed, losses, what was learned, what was printed. Throws unwritten.
void write_report(const arguments& given, const training_request& r, const training& t,
                  const std::vector<plane>& planes, const std::string& printed);

}  // namespace revode::cli
