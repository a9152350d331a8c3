// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/dual.hpp>
#include <revode/ad/faces.hpp>
#include <revode/mpi/halo.hpp>

namespace revode {

/// The block that a field is asked for.
struct block_place {
  index first_row;  ///< of all rows of the problem
  int rows, width;
  index all_rows;

  bool begins() const { return first_row == 0; }
  bool ends() const { return first_row + rows == all_rows; }
  /// Is this row of all one of the block, and which?
  bool holds(index row) const { return first_row <= row && row < first_row + rows; }
  int at(index row) const { return static_cast<int>(row - first_row); }
};
/// Of the b-th block here.
inline block_place place_of(const spread_layout& layout, int b) {
  const spread_shape& s = layout.shape();
  const int first = layout.element_of(b);
  return {layout.first_row() + first / s.width, (layout.element_of(b + 1) - first) / s.width,
          s.width, s.rows};
}

/// The rows of a block and its halos: x(row, column), the first row of the block is 0, the halo before it has
/// rows below 0. Rows beyond the ends of a problem that is not periodic are 0.
template <class T>
struct block_rows {
  T* first;
  int width;

  T& operator()(int row, int column = 0) const { return first[row * width + column]; }
};

/// A face of the field of a block (ad/faces.hpp), which sees the block's place first.
template <class Face, class Local, class T>
concept block_face = requires(const Local& f, const block_place& b, const T& t,
                              block_rows<const T> y, const std::vector<T>& p, block_rows<T> dy) {
  Face::value(f, b, t, y, p, dy);
};

/// The same as one of the block's rows with halos, for derivatives. Nothing depends on dy's halos.
template <class Local, class Face>
struct field_of_block {
  const Local& local;
  block_place at;
  int beyond;

  template <class T>
  void operator()(const T& t, const std::vector<T>& y, const std::vector<T>& p,
                  std::vector<T>& dy) const requires block_face<Face, Local, T> {
    std::fill(dy.begin(), dy.begin() + beyond, T(0));
    std::fill(dy.end() - beyond, dy.end(), T(0));
    Face::value(local, at, t, block_rows<const T>{y.data() + beyond, at.width}, p,
                block_rows<T>{dy.data() + beyond, at.width});
  }
};

/// A field by its blocks, and its faces: what over_blocks is.
template <class Local, class T>
class blocks_rule {
  using elements = std::vector<T>;

 public:
  blocks_rule(const spread_layout& layout, const halo_shape& shape, Local local)
      : local_(std::move(local)),
        halo_(layout, shape),
        of_halos_(halo_.make_borders()) {}

  const spread_layout& layout() const { return halo_.layout(); }

  template <class Face>
  requires block_face<Face, Local, T>
  void value(Face, const T& t, const spread<T>& y, const block_parameters<T>& p,
             spread<T>& dy) const {
    halo_.fill(y, rows_);
    in_blocks(dy, [&](int b) {
      const block_place at = place(b);
      Face::value(local_, at, t, block_rows<const T>{rows(rows_, b), at.width}, values(p),
                  block_rows<T>{dy.data() + layout().element_of(b), at.width});
    });
  }

  /// gt is a number, or shares of blocks.
  template <class Face, class Bar>
  requires block_face<Face, Local, T>
  void pull(Face, const T& t, const spread<T>& y, const block_parameters<T>& p, const spread<T>& w,
            Bar& gt, spread<T>& gy, block_parameters<T>& gp) const {
    halo_.fill(y, rows_);
    if constexpr (gathers<Face>)
      gather<Face>(t, p, w, gt, gy, gp);
    else
      add_back(w, gy, gp, [&](int b) {
        T of_time(0);
        of<Face>().vjp(field<Face>(b), t, y_, values(p), w_, &of_time, result_, of_p_);
        share_of_block(gt, b) += of_time;
      });
  }
  /// The gradient of uᵀ(f_t kt + f_y k), with u, kt and k held, by recording blocks over duals.
  template <class Bar>
  void second(const T& t, const spread<T>& y, const block_parameters<T>& p, const spread<T>& u,
              const T& kt, const spread<T>& k, Bar* gt, spread<T>& gy, block_parameters<T>& gp)
      const requires block_face<whole_face, Local, variable<dual<T, 1>>> {
    halo_.fill(y, rows_);
    halo_.fill(k, others_);
    add_back(u, gy, gp, [&](int b) {
      cut(others_, b, k_);
      T of_time(0);
      of<whole_face>().second(field<whole_face>(b), t, y_, values(p), w_, kt, k_,
                              gt != nullptr ? &of_time : nullptr, result_, of_p_);
      if (gt != nullptr) share_of_block(*gt, b) += of_time;
    });
  }

  template <class Face>
  requires block_face<Face, Local, T>
  void push(Face, const T& t, const spread<T>& y, const block_parameters<T>& p, const T& dt,
            const spread<T>& dy, const block_parameters<T>& dp, spread<T>& out) const {
    halo_.fill(y, rows_);
    halo_.fill(dy, others_);
    const elements direction(dp.data(), dp.data() + dp.count());
    in_blocks(out, [&](int b) {
      cut(rows_, b, y_);
      cut(others_, b, w_);
      result_.resize(y_.size());
      of<Face>().jvp(field<Face>(b), t, y_, values(p), dt, w_, direction, result_);
      const T* from = result_.data() + halo_.elements();
      std::copy(from, from + length_of(b), out.data() + layout().element_of(b));
    });
  }

