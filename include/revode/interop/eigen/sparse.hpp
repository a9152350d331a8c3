// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/SparseLU>

#include <revode/linalg/sparsity.hpp>

namespace revode {

/// Factors of s I − J by Eigen::SparseLU. It is given rows as columns: it factors the transpose.
/// The pattern is analysed once for each object that has factors of its own; copies share them.
template <class S>
class eigen_sparse_lu {
 public:
  using vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

  template <class T>
  bool factor_shifted(const sparse_matrix<T>& j, const S& shift) {
    const sparsity& p = *j.pattern;
    const int n = p.size();
    const bool analysed = factors_ != nullptr && factors_.use_count() == 1 && pattern_ == j.pattern;
    if (!analysed) factors_ = std::make_shared<factorization>();
    pattern_ = j.pattern;
    values_.resize(j.values.size());
    for (int i = 0; i < n; ++i)
      for (int e = p.start(i); e < p.start(i + 1); ++e) {
        const auto k = static_cast<std::size_t>(e);
        values_[k] = (p.column(e) == i ? shift : S(0)) - S(j.values[k]);
      }
    const Eigen::Map<const matrix> transposed(n, n, p.entries(), p.starts(), p.columns(),
                                              values_.data());
    if (!analysed) factors_->analyzePattern(transposed);
    factors_->factorize(transposed);
    return factors_->info() == Eigen::Success;
  }

  vector solve(const vector& b) const { return factors_->transpose().solve(b); }
  vector solve_transposed(const vector& b) const { return factors_->solve(b); }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values_);
  }

 private:
  using matrix = Eigen::SparseMatrix<S>;
  using factorization = Eigen::SparseLU<matrix, Eigen::COLAMDOrdering<int>>;

  std::shared_ptr<const sparsity> pattern_;
  std::shared_ptr<factorization> factors_;
  std::vector<S> values_;
};

template <class Y>
class sparse_factors {
  using T = scalar_t<Y>;

 public:
  bool factor_shifted(const sparse_matrix<T>& j, T shift) { return lu_.factor_shifted(j, shift); }
  template <class X>
  void solve(X& x) const {
    Eigen::Map<vector> b(x.data(), length(x));
    b = lu_.solve(vector(b));
  }
  template <class X>
  void solve_transposed(X& x) const {
    Eigen::Map<vector> b(x.data(), length(x));
    b = lu_.solve_transposed(vector(b));
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.lu_);
  }

 private:
  using vector = typename eigen_sparse_lu<T>::vector;
  eigen_sparse_lu<T> lu_;
};

template <class Y>
class sparse_complex_factors {
  using T = scalar_t<Y>;
  using C = std::complex<T>;

 public:
  bool factor_shifted(const sparse_matrix<T>& j, T alpha, T beta) {
    return lu_.factor_shifted(j, C(alpha, beta));
  }
  template <class X>
  void solve(X& x, X& y) const {
    split(lu_.solve(joined(x, y, T(1))), T(1), x, y);
  }
  /// A⁻ᴴ b is the conjugate of A⁻ᵀ times the conjugate of b.
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    split(lu_.solve_transposed(joined(x, y, T(-1))), T(-1), x, y);
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.lu_);
  }

 private:
  using vector = typename eigen_sparse_lu<C>::vector;

  template <class X>
  static vector joined(const X& x, const X& y, T sign) {
    vector z(length(x));
    for (int i = 0; i < length(x); ++i) z[i] = C(x.data()[i], sign * y.data()[i]);
    return z;
  }
  template <class X>
  static void split(const vector& z, T sign, X& x, X& y) {
    for (int i = 0; i < length(x); ++i) {
      x.data()[i] = z[i].real();
      y.data()[i] = sign * z[i].imag();
    }
  }
  eigen_sparse_lu<C> lu_;
};

/// Sparse Jacobians for implicit methods, by coloured products, with Eigen::SparseLU:
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
    evaluate_by_colours(sys, t, y, pattern, check, j);
  }
};

}  // namespace revode
