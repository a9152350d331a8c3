// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <umfpack.h>

#include <revode/linalg/growth.hpp>
#include <revode/linalg/sparse/factors_in_places.hpp>
#include <revode/schedule/heap_bytes.hpp>

namespace revode {

/// UMFPACK's functions for arrays of double (K = 1) or of complex numbers, two doubles each (K = 2).
template <int K>
struct umfpack_numbers {
  static int analyse(int n, const int* starts, const int* columns, void** symbolic,
                     const double* control, double* info) {
    return K == 1 ? umfpack_di_symbolic(n, n, starts, columns, nullptr, symbolic, control, info)
                  : umfpack_zi_symbolic(n, n, starts, columns, nullptr, nullptr, symbolic, control,
                                        info);
  }
  static int factor(const int* starts, const int* columns, const double* values, void* symbolic,
                    void** numeric, const double* control, double* info) {
    return K == 1 ? umfpack_di_numeric(starts, columns, values, symbolic, numeric, control, info)
                  : umfpack_zi_numeric(starts, columns, values, nullptr, symbolic, numeric, control,
                                       info);
  }
  /// x = B⁻¹ b for the matrix that was factored, or Bᵀ in its place.
  static void solve(bool transposed, double* x, const double* b, void* numeric,
                    const double* control, int* indices, double* numbers) {
    const int system = transposed ? UMFPACK_Aat : UMFPACK_A;
    if constexpr (K == 1)
      umfpack_di_wsolve(system, nullptr, nullptr, nullptr, x, b, numeric, control, nullptr, indices,
                        numbers);
    else
      umfpack_zi_wsolve(system, nullptr, nullptr, nullptr, nullptr, x, nullptr, b, nullptr, numeric,
                        control, nullptr, indices, numbers);
  }
  static void free_symbolic(void** symbolic) {
    (K == 1 ? umfpack_di_free_symbolic : umfpack_zi_free_symbolic)(symbolic);
  }
  static void free_numeric(void** numeric) {
    (K == 1 ? umfpack_di_free_numeric : umfpack_zi_free_numeric)(numeric);
  }
};

/// What UMFPACK works out once for a pattern, from where its entries are alone. It belongs to the pattern.
template <int K>
class umfpack_order {
 public:
  explicit umfpack_order(const sparsity& p) {
    umfpack_di_defaults(control_);
    control_[UMFPACK_IRSTEP] = 0;  // who solves knows how well
    if (p.nearly_symmetric()) control_[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    double info[UMFPACK_INFO] = {};
    umfpack_numbers<K>::analyse(p.size(), p.starts(), p.columns(), &symbolic_, control_, info);
    const auto bytes = [&](int of) {
      return static_cast<index>(info[of] * info[UMFPACK_SIZE_OF_UNIT]);
    };
    numeric_ = bytes(UMFPACK_NUMERIC_SIZE_ESTIMATE);
    peak_ = bytes(UMFPACK_PEAK_MEMORY_ESTIMATE);
  }
  umfpack_order(const umfpack_order&) = delete;
  umfpack_order& operator=(const umfpack_order&) = delete;
  ~umfpack_order() { umfpack_numbers<K>::free_symbolic(&symbolic_); }

  void* get() const { return symbolic_; }
  const double* control() const { return control_; }
  index numeric_bytes() const { return numeric_; }  ///< of factors, at most
  index peak_bytes() const { return peak_; }        ///< while they are made

 private:
  void* symbolic_ = nullptr;
  index numeric_ = 0, peak_ = 0;
  double control_[UMFPACK_CONTROL];
};

/// Numbers of a factorisation, and room for its solves, which write there.
template <int K>
class umfpack_place {
 public:
  using order = umfpack_order<K>;
  static std::shared_ptr<const order> of_pattern(const sparsity& p) {
    return p.kept.template get<order>([&] { return std::make_shared<order>(p); });
  }
  static double price(const order&, const umfpack_place* by) {
    return by == nullptr ? 0 : by->price_;
  }
  /// By UMFPACK's estimates, which are bounds where it chooses pivots in its order.
  template <class Visit>
  static void blocks(const order& of, Visit&& visit) {
    visit(of.numeric_bytes());
  }
  static index bytes_in_passing(const order& of, const sparsity& p, index values) {
    const index numbers = (K == 1 ? 2 : 6) * static_cast<index>(sizeof(double));  // of a solve
    return heap_bytes(values) + heap_bytes(of.peak_bytes()) +
           p.size() * (numbers + static_cast<index>(sizeof(int)));
  }

