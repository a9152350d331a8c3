// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <klu.h>

#include <revode/interop/klu/klu_growth.hpp>
#include <revode/interop/klu/klu_order.hpp>
#include <revode/linalg/growth.hpp>
#include <revode/linalg/sparse/factors_in_places.hpp>

namespace revode {

/// Numbers in the places of an LU factorisation over double (K = 1) or complex numbers (K = 2).
template <int K>
class klu_place {
 public:
  using order = klu_order;
  static std::shared_ptr<const klu_order> of_pattern(const sparsity& p) { return klu_order_of(p); }
  static double price(const klu_order& of, const klu_place*) { return of.price(); }
  /// Pivots by size may take more, nobody knows how much.
  template <class Visit>
  static void blocks(const klu_order& of, Visit&& visit) {
    of.template blocks_of_place<K>(visit);
  }
  static index bytes_in_passing(const klu_order& of, const sparsity& p, index values) {
    return heap_bytes(values) + of.template bytes_at_first<K>(p);
  }

  klu_place() = default;
  klu_place(const klu_place&) = delete;
  klu_place& operator=(const klu_place&) = delete;
  ~klu_place() { clear(); }

  /// Pivots on the diagonal where that is stable, in the places of the last such factorisation,
  /// otherwise pivots by size. The choice depends on the matrix alone.
  bool factor(const std::shared_ptr<const klu_order>& by, const sparsity& p, double* values) {
    klu_common common = klu_order::settings();
    if (by->get() == nullptr) return false;
    if (order_ != by || by_size_) {
      clear();
      order_ = by;
      numeric_ = by->take<K>();
      if (numeric_ == nullptr) numeric_ = make_on_diagonal(p, common);
      by_size_ = false;
    }
    if (numeric_ != nullptr && again(p, values, common) && stable(p, values, common)) return true;
    clear();
    by_size_ = true;
    by->count(&klu_counts::by_size);
    common = klu_order::settings();
    common.tol = 0.1;
    numeric_ = make(p, values, common);
    return numeric_ != nullptr && common.status == KLU_OK;
  }

  /// b = A⁻ᵀ b for the matrix as KLU sees it, that is A⁻¹ b by rows; or A⁻¹ b.
  template <bool Transposed>
  void solve(double* b) const {
    if (numeric_ == nullptr) return;
    const std::lock_guard lock(mutex_);  // copies share the numbers, and KLU writes beside them
    klu_common common = klu_order::settings();
    klu_symbolic* of = order_->get();
    if constexpr (K == 1)
      (Transposed ? klu_solve : klu_tsolve)(of, numeric_, of->n, 1, b, &common);
    else if constexpr (Transposed)
      klu_z_solve(of, numeric_, of->n, 1, b, &common);
    else
      klu_z_tsolve(of, numeric_, of->n, 1, b, 0, &common);
  }

  /// See growth.hpp. The pivots are of a matrix whose rows are scaled by what is above 0.
  bool sign_has_turned(bool backwards) const requires(K == 1) {
    const klu_symbolic& of = *order_->get();
    const auto* pivots = static_cast<const double*>(numeric_->Udiag);
    determinant_sign<double> sign(of.n, backwards);
    for (int k = 0; k < of.n; ++k) sign.pivot(1 / pivots[k]);
    if (!std::equal(of.Q, of.Q + of.n, numeric_->Pnum))
      sign.exchange(is_odd(of.Q, of.n) != is_odd(numeric_->Pnum, of.n));
    return sign.has_turned();
  }

 private:
  /// Is the number of exchanges that make up a permutation?
  static bool is_odd(const int* permutation, int n) {
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    bool odd = false;
    for (int i = 0; i < n; ++i)  // a cycle of m numbers is m − 1 exchanges
      for (int k = i; !seen[static_cast<std::size_t>(k)]; k = permutation[k]) {
        seen[static_cast<std::size_t>(k)] = true;
        odd = odd != (permutation[k] != i);
      }
    return odd;
  }

  static int* starts(const sparsity& p) { return const_cast<int*>(p.starts()); }
  static int* columns(const sparsity& p) { return const_cast<int*>(p.columns()); }

  klu_numeric* make(const sparsity& p, double* values, klu_common& common) const {
    return (K == 1 ? klu_factor : klu_z_factor)(starts(p), columns(p), values, order_->get(),
                                                &common);
  }
  /// Places with pivots on the diagonal, whatever the numbers: of a matrix in which it dominates.
  klu_numeric* make_on_diagonal(const sparsity& p, klu_common& common) const {
    order_->count(&klu_counts::first);
    std::vector<double> dominant(static_cast<std::size_t>(K * p.entries()), 0.0);
    for (int i = 0; i < p.size(); ++i)
      for (int e = p.start(i); e < p.start(i + 1); ++e)
        dominant[static_cast<std::size_t>(K * e)] = p.column(e) == i ? 1 : 1.0 / (p.size() + 1);
    return make(p, dominant.data(), common);
  }
  bool again(const sparsity& p, double* values, klu_common& common) const {
    order_->count(&klu_counts::again);
    return (K == 1 ? klu_refactor : klu_z_refactor)(starts(p), columns(p), values, order_->get(),
                                                    numeric_, &common) != 0 &&
           common.status == KLU_OK;
  }
  /// Elements have not grown by more than klu_most_growth.
  bool stable(const sparsity& p, double* values, klu_common& common) const {
    if (klu_grows_little<K>(*order_->get(), *numeric_, *diagonal_of(p), values)) return true;
    return (K == 1 ? klu_rgrowth : klu_z_rgrowth)(starts(p), columns(p), values, order_->get(),
                                                  numeric_, &common) != 0 &&
           common.rgrowth * klu_most_growth >= 1;
  }
  void clear() {
    if (numeric_ == nullptr) return;
    if (!by_size_) return order_->give_back<K>(std::exchange(numeric_, nullptr));
    klu_common common = klu_order::settings();
    (K == 1 ? klu_free_numeric : klu_z_free_numeric)(&numeric_, &common);
  }

  std::shared_ptr<const klu_order> order_;
  klu_numeric* numeric_ = nullptr;
  bool by_size_ = false;
  mutable std::mutex mutex_;
};

using klu_factors = real_factors_in_places<klu_place>;
using klu_complex_factors = complex_factors_in_places<klu_place>;

/// Sparse Jacobians for implicit methods, by the field's own sparse_jacobian or coloured products, with SuiteSparse's KLU; double only:
///   with_algebra<radau_iia5, klu> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
/// On very sparse problems it factors in half of Eigen's time, on large grids in twice that.
/// source  Davis & Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36
using klu = algebra_of_places<klu_place>;

}  // namespace revode
