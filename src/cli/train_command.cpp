// SPDX-License-Identifier: Apache-2.0
#include <cli/commands.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <cli/progress.hpp>
#include <cli/request.hpp>
#include <cli/train.hpp>
#include <revode/nn/products_by.hpp>
#include <revode/nn/rates.hpp>

namespace revode::cli {
namespace {

constexpr index most_epochs = 100'000;

/// A training by name, with what it takes where nothing is said.
struct named_training {
  std::string_view name;
  index epochs;
  training (*run)(const training_request&);
};
constexpr std::array trainings{named_training{"spiral", 100, train_spiral},
                               named_training{"density", 32, train_density}};

const named_training& find_training(const std::string& name) {
  if (name.empty())
    misuse("no training given ('revode train' needs its name) give spiral or density?");
  for (const named_training& t : trainings)
    if (t.name == name) return t;
  constexpr std::array known{trainings[0].name, trainings[1].name};
  unknown_name("training", name, "trainings", known, "give spiral or density");
}

void check_weights(const std::string& path) {
#ifdef REVODE_SAFETENSORS
  check_output("--out", path);
  if (!path.ends_with(".safetensors"))
    misuse("invalid --out " + in_quotes(path) +
           " (weights are written as safetensors) give a name that ends in .safetensors?");
#else
  misuse("--out " + in_quotes(path) +
         " (this revode was built without revode::safetensors) leave it out, or build it with "
         "nlohmann-json?");
#endif
}

training_request read_training(const arguments& given, const named_training& chosen) {
  training_request r;
  r.what = given.subject;
  r.epochs = chosen.epochs;
  r.rate = 0.03;
  r.json = given.has("--json");
  if (given.has("--epochs")) r.epochs = whole_number("--epochs", given.at("--epochs"));
  if (r.epochs < 1 || r.epochs > most_epochs)
    misuse("invalid --epochs " + in_quotes(given.at("--epochs")) +
           " (a training takes 1 to 100000) give e.g. --epochs 100?");
  if (given.has("--seed")) {
    const index seed = whole_number("--seed", given.at("--seed"));
    if (seed < 0)
      misuse("invalid --seed " + in_quotes(given.at("--seed")) +
             " (seeds are counted from 0) give e.g. --seed 1?");
    r.seed = static_cast<std::uint64_t>(seed);
  }
  if (given.has("--rate")) r.rate = number("--rate", given.at("--rate"));
  if (!(r.rate > 0) || !std::isfinite(r.rate))
    misuse("invalid --rate " + in_quotes(given.at("--rate")) +
           " (a step is so many times Adam's direction: positive, finite) give e.g. --rate 0.03?");
  r.plot = given.value_or("--plot", "");
  r.loss_plot = given.value_or("--loss-plot", "");
  r.report = given.value_or("--report", "");
  r.out = given.value_or("--out", "");
  if (given.has("--plot")) check_picture("--plot", r.plot);
  if (given.has("--loss-plot")) check_picture("--loss-plot", r.loss_plot);
  if (given.has("--report")) check_report(r.report);
  if (given.has("--out")) check_weights(r.out);
  if (given.has("--restart")) r.restart = read_journal(given);
  return r;
}

std::string json_of_training(const training_request& r, const training& t) {
  nlohmann::ordered_json object{
      {"training", r.what}, {"epochs", r.epochs},         {"seed", r.seed},
      {"rate", r.rate},     {"parameters", t.parameters}, {"status", name(t.ended)},
      {"steps", t.steps},   {"losses", t.losses}};
  for (const found_number& f : t.found) object[f.name] = f.value;
  object["seconds"] = t.seconds;
  return object.dump() + "\n";
}

std::string text_of_training(const training_request& r, const training& t) {
  std::vector<std::vector<std::string>> rows{{"  parameters", std::to_string(t.parameters)},
                                             {"  steps of Adam", std::to_string(t.steps)}};
  if (!t.losses.empty()) {
    rows.push_back({"  loss of the first epoch", rounded(t.losses.front(), 4)});
    rows.push_back({"  loss of the last", rounded(t.losses.back(), 4)});
  }
  for (const found_number& f : t.found)
    rows.push_back({std::string("  ") + f.words, rounded(f.value, 4)});
  rows.push_back({"  time", seconds_text(t.seconds)});
  return r.what + ", " + std::to_string(r.epochs) + (r.epochs == 1 ? " epoch" : " epochs") +
         ", seed " + std::to_string(r.seed) + ", rate " + shortest(r.rate) + "\n" + aligned(rows);
}

std::string failure_of(const training_request& r, const training& t) {
  const auto whole = static_cast<index>(t.losses.size());
  return "the training ended " +
         (whole < r.epochs ? "in epoch " + std::to_string(whole + 1) : "behind its last epoch") +
         " with " + name(t.ended) + " (" + explain(t.ended) +
         "): its weights are not kept; try a smaller --rate than " + shortest(r.rate);
}

/// Where a training is between two of its steps.
class kept_training final : public restart_watch {
 public:
  /// Goes on where the journal left it.
  kept_training(const training_request& r, training& t,
                const std::function<void(byte_stream&)>& numbers)
      : restart_watch(*r.restart, begin_solve(*r.restart, print_of(r))),
        t_(t),
        numbers_(numbers) {
    if (resume() && (static_cast<index>(t.losses.size()) != r.epochs || t.steps < 0))
      throw std::invalid_argument("the restart file of a training has losses of " +
                                  std::to_string(t.losses.size()) +
                                  " epochs (other ones are asked for) remove it to begin anew?");
  }

