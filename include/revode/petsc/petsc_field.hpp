// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscdm.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/petsc/petsc_matrix.hpp>

namespace revode {

/// A field, or a part of one, by functions on PETSc's objects, which return a PetscErrorCode (0: all is
/// well) or throw. p is known to every rank; dy, out, gy are zeros when they are given.
///   value(t, y, p, dy)                      dy = f
///   jacobian(t, y, p, J)                    J = ∂f/∂y, set at the places of `matrix`, which are zeros. The
///                                           assembly may be left to the caller
///   parameter_vjp(t, y, p, w, gt, gp)       adds wᵀ∂f/∂t to gt and wᵀ∂f/∂p to gp, of the elements here.
///                                           Absent: there are no parameters, and f does not depend on t
///   state_vjp(t, y, p, w, gy)               gy = (∂f/∂y)ᵀ w; absent: by the Jacobian's matrix
///   state_jvp(t, y, p, v, out)              out = (∂f/∂y) v; likewise
/// With `halos`, a DM, y, w and v come as its local Vecs, with what neighbours hold; then these functions do
/// not communicate, and what one of them throws on one rank ends the solve on all. Without, they exchange
/// what they need by themselves, and may not throw on one rank before they have.
struct petsc_callbacks {
  using parameters = std::span<const double>;
  std::function<PetscErrorCode(double, Vec, parameters, Vec)> value{};
  std::function<PetscErrorCode(double, Vec, parameters, Mat)> jacobian{};
  std::function<PetscErrorCode(double, Vec, parameters, Vec, double&, std::span<double>)>
      parameter_vjp{};
  std::function<PetscErrorCode(double, Vec, parameters, Vec, Vec)> state_vjp{}, state_jvp{};
  Mat matrix = nullptr;  ///< where ∂f/∂y has elements, its diagonal among them
  DM halos = nullptr;
};

/// One such field on the states of a layout.
class petsc_part {
  using state = spread<double>;
  using parameters = petsc_callbacks::parameters;

 public:
  petsc_part(const spread_layout& layout, petsc_callbacks calls)
      : it_(std::make_shared<place>(layout, std::move(calls))) {
    PetscInt of_halos = static_cast<PetscInt>(layout.size());
    if (const DM dm = it_->halos.get(); dm != nullptr) {
      petsc_calls petsc;
      Vec like = nullptr;
      petsc(DMGetGlobalVector(dm, &like));
      petsc(VecGetLocalSize(like, &of_halos));
      petsc(DMRestoreGlobalVector(dm, &like));
    }
    together(layout.ranks(), [&] { check(of_halos); });
  }

  const spread_layout& layout() const { return it_->layout; }

  void value(double t, const state& y, parameters p, state& dy) const {
    call(dy, y, nullptr, [&](Vec at, Vec, Vec out) { return it_->calls.value(t, at, p, out); });
  }
  void matrix(double t, const state& y, parameters p, petsc_matrix& j) const {
    const auto& of = it_->calls;
    if (!of.jacobian)
      throw std::invalid_argument(
          "the Jacobian of a petsc_callbacks without one (implicit steps, and products that no "
          "callback makes, are by its matrix) give .jacobian and .matrix?");
    const halo_vec at(*it_, it_->y, y);
    const auto set = [&](Mat to) { guarded([&] { return of.jacobian(t, at.vec, p, to); }); };
    look_at_pattern(set);
    j.fill(layout(), it_->matrix.get(), set);
  }
  /// gy += (∂f/∂y)ᵀ w
  void pull_state(double t, const state& y, parameters p, const state& w, state& gy) const {
    if (it_->calls.state_vjp) {
      state& of = it_->result;
      call(of, y, &w,
           [&](Vec at, Vec v, Vec out) { return it_->calls.state_vjp(t, at, p, v, out); });
      add(of, gy);
    } else {
      matrix(t, y, p, it_->products);
      add_transposed_product(it_->products, w, gy);
    }
  }
  void pull_parameters(double t, const state& y, parameters p, const state& w, double& gt,
                       std::span<double> gp) const {
    if (!it_->calls.parameter_vjp) {
      if (gp.empty()) return;
      throw std::invalid_argument(
          "a gradient of parameters through petsc_callbacks without .parameter_vjp (it would be 0, "
          "which is for the field to say) give one, which may add nothing?");
    }
    const halo_vec at(*it_, it_->y, y);
    const placed_vec from(it_->w, w);
    guarded([&] { return it_->calls.parameter_vjp(t, at.vec, p, from, gt, gp); });
  }
  /// out = (∂f/∂y) v
  void push(double t, const state& y, parameters p, const state& v, state& out) const {
    if (it_->calls.state_jvp) {
      call(out, y, &v,
           [&](Vec at, Vec of, Vec to) { return it_->calls.state_jvp(t, at, p, of, to); });
    } else {
      matrix(t, y, p, it_->products);
      fill(out, 0.0);
      add_product(it_->products, v, out);
    }
  }

