// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/nn/dense_layer.hpp>
#include <revode/nn/module/whole_samples.hpp>

namespace revode::nn {

/// errors  std::invalid_argument: another number than the module, or what it was called with, has
inline void expect_as_many(const char* what, index given, index wanted) {
  if (given != wanted)
    throw std::invalid_argument(std::to_string(given) + " " + what + " (the module has " +
                                std::to_string(wanted) + ") give as many?");
}

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
  explicit module_call(Module module) : module_(std::move(module)) { expect_widths(module_); }

  /// x and p are referred to until the last pull or push of this call; the result lies here until
  /// the next.
  template <class X, class P>
  columns_view<const S> operator()(const X& x, const P& p) {
    samples_ = whole_samples("input", x, module_.inputs());
    expect_as_many("parameters", static_cast<index>(p.size()), module_.parameters());
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
  void pull(const W& w, GX&& gx, GP&& gp) {
    expect_as_many("cotangents", static_cast<index>(w.size()), y_.size());
    expect_as_many("cotangents of the input", static_cast<index>(gx.size()),
                   module_.inputs() * samples_);
    expect_as_many("cotangents of parameters", static_cast<index>(gp.size()), module_.parameters());
    for (index i = 0; i < w_.size(); ++i) w_[i] = w.data()[i];
    module_.pull(input(), p_, static_cast<const S*>(kept_.data()),
                 columns_view<S>(w_.data(), module_.outputs(), samples_), gx.data(), gp.data(),
                 work_.data());
  }

  /// The tangent of the result, which lies here until the next pull or push.
  template <class DX, class DP>
  columns_view<const S> push(const DX& dx, const DP& dp) {
    expect_as_many("tangents of the input", static_cast<index>(dx.size()),
                   module_.inputs() * samples_);
    expect_as_many("tangents of parameters", static_cast<index>(dp.size()), module_.parameters());
    const S* moves = dx.data();
    const S* of_p = dp.data();
    module_.push(input(), p_, static_cast<const S*>(kept_.data()),
                 columns_view<const S>(moves, module_.inputs(), samples_), of_p,
                 columns_view<S>(w_.data(), module_.outputs(), samples_), work_.data());
    return {w_.data(), module_.outputs(), samples_};
  }

 private:
  columns_view<const S> input() const { return {x_, module_.inputs(), samples_}; }

  Module module_;
  index samples_ = 0;
  const S* x_ = nullptr;
  const S* p_ = nullptr;
  numbers y_, w_, kept_, work_;
};

/// In which order a series is read.
enum class reading { forwards, backwards };

/// A recurrent cell led along what was seen of each sample, an encoder say: h ← cell(x; h) from h = 0, point
/// by point, for samples with any numbers of points, at times of their own.
///   series_call<double, gru_cell> encoder(gru_cell{2, 16}, reading::backwards);
///   const auto h = encoder(seen, points, p);       // 16 × samples
///   encoder.pull(w, g_seen, gp);                   // g_seen = …, gp += …, of the last call
/// shapes  points[j]: how many points sample j has, maybe none; seen: (inputs − outputs of the cell) × all
///         points, a sample's beside each other and samples in order, as batch_solution::ys lies
/// cost    one call of the cell for the points with number k of all samples that have so many; the columns
///         evaluated are the points. Nothing is allocated after the largest call so far
/// errors  std::invalid_argument: no samples, a number of points below 0, another number of observations,
///         p of another length; pull with an array of another size
template <class S, class Cell>
class series_call {
  using numbers = Eigen::Matrix<S, Eigen::Dynamic, 1>;

 public:
  explicit series_call(Cell cell, reading order = reading::forwards)
      : cell_(std::move(cell)),
        order_(order) {
    expect_widths(cell_);
  }

