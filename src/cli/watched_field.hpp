// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cli/progress.hpp>
#include <revode/problems/erased_field.hpp>

namespace revode::cli {

/// A named problem's field with all its derivatives, watched by a progress line where there is one.
class watched_field {
 public:
  explicit watched_field(const erased_field& f, progress* line = nullptr) : f_(&f), line_(line) {}

  template <class T, class V>
  void operator()(const T& t, const V& y, const V& p, V& dy) const requires
      requires(const erased_field& f) {
    f(t, y, p, dy);
  }
  {
    if (line_ != nullptr) line_->forward(value_of(t));
    (*f_)(t, y, p, dy);
  }

  template <class T, class V>
  void vjp(const T& t, const V& y, const V& p, const V& w, T& gt, V& gy, V& gp) const requires
      requires(const erased_field& f) {
    f.vjp(t, y, p, w, gt, gy, gp);
  }
  {
    if (line_ != nullptr) line_->reverse(value_of(t));
    f_->vjp(t, y, p, w, gt, gy, gp);
  }

  template <class T, class V>
  void jvp(const T& t, const V& y, const V& p, const T& dt, const V& dy, const V& dp,
           V& out) const requires requires(const erased_field& f) {
    f.jvp(t, y, p, dt, dy, dp, out);
  }
  { f_->jvp(t, y, p, dt, dy, dp, out); }

  template <class V, class J>
  void jacobian(double t, const V& y, const V& p, J& j) const {
    f_->jacobian(t, y, p, j);
  }

 private:
  const erased_field* f_;
  progress* line_;
};

}  // namespace revode::cli