  umfpack_place() = default;
  umfpack_place(const umfpack_place&) = delete;
  umfpack_place& operator=(const umfpack_place&) = delete;
  ~umfpack_place() { umfpack_numbers<K>::free_numeric(&numeric_); }

  bool factor(const std::shared_ptr<const order>& by, const sparsity& p, const double* values) {
    umfpack_numbers<K>::free_numeric(&numeric_);
    order_ = by;
    n_ = static_cast<std::size_t>(p.size());
    double info[UMFPACK_INFO];
    if (by->get() == nullptr ||
        umfpack_numbers<K>::factor(p.starts(), p.columns(), values, by->get(), &numeric_,
                                   by->control(), info) != UMFPACK_OK)
      return false;
    range_ = info[UMFPACK_RCOND];
    // An operation of a factorisation by matrix products takes a fourth of the time of one of a solve.
    price_ = info[UMFPACK_FLOPS] / (8 * K * (info[UMFPACK_LNZ] + info[UMFPACK_UNZ]));
    return true;
  }

  /// b = A⁻¹ b for the matrix whose rows UMFPACK was given as columns, or A⁻ᵀ b.
  template <bool Transposed>
  void solve(double* b) const {
    if (numeric_ == nullptr) return;
    const std::lock_guard lock(mutex_);  // copies share the numbers
    indices_.resize(n_), numbers_.resize((K == 1 ? 1 : 4) * n_), right_.assign(b, b + K * n_);
    umfpack_numbers<K>::solve(!Transposed, b, right_.data(), numeric_, order_->control(),
                              indices_.data(), numbers_.data());
  }

  /// See growth.hpp.
  bool sign_has_turned(bool backwards) const requires(K == 1) {
    determinant_sign<double> sign(static_cast<int>(n_), backwards);
    double mantissa = 0, exponent = 0;
    if (numeric_ == nullptr ||
        umfpack_di_get_determinant(&mantissa, &exponent, numeric_, nullptr) != UMFPACK_OK)
      return false;
    sign.exchange(mantissa < 0);
    sign.pivot(1), sign.pivot(range_);  // the largest, and the smallest beside it
    return sign.has_turned();
  }

 private:
  std::shared_ptr<const order> order_;
  void* numeric_ = nullptr;
  std::size_t n_ = 0;
  double price_ = 0, range_ = 0;
  mutable std::vector<int> indices_;
  mutable std::vector<double> numbers_, right_;
  mutable std::mutex mutex_;
};

using umfpack_factors = real_factors_in_places<umfpack_place>;
using umfpack_complex_factors = complex_factors_in_places<umfpack_place>;

/// Sparse Jacobians for implicit methods, by the field's own sparse_jacobian or coloured products, with SuiteSparse's UMFPACK, whose
/// elimination is made of matrix products; double only:
///   with_algebra<bdf5, umfpack> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
/// Beside KLU a factorisation takes half of the time from some 10⁴ unknowns in two dimensions, a third from 4,000 in three, a
/// seventh from 10⁴, with a BLAS such as OpenBLAS; on smaller and sparser problems KLU is faster. UMFPACK is under the GPL.
/// source  Davis, ACM Trans. Math. Softw. 30 (2004) 196–199
using umfpack = algebra_of_places<umfpack_place>;

}  // namespace revode