 private:
  struct place {
    spread_layout layout;
    petsc_callbacks calls;
    vec_view y, w, out;
    mat_handle matrix;
    petsc_handle<DM, DMDestroy> halos;
    state result;
    petsc_matrix products;
    bool looked_at = false;

    place(const spread_layout& of, petsc_callbacks given)
        : layout(of),
          calls(std::move(given)),
          y(of),
          w(of),
          out(of),
          result(of) {
      matrix.share(calls.matrix);
      halos.share(calls.halos);
    }
  };

  /// An argument as callbacks see it: with halos where there is a DM.
  struct halo_vec {
    const placed_vec placed;
    DM of;
    Vec vec = nullptr;
    halo_vec(const place& at, const vec_view& view, const state& x)
        : placed(view, x),
          of(at.halos.get()),
          vec(placed) {
      if (of == nullptr) return;
      petsc_calls petsc;
      petsc(DMGetLocalVector(of, &vec));
      petsc(DMGlobalToLocal(of, placed, INSERT_VALUES, vec));
    }
    halo_vec(const halo_vec&) = delete;
    halo_vec& operator=(const halo_vec&) = delete;
    ~halo_vec() {
      if (of != nullptr) DMRestoreLocalVector(of, &vec);
    }
  };

  /// Calls on every rank, also where one has thrown before: others may wait in it. False: it threw here.
  template <class Body>
  bool guarded(const Body& body) const {
    const thrown_words words = words_of([&] {
      petsc_calls petsc;
      petsc(body());
    });
    if (words) layout().alone([&] { words.raise(); });
    return !words;
  }
  template <class Body>
  void call(state& to, const state& y, const state* v, const Body& body) const {
    fill(to, 0.0);
    const halo_vec at(*it_, it_->y, y);
    bool ran;
    {
      const placed_vec out(it_->out, to);
      if (v != nullptr) {
        const halo_vec along(*it_, it_->w, *v);
        ran = guarded([&] { return body(at.vec, along.vec, out); });
      } else {
        ran = guarded([&] { return body(at.vec, nullptr, out); });
      }
    }
    if (!ran) fill(to, std::numeric_limits<double>::quiet_NaN());
  }

  /// Before the first Jacobian. A matrix that was given its memory alone has the places that this one sets.
  template <class Set>
  void look_at_pattern(const Set& set) const {
    if (std::exchange(it_->looked_at, true)) return;
    petsc_calls petsc;
    const Mat pattern = it_->matrix.get();
    PetscBool there = PETSC_FALSE;
    petsc(MatAssembled(pattern, &there));
    if (there == PETSC_FALSE) {
      set(pattern);
      petsc(MatAssemblyBegin(pattern, MAT_FINAL_ASSEMBLY));
      petsc(MatAssemblyEnd(pattern, MAT_FINAL_ASSEMBLY));
    }
    together(layout().ranks(), [&] {
      PetscBool lacks = PETSC_FALSE;
      PetscInt row = 0;
      petsc(MatMissingDiagonal(pattern, &lacks, &row));
      if (lacks == PETSC_TRUE)
        throw std::invalid_argument("a Mat without a place for its element (" +
                                    std::to_string(row) + ", " + std::to_string(row) +
                                    ") here (systems are s I − J) set a 0 there?");
    });
  }

  void check(PetscInt of_halos) const {
    const auto& of = it_->calls;
    if (!of.value)
      throw std::invalid_argument(
          "petsc_callbacks without .value (it is the field itself) give (t, y, p, dy) → dy?");
    if (!of.jacobian != (of.matrix == nullptr))
      throw std::invalid_argument(
          std::string("petsc_callbacks with ") +
          (of.jacobian ? ".jacobian and no .matrix" : ".matrix and no .jacobian") +
          " (the one says where the other has elements) give both?");
    petsc_calls petsc;
    const auto compare = [&](const char* what, PetscInt here) {
      if (static_cast<std::size_t>(here) != layout().size())
        throw std::invalid_argument(std::string(what) + " of " + std::to_string(here) +
                                    " rows here for a part of " + std::to_string(layout().size()) +
                                    " (they lie as the layout says) make both of one DM?");
    };
    compare("a DM", of_halos);
    if (of.matrix != nullptr) {
      PetscInt rows = 0, columns = 0;
      petsc(MatGetLocalSize(of.matrix, &rows, &columns));
      compare("a Mat", rows);
      compare("a Mat, by columns,", columns);
    }
  }

