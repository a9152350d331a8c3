// SPDX-License-Identifier: Apache-2.0
#include "over_ranks.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace revode {
namespace {

/// A folder of all ranks, which the first makes new and removes.
struct shared_folder {
  std::string path = std::filesystem::temp_directory_path() / "revode-test-mpi-";
  shared_folder() {
    const communicator ranks;
    path += std::to_string(ranks.gather(static_cast<index>(MPI_Wtime() * 1e6) % 1000000007)[0]);
    if (ranks.rank() == 0) std::filesystem::remove_all(path);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~shared_folder() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (communicator().rank() == 0) std::filesystem::remove_all(path);
  }
};

index kept_in_all(const communicator& ranks, const rank_share& share) {
  index sum = 0;
  for (const index kept : ranks.gather(share.kept)) sum += kept;
  return sum;
}

TEST_CASE("mpi_ensemble: finished chunks are kept, and another number of ranks goes on with them") {
  const shared_folder folder;
  auto e = herds(300);
  e.p[290][2] = -1;
  serial_herds alone(e, tsit5{}, {});
  const auto g = alone.gradient(distance_loss{});
  const spread_request how{
      .chunk = 32, .distribution = distribution::counter, .folder = folder.path};
  e.f.of_lane = troubled::throws;  // in the last chunk: a run that did not get to its end
  {
    spread_herds all(communicator(), e, tsit5{}, {}, how);
    CHECK(thrown_by([&] { all.gradient(distance_loss{}); }) ==
          "thrown: lanes 288 to 299: no prey is left");
    CHECK(kept_in_all(communicator(), all.share()) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  e.f.of_lane = troubled::none;
  for (const int size : {1, 2, 4}) {
    if (const first_ranks some(size); some) {
      const communicator ranks(some.comm);
      spread_herds all(ranks, e, tsit5{}, {}, how);
      CHECK(same(all.gradient(distance_loss{}), g));
      CHECK(same(all.result(), alone.result()));
      CHECK(kept_in_all(ranks, all.share()) == (size == 1 ? 9 : 10));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_CASE("mpi_ensemble: chunks of another run or damaged ones are refused, on every rank") {
  const shared_folder folder;
  auto e = herds(64);
  const spread_request how{.chunk = 32, .folder = folder.path};
  spread_herds(communicator(), e, tsit5{}, {}, how).run();
  MPI_Barrier(MPI_COMM_WORLD);
  e.p[1][0] = 1.25;
  const std::string other =
      thrown_by([&] { spread_herds(communicator(), e, tsit5{}, {}, how).run(); });
  CHECK(same_everywhere(other));
  CHECK(other.find("is that of another run (its parameters") != std::string::npos);
  MPI_Barrier(MPI_COMM_WORLD);
  if (communicator().rank() == 0)
    std::ofstream(folder.path + "/call1-chunk1.kept", std::ios::app) << "more";
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string damaged =
      thrown_by([&] { spread_herds(communicator(), herds(64), tsit5{}, {}, how).run(); });
  CHECK(same_everywhere(damaged));
  CHECK(damaged.find("call1-chunk1.kept' is damaged") != std::string::npos);
}

// For killed.sh: a second and more of work, kept in the folder REVODE_KEPT.
TEST_CASE("a run to be killed" * doctest::skip()) {
  const communicator ranks;
  const char* folder = std::getenv("REVODE_KEPT");
  if (const char* file = std::getenv("REVODE_PID"); file != nullptr && ranks.rank() == 1)
    std::ofstream(file) << getpid() << std::endl;
  auto e = herds(640);
  e.f.of_rank = troubled::is_slow;
  spread_herds all(ranks, e, tsit5{}, {}, {.chunk = 16, .folder = folder == nullptr ? "" : folder});
  const auto g = all.gradient(distance_loss{});
  const index kept = kept_in_all(ranks, all.share());
  if (ranks.rank() == 0)
    std::printf("sum %a %a %a, %lld chunks were kept\n", g.total_loss, g.total_y0[0], g.total_p[3],
                static_cast<long long>(kept));
}

}  // namespace
}  // namespace revode
