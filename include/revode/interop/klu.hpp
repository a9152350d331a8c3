// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <klu.h>

#include <revode/interop/klu/klu_order.hpp>
#include <revode/linalg/growth.hpp>
#include <revode/linalg/sparse/number_factors.hpp>
#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/linalg/sparse/sparse_stages.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>

namespace revode {

/// Numbers in the places of an LU factorisation over double (K = 1) or complex numbers (K = 2).
template <int K>
class klu_place {
 public:
  klu_place() = default;
  klu_place(const klu_place&) = delete;
  klu_place& operator=(const klu_place&) = delete;
  ~klu_place() { clear(); }

  /// Pivots on the diagonal where that is stable, in the places of the last such factorisation,
  /// otherwise pivots by size. The choice depends on the matrix alone.
  bool factor(const std::shared_ptr<const klu_order>& order, const sparsity& p, double* values) {
    klu_common common = klu_order::settings();
    if (order->get() == nullptr) return false;
    if (order_ != order || by_size_) {
      clear();
      order_ = order;
      numeric_ = order->take<K>();
      if (numeric_ == nullptr) numeric_ = make_on_diagonal(p, common);
      by_size_ = false;
    }
    if (numeric_ != nullptr && again(p, values, common) && stable(p, values, common)) return true;
    clear();
    by_size_ = true;
    order->count(&klu_counts::by_size);
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
  /// Elements have not grown by more than 10⁶.
  bool stable(const sparsity& p, double* values, klu_common& common) const {
    return (K == 1 ? klu_rgrowth : klu_z_rgrowth)(starts(p), columns(p), values, order_->get(),
                                                  numeric_, &common) != 0 &&
           common.rgrowth >= 1e-6;
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

/// Factors of s I − J over numbers S, double or complex, by KLU. It is given rows as columns: it factors the
/// transpose. A pattern is analysed once; copies share factors, which depend on the matrix alone, so that a
/// replay has those of the step bit for bit.
/// source  Davis & Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36
template <class S>
class klu_lu {
  static constexpr int K = std::is_same_v<S, double> ? 1 : 2;

 public:
  bool factor_shifted(const sparse_matrix<double>& j, const S& shift) {
    take(j.pattern);
    const sparsity& p = *pattern_;
    for (int i = 0; i < p.size(); ++i)
      for (int e = p.start(i); e < p.start(i + 1); ++e)
        for (int part = 0; part < K; ++part) {
          const double own = part == 0 ? j.values[static_cast<std::size_t>(e)] : 0.0;
          values_[static_cast<std::size_t>(K * e + part)] =
              (p.column(e) == i ? numbers_of(&shift)[part] : 0.0) - own;
        }
    return factor();
  }
  /// −(a + ib)
  bool factor_negative(const sparse_matrix<double>& a, const sparse_matrix<double>& b) {
    take(a.pattern);
    for (std::size_t e = 0; e < a.values.size(); ++e) {
      values_[2 * e] = -a.values[e];
      values_[2 * e + 1] = -b.values[e];
    }
    return factor();
  }
  double price() const { return order_ == nullptr ? 0 : order_->price(); }
  bool sign_has_turned(bool backwards) const requires(K == 1) {
    return place_.get()->sign_has_turned(backwards);
  }
  template <bool Transposed>
  void solve(S* b) const {
    if (place_.get() != nullptr)
      place_.get()->template solve<Transposed>(const_cast<double*>(numbers_of(b)));
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values_);
  }

 private:
  void take(const std::shared_ptr<const sparsity>& pattern) {
    if (pattern_ != pattern) {
      pattern_ = pattern;
      order_ = klu_order_of(*pattern);
    }
    values_.resize(static_cast<std::size_t>(K * pattern->entries()));
  }
  bool factor() {
    return all_finite(values_) && place_.own().factor(order_, *pattern_, values_.data());
  }
  /// A complex number is an array of two by its standard.
  static const double* numbers_of(const S* x) { return reinterpret_cast<const double*>(x); }

  std::shared_ptr<const sparsity> pattern_;
  std::shared_ptr<const klu_order> order_;
  shared_place<klu_place<K>> place_;
  std::vector<double> values_;
};

using klu_factors = number_factors<klu_lu<double>, double, double>;
using klu_complex_factors =
    number_factors<klu_lu<std::complex<double>>, double, std::complex<double>>;

/// Sparse Jacobians for implicit methods, by the field's own sparse_jacobian or coloured products, with SuiteSparse's KLU; double only:
///   with_algebra<radau_iia5, klu> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
/// On very sparse problems it factors in half of Eigen's time, on large grids in twice that.
struct klu {
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< one product more a Jacobian, to find entries that the pattern misses

  template <class Y>
  using jacobian = sparse_matrix<scalar_t<Y>>;
  template <class Y>
  using factors = klu_factors;
  template <class Y>
  using complex_factors = klu_complex_factors;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, sparse_matrix<scalar_t<Y>>& j) const {
    static_assert(std::is_same_v<scalar_t<Y>, double>,
                  "KLU knows double only: take eigen_sparse for other scalars?");
    evaluate_on_pattern(sys, t, y, pattern, check, j);
  }

  /// x = (a ⊗ M − diag J)⁻¹ right, or its transpose, over the stages of a step.
  template <bool Transposed, int S, class Mass, class Y>
  static bool solve_stages(const scalar_t<Y> (&a)[S][S], const Mass& mass,
                           const sparse_matrix<scalar_t<Y>> (&j)[S], const Y (&right)[S],
                           Y (&x)[S]) {
    return solve_sparse_stages<klu_factors, Transposed>(a, mass, j, right, x);
  }
};

}  // namespace revode
