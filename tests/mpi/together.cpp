// SPDX-License-Identifier: Apache-2.0
#include "over_ranks.hpp"

#include <doctest/doctest.h>

#include <revode/mpi/block/pair_tree.hpp>
#include <revode/mpi/mpi_session.hpp>

namespace revode {
namespace {

TEST_CASE("together: what one rank throws all ranks throw, the lowest of several") {
  const communicator ranks;
  const int rank = ranks.rank(), last = ranks.size() - 1;
  const std::string found = thrown_by([&] {
    together(ranks, [&] {
      if (rank == last) throw std::runtime_error("no card on rank " + std::to_string(rank));
    });
  });
  CHECK(found == "thrown: no card on rank " + std::to_string(last));
  CHECK(thrown_by([&] { together(ranks, [] { throw std::invalid_argument(""); }); }) ==
        "misuse: an exception without words");
  CHECK(thrown_by([&] { together(ranks, [] { throw 7; }); }) ==
        "thrown: an exception that is no std::exception");
  CHECK(thrown_by([&] { together(ranks, [] {}); }) == "");
}

TEST_CASE("shared_counter: every number once, in order on each rank") {
  const communicator ranks;
  constexpr index numbers = 200;
  shared_counter counter(ranks);
  std::vector<index> mine;
  for (index k = counter.next(); k < numbers; k = counter.next()) mine.push_back(k);
  counter.close();
  CHECK(std::is_sorted(mine.begin(), mine.end()));
  const auto counts = ranks.gather(static_cast<index>(mine.size()));
  auto all = ranks.gather(std::span<const index>(mine), counts);
  std::sort(all.begin(), all.end());
  CHECK(std::ssize(all) == numbers);
  CHECK((all.front() == 0 && all.back() == numbers - 1));
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(ranks.statistics().fetches == std::ssize(mine) + 1);
}

TEST_CASE(
    "communicator: copies count together, none is made of no ranks, no session begins twice") {
  const communicator ranks;
  const communicator copy = ranks;
  copy.gather(1);
  CHECK(ranks.statistics().collectives == 1);
  CHECK(thrown_by([] { communicator none(MPI_COMM_NULL); }) ==
        "misuse: a communicator of no ranks (it is one of a program under MPI) make an mpi_session "
        "first?");
  int argc = 0;
  char** argv = nullptr;
  CHECK_THROWS_AS(mpi_session(argc, argv), std::logic_error);
}

TEST_CASE("lanes: the tree over chunks is the tree over lanes, for every count and power of two") {
  for (index n = 1; n <= 700; n += 3) {
    std::vector<double> x;
    for (index l = 0; l < n; ++l)
      x.push_back(std::sin(static_cast<double>(l * l)) * (1 << (l % 20)));
    for (const index chunk : {1, 2, 16, 64, 512}) {
      std::vector<double> sums;
      for (index from = 0; from < n; from += chunk)
        sums.push_back(pairwise_sum(x.data() + from, std::min(chunk, n - from)));
      CHECK(same_bits(pairwise_sum(sums.data(), std::ssize(sums)), lane_sum<on_host>(x.data(), n)));
    }
  }
}

TEST_CASE(
    "pair_tree: whole branches of any two runs of blocks give the bits of the tree over all") {
  for (index n = 1; n <= 40; ++n)
    for (index cut = 0; cut <= n; ++cut) {
      std::vector<double> x;
      for (index b = 0; b < n; ++b) {
        x.push_back(std::sin(static_cast<double>(b * b + n)) * (1 << (b % 20)));
        x.push_back(1 / static_cast<double>(b + 1));  // a second sum beside it
      }
      pair_tree all(2);
      const auto add = [&](index first, int level) {
        pair_tree branch(2);
        for (index b = first; b < first + (index{1} << level); ++b) branch.add(x.data() + 2 * b, 0);
        all.add(branch.total().data(), level);
      };
      for_each_branch(0, cut, add);
      for_each_branch(cut, n, add);
      std::vector<double> first, second;
      for (index b = 0; b < n; ++b) {
        first.push_back(x[static_cast<std::size_t>(2 * b)]);
        second.push_back(x[static_cast<std::size_t>(2 * b + 1)]);
      }
      CHECK(
          same_bits(all.total(), {pairwise_sum(first.data(), n), pairwise_sum(second.data(), n)}));
    }
  CHECK(pair_tree(2).total() == std::vector<double>{0, 0});
}

}  // namespace
}  // namespace revode
