// SPDX-License-Identifier: Apache-2.0
#include <any/held_problem.hpp>
#include <any/integrals.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <revode/linalg/sparse/sparse_matrix.hpp>
#include <revode/problems/erased_massive_field.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/state/scratch_by_type.hpp>

namespace revode {

using compiled::callback_field, compiled::misuse, compiled::to_eigen, compiled::vector;

namespace {

/// An event of y as one of (y, q), which it leaves alone.
class event_beside_integrals {
 public:
  static constexpr const char* name = "";

  event_beside_integrals(erased_event of, int n) : of_(std::move(of)), n_(n) {}

  template <class S, class V>
  S condition(const S& t, const V& z, const V& p) const {
    return with_kept<V>([&](V& y) {
      y = z.head(n_);
      return of_.condition(t, y, p);
    });
  }
  template <class S, class V>
  void jump(const S& t, const V& z, const V& p, V& z_new) const {
    with_kept<V>([&](V& y) {
      y = z.head(n_);
      V y_new = y;
      of_.jump(t, y, p, y_new);
      z_new.head(n_) = y_new;
    });
  }

 private:
  erased_event of_;
  int n_;
};

any_event beside_integrals(const any_event& e, int n) {
  const erased_event& of = *e.erased();
  erased_event longer{event_beside_integrals(of, n)};
  longer.name = of.name;
  longer.direction = of.direction;
  longer.terminal = of.terminal;
  longer.passes = of.passes;
  return any_event(std::make_shared<const erased_event>(std::move(longer)), e.has_pulls());
}

const erased_field& alone(const erased_field& f) { return f; }
const erased_field& alone(const erased_massive_field& f) { return f.alone(); }

/// That of (y, q), which refuses states of another length: it would read past their ends.
template <class F>
struct sized_field_and_integrand : field_and_integrand<F, callback_field, vector, vector> {
  using base = field_and_integrand<F, callback_field, vector, vector>;

  template <class Face, class T, class V, class... A>
  auto value(Face face, const T& t, const V& z, A&&... a) const
      -> decltype(std::declval<const base&>().value(face, t, z, a...)) {
    const Eigen::Index n = this->y.size(), k = this->q.size();
    if (z.size() != n + k)
      misuse("a state of " + std::to_string(z.size()) + " numbers (the problem has " +
             std::to_string(n) + " and then " + std::to_string(k) + " integrals) give both in y0?");
    base::value(face, t, z, a...);
  }

  /// On a pattern of y with rows of the integrals: the Jacobian of f as it comes on that of y, and pulls of g.
  bool bring_jacobian(double t, const vector& z, const vector& p,
                      sparse_matrix<double>& jac) const {
    const auto of_state = jac.pattern->kept.template get<compiled::pattern_of_state>(
        [] { return std::make_shared<compiled::pattern_of_state>(); });
    if (of_state->it == nullptr) return false;
    const Eigen::Index n = this->y.size(), k = this->q.size();
    const vector at = z.head(n);
    sparse_matrix<double> block{of_state->it, {}};  // not a member: threads share the field
    block.values.resize(static_cast<std::size_t>(of_state->it->entries()));
    if (!alone(this->f).bring_jacobian(t, at, p, block)) push_by_colours(t, at, p, block);
    auto to = std::copy(block.values.begin(), block.values.end(), jac.values.begin());
    vector w = vector::Zero(k), gy(n), gp(p.size());
    for (int i = 0; i < length(w); ++i) {
      double gt = 0;
      gy.setZero(), gp.setZero();
      w[i] = 1;
      this->g.vjp(t, at, p, w, gt, gy, gp);
      w[i] = 0;
      to = std::fill_n(std::copy(gy.begin(), gy.end(), to), k, 0.0);
    }
    return true;
  }

