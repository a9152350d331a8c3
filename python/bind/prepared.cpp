// SPDX-License-Identifier: Apache-2.0
#include "prepared.hpp"

#include "module.hpp"

#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace revode::python {
namespace {

using seen = std::span<const double>;
using filled = std::span<double>;

struct kept_any final : kept_solve<double> {
  any_problem q;
  any_differentiable_solution s;
  std::size_t rows;
  bool whole;

  kept_any(any_problem of, any_differentiable_solution solved, std::size_t saves, filled y)
      : q(std::move(of)),
        s(std::move(solved)),
        rows(saves),
        whole(take(s, rows, y)) {}
  bool is_of(seen y0, seen p) const override {
    return same_bits<double>(seen(q.y0).first(y0.size()), y0) && same_bits<double>(q.p, p);
  }
  void pull(seen w, filled gy0, filled gp) override {
    if (!whole) {
      fill_with_nan(gy0);
      return fill_with_nan(gp);
    }
    any_cotangents of;
    const std::size_t n = q.y0.size();
    if (rows == 0) of.y.emplace(w.begin(), w.end());
    for (std::size_t i = 0; i < rows; ++i) {
      const seen row = w.subspan(i * n, n);
      of.ys.emplace_back(row.begin(), row.end());
    }
    const any_gradient g = s.pullback(of);
    std::ranges::copy(seen(g.y0).first(gy0.size()), gy0.begin());
    std::ranges::copy(g.p, gp.begin());
  }
};

struct prepared_any final : prepared_solve_of<double> {
  python_problem q;
  any_method method;
  options o;
  recursive_checkpoint memory;

  prepared_any(python_problem of, any_method by, options with, recursive_checkpoint adjoint)
      : q(std::move(of)),
        method(std::move(by)),
        o(std::move(with)),
        memory(std::move(adjoint)) {
    method.order();  // there is one of the name
    states = q.y0.size();
    integrals = q.q0.size();
    parameters = q.p.size();
    rows = o.save.ts.size();
  }
  any_problem at(seen y0, seen p) const {
    python_problem here = q;
    here.y0.assign(y0.begin(), y0.end());
    here.p.assign(p.begin(), p.end());
    return q.integrand ? here.joined() : any_problem(std::move(here));
  }
  void value(seen y0, seen p, filled y) const override {
    take(solve(at(y0, p), method, o), rows, y);
  }
  std::unique_ptr<kept_solve<double>> keep(seen y0, seen p, filled y) const override {
    any_problem here = at(y0, p);
    any_differentiable_solution s = solve(here, method, o, memory);
    return std::make_unique<kept_any>(std::move(here), std::move(s), rows, y);
  }
};

template <class T>
using array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

/// An array of NumPy's or torch's as points whose rows have these axes behind those that count them.
template <class T>
points<const T> as_points(const array<T>& a, std::size_t size, std::size_t behind) {
  if (a.ndim() < behind)
    throw std::invalid_argument("an array of " + std::to_string(a.ndim()) + " axes (rows have " +
                                std::to_string(behind) + ") reshape it?");
  std::size_t numbers = 1;
  for (std::size_t k = a.ndim() - behind; k < a.ndim(); ++k) numbers *= a.shape(k);
  expect_row(numbers, size);
  return {a.data(), {a.shape_ptr(), a.ndim() - behind}, size};
}

/// The axes that count the points of both.
template <class T>
std::vector<std::int64_t> joined(const points<const T>& a, const points<const T>& b) {
  if (a.axes.size() != b.axes.size())
    throw std::invalid_argument(std::to_string(a.axes.size()) + " axes of points and " +
                                std::to_string(b.axes.size()) +
                                " (arrays of one call have as many) give both an axis of 1?");
  std::vector<std::int64_t> all(a.axes.begin(), a.axes.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k] == 1) all[k] = b.axes[k];
    if (b.axes[k] != 1 && b.axes[k] != all[k])
      throw std::invalid_argument(std::to_string(all[k]) + " points and " +
                                  std::to_string(b.axes[k]) + " (or 1 for all) give as many?");
  }
  return all;
}

