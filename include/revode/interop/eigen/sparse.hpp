// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/SparseLU>

#include <revode/interop/eigen.hpp>  // without it Eigen's solves would lose derivatives
#include <revode/linalg/growth.hpp>
#include <revode/linalg/sparse/number_factors.hpp>
#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/linalg/sparse/sparse_stages.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/schedule/heap_bytes.hpp>

namespace revode {

/// The order in which a pattern's unknowns are eliminated, and the pattern in that order, column by
/// column. Depends on the pattern alone.
/// source  Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886–905; Davis, Gilbert,
///         Larimore & Ng, ACM Trans. Math. Softw. 30 (2004) 353–376, where J is far from symmetric
class eigen_sparse_order {
 public:
  explicit eigen_sparse_order(const sparsity& p) : symmetric_(p.nearly_symmetric()) {
    const int n = p.size();
    const std::vector<double> ones(static_cast<std::size_t>(p.entries()), 1.0);
    const Eigen::SparseMatrix<double> transposed = Eigen::Map<const Eigen::SparseMatrix<double>>(
        n, n, p.entries(), p.starts(), p.columns(), ones.data());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> places(n);
    if (symmetric_) {
      Eigen::AMDOrdering<int>()(transposed, places);
      places = places.inverse().eval();  // which gives them the other way round
    } else {
      Eigen::COLAMDOrdering<int>()(transposed, places);
    }
    place_.assign(places.indices().data(), places.indices().data() + n);
    sort(p);
  }

  bool symmetric() const { return symmetric_; }
  int place(int i) const { return place_[static_cast<std::size_t>(i)]; }
  const int* starts() const { return start_.data(); }
  const int* rows() const { return row_.data(); }
  /// Which entry of the pattern comes k-th here, and whether it lies on the diagonal.
  int entry(std::size_t k) const { return entry_[k]; }
  bool diagonal(std::size_t k) const { return diagonal_[k] != 0; }
  std::size_t entries() const { return entry_.size(); }
  /// At the most; its arrays grow.
  index bytes() const {
    constexpr index each = 2 * sizeof(int) + 1;
    return static_cast<index>(place_.size() * 2 * sizeof(int) + 2 * each * entries());
  }

 private:
  void sort(const sparsity& p) {
    const auto n = static_cast<std::size_t>(p.size());
    std::vector<std::vector<std::pair<int, int>>> columns(n);  // of rows and entries
    for (int i = 0; i < p.size(); ++i)
      for (int e = p.start(i); e < p.start(i + 1); ++e)
        columns[static_cast<std::size_t>(place(p.column(e)))].emplace_back(place(i), e);
    start_.push_back(0);
    for (std::size_t k = 0; k < n; ++k) {
      std::sort(columns[k].begin(), columns[k].end());
      for (const auto& [row, entry] : columns[k]) {
        row_.push_back(row);
        entry_.push_back(entry);
        diagonal_.push_back(row == static_cast<int>(k) ? 1 : 0);
      }
      start_.push_back(static_cast<int>(row_.size()));
    }
  }

  bool symmetric_;
  std::vector<int> place_, start_, row_, entry_;
  std::vector<char> diagonal_;
};

/// Factors of s I − J by Eigen::SparseLU. A pattern is analysed once; copies share factors. Pivots
/// depend on the matrix alone, so that a replay has those of the step bit for bit.
template <class S>
class eigen_sparse_lu {
 public:
  using vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

  template <class T>
  bool factor_shifted(const sparse_matrix<T>& j, const S& shift) {
    return factor(j.pattern, [&](std::size_t k, std::size_t e) {
      return (order_->diagonal(k) ? shift : S(0)) - S(j.values[e]);
    });
  }
  /// −(a + ib)
  template <class T>
  bool factor_negative(const sparse_matrix<T>& a, const sparse_matrix<T>& b) {
    return factor(a.pattern,
                  [&](std::size_t, std::size_t e) { return -S(a.values[e], b.values[e]); });
  }

  /// y = A⁻¹ y, or A⁻ᵀ y
  template <bool Transposed>
  void solve(S* y) const {
    const int n = pattern_->size();
    vector b(n);
    for (int i = 0; i < n; ++i) b[order_->place(i)] = y[i];
    const vector x = [&]() -> vector {
      if constexpr (Transposed)
        return const_cast<solver&>(factors_.get()->lu).transpose().solve(b);  // which only reads
      else
        return factors_.get()->lu.solve(b);
    }();
    for (int i = 0; i < n; ++i) y[i] = x[order_->place(i)];
  }

  /// See growth.hpp.
  bool sign_has_turned(bool backwards) const requires(!Eigen::NumTraits<S>::IsComplex) {
    const solver& lu = factors_.get()->lu;
    const auto lower = lu.matrixL();
    using columns = std::remove_cvref_t<decltype(lower.m_mapL)>;
    determinant_sign<decltype(value_of(S{}))> sign(pattern_->size(), backwards);
    for (int k = 0, n = pattern_->size(); k < n; ++k)
      for (typename columns::InnerIterator at(lower.m_mapL, k); at; ++at)
        if (at.index() == k) sign.pivot(1 / value_of(at.value()));
    sign.exchange(lu.rowsPermutation().determinant() != lu.colsPermutation().determinant());
    return sign.has_turned();
  }

