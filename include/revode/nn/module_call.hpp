// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <revode/nn/dense_layer.hpp>

namespace revode::nn {

/// A module called outside of a field, an encoder or a decoder say, with the memory of its calls:
///   module_call<double, gru_cell> cell(gru_cell{2, 16});
///   const auto h = cell(x, p);          // samples as columns
///   cell.pull(w, gx, gp);               // gx = Jᵀ w, gp += …, of the last call
/// cost    one forward pass with slopes a call; nothing is allocated after the first of a size
/// errors  std::invalid_argument: an input that is no whole number of samples or none, p of another
///         length; pull or push with an array of another size
template <class S, class Module>
class module_call {
  using numbers = Eigen::Matrix<S, Eigen::Dynamic, 1>;

 public:
  explicit module_call(Module module) : module_(std::move(module)) {}

  /// x and p are referred to until the last pull or push of this call; the result lies here until
  /// the next.
  template <class X, class P>
  columns_view<const S> operator()(const X& x, const P& p) {
    const auto size = static_cast<index>(x.size());
    if (size == 0 || size % module_.inputs() != 0)
      throw std::invalid_argument("input of " + std::to_string(size) + " numbers (a sample has " +
                                  std::to_string(module_.inputs()) +
                                  ", and there is at least one) give a whole number of samples?");
    expect("parameters", static_cast<index>(p.size()), module_.parameters());
    samples_ = size / module_.inputs();
    x_ = x.data();
    p_ = p.data();
    y_.resize(module_.outputs() * samples_);
    w_.resize(y_.size());
    kept_.resize(module_.kept() * samples_);
    work_.resize(module_.work() * samples_);
    module_.forward(input(), p_, columns_view<S>(y_.data(), module_.outputs(), samples_),
                    kept_.data(), true);
    return {y_.data(), module_.outputs(), samples_};
  }

  template <class W, class GX, class GP>
  void pull(const W& w, GX& gx, GP& gp) {
    expect("cotangents", static_cast<index>(w.size()), y_.size());
    expect("cotangents of the input", static_cast<index>(gx.size()), module_.inputs() * samples_);
    expect("cotangents of parameters", static_cast<index>(gp.size()), module_.parameters());
    for (index i = 0; i < w_.size(); ++i) w_[i] = w.data()[i];
    module_.pull(input(), p_, static_cast<const S*>(kept_.data()),
                 columns_view<S>(w_.data(), module_.outputs(), samples_), gx.data(), gp.data(),
                 work_.data());
  }

  /// The tangent of the result, which lies here until the next pull or push.
  template <class DX, class DP>
  columns_view<const S> push(const DX& dx, const DP& dp) {
    expect("tangents of the input", static_cast<index>(dx.size()), module_.inputs() * samples_);
    expect("tangents of parameters", static_cast<index>(dp.size()), module_.parameters());
    const S* moves = dx.data();
    const S* of_p = dp.data();
    module_.push(input(), p_, static_cast<const S*>(kept_.data()),
                 columns_view<const S>(moves, module_.inputs(), samples_), of_p,
                 columns_view<S>(w_.data(), module_.outputs(), samples_), work_.data());
    return {w_.data(), module_.outputs(), samples_};
  }

 private:
  static void expect(const char* what, index given, index wanted) {
    if (given != wanted)
      throw std::invalid_argument(std::to_string(given) + " " + what + " (the module has " +
                                  std::to_string(wanted) + ") give as many?");
  }
  columns_view<const S> input() const { return {x_, module_.inputs(), samples_}; }

  Module module_;
  index samples_ = 0;
  const S* x_ = nullptr;
  const S* p_ = nullptr;
  numbers y_, w_, kept_, work_;
};

}  // namespace revode::nn
