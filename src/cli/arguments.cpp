// SPDX-License-Identifier: Apache-2.0
#include <cli/arguments.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <cli/text.hpp>
#include <revode/config.hpp>
#include <revode/nn/products_by.hpp>

namespace revode::cli {
namespace {

/// An option that takes a value, or (kind empty) a flag.
struct option_text {
  const char* name;
  const char* kind;
  const char* help;
};

constexpr const char* problem_text =
    "its name, see 'revode list problems'; or a file of one's own: model.ode, libproblem.so";
constexpr option_text json{"--json", "", "one JSON object on stdout"};

constexpr option_text report_option{
    "--report", "FILE", "write one page with charts to zoom into and what was printed, .html"};

constexpr std::array common_options{
    option_text{"--method", "NAME", "method (default: chosen for the tolerances, and said)"},
    option_text{"--algebra", "NAME",
                "linear algebra of implicit methods, see 'revode list algebras' (default dense)"},
    option_text{"--rtol", "X", "relative tolerance (default 1e-6)"},
    option_text{"--atol", "X", "absolute tolerance (default 1e-9; of a stiff problem: its own)"},
    option_text{"--fixed-step", "H", "equal steps of this length, no error control"},
    option_text{"--t0", "T", "start of the interval (default: the problem's)"},
    option_text{"--t1", "T", "end of the interval; before t0 to go backwards"},
    option_text{"--y0", "LIST", "initial state: a,b,c, @file, or NAME=NUMBER of some"},
    option_text{"--params", "LIST", "parameters: a,b,c, @file, or NAME=NUMBER of some"},
    option_text{"--max-steps", "N", "most step attempts (default 1000000)"}};

constexpr std::array run_options{
    option_text{"--step-rounding", "R",
                "lengths that steps may have: none, bits24 (4 bytes a step in a log) or octave16 "
                "(1 byte) (default none)"},
    option_text{"--save-at", "LIST", "times to save the solution at: a,b,c or @file"},
    option_text{"--save-count", "N", "save at the ends of N equal intervals"},
    option_text{"--out", "FILE",
                "write the save points (without any: both ends) as CSV, or with all else that is "
                "known as arrays by name: run.npz, run.h5"},
    option_text{"--plot", "FILE", "draw the solution, .svg or .png (needs gnuplot)"},
    report_option,
    option_text{"--events", "FILE", "write the events, of a problem that has any, as CSV"},
    option_text{"--steps-log", "FILE", "write every step as a line of JSON: step, t, h, y"},
    json};

constexpr option_text restart_option{"--restart", "FILE",
                                     "keep the run there every minute and on SIGTERM, and go on "
                                     "from it: the same bits, however often "
                                     "it is killed"};

constexpr std::array why_options{option_text{
    "--why", "",
    "say what limited the steps, and what to try (of a solve that fails, on stderr by itself)"}};

constexpr option_text base_option{"--base", "B", "nested: iterations a level (default 16)"};
constexpr option_text interval_option{"--interval", "N",
                                      "periodic: steps between snapshots (default: chosen); "
                                      "interpolating, gauss: the same (default: all steps kept)"};
constexpr option_text slow_option{"--slow-slots", "S",
                                  "two_tier: how many of the slots lie in slow memory"};

constexpr option_text log_option{
    "--log", "L",
    "what replays know the steps by: steps (a log) or controller (nothing a step; rejected "
    "attempts are run again)"};

constexpr std::array gradient_options{
    option_text{"--loss", "L",
                "sum, component:I (counted from 0) or squared, of the final state "
                "or summed over the save points; event:I, its time (default sum)"},
    option_text{
        "--adjoint", "NAME",
        "recursive_checkpoint, reversible, backsolve, interpolating, gauss or "
        "control_gradient_error, see 'revode list adjoints' (default recursive_checkpoint)"},
    option_text{"--slots", "S", "states kept at once (default 100)"},
    option_text{"--budget", "BYTES",
                "all that the gradient may allocate, e.g. 64KiB: the planner chooses the schedule"},
    option_text{"--schedule", "NAME",
                "schedule (default: binomial with --fixed-step, online without)"},
    base_option,
    interval_option,
    slow_option,
    option_text{"--spill", "FOLDER", "two_tier: where the slow slots' file is (default: memory)"},
    log_option,
    option_text{"--unresolved", "R",
                "fail where the gradient's estimated error is more than this share of it (default "
                "0.1; inf: no estimate)"},
    option_text{"--gradient-rtol", "R",
                "tighten the tolerances until that error is at most this share"},
    option_text{
        "--check", "",
        "also compare with forward mode, and fail where the modes differ by more than rounding"}};

constexpr const char* sweep = "--sweep";  // the only option that adds up

constexpr std::array ensemble_options{
    option_text{"--lanes", "N", "how many problems, each with its own steps"},
    option_text{"--lanes-from", "A", "solve but the lanes from A, counted from 0 (default 0)"},
    option_text{"--lanes-to", "B", "up to B, which is left out (default N); see 'revode merge'"},
    option_text{
        sweep, "S",
        "how lanes differ: p:I=lo:hi, p:I=lo:hi:log or y0:I=..., I counted from 0; several: "
        "a grid, the last fastest (default: p times 1 to 1.1, at random)"},
    option_text{"--device", "D",
                "cpp, omp, tbb or cuda, the one of this build: lanes; threads: a solve each "
                "(default: lanes where they are compiled)"},
    option_text{"--gradient", "", "also the gradient of a loss in every lane"},
    option_text{"--loss", "L",
                "sum, component:I (counted from 0) or squared, of the final state (default sum)"},
    option_text{"--slots", "S", "states kept at once of a lane"},
    option_text{"--budget", "BYTES", "for all lanes under way at a time (default 1GiB)"},
    log_option,
    option_text{"--out", "FILE", "write a row a lane as CSV, or arrays by name: run.npz, run.h5"},
    option_text{"--plot", "FILE", "draw the final states, .svg or .png (needs gnuplot)"},
    option_text{"--histogram", "FILE", "draw how many lanes took how many steps"},
    report_option,
    json};

constexpr std::array schedule_options{
    option_text{"--steps", "N", "steps of the loop"},
    option_text{"--slots", "S", "snapshots kept at once"},
    option_text{"--kind", "NAME", "schedule (default binomial)"},
    option_text{"--count-unknown", "",
                "the schedule learns the count at the end of the first sweep"},
    base_option,
    interval_option,
    option_text{"--inner-slots", "S",
                "periodic: snapshots within an interval (default: its tapes)"},
    option_text{"--tape-units", "U", "mixed: a tape takes as much as U snapshots (default 1)"},
    option_text{"--resume", "", "mixed: the state after a step is known from its tape"},
    slow_option,
    option_text{"--plot", "FILE", "draw the schedule, .svg or .png (needs gnuplot)"},
    json};

constexpr std::array train_options{
    option_text{"--epochs", "N", "passes over the data (default: spiral 100, density 32)"},
    option_text{"--seed", "N", "of the first weights and the order of the data (default 1)"},
    option_text{"--rate", "X", "Adam's rate, which falls to 0 (default 0.03)"},
    option_text{"--plot", "FILE",
                "draw the fit beside the data, or the density and samples of it, .svg or .png"},
    option_text{"--loss-plot", "FILE", "draw the loss by epoch"},
    report_option,
    option_text{"--out", "FILE", "write the weights for torch and others, .safetensors"},
    json};

void add(CLI::App& app, std::span<const option_text> options) {
  for (const option_text& o : options) {
    if (std::string_view(o.kind).empty()) {
      app.add_flag(o.name, o.help)->disable_flag_override();
    } else {
      app.add_option(o.name, CLI::callback_t{}, o.help)
          ->type_name(o.kind)
          ->multi_option_policy(std::string_view(o.name) == sweep
                                    ? CLI::MultiOptionPolicy::Join
                                    : CLI::MultiOptionPolicy::TakeLast);
    }
  }
}

void add_train(CLI::App& app) {
  auto& train = *app.add_subcommand("train", "a network inside a differential equation");
  train.add_option("WHAT", CLI::callback_t{},
                   "spiral: its field from pieces of it; density: a flow from points of it");
  add(train, train_options);
  add(train, std::array{restart_option});
}

void add_commands(CLI::App& app) {
  app.set_version_flag("--version", "revode " REVODE_VERSION "\nproducts of networks by " +
                                        std::string(nn::products_by()));
  auto& list = *app.add_subcommand("list", "what there is, by name");
  list.add_option("WHAT", CLI::callback_t{},
                  "problems, methods, algebras, adjoints, schedules or ensembles");
  add(list, std::array{json});
  auto& solve = *app.add_subcommand("solve", "integrate a problem");
  solve.add_option("PROBLEM", CLI::callback_t{}, problem_text);
  add(solve, common_options);
  add(solve, run_options);
  add(solve, why_options);
  add(solve, std::array{restart_option});
  auto& grad = *app.add_subcommand("grad", "value and exact gradient of a loss");
  grad.add_option("PROBLEM", CLI::callback_t{}, problem_text);
  add(grad, common_options);
  add(grad, run_options);
  add(grad, gradient_options);
  add(grad, std::array{restart_option});
  auto& ensemble = *app.add_subcommand("ensemble", "many of one problem, on lanes");
  ensemble.add_option("PROBLEM", CLI::callback_t{}, problem_text);
  add(ensemble, common_options);
  add(ensemble, ensemble_options);
  add(ensemble, std::array{restart_option});
  auto& schedule = *app.add_subcommand("schedule", "count and draw a checkpointing schedule");
  add(schedule, schedule_options);
  add_train(app);
  auto& merge = *app.add_subcommand(
      "merge", "the parts of an ensemble in one file: 'revode merge a.npz b.npz --out all.npz'");
  merge.add_option("PARTS", CLI::callback_t{}, "files by 'revode ensemble … --out part.npz'");
  add(merge, std::array{option_text{"--out", "FILE", "where all lanes go, as arrays for NumPy"}});
  for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
  app.add_subcommand("new", "a file to begin with: 'revode new problem NAME', 'new method NAME'")
      ->prefix_command();
  app.add_subcommand("completion",
                     "for a shell, to read: bash, zsh or fish; man: the manual's page")
      ->prefix_command();
  app.add_subcommand("bench",
                     "work and precision: 'revode bench wpd PROBLEM [--methods A,B] [--plot "
                     "FILE]'; of many, beside peers: 'revode bench wpd --help'")
      ->prefix_command();
  app.allow_extras();
  app.footer(
      "Try\n  revode solve lorenz --plot lorenz.svg\n  revode grad lorenz --slots 8 --check\n"
      "  revode ensemble lorenz --lanes 10000 --sweep p:1=20:30\n"
      "  revode schedule --steps 40 --slots 4 --plot schedule.svg");
  app.require_subcommand(0, 1);
}

/// Made once: to add the options takes longer than to read any command line, and tests/fuzz reads many.
CLI::App& command_line() {
  static CLI::App app(
      "Ordinary differential equations and exact gradients, in the memory you choose.", "revode");
  static const bool added = (add_commands(app), true);
  static_cast<void>(added);
  return app;
}

[[noreturn]] void refuse_option(const CLI::App& app, const std::string& full, bool top) {
  const std::string name = full.substr(0, full.find('='));
  const std::string of = top ? "revode" : "revode " + app.get_name();
  std::vector<std::string> owned;
  for (const CLI::Option* o : app.get_options())
    if (!o->get_positional()) owned.push_back(o->get_name());
  const std::vector<std::string_view> known(owned.begin(), owned.end());
  unknown_name("option", name, "options of " + in_quotes(of), known,
               "run " + in_quotes(of + " --help"));
}

[[noreturn]] void refuse_word(const CLI::App& app, const std::string& word, bool top) {
  if (!top)
    misuse("surplus word " + in_quotes(word) + " (" + in_quotes("revode " + app.get_name()) +
           " has all it takes before it) leave it out?");
  std::vector<std::string> owned;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    owned.push_back(command->get_name());
  const std::vector<std::string_view> known(owned.begin(), owned.end());
  unknown_name("command", word, "commands", known, "run 'revode --help'");
}

/// Whatever no option and no command took.
void refuse_extras(const CLI::App& app, bool top) {
  for (const std::string& word : app.remaining())
    word.starts_with("-") ? refuse_option(app, word, top) : refuse_word(app, word, top);
}

/// The words behind the first, none of them an option.
std::vector<std::string> further_words(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  for (const std::string& word : words)
    if (word.starts_with("-")) refuse_option(app, word, false);
  return words;
}

[[noreturn]] void refuse(const CLI::ParseError& e) {
  const std::string text = e.what();
  const std::string option = text.substr(0, text.find_first_of(": "));
  if (e.get_name() == "ArgumentMismatch" && option.starts_with("--"))
    misuse("option " + option + " without a value (it takes one) write it after " + option + "?");
  misuse("cannot read the arguments (" + text.substr(0, text.find('\n')) +
         ") run 'revode --help'?");
}

void take(const CLI::App& command, arguments& found) {
  for (const CLI::Option* o : command.get_options()) {
    if (o->count() == 0) continue;
    if (o->get_positional())
      found.subject = o->results().front();
    else if (o->get_name() == sweep)
      found.values[sweep] = CLI::detail::join(o->results(), ",");
    else
      found.values[o->get_name()] = o->results().back();
  }
}

}  // namespace

auto described_commands() -> std::vector<described_command> {
  std::vector<described_command> all;
  for (const CLI::App* command :
       command_line().get_subcommands([](const CLI::App*) { return true; })) {
    all.push_back({command->get_name(), command->get_description(), {}});
    for (const CLI::Option* o : command->get_options())
      if (!o->get_positional())
        all.back().options.push_back({"--" + o->get_lnames().front(),
                                      o->get_items_expected_max() > 0 ? o->get_type_name() : "",
                                      o->get_description()});
  }
  return all;
}

auto parse_arguments(int argc, const char* const* argv) -> std::optional<arguments> {
  CLI::App& app = command_line();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    refuse(e);
  }
  const auto commands = app.get_subcommands();
  refuse_extras(app, true);
  if (commands.empty())
    misuse("no command given (revode does one thing at a time) run 'revode --help'?");
  arguments found{commands.front()->get_name(), {}, {}, {}};
  if (found.command == "bench" || found.command == "new" || found.command == "completion")
    found.extras = commands.front()->remaining();
  else if (found.command == "merge")
    found.extras = further_words(*commands.front());
  else
    refuse_extras(*commands.front(), false);
  take(*commands.front(), found);
  return found;
}

}  // namespace revode::cli
