// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/erased_model.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solve/split.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// Any field f(t, y, p, dy) behind one type, over vectors of dynamic length: what is compiled once
/// for all problems takes this. It has every derivative that f has, by value and over one dual
/// direction (whence second derivatives), through `derivatives<F, …>`.
/// cost    one virtual call an evaluation; a copy makes one small allocation; arrays and the
///         recording are allocated at the first derivative and kept
/// threads a copy shares nothing with its original; one object serves one thread at a time, const
///         or not, since its derivatives work in its own memory
/// Its faces are the whole and, of a field that is there as a sum (solve/split.hpp), both parts.
/// errors  one of M y' = f is solved as an erased_massive_field (erased_massive_field.hpp): whoever calls it
///         as if it said y' = f gets std::invalid_argument, and so does whoever asks for parts that are not there
class erased_field {
 public:
  using vector = erased_model::vector;
  using matrix = erased_model::matrix;
  using push_scalar = erased_model::push_scalar;
  using push_vector = erased_model::push_vector;
  using entry_list = erased_model::entry_list;

  template <class F>
  requires(!std::same_as<F, erased_field>) explicit erased_field(F f)
      : model_(held(std::move(f))) {}
  /// M y' = f with this M, and elements of y of these indices, all 1 if there are none.
  erased_field(const erased_field& f, mass_entries m, std::vector<int> index = {})
      : model_(std::make_unique<erased_guard>(f.model_->bare(), std::move(m), std::move(index))) {}

  erased_field(const erased_field& other) : model_(other.model_->fresh()) {}
  erased_field(erased_field&&) noexcept = default;
  erased_field& operator=(erased_field other) noexcept {
    model_ = std::move(other.model_);
    return *this;
  }

  /// It says M y' = f.
  bool has_mass() const { return model_->guarded() != nullptr; }
  /// Elements of y are of index 2 or 3.
  bool has_higher_index() const {
    return has_mass() && highest_index(model_->guarded()->index) > 1;
  }
  /// It is there as a sum of parts.
  bool has_parts() const { return model_->part(true) != nullptr; }

  /// dy = f(t, y, p)
  void operator()(double t, const vector& y, const vector& p, vector& dy) const {
    model_->call(t, y, p, dy);
  }
  void operator()(const push_scalar& t, const push_vector& y, const push_vector& p,
                  push_vector& dy) const {
    model_->call(t, y, p, dy);
  }

  /// Adds wᵀ∂f/∂t to gt, wᵀ∂f/∂y to gy, wᵀ∂f/∂p to gp (gp of length 0: nothing is done for p).
  void vjp(double t, const vector& y, const vector& p, const vector& w, double& gt, vector& gy,
           vector& gp) const {
    model_->vjp(t, y, p, w, gt, gy, gp);
  }
  void vjp(const push_scalar& t, const push_vector& y, const push_vector& p, const push_vector& w,
           push_scalar& gt, push_vector& gy, push_vector& gp) const {
    model_->vjp(t, y, p, w, gt, gy, gp);
  }

  /// out = ∂f/∂t dt + ∂f/∂y dy + ∂f/∂p dp (dp of length 0: p stands still)
  void jvp(double t, const vector& y, const vector& p, double dt, const vector& dy,
           const vector& dp, vector& out) const {
    model_->jvp(t, y, p, dt, dy, dp, out);
  }
  void jvp(const push_scalar& t, const push_vector& y, const push_vector& p, const push_scalar& dt,
           const push_vector& dy, const push_vector& dp, push_vector& out) const {
    model_->jvp(t, y, p, dt, dy, dp, out);
  }

  /// jac(i, j) = ∂f_i/∂y_j, for anything with two indices; through a copy unless it is a MatrixXd.
  template <class J>
  void jacobian(double t, const vector& y, const vector& p, J& jac) const {
    if constexpr (std::same_as<J, matrix>) {
      jac.resize(y.size(), y.size());
      model_->jacobian(t, y, p, jac);
    } else {
      matrix& copy = model_->jacobian_copy;
      copy.resize(y.size(), y.size());
      model_->jacobian(t, y, p, copy);
      for (int i = 0; i < length(y); ++i)
        for (int j = 0; j < length(y); ++j) jac(i, j) = copy(i, j);
    }
  }

