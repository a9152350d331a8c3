// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscmat.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>

#include <revode/linalg/attachments.hpp>
#include <revode/petsc/petsc_vectors.hpp>

namespace revode {

using mat_handle = petsc_handle<Mat, MatDestroy>;
struct petsc_settings;  // petsc_ksp.hpp

/// Two states as Vecs.
struct petsc_views {
  spread_layout layout;
  vec_view first, second;
  explicit petsc_views(const spread_layout& of) : layout(of), first(of), second(of) {}
};

/// A Jacobian as a Mat over the ranks of a state. Copies share it until one of them is written.
/// data() is one number, known to all ranks: how large its rows are, NaN where one is not finite.
class petsc_matrix {
 public:
  std::shared_ptr<const petsc_settings> settings{};  ///< how systems with it are solved

  Mat get() const { return place_.get() != nullptr ? place_.get()->get() : nullptr; }
  /// How states become Vecs for it.
  const std::shared_ptr<const petsc_views>& views() const { return views_; }

  const double* data() const { return &size_; }
  std::size_t size() const { return 1; }
  void clear() {}  // fill() does
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}

  /// Writes it: set(Mat) says its elements, into zeros at the places of the pattern, and may leave the assembly
  /// to this. What it throws here is thrown on all ranks by the next decision.
  /// cost    an assembly, a norm
  template <class Set>
  void fill(const spread_layout& layout, Mat pattern, const Set& set) {
    if (views_ == nullptr || !(views_->layout == layout))
      views_ = std::make_shared<petsc_views>(layout);
    petsc_calls petsc;
    mat_handle& mat = place_.own();
    if (!mat) petsc(MatDuplicate(pattern, MAT_DO_NOT_COPY_VALUES, mat.fresh()));
    petsc(MatZeroEntries(mat.get()));
    set(mat.get());
    petsc(MatAssemblyBegin(mat.get(), MAT_FINAL_ASSEMBLY));
    petsc(MatAssemblyEnd(mat.get(), MAT_FINAL_ASSEMBLY));
    petsc(MatNorm(mat.get(), NORM_FROBENIUS, &size_));
    size_ /= std::sqrt(static_cast<double>(layout.elements()));
    if (!std::isfinite(size_)) size_ = std::numeric_limits<double>::quiet_NaN();
  }

  /// out = out + J x, or Jᵀ x
  template <bool Transposed>
  void add_to(const spread<double>& x, spread<double>& out) const {
    petsc_calls petsc;
    const placed_vec from(views_->first, x), to(views_->second, out);
    petsc((Transposed ? MatMultTransposeAdd : MatMultAdd)(get(), from, to, to));
  }

 private:
  shared_place<mat_handle> place_;
  std::shared_ptr<const petsc_views> views_;
  double size_ = 0;
};

inline void add_product(const petsc_matrix& a, const spread<double>& x, spread<double>& out) {
  a.add_to<false>(x, out);
}
inline void add_transposed_product(const petsc_matrix& a, const spread<double>& x,
                                   spread<double>& out) {
  a.add_to<true>(x, out);
}

}  // namespace revode