  std::shared_ptr<place> it_;
};

/// A face of the sum of N parts.
template <class Face, std::size_t N>
concept petsc_face = std::same_as<Face, whole_face> ||
    (N == 2 && (std::same_as<Face, implicit_face> || std::same_as<Face, explicit_face>));

/// A field of N parts (1: itself; 2: the implicit and the explicit one, whose sum it is), and its faces.
template <std::size_t N>
class petsc_rule {
 public:
  petsc_rule(const spread_layout& layout, std::array<petsc_callbacks, N> calls)
      : parts_([&]<std::size_t... I>(std::index_sequence<I...>) {
          return std::array<petsc_part, N>{petsc_part(layout, std::move(calls[I]))...};
        }(std::make_index_sequence<N>())),
        sum_(layout) {}

  const spread_layout& layout() const { return parts_[0].layout(); }

  template <petsc_face<N> Face, std::floating_point T, class P>
  void value(Face, const T& t, const spread<T>& y, const P& p, spread<T>& dy) const {
    static_assert(
        std::is_same_v<T, double>,
        "a state over PETSc that is not spread<double> (its numbers are double) take that?");
    add_parts<Face>(dy, [&](const petsc_part& f, spread<T>& to) { f.value(t, y, span_of(p), to); });
  }
  template <petsc_face<N> Face, class P>
  void pull(Face, double t, const spread<double>& y, const P& p, const spread<double>& w,
            double& gt, spread<double>& gy, P& gp) const {
    for (const petsc_part& f : of<Face>()) {
      f.pull_state(t, y, span_of(p), w, gy);
      f.pull_parameters(t, y, span_of(p), w, gt, span_of(gp));
    }
  }
  template <petsc_face<N> Face, class P>
  void push(Face, double t, const spread<double>& y, const P& p, double dt,
            const spread<double>& dy, const P& dp, spread<double>& out) const {
    if (dt != 0 || std::any_of(dp.data(), dp.data() + dp.size(), [](double x) { return x != 0; }))
      throw std::invalid_argument(
          "a tangent of t or p through PETSc's callbacks (they know products with the Jacobian "
          "alone) take the gradient?");
    add_parts<Face>(
        out, [&](const petsc_part& f, spread<double>& to) { f.push(t, y, span_of(p), dy, to); });
  }
  template <petsc_face<N> Face, class P>
  requires(N == 1 ||
           !std::same_as<Face, whole_face>) void matrix(Face, double t, const spread<double>& y,
                                                        const P& p, petsc_matrix& j) const {
    of<Face>()[0].matrix(t, y, span_of(p), j);
  }

 private:
  template <class Face>
  std::span<const petsc_part> of() const {
    const std::span<const petsc_part> all(parts_);
    if constexpr (std::is_same_v<Face, whole_face>) return all;
    return all.subspan(std::is_same_v<Face, explicit_face> ? 1 : 0, 1);
  }
  template <class Face, class Call>
  void add_parts(spread<double>& to, const Call& call) const {
    const auto parts = of<Face>();
    call(parts[0], to);
    for (const petsc_part& f : parts.subspan(1)) {
      call(f, sum_);
      add(sum_, to);
    }
  }
  /// The parameters, or room for their cotangents here.
  template <class P>
  static auto span_of(P& p) {
    if constexpr (requires { p.of_block(0); })
      return p.of_block(0);
    else
      return std::span(p.data(), static_cast<std::size_t>(p.size()));
  }

  std::array<petsc_part, N> parts_;
  mutable spread<double> sum_;
};

/// y' = f(t, y, p) of a spread state by PETSc's callbacks:
///
///   const spread_layout layout = layout_of(u);   // a Vec, as a DM gives it
///   const petsc_field f(layout, {.value = right_side, .jacobian = jacobian, .matrix = j, .halos = da});
///   const problem q{f, state_of(layout, u), 0.0, 1.0, block_parameters<double>(layout, {0.1})};
///
/// A TS that is set up already serves: .value = [&](double t, Vec y, auto, Vec dy) { return
/// TSComputeRHSFunction(ts, t, y, dy); }. Explicit methods take no matrix where there is state_vjp.
/// cost    a call: an exchange of halos; a vjp without state_vjp: a Jacobian
/// memory  two vectors and, where products are by it, a matrix
/// errors  std::invalid_argument, on every rank: callbacks that are missing, a matrix of other rows
class petsc_field : public field_by<petsc_rule<1>> {
 public:
  petsc_field(const spread_layout& layout, petsc_callbacks calls)
      : field_by<petsc_rule<1>>{{layout, {std::move(calls)}}} {}
};

/// The same as a sum, for implicit–explicit methods: the first part is the stiff one, and has the Jacobian.
class petsc_split_field : public field_by<petsc_rule<2>> {
 public:
  petsc_split_field(const spread_layout& layout, petsc_callbacks implicit_part,
                    petsc_callbacks explicit_part)
      : field_by<petsc_rule<2>>{{layout, {std::move(implicit_part), std::move(explicit_part)}}} {}
};

}  // namespace revode