  // The same of its parts.
  template <class... A>
  auto implicit_part(A&&... a) const -> decltype(std::declval<const erased_field&>()(a...)) {
    return part(true)(a...);
  }
  template <class... A>
  auto explicit_part(A&&... a) const -> decltype(std::declval<const erased_field&>()(a...)) {
    return part(false)(a...);
  }
  template <class... A>
  auto implicit_vjp(A&&... a) const -> decltype(std::declval<const erased_field&>().vjp(a...)) {
    return part(true).vjp(a...);
  }
  template <class... A>
  auto explicit_vjp(A&&... a) const -> decltype(std::declval<const erased_field&>().vjp(a...)) {
    return part(false).vjp(a...);
  }
  template <class... A>
  auto implicit_jvp(A&&... a) const -> decltype(std::declval<const erased_field&>().jvp(a...)) {
    return part(true).jvp(a...);
  }
  template <class... A>
  auto explicit_jvp(A&&... a) const -> decltype(std::declval<const erased_field&>().jvp(a...)) {
    return part(false).jvp(a...);
  }
  template <class... A>
  auto implicit_jacobian(A&&... a) const
      -> decltype(std::declval<const erased_field&>().jacobian(a...)) {
    return part(true).jacobian(a...);
  }
  template <class... A>
  auto explicit_jacobian(A&&... a) const
      -> decltype(std::declval<const erased_field&>().jacobian(a...)) {
    return part(false).jacobian(a...);
  }

  /// Fills a band, or the numbers on a pattern, where the field itself brings its Jacobian in that shape;
  /// false where it does not: products find it.
  template <class J>
  requires(std::same_as<J, banded_matrix<vector>> ||
           std::same_as<J, sparse_matrix<double>>) bool bring_jacobian(double t, const vector& y,
                                                                       const vector& p,
                                                                       J& jac) const {
    return model_->bring(t, y, p, jac);
  }
  /// The entries of ∂f/∂y at y, row and column; false where one call of the field cannot tell them. See
  /// sparsity_of, which asks it.
  bool add_dependencies(double t, const vector& y, const vector& p, entry_list& entries) const {
    return model_->add_dependencies(t, y, p, entries);
  }

 private:
  friend class erased_massive_field;
  using model = erased_model;
  template <class F>
  struct holder final : model {
    F f;
    derivatives<F, vector, vector> first;
    derivatives<F, push_vector, push_vector> second;

    explicit holder(F field) : f(std::move(field)) {}

    auto fresh() const -> std::unique_ptr<model> override { return std::make_unique<holder>(f); }
    auto part([[maybe_unused]] bool implicit) const -> std::unique_ptr<model> override {
      if constexpr (split_field<F, vector, vector>) {
        if (implicit) return part_by<implicit_face>();
        return part_by<explicit_face>();
      }
      return nullptr;
    }
    template <class Face>
    auto part_by() const -> std::unique_ptr<model> {
      using part_field = field_by<face_of<Face, F, F>>;
      return std::make_unique<holder<part_field>>(part_field{{f}});
    }