 private:
  template <class Face>
  static constexpr bool gathers = requires(const Local& f, const block_place& b, const T& t,
                                           block_rows<const T> y, const elements& p, T& gt,
                                           block_rows<T> gy, std::span<T> gp) {
    Face::vjp(f, b, t, y, p, y, gt, gy, gp);
  };
  template <class Face>
  struct no_face {};
  template <class Face>
  using derivatives_of_face =
      std::conditional_t<block_face<Face, Local, T>,
                         derivatives<field_of_block<Local, Face>, elements, elements>,
                         no_face<Face>>;
  template <class Face>
  auto& of() const {
    return std::get<derivatives_of_face<Face>>(derivatives_);
  }

  /// The blocks here, one after the other; where one throws, what comes out is NaN.
  template <class Body>
  void in_blocks(spread<T>& out, const Body& body) const {
    const bool ran = layout().alone([&] {
      for (int b = 0; b < layout().block_count(); ++b) body(b);
    });
    if (!ran) fill(out, std::numeric_limits<T>::quiet_NaN());
  }
  block_place place(int b) const { return place_of(layout(), b); }
  template <class Face>
  field_of_block<Local, Face> field(int b) const {
    return {local_, place(b), halo_.elements()};
  }
  int length_of(int b) const { return layout().element_of(b + 1) - layout().element_of(b); }
  /// The first row of a block among all with halos.
  const T* rows(const elements& all, int b) const {
    return all.data() + halo_.elements() + layout().element_of(b);
  }
  /// A block with its halos.
  void cut(const elements& all, int b, elements& block) const {
    const T* from = rows(all, b) - halo_.elements();
    block.assign(from, from + length_of(b) + 2 * halo_.elements());
  }
  const elements& values(const block_parameters<T>& p) const {
    p_.assign(p.data(), p.data() + p.count());
    return p_;
  }

  template <class Face, class Bar>
  void gather(const T& t, const block_parameters<T>& p, const spread<T>& w, Bar& gt, spread<T>& gy,
              block_parameters<T>& gp) const {
    halo_.fill(w, others_);
    in_blocks(gy, [&](int b) {
      const block_place at = place(b);
      const auto view = [&](const elements& all) {
        return block_rows<const T>{rows(all, b), at.width};
      };
      T of_time(0);
      Face::vjp(local_, at, t, view(rows_), values(p), view(others_), of_time,
                block_rows<T>{gy.data() + layout().element_of(b), at.width}, gp.of_block(b));
      share_of_block(gt, b) += of_time;
    });
  }

  /// pull(b): what the weights w_ of block b, whose rows with halos are y_, say of these and of p.
  template <class Pull>
  void add_back(const spread<T>& w, spread<T>& gy, block_parameters<T>& gp,
                const Pull& pull) const {
    const int beyond = halo_.elements();
    in_blocks(gy, [&](int b) {
      const int n = length_of(b), at = layout().element_of(b);
      cut(rows_, b, y_);
      w_.assign(y_.size(), T(0));
      std::copy(w.data() + at, w.data() + at + n, w_.data() + beyond);
      result_.assign(y_.size(), T(0));
      of_p_.assign(static_cast<std::size_t>(gp.count()), T(0));
      pull(b);
      const T* from = result_.data();
      std::copy(from, from + beyond, of_halos_.before.data() + b * beyond);
      std::copy(from + beyond + n, from + n + 2 * beyond, of_halos_.behind.data() + b * beyond);
      for (int i = 0; i < n; ++i) gy[at + i] += from[beyond + i];
      for (int j = 0; j < gp.count(); ++j)
        gp.of_block(b)[static_cast<std::size_t>(j)] += of_p_[static_cast<std::size_t>(j)];
    });
    halo_.add(of_halos_, gy);
  }

  Local local_;
  halo<T> halo_;
  // Room for the call at hand.
  mutable typename halo<T>::borders of_halos_;
  mutable elements rows_, others_, y_, w_, k_, result_, p_, of_p_;
  mutable std::tuple<derivatives_of_face<whole_face>, derivatives_of_face<implicit_face>,
                     derivatives_of_face<explicit_face>>
      derivatives_{};
};

/// A field of a spread state, given by what it is in one block:
///
///   struct heat {
///     template <class T, class P>
///     void operator()(const block_place& b, const T&, block_rows<const T> y, const P& p,
///                     block_rows<T> dy) const {
///       for (int i = 0; i < b.rows; ++i) dy(i) = p[0] * (y(i - 1) - 2 * y(i) + y(i + 1));
///     }
///   };
///   const auto f = over_blocks(layout, {.rows = 1, .periodic = true}, heat{});
///   const problem q{f, y0, 0.0, 1.0, block_parameters(layout, {0.1})};
///
/// Halos are exchanged here, before the blocks are asked one by one. p is a std::vector.
/// derivatives  by recording a block where the field is generic, as above, and adding what it says of halos to
///              their owners (the transpose of the exchange); or in gathered form, by the field's own
///              `vjp(b, t, y, p, w, gt, gy, gp)`, which sees halos of y and w and adds wᵀ ∂f/∂y of its own
///              rows to gy. Products J v by duals. Bits do not depend on the number of ranks in any form
/// parts        `implicit_part(b, t, y, p, dy)` and `explicit_part`, where it has them, for IMEX methods
/// errors       what the field throws in a block on some rank is thrown by the solve on all of them, and nobody
///              waits. The field of a block does not communicate
/// cost         a call: a copy of the part, an exchange of halos; a vjp: two of each
/// memory       two parts, two halos a block, a block's recording. Calls of one object are one after the other
template <class Local, class T = double>
class over_blocks : public field_by<blocks_rule<Local, T>> {
 public:
  over_blocks(const spread_layout& layout, const halo_shape& shape, Local local)
      : field_by<blocks_rule<Local, T>>{{layout, shape, std::move(local)}} {}
};

template <class Local>
over_blocks(const spread_layout&, const halo_shape&, Local) -> over_blocks<Local, double>;

}  // namespace revode