 protected:
  void pass(byte_stream& s) override {
    numbers_(s);
    s.values(t_.steps, t_.seconds);
    s.list(t_.losses);
  }

 private:
  static run_print print_of(const training_request& r) {
    run_print print = library_print();
    print.insert(print.end(), {{"kind", "a training"},
                               {"training", r.what},
                               {"epochs", std::to_string(r.epochs)},
                               {"seed", std::to_string(r.seed)},
                               {"rate", shortest(r.rate)},
                               {"products of networks", nn::products_by()}});
    return print;
  }

  training& t_;
  const std::function<void(byte_stream&)>& numbers_;
};

}  // namespace

void run_epochs(const training_request& r, index batches, training& t,
                const std::function<trained_step(index, index, double)>& step,
                const std::function<void(byte_stream&)>& numbers) {
  const index all = r.epochs * batches;
  const nn::warm_up rate{20, nn::cosine_rate{.rate = r.rate, .steps = all + 1}};
  t.losses.resize(static_cast<std::size_t>(r.epochs));
  std::optional<kept_training> kept;
  if (r.restart) kept.emplace(r, t, numbers);
  const double before = t.seconds;
  const bool watched = progress::wanted();
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  auto next = begin + std::chrono::milliseconds(400);
  bool shown = false;
  while (t.steps < all && t.ended == status::success) {
    const index epoch = t.steps / batches;
    const trained_step done = step(epoch, t.steps % batches, rate(t.steps));
    t.ended = done.ended;
    t.losses[static_cast<std::size_t>(epoch)] += done.loss / static_cast<double>(batches);
    ++t.steps;
    t.seconds = before + std::chrono::duration<double>(clock::now() - begin).count();
    if (kept && t.ended == status::success) kept->look();
    if (!watched || clock::now() < next) continue;
    next = clock::now() + std::chrono::milliseconds(100);
    shown = true;
    show_progress("train", static_cast<double>(t.steps) / static_cast<double>(all),
                  "loss = " + rounded(done.loss, 4));
  }
  if (shown) clear_progress();
  const bool whole = t.ended == status::success;
  if (kept && whole) kept->write();
  t.losses.resize(static_cast<std::size_t>((whole ? t.steps : t.steps - 1) / batches));
}

report train_command(const arguments& given) {
  const named_training& chosen = find_training(given.subject);
  const training_request r = read_training(given, chosen);
  const training t = chosen.run(r);
  report done{r.json ? json_of_training(r, t) : text_of_training(r, t)};
  const bool whole = t.ended == status::success;
  std::vector<plane> planes;
  if (whole && !(r.plot.empty() && r.report.empty())) planes = t.learned();
  if (!r.loss_plot.empty() && !t.losses.empty()) add_file(done, [&] { draw_losses(r, t); });
  if (!r.report.empty()) add_file(done, [&] { write_report(given, r, t, planes, done.text); });
  if (!whole) {
    done.exit_status = 1;
    done.complaint += (done.complaint.empty() ? "" : "\n") + failure_of(r, t);
    return done;
  }
  if (!r.plot.empty()) add_file(done, [&] { draw_planes(r.plot, planes); });
  if (!r.out.empty()) add_file(done, [&] { t.save(r.out); });
  return done;
}

}  // namespace revode::cli
