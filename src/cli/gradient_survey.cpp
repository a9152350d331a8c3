// SPDX-License-Identifier: Apache-2.0
#include <cli/gradient_survey.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>
#include <vector>

#include <cli/text.hpp>
#include <revode/ad/faces.hpp>
#include <revode/problems/erased_massive_field.hpp>

namespace revode::cli {
namespace {

constexpr std::size_t most_names = 6;
constexpr double near_overflow =
    1e150;  // of cotangents: no derivative that exists is as far from 1e308

/// The first product wᵀ∂f of a reverse pass that is not finite, or the first w.
struct lost_product {
  bool found = false;
  bool of_field = false;  ///< its derivative is not finite; else w was not, or became too large
  double t = 0, largest = 0;
  vector y, p;
  std::vector<Eigen::Index> by_y, by_p;  ///< not finite
  bool by_t = false;
};

template <class X>
bool is_finite(const X& x) {
  if constexpr (requires { x.d[0]; })
    return std::isfinite(x.value) && std::isfinite(x.d[0]);
  else
    return std::isfinite(x);
}

template <class V>
std::vector<Eigen::Index> not_finite(const V& x) {
  std::vector<Eigen::Index> at;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!is_finite(x[i])) at.push_back(i);
  return at;
}

template <class V>
vector values(const V& x) {
  vector v(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) v[i] = value_of(x[i]);
  return v;
}

/// Looks at every product before the reverse pass has it.
template <class Field>
struct surveyed_rule : passed_derivatives<const Field&> {
  lost_product* lost;

  template <class Face, class T, class V>
  auto value(Face, const T& t, const V& y, const V& p, V& dy) const
      -> decltype(Face::value(this->callable, t, y, p, dy)) {
    Face::value(this->callable, t, y, p, dy);
  }
  template <class Face, class T, class V>
  auto pull(Face, const T& t, const V& y, const V& p, const V& w, T& gt, V& gy, V& gp) const
      -> decltype(Face::vjp(this->callable, t, y, p, w, gt, gy, gp)) {
    if (!lost->found) look(Face{}, t, y, p, w);
    Face::vjp(this->callable, t, y, p, w, gt, gy, gp);
  }

  template <class Face, class T, class V>
  void look(Face, const T& t, const V& y, const V& p, V w) const {
    const double before =
        std::exchange(lost->largest, values(w).template lpNorm<Eigen::Infinity>());
    lost->t = value_of(t);
    lost->found = !not_finite(w).empty();
    if (lost->found) lost->largest = before;
    if (lost->found || multiply(Face{}, t, y, p, w)) return;
    lost->found = true;
    lost->y = values(y);
    lost->p = values(p);
    if (lost->largest > 1)
      for (Eigen::Index i = 0; i < w.size(); ++i) w[i] = w[i] * T(1 / lost->largest);
    lost->of_field = !multiply(Face{}, t, y, p, w);
  }

  /// Is the product finite?
  template <class Face, class T, class V>
  bool multiply(Face, const T& t, const V& y, const V& p, const V& w) const {
    T t_bar(0);
    V y_bar = V::Constant(y.size(), T(0)), p_bar = V::Constant(p.size(), T(0));
    Face::vjp(this->callable, t, y, p, w, t_bar, y_bar, p_bar);
    lost->by_t = !is_finite(t_bar);
    lost->by_y = not_finite(y_bar);
    lost->by_p = not_finite(p_bar);
    return !lost->by_t && lost->by_y.empty() && lost->by_p.empty();
  }
};

template <class Field>
struct surveyed_field : field_by<surveyed_rule<Field>> {
  surveyed_field(const Field& f, lost_product& lost)
      : field_by<surveyed_rule<Field>>{{{f}, &lost}} {}
};

/// "a, b and 4 more"
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text.append(i == 0 ? "" : ", ").append(names[i]);
  if (names.size() > most_names)
    text.append(" and ").append(std::to_string(names.size() - most_names)).append(" more");
  return text;
}

/// The equations whose derivative along all that are not finite is not finite.
template <class Field>
std::vector<std::string> equations(const Field& f, const erased_problem& q, const lost_product& l) {
  vector y_dot = vector::Zero(l.y.size()), p_dot = vector::Zero(l.p.size()), out(l.y.size());
  for (const Eigen::Index i : l.by_y) y_dot[i] = 1;
  for (const Eigen::Index i : l.by_p) p_dot[i] = 1;
  f.jvp(l.t, l.y, l.p, l.by_t ? 1 : 0, y_dot, p_dot, out);
  std::vector<std::string> names;
  for (const Eigen::Index i : not_finite(out))
    names.push_back(q.labels[static_cast<std::size_t>(i)] + "'");
  return names;
}

template <class Field>
std::string text_of(const Field& f, const erased_problem& q, const lost_product& l) {
  const bool at_start = l.t == q.t0;
  std::vector<std::string> by, where, entries;
  for (const Eigen::Index i : l.by_y) {
    by.push_back(q.labels[static_cast<std::size_t>(i)]);
    where.push_back(by.back() + " = " + rounded(l.y[i], 6));
    if (at_start) entries.push_back("y0 " + by.back());
  }
  for (const Eigen::Index i : l.by_p) {
    by.push_back(q.parameter_names[static_cast<std::size_t>(i)]);
    where.push_back(by.back() + " = " + rounded(l.p[i], 6));
    entries.push_back("p " + by.back());
  }
  if (l.by_t) {
    by.push_back("t");
    if (at_start) entries.push_back("t0");
  }
  const std::string of = joined(equations(f, q, l));
  std::string text = "  the derivative of " + (of.empty() ? "the field" : of) + " by " +
                     joined(by) + " is not finite at t = " + rounded(l.t, 6) +
                     (where.empty() ? "" : ", where " + joined(where)) + "\n";
  if (!entries.empty()) text += "  not finite: the gradient by " + joined(entries) + "\n";
  return text + "  so: a derivative that does not exist " + (at_start ? "at a start" : "there") +
         ", such as that of sqrt at 0: " + (at_start ? "begin beside it, or " : "") +
         "write the field so that it has one\n";
}

}  // namespace

std::string why_no_gradient(const gradient_request& r) {
  if (r.problem.f.has_parts()) return "";  // which a watched field does not show
  lost_product lost;
  const std::vector<weighting> weightings{[&](const solution_type& s) { return r.of.weigh(s); }};
  const auto survey = [&](const auto& field) {
    const erased_field f(surveyed_field(field, lost));
    r.differentiate(bind(r.problem, f), weightings);
    return lost.of_field ? text_of(field, r.problem, lost) : std::string();
  };
  const std::string of_field =
      r.problem.has_mass() ? survey(erased_massive_field(r.problem.f)) : survey(r.problem.f);
  const std::string title = "why there is no gradient\n";
  if (lost.of_field) return title + of_field;
  if (lost.largest > near_overflow)
    return title + "  the cotangents grow beyond all numbers on the way back, at t = " +
           rounded(lost.t, 6) +
           "\n  so: they overflow, as those of a chaotic solution do over long times: try a "
           "shorter interval\n";
  return title + "  every derivative of the field is finite where the solve took it" +
         (lost.found ? "; from t = " + rounded(lost.t, 6) + " back the cotangents are not" : "") +
         (r.has_events() ? "\n  so: a derivative that does not exist at an event, of its condition "
                           "or of what it changes\n"
                         : "\n");
}

}  // namespace revode::cli
