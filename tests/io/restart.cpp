// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

#include "restart_kills.hpp"

namespace revode {
namespace {

using three = vec<double, 3>;
const problem lorenz_1{lorenz{}, three{1.0, 0.0, 0.0}, 0.0, 1.0, three{10.0, 28.0, 8.0 / 3}};

void append(found& all, const three& y) { all.insert(all.end(), y.data(), y.data() + 3); }

found solved(const options& o) {
  const auto s = solve(lorenz_1, tsit5{}, o);
  found all{s.t, static_cast<double>(s.stats.accepted), static_cast<double>(s.stats.rejected),
            static_cast<double>(s.stats.field_evaluations)};
  append(all, s.y);
  for (const three& y : s.ys) append(all, y);
  return all;
}
found differentiated(const options& o, const recursive_checkpoint& adjoint) {
  auto s = solve(lorenz_1, tsit5{}, o, adjoint);
  cotangents<three> w{.y = three{1.0, 2.0, 3.0}};
  for (const three& y : s.ys) w.ys.push_back(y);
  const auto g = s.pullback(w);
  found all = g.ts;
  append(all, s.y);
  append(all, g.y0);
  append(all, g.p);
  const reverse_statistics& r = g.reverse;
  for (const index count :
       {r.peak_states, r.peak_tapes, r.peak_bytes, r.restores, r.replayed_steps, r.pulled_steps,
        r.field_evaluations, r.vjp_evaluations, s.stats.field_evaluations})
    all.push_back(static_cast<double>(count));
  return all;
}

std::string why(const run_file& file, const options& request) {
  options o = request;
  try {
    o.restart = kept_in({.file = file.path});
    solve(lorenz_1, tsit5{}, o);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing";
}

TEST_CASE("a solve that is killed goes on to the same bits and counts") {
  check_kills(20, 5, [](const options& o) { return solved(o); });
}

TEST_CASE(
    "gradients that are killed go on to the same bits and counts, by every kind of schedule") {
  for (const schedule_kind kind :
       {schedule_kind::online, schedule_kind::binomial, schedule_kind::store_all,
        schedule_kind::mixed, schedule_kind::two_tier}) {
    CAPTURE(name(kind));
    recursive_checkpoint adjoint{.slots = 7, .schedule = kind};
    if (kind == schedule_kind::two_tier) adjoint.slow_slots = 4;
    check_kills(101, 3, [&](const options& o) { return differentiated(o, adjoint); });
  }
}

struct chain {
  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    for (int i = 0; i < 10; ++i)
      dy[i] = p[0] * (y[(i + 1) % 10] - y[i]) - y[i] * y[i] * y[(i + 9) % 10];
  }
};

// More than 8 components: a pull that nobody keeps has the factors of the pull before.
TEST_CASE("an implicit gradient that is killed goes on to the bits of a kept one that is not") {
  vec<double, 10> y0{};
  for (int i = 0; i < 10; ++i) y0[i] = 1 + 0.3 * i;
  const problem q{chain{}, y0, 0.0, 1.0, vec<double, 1>{30.0}};
  const auto run = [&](const options& o) {
    auto s = solve(q, kvaerno3{}, o, recursive_checkpoint{.slots = 3});
    const auto g = s.pullback(y0);
    found all(g.y0.data(), g.y0.data() + 10);
    all.push_back(g.p[0]);
    return all;
  };
  const run_file file;
  const found whole = run(watched(file));
  file.clear();
  CHECK(kills_until_the_end(file, 53, run) >= 3);
  CHECK(run(watched(file)) == whole);
  const found alone = run(options{.save = {.ts = {0.3, 0.5}}});
  for (std::size_t i = 0; i < whole.size(); ++i)
    CHECK(whole[i] == doctest::Approx(alone[i]).epsilon(1e-12));
}

TEST_CASE("several solves in one file go on one after another") {
  const run_file file;
  const auto run = [](const options& o) {
    found all = solved(o);
    options looser = o;
    looser.rtol = 1e-4;
    for (const double x : differentiated(looser, {.slots = 5})) all.push_back(x);
    return all;
  };
  const found whole = run(options{.save = {.ts = {0.3, 0.5}}});
  CHECK(kills_until_the_end(file, 150, run) >= 3);
  CHECK(run(watched(file)) == whole);
}

TEST_CASE("a file that is damaged, foreign or of another run is refused in words") {
  const run_file file;
  const options request{.save = {.ts = {0.3, 0.5}}};
  solved(watched(file));
  const std::string whole = file.text(), name = "the restart file '" + file.path + "'";
  options other = request;
  other.rtol = 1e-7;
  CHECK(why(file, other) == name +
                                " is that of another run (its rtol is 1e-06, here it is 1e-07) "
                                "give another name, or remove it to begin anew?");
  std::remove((file.path + ".old").c_str());
  std::rename(file.path.c_str(), (file.path + ".old").c_str());
  CHECK(why(file, other) ==
        name.substr(0, name.size() - 1) +
            ".old' is that of another run (its rtol is 1e-06, here it is 1e-07) "
            "give another name, or remove it to begin anew?");
  file.text("t,x,y,z\n");
  std::remove((file.path + ".old").c_str());
  CHECK(why(file, request) == name +
                                  " is no file of a run of this version (it does not begin as "
                                  "one) give another name, or remove it?");
  CHECK(file.text() == "t,x,y,z\n");
  int refused = 0;
  for (std::size_t n = 16; n < whole.size(); n += 7) {
    std::string bytes = whole;
    bytes[n] = static_cast<char>(bytes[n] ^ (1 + static_cast<int>(n % 255)));
    file.text(bytes);
    refused += why(file, request) == name +
                                         " is damaged (its checksum is not that of its bytes) "
                                         "remove it to begin anew?";
    file.text(whole.substr(0, n));
    refused += why(file, request).starts_with(name + " is damaged");
  }
  CHECK(refused == 2 * static_cast<int>((whole.size() - 16 + 6) / 7));
  CHECK_THROWS_WITH_AS(kept_in({}),
                       "a restart file without a name (a run is kept in one) give e.g. run.kept?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      kept_in({.file = file.path, .every = std::chrono::milliseconds(-5)}),
      "restart_request::every = -5 ms (a time between two writes is not negative) give 0 for each "
      "step?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(kept_in({.file = file.path + "/below"}),
                       (name.substr(0, name.size() - 1) +
                        "/below' cannot be read (Not a directory) make room there, or give another "
                        "place?")
                           .c_str(),
                       std::runtime_error);
}

struct lengthening : tsit5 {
  int by = 1;
  std::vector<int> settings() const { return {by}; }
};

TEST_CASE("what a method, a norm and the schedule are set to belongs to the request") {
  const run_file file;
  const std::string is = "the restart file '" + file.path + "' is that of another run (its ";
  const auto differs = [&](const auto& m, const auto& other, const options& o, const options& then,
                           const std::string& what) {
    const auto run = [&](const auto& by, options request) {
      request.restart = kept_in({.file = file.path});
      return solve(lorenz_1, by, request);
    };
    file.clear();
    run(m, o);
    std::string words = "accepted";
    try {
      run(other, then);
    } catch (const std::invalid_argument& e) {
      words = e.what();
    }
    CHECK_MESSAGE(words.starts_with(is + what), words);
    CHECK(run(m, o).stats.accepted > 0);
  };
  options all_alike, largest;
  largest.norm.combine = maximum_norm;
  differs(tsit5{}, tsit5{}, all_alike, largest,
          "norm is the root mean square, here it is one's own");
  const options equal{.fixed_step = 0.1};
  differs(radau{}, radau{.first = 5}, equal, equal, "method's type and settings is checksum ");
  differs(lengthening{}, lengthening{{}, 2}, {}, {}, "method's type and settings is checksum ");
  differs(with_algebra<rodas5p, banded>{{}, {2, 2}}, with_algebra<rodas5p, banded>{{}, {2, 1}}, {},
          {}, "method's type and settings is checksum ");
  differs(kvaerno3{}, kvaerno3{.newton = 1e-3}, {}, {}, "method's type and settings is checksum ");
}

TEST_CASE("where the newest file is torn the one before is gone on from") {
  const run_file file;
  const options request{.save = {.ts = {0.3, 0.5}}};
  killed(file, 40, [](const options& o) { solved(o); });
  file.text(file.text().substr(0, 100));
  const auto journal = kept_in({.file = file.path});
  CHECK(journal->resumed());
  options o = request;
  o.restart = journal;
  CHECK(solved(o) == solved(request));
}

TEST_CASE("a hundred kills at random moments leave the same bits") {
  const run_file file;
  const recursive_checkpoint adjoint{.slots = 4};
  const found alone = differentiated({.save = {.ts = {0.3, 0.5}}}, adjoint);
  const auto whole = [&] {
    CHECK(differentiated(watched(file), adjoint) == alone);
    file.clear();
  };
  std::mt19937 moment(7);
  for (int kills = 0; kills < 100;) {
    const pid_t child = fork();
    if (child == 0) {
      differentiated(watched(file), adjoint);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(moment() % 4000));
    kill(child, SIGKILL);
    int state = 0;
    waitpid(child, &state, 0);
    if (WIFSIGNALED(state))
      ++kills;
    else  // it had ended
      whole();
  }
  whole();
}

TEST_CASE("SIGTERM keeps the run and then ends it") {
  const run_file file;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);
    options o{.save = {.ts = {0.3, 0.5}}};
    o.restart = kept_in({.file = file.path, .on_signal = true});
    int calls = 0;
    const auto once = [&](const auto& t, const auto& y, const auto& p, auto& dy) {
      if (++calls == 50) raise(SIGTERM);
      lorenz{}(t, y, p, dy);
    };
    solve(problem{once, lorenz_1.y0, 0.0, 1.0, lorenz_1.p}, tsit5{}, o);
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  CHECK(WIFSIGNALED(state));
  CHECK(WTERMSIG(state) == SIGTERM);
  CHECK(kept_in({.file = file.path})->resumed());
  CHECK(solved(watched(file)) == solved(options{.save = {.ts = {0.3, 0.5}}}));
}

TEST_CASE("a signal between solves ends the process as if nobody waited") {
  const run_file file;
  for (const int when : {0, 1, 2}) {  // before the first, behind a solve, between sweep and pull
    file.clear();
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGTERM, SIG_DFL);
      options o{.save = {.ts = {0.3, 0.5}}};
      o.restart = kept_in({.file = file.path, .on_signal = true});
      if (when == 1) solved(o);
      if (when == 2) {
        const auto s = solve(lorenz_1, tsit5{}, o, recursive_checkpoint{.slots = 5});
        raise(SIGTERM);
      }
      raise(SIGTERM);
      _exit(0);
    }
    int state = 0;
    waitpid(child, &state, 0);
    CHECK(WIFSIGNALED(state));
    CHECK(WTERMSIG(state) == SIGTERM);
    CHECK(kept_in({.file = file.path})->resumed() == (when > 0));
  }
}

TEST_CASE("other cotangents than those of the reverse pass that was killed are refused") {
  const run_file file;
  const auto pull = [](const options& o, double w) {
    auto s = solve(lorenz_1, tsit5{}, o, recursive_checkpoint{.slots = 5});
    return s.pullback(three{w, 0.0, 0.0});
  };
  pull(watched(file), 1);
  CHECK_THROWS_WITH_AS(pull(watched(file), 2),
                       "cotangents that are not those of the reverse pass in the restart file (it "
                       "goes on with them) "
                       "give the same loss, or remove the file to begin anew?",
                       std::invalid_argument);
}

}  // namespace
}  // namespace revode