    void call(double t, const vector& y, const vector& p, vector& dy) const override {
      f(t, y, p, dy);
    }
    void call(const push_scalar& t, const push_vector& y, const push_vector& p,
              push_vector& dy) const override {
      f(t, y, p, dy);
    }
    void vjp(double t, const vector& y, const vector& p, const vector& w, double& gt, vector& gy,
             vector& gp) override {
      pull(first, t, y, p, w, gt, gy, gp);
    }
    void vjp(const push_scalar& t, const push_vector& y, const push_vector& p, const push_vector& w,
             push_scalar& gt, push_vector& gy, push_vector& gp) override {
      pull(second, t, y, p, w, gt, gy, gp);
    }
    void jvp(double t, const vector& y, const vector& p, double dt, const vector& dy,
             const vector& dp, vector& out) override {
      push(first, t, y, p, dt, dy, dp, out);
    }
    void jvp(const push_scalar& t, const push_vector& y, const push_vector& p,
             const push_scalar& dt, const push_vector& dy, const push_vector& dp,
             push_vector& out) override {
      if constexpr (decltype(second)::jvp_source != derivative_source::none)
        push(second, t, y, p, dt, dy, dp, out);
      else
        push_by_rows(t, y, p, dt, dy, dp, out);
    }
    void jacobian(double t, const vector& y, const vector& p, matrix& jac) override {
      first.jacobian(f, t, y, p, jac);
    }
    bool bring(double t, const vector& y, const vector& p,
               banded_matrix<vector>& jac) const override {
      return brought(t, y, p, jac, [&](auto& g) -> decltype(g.jacobian(t, y, p, jac)) {
        return g.jacobian(t, y, p, jac);
      });
    }
    bool bring(double t, const vector& y, const vector& p,
               sparse_matrix<double>& jac) const override {
      return brought(t, y, p, jac, [&](auto& g) -> decltype(g.sparse_jacobian(t, y, p, jac)) {
        return g.sparse_jacobian(t, y, p, jac);
      });
    }
    /// By the field itself, or by its own function, which adds to a cleared matrix; where there is one of both.
    template <class J, class Own>
    bool brought(double t, const vector& y, const vector& p, J& jac, const Own& own) const {
      if constexpr (requires { f.bring_jacobian(t, y, p, jac); }) {
        return f.bring_jacobian(t, y, p, jac);
      } else if constexpr (std::is_invocable_v<const Own&, const F&>) {
        jac.clear();
        own(f);
        return true;
      } else {
        return false;
      }
    }
    bool add_dependencies(double t, const vector& y, const vector& p,
                          entry_list& entries) const override {
      if constexpr (requires { f.add_dependencies(t, y, p, entries); })
        return f.add_dependencies(t, y, p, entries);
      else if constexpr (call_accepts<F, vector, vector, dependencies<double>::number>)
        return revode::add_dependencies(f, t, y, p, entries);
      else
        return false;
    }

    template <class S, class V>
    void pull(derivatives<F, V, V>& d, const S& t, const V& y, const V& p, const V& w, S& gt, V& gy,
              V& gp) {
      if (gp.size() == 0) {
        vec<S, 0> frozen{};
        d.vjp(f, t, y, p, w, &gt, gy, frozen);
      } else {
        d.vjp(f, t, y, p, w, &gt, gy, gp);
      }
    }
    template <class S, class V>
    void push(derivatives<F, V, V>& d, const S& t, const V& y, const V& p, const S& dt, const V& dy,
              const V& dp, V& out) {
      if (dp.size() == 0)
        d.jvp(f, t, y, p, dt, dy, vec<S, 0>{}, out);
      else
        d.jvp(f, t, y, p, dt, dy, dp, out);
    }
    /// Of a field whose products alone go one way.
    void push_by_rows(const push_scalar& t, const push_vector& y, const push_vector& p,
                      const push_scalar& dt, const push_vector& dy, const push_vector& dp,
                      push_vector& out) {
      push_vector w = zero_like(y), gy = w, gp = zero_like(dp);
      for (int i = 0; i < length(y); ++i) {
        push_scalar gt(0);
        fill(gy, push_scalar(0));
        fill(gp, push_scalar(0));
        w[i] = push_scalar(1);
        vjp(t, y, p, w, gt, gy, gp);
        w[i] = push_scalar(0);
        out[i] = gt * dt + dot(gy, dy) + dot(gp, dp);
      }
    }
  };

  template <class F>
  static auto held(F f) -> std::unique_ptr<model> {
    if constexpr (has_mass_v<F>) {
      mass_entries m;
      f.mass(m);
      std::vector<int> index = index_list(f);
      return std::make_unique<erased_guard>(std::make_unique<holder<F>>(std::move(f)), std::move(m),
                                            std::move(index));
    } else {
      return std::make_unique<holder<F>>(std::move(f));
    }
  }

  explicit erased_field(std::unique_ptr<model> m) : model_(std::move(m)) {}

  /// One of both, made when it is first asked for.
  const erased_field& part(bool implicit) const {
    auto& kept = implicit ? model_->implicit_part : model_->explicit_part;
    if (kept) return *kept;
    auto made = model_->part(implicit);
    if (!made)
      throw std::invalid_argument(
          "a field without parts for a method of both (it has no implicit_part and explicit_part, "
          "or a mass "
          "matrix) take a method of the whole, esdirk547?");
    kept.reset(new erased_field(std::move(made)));
    return *kept;
  }

  std::unique_ptr<model> model_;
};

}  // namespace revode
