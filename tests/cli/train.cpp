// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

TEST_CASE("train: a spiral is learned, and its weights are torch's by name and shape") {
  const temporary_file plot("fit.svg"), losses("loss.svg"), weights("w.safetensors");
  const outcome o = run("train spiral --epochs 12 --seed 2 --json --plot '" + plot.path() +
                        "' --loss-plot '" + losses.path() + "' --out '" + weights.path() + "'");
  CHECK(o.exit_status == 0);
  CHECK(o.err.empty());
  const auto said = o.json();
  CHECK(said["training"] == "spiral");
  CHECK(said["status"] == "success");
  CHECK(said["parameters"] == 2 * 50 + 50 + 50 * 2 + 2);
  CHECK(said["steps"] == 12 * 160 / 20);
  CHECK(said["seed"] == 2);
  const std::vector<double> by_epoch = said["losses"];
  REQUIRE(by_epoch.size() == 12);
  CHECK(by_epoch.back() < 1e-2 * by_epoch.front());
  CHECK(said["distance"] < 0.3);
  for (const temporary_file* picture : {&plot, &losses})
    CHECK(picture->text().find("</svg>") != std::string::npos);
  CHECK(losses.text().find("spiral, seed 2, rate 0.03") != std::string::npos);
  const std::string file = weights.text();
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const auto header = nlohmann::json::parse(file.substr(8, length));
  CHECK(header["layers.0.weight"]["shape"] == std::vector{50, 2});
  CHECK(header["layers.1.bias"]["dtype"] == "F64");
}

TEST_CASE("train: a density comes near the true one, the same way every time") {
  const temporary_file plot("density.svg");
  const std::string words = "train density --epochs 8 --json";
  const auto first = run(words + " --plot '" + plot.path() + "'").json(), again = run(words).json();
  CHECK(first["losses"] == again["losses"]);
  CHECK(first["losses"] != run(words + " --seed 2").json()["losses"]);
  CHECK(first["steps"] == 8 * 2048 / 128);
  const double reached = first["held_out_loss"], least = first["true_loss"];
  CHECK(reached > least);
  CHECK(reached < least + 0.25);  // of a normal density as wide as the ring: 1.1 more
  CHECK(plot.text().find("1500 samples") != std::string::npos);
}

TEST_CASE("train: people are told the losses by name") {
  const std::string text = run("train spiral --epochs 1 --rate 0.01").out;
  CHECK(text.starts_with("spiral, 1 epoch, seed 1, rate 0.01\n  parameters "));
  for (const char* line : {"\n  steps of Adam ", "\n  loss of the first epoch ",
                           "\n  greatest distance from the spiral ", "\n  time "})
    CHECK(text.find(line) != std::string::npos);
}

TEST_CASE("train: a rate that is too large ends with a status, and no weights") {
  const temporary_file weights("none.safetensors"), plot("none.svg");
  const outcome o = run("train spiral --rate 1e6 --json --out '" + weights.path() + "' --plot '" +
                        plot.path() + "'");
  CHECK(o.exit_status == 1);
  const std::string status = o.json()["status"];
  CHECK(status != "success");
  CHECK(o.err.starts_with("the training ended in epoch 1 with " + status + " ("));
  CHECK(o.err.ends_with("): its weights are not kept; try a smaller --rate than 1e6\n"));
  CHECK_FALSE(weights.exists());
  CHECK_FALSE(plot.exists());
}

TEST_CASE("train: misuse is told with what to do") {
  const auto refused = [](const std::string& words, const std::string& text) {
    CAPTURE(words);
    const outcome o = run("train " + words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
    CHECK(o.out.empty());
  };
  refused("", "no training given ('revode train' needs its name) give spiral or density?");
  refused("spirl",
          "unknown training 'spirl' (not in the list of trainings) did you mean 'spiral'?");
  refused("digits",
          "unknown training 'digits' (not in the list of trainings) give spiral or density?");
  refused("spiral density",
          "surplus word 'density' ('revode train' has all it takes before it) leave it out?");
  refused("spiral --epochs 0",
          "invalid --epochs '0' (a training takes 1 to 100000) give e.g. --epochs 100?");
  refused("spiral --epochs 1.5",
          "invalid --epochs '1.5' (a whole number is needed) give e.g. --epochs 1000?");
  refused("spiral --seed -1", "invalid --seed '-1' (seeds are counted from 0) give e.g. --seed 1?");
  for (const std::string rate : {"0", "-1", "nan", "inf"})
    refused("density --rate " + rate, "invalid --rate '" + rate +
                                          "' (a step is so many times Adam's direction: positive, "
                                          "finite) give e.g. --rate 0.03?");
  refused("density --plot a.pdf",
          "invalid --plot 'a.pdf' (pictures are SVG or PNG) give a name that ends in .svg or "
          ".png?");
  refused("density --loss-plot a.txt",
          "invalid --loss-plot 'a.txt' (pictures are SVG or PNG) give a name that ends in .svg or "
          ".png?");
  refused("density --out a.npz",
          "invalid --out 'a.npz' (weights are written as safetensors) give a name that ends in "
          ".safetensors?");
  refused("density --out /nowhere/a.safetensors",
          "cannot write '/nowhere/a.safetensors' for --out (there is no such folder) give a file "
          "in an existing folder?");
  refused("spiral --epoch 3",
          "unknown option '--epoch' (not in the list of options of 'revode train') did you mean "
          "'--epochs'?");
}

}  // namespace
}  // namespace revode::cli