/// A new array of NumPy's, of such points.
template <class T>
nb::ndarray<nb::numpy, T> new_array(points<T>& of, std::vector<std::size_t> behind) {
  of.size = 1;
  for (const std::size_t n : behind) of.size *= n;
  of.data = new T[of.count() * of.size];
  nb::capsule owner(of.data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  std::vector<std::size_t> shape(of.axes.begin(), of.axes.end());
  shape.insert(shape.end(), behind.begin(), behind.end());
  return nb::ndarray<nb::numpy, T>(of.data, shape.size(), shape.data(), owner);
}
std::vector<std::size_t> result_axes(const prepared_solve& s) {
  return s.rows > 0 ? std::vector{s.rows, s.width()} : std::vector{s.width()};
}

template <class T>
void bind_prepared_of(nb::module_& m, const char* name, const char* kept) {
  using solve_of = prepared_solve_of<T>;
  nb::class_<kept_solve<T>>(m, kept).def(
      "pull",
      [](kept_solve<T>& k, const solve_of& of, const array<T>& w) {
        const points<const T> bar = as_points<T>(w, of.results(), w.ndim());
        points<T> gy0, gp;
        auto by_y0 = new_array(gy0, {of.states}), by_p = new_array(gp, {of.parameters});
        {
          nb::gil_scoped_release unlocked;
          k.pull(bar.row(0, {}), gy0.row(0, {}), gp.row(0, {}));
        }
        return nb::make_tuple(by_y0, by_p);
      },
      "The gradients by y0 and p of a loss with this derivative by the result.");
  nb::class_<solve_of, prepared_solve>(m, name)
      .def(
          "values",
          [](const solve_of& s, const array<T>& y0, const array<T>& p) {
            const points<const T> starts = as_points<T>(y0, s.states, 1),
                                  with = as_points<T>(p, s.parameters, 1);
            const auto axes = joined(starts, with);
            points<T> y{.axes = axes};
            auto out = new_array(y, result_axes(s));
            nb::gil_scoped_release unlocked;
            values(s, starts, with, y);
            return out;
          },
          "The results of rows of y0 and p, on threads; axes in front of length 1 are shared.")
      .def(
          "keep",
          [](const solve_of& s, const array<T>& y0, const array<T>& p) {
            const points<const T> start = as_points<T>(y0, s.states, y0.ndim()),
                                  with = as_points<T>(p, s.parameters, p.ndim());
            points<T> y;
            auto out = new_array(y, result_axes(s));
            std::unique_ptr<kept_solve<T>> kept_one;
            {
              nb::gil_scoped_release unlocked;
              kept_one = s.keep(start.row(0, {}), with.row(0, {}), y.row(0, {}));
            }
            return nb::make_tuple(out, std::move(kept_one));
          },
          "The result of one y0 and p, and what pulls it back.")
      .def(
          "gradients",
          [](const solve_of& s, const array<T>& y0, const array<T>& p, const array<T>& w) {
            const points<const T> starts = as_points<T>(y0, s.states, 1),
                                  with = as_points<T>(p, s.parameters, 1),
                                  bar = as_points<T>(w, s.results(), result_axes(s).size());
            const auto of_both = joined(starts, with);
            const auto axes = joined<T>({nullptr, of_both, 0}, bar);
            points<T> gy0{.axes = axes}, gp{.axes = axes};
            auto by_y0 = new_array(gy0, {s.states}), by_p = new_array(gp, {s.parameters});
            {
              nb::gil_scoped_release unlocked;
              gradients(s, starts, with, bar, gy0, gp);
            }
            return nb::make_tuple(by_y0, by_p);
          },
          "The gradients of each row's loss by its y0 and p.");
}

}  // namespace

void bind_prepared(nb::module_& m) {
  nb::class_<prepared_solve>(m, "Prepared", "A solve whose start and parameters come later.")
      .def_ro("states", &prepared_solve::states)
      .def_ro("parameters", &prepared_solve::parameters)
      .def_prop_ro("width", &prepared_solve::width, "Numbers of a result: states and integrals.")
      .def_ro("rows", &prepared_solve::rows)
      .def_rw("threads", &prepared_solve::threads);
  bind_prepared_of<double>(m, "PreparedDouble", "KeptDouble");
  bind_prepared_of<float>(m, "PreparedFloat", "KeptFloat");
  m.def(
      "prepare",
      [](const python_problem& q, const any_method& method, const options& o,
         std::optional<index> slots, std::optional<index> budget,
         const std::optional<std::string>& schedule, int threads) {
        std::shared_ptr<prepared_solve_of<double>> s =
            std::make_shared<prepared_any>(q, method, o, as_checkpoint(slots, budget, schedule));
        s->threads = threads;
        return s;
      },
      nb::arg("problem"), nb::arg("method"), nb::arg("options"), nb::arg("slots").none(),
      nb::arg("budget").none(), nb::arg("schedule").none(), nb::arg("threads"));
}

}  // namespace revode::python
