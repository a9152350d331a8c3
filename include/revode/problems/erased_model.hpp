// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <revode/interop/eigen.hpp>

#include <revode/ad/dual.hpp>
#include <revode/linalg/banded/banded_matrix.hpp>
#include <revode/linalg/mass_entries.hpp>
#include <revode/linalg/sparse/sparse_matrix.hpp>

namespace revode {

class erased_field;
struct erased_guard;

/// What an erased_field holds: a field and its derivatives, by value and over one dual direction.
/// errors  what is not overridden refuses: the f of M y' = f is not to be taken for y'
struct erased_model {
  using vector = Eigen::VectorXd;
  using matrix = Eigen::MatrixXd;
  using push_scalar = dual<double, 1>;
  using push_vector = rebind_t<vector, push_scalar>;
  using entry_list = std::vector<std::pair<int, int>>;

  matrix jacobian_copy;
  std::shared_ptr<const erased_field> implicit_part, explicit_part;  ///< that were asked for

  virtual ~erased_model() = default;
  virtual auto fresh() const -> std::unique_ptr<erased_model> = 0;
  virtual auto bare() const -> std::unique_ptr<erased_model> {
    return fresh();
  }  ///< f without its mass
  virtual auto part(bool) const -> std::unique_ptr<erased_model> { return nullptr; }  ///< implicit?
  virtual auto guarded() const -> const erased_guard* { return nullptr; }
  virtual void call(double, const vector&, const vector&, vector&) const { refuse(); }
  virtual void call(const push_scalar&, const push_vector&, const push_vector&,
                    push_vector&) const {
    refuse();
  }
  virtual void vjp(double, const vector&, const vector&, const vector&, double&, vector&, vector&) {
    refuse();
  }
  virtual void vjp(const push_scalar&, const push_vector&, const push_vector&, const push_vector&,
                   push_scalar&, push_vector&, push_vector&) {
    refuse();
  }
  virtual void jvp(double, const vector&, const vector&, double, const vector&, const vector&,
                   vector&) {
    refuse();
  }
  virtual void jvp(const push_scalar&, const push_vector&, const push_vector&, const push_scalar&,
                   const push_vector&, const push_vector&, push_vector&) {
    refuse();
  }
  virtual void jacobian(double, const vector&, const vector&, matrix&) { refuse(); }
  virtual bool bring(double, const vector&, const vector&, banded_matrix<vector>&) const {
    return false;
  }
  virtual bool bring(double, const vector&, const vector&, sparse_matrix<double>&) const {
    return false;
  }
  virtual bool add_dependencies(double, const vector&, const vector&, entry_list&) const {
    return false;
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::invalid_argument(
        "a field with a mass matrix where y' = f is asked for (it says M y' = f) solve it as an "
        "erased_massive_field?");
  }
};

/// The f of M y' = f, which is not to be taken for y'.
struct erased_guard final : erased_model {
  std::unique_ptr<erased_model> f;
  mass_entries m;
  std::vector<int> index;

  erased_guard(std::unique_ptr<erased_model> of, mass_entries mass, std::vector<int> indices = {})
      : f(std::move(of)),
        m(std::move(mass)),
        index(std::move(indices)) {}

  auto fresh() const -> std::unique_ptr<erased_model> override {
    return std::make_unique<erased_guard>(f->fresh(), m, index);
  }
  auto bare() const -> std::unique_ptr<erased_model> override { return f->fresh(); }
  auto guarded() const -> const erased_guard* override { return this; }
};

}  // namespace revode
