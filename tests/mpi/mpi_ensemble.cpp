// SPDX-License-Identifier: Apache-2.0
#include "over_ranks.hpp"

#include <doctest/doctest.h>

namespace revode {
namespace {

constexpr auto both = {distribution::dealt, distribution::counter};

TEST_CASE(
    "mpi_ensemble: the bits of one ensemble_solver, lanes and sums, however lanes are spread") {
  auto e = herds(403);
  for (std::size_t l = 0; l < 403; ++l) e.cost.push_back(static_cast<double>(l * 37 % 100));
  serial_herds alone(e, tsit5{}, {});
  const auto g = alone.gradient(distance_loss{});
  const auto s = alone.result();
  CHECK(s.failed() == 0);
  for (const auto how : both)
    for (const index chunk : {16, 128, 512})
      for (const auto on : {lanes_on::every_rank, lanes_on::root, lanes_on::none}) {
        CAPTURE(static_cast<int>(how));
        CAPTURE(chunk);
        CAPTURE(static_cast<int>(on));
        spread_herds all(communicator(), e, tsit5{}, {},
                         {.chunk = chunk, .distribution = how, .results = on});
        const auto found = all.gradient(distance_loss{});
        CHECK(same_totals(found, g));
        const bool told =
            on == lanes_on::every_rank || (on == lanes_on::root && communicator().rank() == 0);
        CHECK((told ? same(found, g) : found.p.empty()));
        CHECK((told ? same(all.result(), s) : all.result().lanes() == 0));
      }
}

TEST_CASE("mpi_ensemble: save points, derivatives by times, and other parameters") {
  auto e = herds(150);
  for (index l = 0; l < 150; ++l) e.save_ts.push_back(std::vector<double>(l % 4 == 3 ? 2 : 0, 1.0));
  const options o{.save = {.t1 = true}};
  serial_herds alone(e, tsit5{}, o);
  spread_herds all(communicator(), e, tsit5{}, o, {.chunk = 32});
  alone.run();
  all.run();
  CHECK(same(all.result(), alone.result()));
  for (auto& p : e.p) p[0] = p[0] * 1.1;
  alone.set_parameters(e.p);
  all.set_parameters(e.p);
  const auto g = all.gradient(distance_loss{}, {}, of_times{});
  CHECK(same(g, alone.gradient(distance_loss{}, {}, of_times{})));
  CHECK(g.ts.size() == 150);
  CHECK(same(all.result(), alone.result()));
}

TEST_CASE("mpi_ensemble: lanes that share everything but one vector") {
  ensemble<troubled, state, rates> e{.y0 = {{1, 1}}, .p = {{1.5, 1, 3, 1}}};
  e.rtol.assign(70, 1e-6);
  e.rtol[69] = 1e-9;
  spread_herds all(communicator(), e, tsit5{}, {}, {.chunk = 32});
  serial_herds alone(e, tsit5{}, {});
  all.run();
  alone.run();
  CHECK(same(all.result(), alone.result()));
  CHECK(all.chunks() == 3);
}

TEST_CASE("mpi_ensemble: a lane that fails is a status, the same everywhere") {
  auto e = herds(200);
  e.f.of_lane = troubled::gives_nan;
  for (const std::size_t l : {std::size_t{77}, std::size_t{199}}) e.p[l][2] = -1;
  e.max_steps.assign(200, 1000);
  e.max_steps[5] = 3;
  serial_herds alone(e, tsit5{}, {});
  const auto g = alone.gradient(distance_loss{});
  CHECK(g.failed() == 3);
  for (const auto how : both) {
    spread_herds all(communicator(), e, tsit5{}, {}, {.chunk = 16, .distribution = how});
    CHECK(same(all.gradient(distance_loss{}), g));
    CHECK(all.result().status[5] == status::max_steps);
    CHECK(all.result().status[77] == alone.result().status[77]);
  }
}

TEST_CASE("mpi_ensemble: a field that throws in a lane throws the same on every rank") {
  auto e = herds(200);
  e.f.of_lane = troubled::throws;
  e.p[100][2] = e.p[150][2] = -1;
  for (const auto how : both) {
    spread_herds all(communicator(), e, tsit5{}, {}, {.chunk = 16, .distribution = how});
    CHECK(thrown_by([&] { all.run(); }) == "thrown: lanes 96 to 111: no prey is left");
    CHECK(all.result().failed() == 2);
    CHECK(all.result().status[100] == status::user_error);
    CHECK(thrown_by([&] { all.gradient(distance_loss{}); }) ==
          "thrown: lanes 96 to 111: no prey is left");
    CHECK(all.result().failed() == 2);
  }
}

TEST_CASE(
    "mpi_ensemble: one rank throws, overflows, finds NaN or is slow: all end alike, in time") {
  const int last = communicator().size() - 1;
  for (const auto what :
       {troubled::throws, troubled::overflows, troubled::gives_nan, troubled::is_slow})
    for (const auto how : both) {
      CAPTURE(static_cast<int>(what));
      CAPTURE(static_cast<int>(how));
      auto e = herds(128);
      e.max_steps = {200};
      if (communicator().rank() == last) e.f.of_rank = what;
      spread_herds all(communicator(), e, tsit5{}, {}, {.chunk = 16, .distribution = how});
      const double begin = MPI_Wtime();
      const std::string text = thrown_by([&] { all.gradient(distance_loss{}); });
      CHECK(MPI_Wtime() - begin < 10);
      CHECK(same_everywhere(text));
      std::string statuses;
      for (const auto s : all.result().status) statuses += std::to_string(static_cast<int>(s));
      CHECK(same_everywhere(statuses));
      if (how == distribution::counter) continue;  // that rank may have come too late for a chunk
      CHECK(text.empty() == (what != troubled::throws));
      CHECK((all.result().failed() > 0) == (what != troubled::is_slow));
    }
}

TEST_CASE("mpi_ensemble: collectives of a call") {
  const communicator ranks;
  const auto count = [&](auto&& call) {
    const index before = ranks.statistics().collectives;
    call();
    return ranks.statistics().collectives - before;
  };
  const auto e = herds(100);
  CHECK(count([&] { spread_herds(ranks, e, tsit5{}, {}); }) == 1);
  for (const auto on : {lanes_on::every_rank, lanes_on::root, lanes_on::none}) {
    const index lanes = on == lanes_on::none ? 0 : 1;
    spread_herds dealt(ranks, e, tsit5{}, {}, {.results = on});
    CHECK(count([&] { dealt.run(); }) == 2 + lanes);
    CHECK(count([&] { dealt.gradient(distance_loss{}); }) == 2 + lanes);
    spread_herds drawn(ranks, e, tsit5{}, {},
                       {.distribution = distribution::counter, .results = on});
    CHECK(count([&] { drawn.run(); }) == 5 + lanes);
    CHECK(count([&] { drawn.set_parameters(e.p); }) == 1);
  }
  CHECK(count([&] { static_cast<void>(ranks.rank()); }) == 0);
}

TEST_CASE("mpi_ensemble: ranks that ask for different things are refused, on every rank") {
  const int rank = communicator().rank(), last = communicator().size() - 1;
  if (last == 0) return;
  const auto refused = [&](const char* what, auto&& change) {
    auto e = herds(100);
    options o;
    spread_request how{.chunk = 16};
    if (rank == last) change(e, o, how);
    const std::string text = thrown_by([&] { spread_herds(communicator(), e, tsit5{}, o, how); });
    CHECK(text == std::string("misuse: ") + what +
                      ": not the same on all ranks (each is given the whole problem) make it on "
                      "one and broadcast it?");
  };
  refused("number of lanes", [](auto& e, auto&, auto&) { e = herds(99); });
  refused("initial state", [](auto& e, auto&, auto&) { e.y0[99][1] = 2; });
  refused("parameters", [](auto& e, auto&, auto&) { e.p[50][0] = 2; });
  refused("t1 of lanes", [](auto& e, auto&, auto&) { e.t1[50] = 2; });
  refused("save_ts of lanes", [](auto& e, auto&, auto&) { e.save_ts = {{1.0}}; });
  refused("rtol", [](auto&, auto& o, auto&) { o.rtol = 1e-5; });
  refused("options", [](auto&, auto& o, auto&) { o.max_step = 0.1; });
  refused("chunk", [](auto&, auto&, auto& how) { how.chunk = 32; });
  refused("distribution",
          [](auto&, auto&, auto& how) { how.distribution = distribution::counter; });
  refused("place of results", [](auto&, auto&, auto& how) { how.results = lanes_on::root; });
  refused("folder", [](auto&, auto&, auto& how) { how.folder = "elsewhere"; });
}

TEST_CASE("mpi_ensemble: misuse is told as by one ensemble_solver") {
  auto e = herds(100);
  const auto refused = [&](const spread_request& how, const options& o = {}) {
    return thrown_by([&] { spread_herds(communicator(), e, tsit5{}, o, how); });
  };
  CHECK(refused({.chunk = 48}) ==
        "misuse: chunks of 48 lanes (a chunk is a branch of the tree by which lanes are summed) "
        "give a power of two, or 0 for one that fits?");
  CHECK(refused({.chunk = -16}).starts_with("misuse: chunks of -16 lanes"));
  const std::string alone = thrown_by([&] { serial_herds(e, tsit5{}, {.rtol = -1}); });
  CHECK(refused({}, {.rtol = -1}) == alone);
  spread_herds all(communicator(), e, tsit5{}, {}, {});
  CHECK(thrown_by([&] {
          all.gradient(distance_loss{}, {.budget = -1});
        }).starts_with("misuse: lanes 0 to 63: budget of -1 bytes"));
  CHECK(all.result().failed() == 100);
  const std::vector<rates> few(3, e.p[0]);
  CHECK(thrown_by([&] {
          all.set_parameters(few);
        }).starts_with("misuse: 3 parameter sets in place of 100"));
  e.y0.clear();
  CHECK(refused({}).starts_with("misuse: an ensemble of 0 lanes"));
}

}  // namespace
}  // namespace revode
