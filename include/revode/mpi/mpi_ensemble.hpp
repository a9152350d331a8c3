// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/io/restart.hpp>
#include <revode/mpi/chunk/chunk_gathering.hpp>
#include <revode/mpi/chunk/ensemble_print.hpp>
#include <revode/mpi/chunk/lane_chunks.hpp>
#include <revode/mpi/shared_counter.hpp>

namespace revode {

/// Who solves a chunk of lanes. Results do not depend on it.
enum class distribution {
  dealt,    ///< one rank after the other: no messages on the way
  counter,  ///< whoever is done draws the next: for lanes or ranks of unequal speed
};

/// Where results of lanes are put together. Sums over lanes are on every rank.
enum class lanes_on { every_rank, root, none };

/// How an ensemble is spread over ranks; the same on each.
struct spread_request {
  index chunk =
      0;  ///< lanes a chunk, a power of two; 0: chunk_of(lanes). For a GPU 100,000 and more
  revode::distribution distribution = revode::distribution::dealt;
  lanes_on results = lanes_on::every_rank;
  /// Where finished chunks are kept, a file each, in a folder that all ranks see; empty: nowhere. A program
  /// that was killed and is started anew, with any number of ranks, makes the same calls in the same
  /// order: chunks that are there are read. The folder is the caller's to remove.
  std::string folder{};
};

/// What this rank did in the last call.
struct rank_share {
  index chunks = 0;  ///< solved here
  index lanes = 0;   ///< of these
  index kept = 0;    ///< chunks read from the folder instead
};

/// An ensemble over ranks, each of which runs its lanes at its own place: threads, a GPU. Its calls are as
/// ensemble_solver's, and of all ranks together:
///
///   mpi_ensemble all(communicator(), e, tsit5{}, o);
///   all.run();                           // all.result(): the ensemble_solution of all lanes
///   auto g = all.gradient(loss);         // g.total_p: Σ over lanes; g.p[l]
///
/// bits     those of one ensemble_solver of all lanes, its sums included, for any number of ranks, chunk
///          and distribution, at places that compute with the same operations
/// cost     each chunk as an ensemble_solver of its own, the counting sweep of its gradient included; then
///          2 collectives, a third where lanes are put together, 3 more by the counter. A rank that has no
///          chunk left waits for the others
/// memory   all lanes where they are gathered, those of its chunks as bytes on each rank
/// errors   on every rank alike: std::invalid_argument for misuse, and where ranks do not ask for the same;
///          what a field throws, when all lanes have ended, of the lowest chunk that threw: as
///          thrown_on_a_rank, or as std::invalid_argument where it is one
template <class M, class F, class Y, class P, class Place = on_device, int W = 0, bool Saves = true>
class mpi_ensemble {
 public:
  using solver = ensemble_solver<M, F, Y, P, Place, W, Saves>;

  mpi_ensemble(const communicator& ranks, const ensemble<F, Y, P>& e, const M& m, const options& o,
               const spread_request& how = {}, Place = {})
      : ranks_(ranks),
        e_(e),
        m_(m),
        o_(o),
        how_(how) {
    ranks_.agree(asked_for());
    validate_chunk(how.chunk);
    lanes_ = validate(e, m, o);
    if (how_.chunk == 0) how_.chunk = chunk_of(lanes_);
    order_ = order_of_chunks(e_, lanes_, how_.chunk);
  }

  /// Integrates all lanes.
  void run() {
    over_chunks<false>([](solver& lanes, index, auto&) { lanes.run(); }, false);
  }

  /// What the last call found of all lanes; of none on a rank that is not told.
  const ensemble_solution<Y>& result() const { return all_.solution; }

  /// As ensemble_solver::gradient. Sums are on every rank, elements of lanes where results are asked for.
  /// `reverse` has the sums of rounds, and of bytes, slots and resident lanes the greatest of a chunk.
  template <class Loss>
  ensemble_gradient<Y, P> gradient(const Loss& loss, const lane_memory& memory = {}) {
    return pull(loss, memory, false);
  }
  template <class Loss>
  ensemble_gradient<Y, P> gradient(const Loss& loss, const lane_memory& memory, of_times) {
    return pull(loss, memory, true, of_times{});
  }

  /// Other parameters for the same lanes, the same on every rank.
  /// cost    a collective
  void set_parameters(const std::vector<P>& p) {
    ranks_.agree({{"number of parameter sets", std::to_string(p.size())},
                  {"parameters", std::to_string(sum_of_bytes(p.data(), p.size() * sizeof(P)))}});
    if (p.size() != e_.p.size())
      throw std::invalid_argument(std::to_string(p.size()) + " parameter sets in place of " +
                                  std::to_string(e_.p.size()) +
                                  " (the lanes stay the same) give as many?");
    e_.p = p;
  }

  index chunks() const { return static_cast<index>(order_.size()); }
  const rank_share& share() const { return share_; }
  const communicator& ranks() const { return ranks_; }

 private:
  using finished = finished_chunk<Y, P>;
  using report = chunk_report<Y, P>;

  run_print asked_for() const {
    run_print print = print_of(m_, e_, o_, how_.chunk);
    print.emplace_back("distribution", std::to_string(static_cast<int>(how_.distribution)));
    print.emplace_back("place of results", std::to_string(static_cast<int>(how_.results)));
    print.emplace_back("folder", how_.folder);
    return print;
  }