  void push_by_colours(double t, const vector& at, const vector& p,
                       sparse_matrix<double>& block) const {
    vector along = vector::Zero(at.size()), out = along;
    const vector none = vector::Zero(p.size());
    for (int c = 0; c < block.pattern->colours(); ++c) {
      for (const int j : block.pattern->columns_of(c)) along[j] = 1;
      this->f.jvp(t, at, p, 0, along, none, out);
      for (const int j : block.pattern->columns_of(c)) along[j] = 0;
      for (const auto [entry, i] : block.pattern->elements_of(c))
        block.values[static_cast<std::size_t>(entry)] = out[i];
    }
  }
};

template <class F>
erased_field with_integrand(const F& f, const callback_field& g, const any_state& y0,
                            const any_state& q0) {
  return erased_field(field_by<sized_field_and_integrand<F>>{{{f, g, to_eigen(y0), to_eigen(q0)}}});
}

/// The first n of a state.
any_state head_of(const any_state& z, std::size_t n) {
  return {z.begin(), z.begin() + static_cast<std::ptrdiff_t>(std::min(n, z.size()))};
}
any_solution head_of(any_solution s, std::size_t n) {
  s.y.resize(n);
  for (any_state& y : s.ys) y.resize(n);
  return s;
}

}  // namespace

any_field::any_field(const any_field& f, const any_callbacks& g, const any_state& y0,
                     const any_state& q0) {
  const bool pulls = g.vjp || g.jvp;
  if (!g.f) misuse("a quadrature without an integrand (any_callbacks::f is empty) give it one?");
  if (g.by_finite_differences && !pulls)
    misuse(
        "an integrand by differences alone (they are those of its vjp) give it a vjp or jvp "
        "besides?");
  if (!g.mass.empty() || !g.index.empty())
    misuse("an integrand with a mass matrix (its integrals are those of q' = g) leave it out?");
  const callback_field integrand(std::make_shared<const any_callbacks>(g));
  erased_ = std::make_shared<const erased_field>(
      f.has_mass() ? with_integrand(erased_massive_field(*f.erased_), integrand, y0, q0)
                   : with_integrand(*f.erased_, integrand, y0, q0));
  pulls_ = f.pulls_ && pulls;
  jacobian_ = f.jacobian_ && pulls;
  implicit_jacobian_ = f.implicit_jacobian_;
  band_ = entries_ = pulls_;
  products_ = f.products_ && (g.jvp || g.by_finite_differences);
  tells_ = false;
  second_ = f.second_ && pulls && g.by_finite_differences;
  given_ = compiled::of_both(f.given_, any_field(g).given_);
  given_.entries = f.given_.entries;
  given_.integrals = static_cast<int>(q0.size());
}

any_method compiled::beside_integrals(const any_method& m, const any_problem& q) {
  any_algebra a = m.algebra();
  const int k = q.f.given().integrals, n = static_cast<int>(q.y0.size()) - k;
  if (k == 0 || a.name == dense_name || a.pattern == nullptr || a.pattern->size() != n) return m;
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (int e = a.pattern->start(i); e < a.pattern->start(i + 1); ++e)
      entries.emplace_back(i, a.pattern->column(e));
  for (int i = n; i < n + k; ++i)
    for (int j = 0; j < n + k; ++j) entries.emplace_back(i, j);
  const auto longer = std::make_shared<const sparsity>(n + k, entries);
  longer->kept.get<pattern_of_state>(
      [&] { return std::make_shared<pattern_of_state>(pattern_of_state{a.pattern}); });
  a.pattern = longer;
  return {m, std::move(a)};
}

any_problem with_quadrature(const any_problem& q, const any_callbacks& g, const any_state& q0) {
  compiled::check_field(q);
  const int n = static_cast<int>(q.y0.size());
  any_problem longer = q;
  longer.f = any_field(q.f, g, q.y0, q0);
  longer.y0.insert(longer.y0.end(), q0.begin(), q0.end());
  for (any_event& e : longer.events) e = beside_integrals(e, n);
  if (q.after_step)
    longer.after_step = [tell = q.after_step, n](double t, std::span<const double> z) {
      return tell(t, z.first(static_cast<std::size_t>(n)));
    };
  return longer;
}

any_value_and_gradient value_and_gradient(const any_problem& q, const any_method& m,
                                          const options& o, const any_loss_with_running_cost& loss,
                                          const recursive_checkpoint& adjoint) {
  const std::size_t n = q.y0.size();
  const auto longer_loss = [&](const any_solution& s, any_cotangents& bar) {
    const double terminal = loss.terminal ? loss.terminal(head_of(s, n), bar) : 0;
    if (!bar.y) bar.y = any_state(n);
    bar.y->push_back(1);
    for (any_state& y : bar.ys) y.push_back(0);
    return terminal + s.y[n];
  };
  any_value_and_gradient r = value_and_gradient(
      with_quadrature(q, loss.running, {0.0}), m,
      with_more_elements(o, static_cast<int>(n), 1, loss.outside_norm), longer_loss, adjoint);
  r.solution = head_of(std::move(r.solution), n);
  if (r.gradient) r.gradient->y0 = head_of(r.gradient->y0, n);
  return r;
}

}  // namespace revode
