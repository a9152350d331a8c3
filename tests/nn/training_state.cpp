// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <revode/nn/minibatches.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/nn/training_state.hpp>

#include "../refusal.hpp"

namespace revode::nn {
namespace {

std::string in_temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

/// A training of 200 epochs of 5 batches, whose gradient is that of |p − the batch's mean|²; saved after
/// every fourth batch where a path is given. at_step(step) may do what it likes.
template <class AtStep>
Eigen::VectorXd train(const std::string& path, const AtStep& at_step) {
  Eigen::VectorXd p = initial_parameters<double>(mlp({3, 4, 2}), 1);
  const Eigen::MatrixXd data = Eigen::MatrixXd::NullaryExpr(
      p.size(), 23, [](index i, index j) { return counter_uniform(2, 7, i * 23 + j); });
  adam<double> optimiser(p.size());
  averaged_weights<double> average(p, 0.9);
  minibatches batches(23, 5, 3);
  index step = 0;
  training_state kept;
  kept.array("weights", p);
  kept.array("adam.mean", optimiser.mean);
  kept.array("adam.square", optimiser.square);
  kept.array("average", average.average);
  kept.counter("adam.steps", optimiser.steps);
  kept.counter("step", step);
  if (!path.empty()) kept.resume(path);
  const warm_up rate{20, cosine_rate{.rate = 0.05, .steps = 1000}};
  while (step < 1000) {
    Eigen::VectorXd g = p;
    const auto chosen = batches.of(step / batches.count(), step % batches.count());
    for (const index i : chosen) g -= data.col(i) / static_cast<double>(chosen.size());
    clip_by_global_norm(g, 1);
    optimiser.step(p, g, rate(step));
    average.follow(p);
    ++step;
    if (!path.empty() && step % 4 == 0) kept.save(path);
    at_step(step);
  }
  return p + average.average;
}

TEST_CASE(
    "training state: a training that is killed twenty times ends in the bits of one that was not") {
  const std::string path = in_temporary("revode_training.safetensors");
  std::filesystem::remove(path);
  const Eigen::VectorXd whole = train("", [](index) {});
  int killed = 0;
  for (int run = 0; run < 20; ++run) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {  // by a signal, somewhere in its work: at a step, or while it writes
      if (run % 2 == 1) ::ualarm(static_cast<useconds_t>(500 + 50 * run), 0);
      index begun = -1;
      train(path, [&](index step) {
        if (begun < 0) begun = step;
        if (run % 2 == 0 && step >= begun + run / 2) ::raise(SIGKILL);
      });
      ::_exit(0);
    }
    int how = 0;
    ::waitpid(child, &how, 0);
    killed += WIFSIGNALED(how) ? 1 : 0;
  }
  CHECK(killed >= 10);
  CHECK(train(path, [](index) {}) == whole);
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".new");
}

TEST_CASE("training state: a file of another training is refused, and changes nothing") {
  const std::string path = in_temporary("revode_other_training.safetensors");
  Eigen::VectorXd p = Eigen::VectorXd::Ones(3), longer = Eigen::VectorXd::Zero(4);
  Eigen::VectorXf narrow = Eigen::VectorXf::Zero(3);
  index step = 5;
  training_state kept;
  kept.counter("step", step);
  kept.array("weights", p);
  kept.save(path);
  const auto refusal = [&](auto& weights, const std::string& name) {
    index other_step = 1;
    training_state other;
    other.counter("step", other_step);
    other.array(name, weights);
    std::string said = "nothing";
    try {
      other.resume(path);
    } catch (const std::runtime_error& e) {
      said = e.what();
    }
    CHECK(other_step == 1);
    return said;
  };
  CHECK(refusal(longer, "weights") ==
        "tensor \"weights\" of 3 (4 is wanted) read the file of a network of this shape?");
  CHECK(refusal(narrow, "weights") ==
        "tensor \"weights\" of F64 (the array is of F32, and nothing is converted unasked) store "
        "it in that type, or read it into an array of its own?");
  CHECK(refusal(p, "velocity") ==
        "tensor \"velocity\" (the file has step, weights) read the file of this network?");
  {
    training_state fewer;
    fewer.counter("step", step);
    CHECK_THROWS_WITH_AS(fewer.resume(path),
                         ("tensor \"weights\" of " + path +
                          " (this training does not remember it) list it, or give another file?")
                             .c_str(),
                         std::runtime_error);
    CHECK(revode::refusal([&] { fewer.array("step", p); }) ==
          "\"step\" listed twice, or the name of metadata (a file has each name once) call it "
          "otherwise?");
    CHECK(revode::refusal([&] { fewer.counter("__metadata__", step); }) != "nothing");
  }
  step = 0;
  p.setZero();
  CHECK(kept.resume(path));
  CHECK(step == 5);
  CHECK(p == Eigen::VectorXd::Ones(3));
  std::filesystem::remove(path);
  CHECK_FALSE(kept.resume(path));
}

TEST_CASE("training state: what decides the bits beside its numbers has to be the same") {
  const std::string path = in_temporary("revode_settings.safetensors");
  index step = 5;
  const auto with = [&](const std::string& batch) {
    training_state made;
    made.counter("step", step);
    if (!batch.empty()) made.setting("batch", batch);
    return made;
  };
  with("20").save(path);
  step = 1;
  CHECK_THROWS_WITH_AS(
      with("32").resume(path),
      (path + ": a training with batch 32 (that of the file has 20) take the same, "
              "or another file?")
          .c_str(),
      std::runtime_error);
  CHECK(step == 1);
  CHECK(with("20").resume(path));
  CHECK(step == 5);
  with("").save(path);
  CHECK_THROWS_AS(with("20").resume(path), std::runtime_error);
  std::filesystem::remove(path);
}

TEST_CASE("training state: two runs that write one file leave a whole one at any time") {
  const std::string path = in_temporary("revode_shared.safetensors");
  const auto run = [&](double mine, int times) {
    Eigen::VectorXd p = Eigen::VectorXd::Constant(mine > 0 ? 3000 : 20, mine);
    training_state kept;
    kept.array("weights", p);
    for (int k = 0; k < times; ++k) kept.save(path);
  };
  run(1, 1);
  pid_t children[2];
  for (int c = 0; c < 2; ++c)
    if ((children[c] = ::fork()) == 0) {
      run(c == 0 ? 1 : -1, 1000000);
      ::_exit(0);
    }
  // One read in some thousands met the other's file between its size and its bytes.
  for (int k = 0; k < 5000; ++k) {
    const tensor w = read_tensors(path).tensors.front();
    double first = 0;
    std::memcpy(&first, w.bytes.data(), sizeof first);
    CHECK(w.shape.front() == (first > 0 ? 3000 : 20));
  }
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  CHECK_NOTHROW(read_tensors(path));
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".new");
}

}  // namespace
}  // namespace revode::nn