  template <class Loss, class... Times>
  ensemble_gradient<Y, P> pull(const Loss& loss, const lane_memory& memory, bool times,
                               Times... of) {
    over_chunks<true>(
        [&](solver& lanes, index first, auto& found) {
          found = lanes.gradient(loss_from<Loss>{loss, first}, memory, of...);
        },
        times);
    return std::move(all_.gradient);
  }

  template <bool Pulls, class Work>
  void over_chunks(const Work& work, bool times) {
    ++calls_;
    share_ = {};
    chunk_gathering<Y, P> chunks;
    for_each_chunk([&](index chunk) {
      auto done = finish<Pulls>(chunk, work);
      ++(done.report.kept ? share_.kept : share_.chunks);
      if (!done.report.kept) share_.lanes += end_of(chunk) - chunk * how_.chunk;
      chunks.add(std::move(done));
    });
    const int to = how_.results == lanes_on::every_rank ? communicator::everywhere
                   : how_.results == lanes_on::root     ? 0
                                                        : chunks.nowhere;
    chunks.exchange(ranks_, to);
    all_ = {.pulled = Pulls};
    if (to == communicator::everywhere || to == ranks_.rank())
      all_.make_room(lanes_, points(), times);
    chunks.for_each_chunk([&](index chunk, std::string_view bytes) {
      byte_stream b(bytes);
      for (index l = chunk * how_.chunk; l < end_of(chunk); ++l) all_.pass(b, l);
    });
    if (Pulls) chunks.total(all_.gradient);
    if (chunks.thrown()) chunks.thrown().raise();
  }

  template <class Body>
  void for_each_chunk(const Body& body) {
    if (how_.distribution == distribution::dealt) {
      for (index k = ranks_.rank(); k < chunks(); k += ranks_.size()) body(number(k));
    } else {
      shared_counter counter(ranks_);
      for (index k = counter.next(); k < chunks(); k = counter.next()) body(number(k));
      counter.close();
    }
  }

  /// A chunk from its file, or solved. Nothing is thrown: other ranks wait.
  template <bool Pulls, class Work>
  finished finish(index chunk, const Work& work) {
    finished done;
    thrown_words wrong = words_of([&] {
      if (how_.folder.empty()) {
        done = solve<Pulls>(chunk, work);
        return;
      }
      std::filesystem::create_directories(how_.folder);
      restart_journal file({.file = file_of(chunk)});
      const std::size_t place = file.begin(print_of_chunk(chunk, Pulls));
      if (!file.kept(place).empty()) {
        byte_stream b(file.kept(place));
        done.pass(b);
        done.report.kept = true;
        return;
      }
      done = solve<Pulls>(chunk, work);
      byte_stream b;
      done.pass(b);
      if (!done.thrown) file.keep(place, b.written());
    });
    if (!wrong) return done;
    lanes_result<Y, P> nothing{.pulled = Pulls};
    nothing.give_up(lanes_between(e_, chunk * how_.chunk, end_of(chunk)));
    return {chunk, nothing, std::move(wrong)};
  }

  /// A chunk by an ensemble_solver of its own.
  template <bool Pulls, class Work>
  finished solve(index chunk, const Work& work) {
    const index first = chunk * how_.chunk;
    const auto part = lanes_between(e_, first, end_of(chunk));
    lanes_result<Y, P> found{.pulled = Pulls};
    solver lanes(part, m_, o_);
    thrown_words thrown = words_of([&] { work(lanes, first, found.gradient); });
    if (thrown) {
      thrown.text = "lanes " + std::to_string(first) + " to " + std::to_string(end_of(chunk) - 1) +
                    ": " + thrown.text;
      found.give_up(part);
    }
    auto solution = lanes.result();
    if (!thrown || solution.failed() > 0) found.solution = std::move(solution);
    return {chunk, found, std::move(thrown)};
  }

  run_print print_of_chunk(index chunk, bool pulls) const {
    run_print print = print_of(m_, e_, o_, how_.chunk);
    print.emplace_back("call", std::to_string(calls_));
    print.emplace_back("chunk's number", std::to_string(chunk));
    print.emplace_back("result", pulls ? "gradients" : "solutions");
    return print;
  }
  std::string file_of(index chunk) const {
    return how_.folder + "/call" + std::to_string(calls_) + "-chunk" + std::to_string(chunk) +
           ".kept";
  }

  index end_of(index chunk) const { return std::min((chunk + 1) * how_.chunk, lanes_); }
  index number(index k) const { return order_[static_cast<std::size_t>(k)]; }
  /// The most save points of a lane.
  index points() const {
    std::size_t most = e_.save_ts.empty() ? o_.save.ts.size() : 0;
    for (const auto& ts : e_.save_ts) most = std::max(most, ts.size());
    return static_cast<index>(most) + o_.save.t0 + o_.save.t1;
  }

  communicator ranks_;
  ensemble<F, Y, P> e_;
  M m_;
  options o_;
  spread_request how_;
  index lanes_ = 0;
  std::vector<index> order_;
  index calls_ = 0;
  rank_share share_;
  lanes_result<Y, P> all_;
};

}  // namespace revode