  /// See matrix_shape. What Eigen reserves (SparseLU_Memory.h): 20 numbers an entry for L and U. Where that is too
  /// little it takes more, nobody knows how much.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.pattern == nullptr) return;
    const index n = s.n, entries = s.pattern->entries(), each = sizeof(S), whole = sizeof(int);
    if (pattern_.get() != s.pattern) visit(entries * each);
    if (factors_.get() != nullptr) return;
    const index upper = n > 0 ? std::min(20 * (entries + 1) / n, n) * n : 0;
    visit(static_cast<index>(sizeof(factorization)));
    for (const index numbers : {upper, upper, entries}) visit(numbers * each);
    for (const index wholes : {upper, 5 * (entries + 1), entries, 10 * (n + 1)})
      visit(wholes * whole);
  }
  /// A panel of 16 columns, blocks of up to 128 of them, and what finds them.
  index bytes_in_passing(const matrix_shape& s) const {
    if (s.pattern == nullptr) return 0;
    const index n = s.n, each = sizeof(S), whole = sizeof(int);
    return order_of(*s.pattern)->bytes() + heap_bytes(16 * n * each) +
           heap_bytes(16 * (n + 128) * each) + heap_bytes(72 * n * whole);
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values_);
  }

 private:
  using matrix = Eigen::SparseMatrix<S>;
  using solver = Eigen::SparseLU<matrix, Eigen::NaturalOrdering<int>>;
  struct factorization {
    std::shared_ptr<const eigen_sparse_order> of;
    solver lu;
  };

  static std::shared_ptr<const eigen_sparse_order> order_of(const sparsity& p) {
    return p.kept.get<eigen_sparse_order>([&] { return std::make_shared<eigen_sparse_order>(p); });
  }

  /// The matrix of elements value(k, e): k as the order has them, e as the pattern.
  template <class Value>
  bool factor(const std::shared_ptr<const sparsity>& pattern, const Value& value) {
    if (pattern_ != pattern) {
      pattern_ = pattern;
      order_ = order_of(*pattern);
    }
    const int n = pattern_->size();
    values_.resize(order_->entries());
    for (std::size_t k = 0; k < values_.size(); ++k)
      values_[k] = value(k, static_cast<std::size_t>(order_->entry(k)));
    const Eigen::Map<const matrix> a(n, n, pattern_->entries(), order_->starts(), order_->rows(),
                                     values_.data());
    factorization& to = factors_.own();
    if (to.of != order_) {
      to.of = order_;
      // how much smaller than others in its column a pivot on the diagonal may be
      to.lu.setPivotThreshold(typename solver::RealScalar(order_->symmetric() ? 0.01 : 1.0));
      to.lu.analyzePattern(a);
    }
    to.lu.factorize(a);
    return to.lu.info() == Eigen::Success;
  }

  std::shared_ptr<const sparsity> pattern_;
  std::shared_ptr<const eigen_sparse_order> order_;
  shared_place<factorization> factors_;
  std::vector<S> values_;
};

template <class Y>
using sparse_factors = number_factors<eigen_sparse_lu<scalar_t<Y>>, scalar_t<Y>, scalar_t<Y>>;
template <class Y>
using sparse_complex_factors = number_factors<eigen_sparse_lu<std::complex<scalar_t<Y>>>,
                                              scalar_t<Y>, std::complex<scalar_t<Y>>>;

/// Sparse Jacobians for implicit methods, by the field's own sparse_jacobian or coloured products, with Eigen::SparseLU:
///   with_algebra<radau_iia5, eigen_sparse> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
struct eigen_sparse {
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< one product more a Jacobian, to find entries that the pattern misses

  template <class Y>
  using jacobian = sparse_matrix<scalar_t<Y>>;
  template <class Y>
  using factors = sparse_factors<Y>;
  template <class Y>
  using complex_factors = sparse_complex_factors<Y>;

  template <class System, class Y, class T>
  void evaluate(System& sys, double t, const Y& y, sparse_matrix<T>& j) const {
    evaluate_on_pattern(sys, t, y, pattern, check, j);
  }

  /// x = (a ⊗ M − diag J)⁻¹ right, or its transpose, over the stages of a step.
  template <bool Transposed, int S, class Mass, class Y>
  static bool solve_stages(const scalar_t<Y> (&a)[S][S], const Mass& mass,
                           const sparse_matrix<scalar_t<Y>> (&j)[S], const Y (&right)[S],
                           Y (&x)[S]) {
    return solve_sparse_stages<sparse_factors<Y>, Transposed>(a, mass, j, right, x);
  }
};

}  // namespace revode
