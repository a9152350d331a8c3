// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <revode/batch/lane/lane_sum.hpp>
#include <revode/mpi/chunk/chunk_result.hpp>

namespace revode {

/// Chunks as ranks finish them, and what all ranks are told of them.
template <class Y, class P>
class chunk_gathering {
 public:
  using report = chunk_report<Y, P>;

  /// A chunk of this rank's.
  void add(finished_chunk<Y, P> done) {
    if (done.thrown && (!thrown_ || done.report.chunk < lowest_)) {
      thrown_ = std::move(done.thrown);
      lowest_ = done.report.chunk;
    }
    const std::size_t end = words_.size();
    words_.resize(end + done.lanes.size() / 8);
    std::memcpy(words_.data() + end, done.lanes.data(), done.lanes.size());
    reports_.push_back(done.report);
  }

  /// Tells all ranks of all chunks, and where they are asked for their lanes: to every rank (−1), to one, or
  /// to none (−2).
  /// cost    2 collectives, 3 with lanes, one more where something was thrown
  void exchange(const communicator& ranks, int to) {
    struct load {
      index reports, words;
    };
    std::vector<index> reports, words;
    for (const load& of : ranks.gather(load{std::ssize(reports_), std::ssize(words_)})) {
      reports.push_back(of.reports);
      words.push_back(of.words);
    }
    reports_ = ranks.gather(std::span<const report>(reports_), reports);
    if (to != nowhere)
      words_ = ranks.gather(std::span<const std::uint64_t>(words_), words, to);
    else
      words_.clear();
    tell_thrown(ranks, reports);
  }
  static constexpr int nowhere = -2;

  /// visit(chunk, bytes of its lanes) for all chunks that came here.
  template <class Visit>
  void for_each_chunk(const Visit& visit) const {
    if (words_.empty()) return;
    std::string_view bytes(reinterpret_cast<const char*>(words_.data()), 8 * words_.size());
    for (const report& r : reports_) {
      const auto size = static_cast<std::size_t>(r.bytes);
      visit(r.chunk, bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
  }

  /// The sums over all lanes, by the tree of pairwise_sum over the chunks.
  void total(ensemble_gradient<Y, P>& g) {
    std::sort(reports_.begin(), reports_.end(),
              [](const report& a, const report& b) { return a.chunk < b.chunk; });
    std::vector<scalar_t<Y>> sums;
    const auto sum = [&](const auto& of) {
      sums.clear();
      for (const report& r : reports_) sums.push_back(of(r));
      return pairwise_sum(sums.data(), std::ssize(sums));
    };
    g.total_loss = sum([](const report& r) { return r.total_loss; });
    for (int i = 0; i < static_size_v<Y>; ++i)
      g.total_y0.data()[i] = sum([i](const report& r) { return r.total_y0.data()[i]; });
    for (int i = 0; i < static_size_v<P>; ++i)
      g.total_p.data()[i] = sum([i](const report& r) { return r.total_p.data()[i]; });
    g.reverse.plan = reports_[0].reverse.plan;
    for (const report& r : reports_) {
      for (auto most : {&lane_reverse_statistics::slots, &lane_reverse_statistics::resident_lanes,
                        &lane_reverse_statistics::bytes})
        g.reverse.*most = std::max(g.reverse.*most, r.reverse.*most);
      for (auto rounds :
           {&lane_reverse_statistics::pulled_rounds, &lane_reverse_statistics::replayed_rounds})
        g.reverse.*rounds += r.reverse.*rounds;
    }
  }

  /// What was thrown in the lowest of the chunks where something was.
  const thrown_words& thrown() const { return thrown_; }

 private:
  void tell_thrown(const communicator& ranks, const std::vector<index>& counts) {
    const report* lowest = nullptr;
    for (const report& r : reports_)
      if (r.text > 0 && (lowest == nullptr || r.chunk < lowest->chunk)) lowest = &r;
    if (lowest == nullptr) return;
    int owner = 0;
    for (index end = counts[0]; end <= lowest - reports_.data();)
      end += counts[static_cast<std::size_t>(++owner)];
    thrown_ = {
        ranks.text_of(owner, std::move(thrown_.text), static_cast<std::size_t>(lowest->text)),
        lowest->misuse};
  }

  std::vector<report> reports_;
  std::vector<std::uint64_t> words_;  // their lanes
  thrown_words thrown_;
  index lowest_ = 0;  // of this rank's chunks that threw
};

}  // namespace revode