  /// p is referred to until the last pull of this call; the result lies here until the next.
  template <class X, class P>
  columns_view<const S> operator()(const X& seen, const std::vector<index>& points, const P& p) {
    lay_out(points);
    expect_as_many("observations", static_cast<index>(seen.size()), observed() * columns());
    if (columns() > 0) static_cast<void>(whole_samples("observations", seen, observed()));
    expect_as_many("parameters", static_cast<index>(p.size()), cell_.parameters());
    p_ = p.data();
    fit(x_, cell_.inputs() * columns());
    fit(kept_, cell_.kept() * columns());
    fit(work_, (cell_.work() + cell_.inputs() + hidden()) * samples_);
    const index states = hidden() * samples_;
    fit(h_, states);
    for (index i = 0; i < states; ++i) h_[i] = S(0);
    for (std::size_t k = 0; k + 1 < first_.size(); ++k) {
      for (index i = first_[k]; i < first_[k + 1]; ++i) {
        S* x = x_.data() + i * cell_.inputs();
        copy_to(x, seen.data() + at(i).point * observed(), observed());
        copy_to(x + observed(), h_.data() + at(i).sample * hidden(), hidden());
      }
      cell_.forward(input(k), p_, output(k), kept(k), true);
      for (index i = first_[k]; i < first_[k + 1]; ++i)
        copy_to(h_.data() + at(i).sample * hidden(), output(k).data() + (i - first_[k]) * hidden(),
                hidden());
    }
    return {h_.data(), hidden(), samples_};
  }

  template <class W, class G, class GP>
  void pull(const W& w, G&& g_seen, GP&& gp) {
    expect_as_many("cotangents", static_cast<index>(w.size()), hidden() * samples_);
    expect_as_many("cotangents of observations", static_cast<index>(g_seen.size()),
                   observed() * columns());
    expect_as_many("cotangents of parameters", static_cast<index>(gp.size()), cell_.parameters());
    fit(g_, hidden() * samples_);
    copy_to(g_.data(), w.data(), hidden() * samples_);
    for (std::size_t k = first_.size() - 1; k-- > 0;) {
      for (index i = first_[k]; i < first_[k + 1]; ++i)
        copy_to(output(k).data() + (i - first_[k]) * hidden(), g_.data() + at(i).sample * hidden(),
                hidden());
      S* const gx = work_.data() + hidden() * samples_;
      cell_.pull(input(k), p_, static_cast<const S*>(kept(k)), output(k), gx, gp.data(),
                 gx + cell_.inputs() * samples_);
      for (index i = first_[k]; i < first_[k + 1]; ++i) {
        const S* of_x = gx + (i - first_[k]) * cell_.inputs();
        copy_to(g_seen.data() + at(i).point * observed(), of_x, observed());
        copy_to(g_.data() + at(i).sample * hidden(), of_x + observed(), hidden());
      }
    }
  }

 private:
  struct place {
    index sample, point;
  };

  index hidden() const { return cell_.outputs(); }
  index observed() const { return cell_.inputs() - cell_.outputs(); }
  index columns() const { return static_cast<index>(places_.size()); }
  const place& at(index i) const { return places_[static_cast<std::size_t>(i)]; }

  /// Which points are read in which call: those of call k are places_[first_[k]] … places_[first_[k + 1] − 1].
  void lay_out(const std::vector<index>& points) {
    samples_ = static_cast<index>(points.size());
    if (samples_ == 0)
      throw std::invalid_argument(
          "series of 0 samples (there is nothing to read) give one or more?");
    index longest = 0;
    for (const index n : points) {
      if (n < 0)
        throw std::invalid_argument("a series of " + std::to_string(n) +
                                    " points (it has none or more) count them again?");
      longest = std::max(longest, n);
    }
    places_.clear();
    first_.assign(1, 0);
    for (index k = 0; k < longest; ++k) {
      index before = 0;
      for (index j = 0; j < samples_; ++j) {
        const index n = points[static_cast<std::size_t>(j)];
        if (k < n) places_.push_back({j, before + (order_ == reading::forwards ? k : n - 1 - k)});
        before += n;
      }
      first_.push_back(columns());
    }
  }

  index width(std::size_t k) const { return first_[k + 1] - first_[k]; }
  columns_view<const S> input(std::size_t k) const {
    return {x_.data() + first_[k] * cell_.inputs(), cell_.inputs(), width(k)};
  }
  columns_view<S> output(std::size_t k) { return {work_.data(), hidden(), width(k)}; }
  S* kept(std::size_t k) { return kept_.data() + first_[k] * cell_.kept(); }

  static void fit(numbers& x, index size) {
    if (x.size() < size) x.resize(size);
  }
  template <class From>
  static void copy_to(S* to, const From* from, index n) {
    for (index i = 0; i < n; ++i) to[i] = from[i];
  }

  Cell cell_;
  reading order_;
  index samples_ = 0;
  const S* p_ = nullptr;
  std::vector<place> places_;
  std::vector<index> first_{0};
  numbers x_, h_, g_, kept_, work_;
};

}  // namespace revode::nn
