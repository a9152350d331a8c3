// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <klu.h>

#include <revode/linalg/sparse/sparsity.hpp>
#include <revode/schedule/heap_bytes.hpp>

namespace revode {

/// What KLU has done on a pattern so far, in all solves and sweeps that share it.
struct klu_counts {
  index first = 0;    ///< factorisations that had to find where L and U have entries
  index again = 0;    ///< of numbers alone, in the places of one of these
  index by_size = 0;  ///< with pivots by size, since those of the diagonal were too small
};

/// The unknowns of a pattern, each before its neighbours that have not been met, depth first.
inline std::vector<int> depth_first(const sparsity& p) {
  const auto n = static_cast<std::size_t>(p.size());
  std::vector<int> order, open, next(p.starts(), p.starts() + n);
  std::vector<bool> met(n, false);
  const auto meet = [&](int i) {
    if (met[static_cast<std::size_t>(i)]) return;
    met[static_cast<std::size_t>(i)] = true;
    order.push_back(i), open.push_back(i);
  };
  for (int i = 0; i < p.size(); ++i)
    for (meet(i); !open.empty();) {
      int& e = next[static_cast<std::size_t>(open.back())];
      if (e == p.start(open.back() + 1))
        open.pop_back();
      else
        meet(p.column(e++));
    }
  return order;
}

/// The order of elimination of a pattern: minimum degree with pivots on the diagonal. Ties fall by how unknowns are
/// numbered, which is worth a fifth of the work: the better of two numberings, as they are and depth first. It
/// belongs to the pattern, and with it the places of factors that nobody uses at the moment, so that a fit of many
/// solves, or a sweep, finds those of an earlier one.
class klu_order {
 public:
  explicit klu_order(const sparsity& p) {
    klu_common common = settings();
    symbolic_ = klu_analyze(p.size(), const_cast<int*>(p.starts()),  // KLU reads them only
                            const_cast<int*>(p.columns()), &common);
    if (symbolic_ == nullptr) return;
    price_ = price(*symbolic_);
    entries_ = static_cast<index>(symbolic_->lnz + symbolic_->unz);
    number_anew(p);
  }
  klu_order(const klu_order&) = delete;
  klu_order& operator=(const klu_order&) = delete;
  ~klu_order() {
    klu_common common = settings();
    for (klu_numeric* place : spare_[0]) klu_free_numeric(&place, &common);
    for (klu_numeric* place : spare_[1]) klu_z_free_numeric(&place, &common);
    klu_free_symbolic(&symbolic_, &common);
  }

  klu_symbolic* get() const { return symbolic_; }
  /// How many solves a factorisation costs, by their numbers of operations.
  double price() const { return price_; }
  /// visit(bytes) for every block of factors with pivots on the diagonal, over K numbers an entry (klu_factor).
  template <int K, class Visit>
  void blocks_of_place(Visit&& visit) const {
    if (symbolic_ == nullptr) return;
    const index n = symbolic_->n, each = K * static_cast<index>(sizeof(double));
    visit(static_cast<index>(sizeof(klu_numeric)));
    for (int of = 0; of < 7; ++of) visit((n + 1) * static_cast<index>(sizeof(int)));
    for (int of = 0; of < 2; ++of) visit(n * each);  // pivots, scales
    visit(4 * n * each);
    visit(units<K>(entries_));
  }
  /// Before L and U are cut to their size.
  template <int K>
  index bytes_at_first(const sparsity& p) const {
    if (symbolic_ == nullptr) return 0;
    const klu_common common = settings();
    const bool estimated = symbolic_->Lnz[0] >= 0;
    const double of_each = estimated ? common.initmem_amd * symbolic_->Lnz[0]
                                     : common.initmem * static_cast<double>(p.entries());
    const double n = p.size(), all = (n * n + n) / 2;
    const double guess = std::fmax(of_each, 1) + n;
    return heap_bytes(units<K>(2 * static_cast<index>(std::fmin(guess, all) + n))) +
           p.size() * static_cast<index>(3 * sizeof(int) + sizeof(double));  // and the order
  }
  /// No block triangular form: its matching would take pivots off the diagonal.
  static klu_common settings() {
    klu_common common;
    klu_defaults(&common);
    common.btf = 0;
    return common;
  }

  /// The places of an earlier factorisation with pivots on the diagonal; null where all are in use. K as in klu_place.
  template <int K>
  klu_numeric* take() const {
    const std::lock_guard lock(mutex_);
    if (spare_[K - 1].empty()) return nullptr;
    klu_numeric* place = spare_[K - 1].back();
    spare_[K - 1].pop_back();
    return place;
  }
  template <int K>
  void give_back(klu_numeric* place) const {
    const std::lock_guard lock(mutex_);
    spare_[K - 1].push_back(place);
  }

  void count(index klu_counts::*what) const {
    const std::lock_guard lock(mutex_);
    ++(counts_.*what);
  }
  klu_counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  /// Bytes of so many entries of L and U, with their rows.
  template <int K>
  static index units(index entries) {
    return entries * static_cast<index>(K * sizeof(double) + sizeof(int));
  }
  static double price(const klu_symbolic& s) { return s.est_flops / (2 * (s.lnz + s.unz)); }

  void number_anew(const sparsity& p) {
    const std::vector<int> old = depth_first(p);
    std::vector<int> place(old.size()), starts{0}, columns;
    for (std::size_t k = 0; k < old.size(); ++k)
      place[static_cast<std::size_t>(old[k])] = static_cast<int>(k);
    for (const int i : old) {
      for (int e = p.start(i); e < p.start(i + 1); ++e)
        columns.push_back(place[static_cast<std::size_t>(p.column(e))]);
      starts.push_back(static_cast<int>(columns.size()));
    }
    klu_common common = settings();
    klu_symbolic* found = klu_analyze(p.size(), starts.data(), columns.data(), &common);
    if (found == nullptr) return;
    std::vector<int> order(old.size());
    for (std::size_t k = 0; k < old.size(); ++k)
      order[k] = old[static_cast<std::size_t>(found->P[k])];
    const bool better = found->est_flops < symbolic_->est_flops;
    const double price_then = price(*found);
    const auto entries_then = static_cast<index>(found->lnz + found->unz);
    klu_free_symbolic(&found, &common);
    if (!better) return;
    found = klu_analyze_given(p.size(), const_cast<int*>(p.starts()), const_cast<int*>(p.columns()),
                              order.data(), order.data(), &common);
    if (found == nullptr) return;
    std::swap(found, symbolic_);
    price_ = price_then;
    entries_ = entries_then;
    klu_free_symbolic(&found, &common);
  }

  klu_symbolic* symbolic_;
  double price_ = 0;
  index entries_ = 0;  ///< of L and U
  mutable std::mutex mutex_;
  mutable std::vector<klu_numeric*> spare_[2];
  mutable klu_counts counts_;
};

/// The order of a pattern, found when it is first asked for.
inline std::shared_ptr<const klu_order> klu_order_of(const sparsity& p) {
  return p.kept.get<klu_order>([&] { return std::make_shared<klu_order>(p); });
}

}  // namespace revode
