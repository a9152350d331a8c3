// SPDX-License-Identifier: Apache-2.0
#include <any/c_objects.hpp>

#include <algorithm>

using namespace revode;
using namespace revode::c;

namespace {

// A function of the caller's, by the name that it has where it fails.
auto as_f(const char* name, revode_f f, void* user) -> decltype(any_callbacks::f) {
  return [=](double t, auto y, auto p, auto dy) {
    expect_zero(name, f(t, y.data(), p.data(), dy.data(), user));
  };
}
auto as_vjp(const char* name, revode_vjp vjp, void* user) -> decltype(any_callbacks::vjp) {
  return [=](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
    expect_zero(name, vjp(t, y.data(), p.data(), w.data(), &gt, gy.data(), gp.data(), user));
  };
}
auto as_jvp(const char* name, revode_jvp jvp, void* user) -> decltype(any_callbacks::jvp) {
  return [=](double t, auto y, auto p, double dt, auto dy, auto dp, auto out) {
    expect_zero(name, jvp(t, y.data(), p.data(), dt, dy.data(), dp.data(), out.data(), user));
  };
}

/// The field of a problem with another callback or other numbers; as it was where they are misuse.
template <class Change>
void renew(revode_problem* q, const char* what, const char* why, Change&& change) {
  revode_problem& of = given(q, "the problem");
  if (!of.callbacks) misuse(std::string(what) + " of a named problem (" + why + ") set none?");
  revode_problem changed = of;
  change(*changed.callbacks, changed);
  changed.q.f = changed.field();
  of = std::move(changed);
}
template <class Change>
void renew_derivative(revode_problem* q, const char* what, Change&& change) {
  renew(q, what, "it has its own derivatives", change);
}
template <class Change>
void renew_numbers(revode_problem* q, const char* what, Change&& change) {
  renew(q, what, "its field is its own", change);
}

/// A Jacobian of a band or on a pattern.
void set_shaped(revode_problem* q, const char* what, revode_jacobian jacobian,
                decltype(any_callbacks::jacobian) any_callbacks::*place) {
  renew_derivative(q, "the Jacobian", [=](any_callbacks& c, const revode_problem& of) {
    given(jacobian, what);
    c.*place = [=, user = of.user](double t, auto y, auto p, auto numbers) {
      expect_zero(what, jacobian(t, y.data(), p.data(), numbers.data(), user));
    };
  });
}

}  // namespace

extern "C" {

revode_code revode_problem_new(int n, const double* y0, int np, const double* p, double t0,
                               double t1, revode_f f, void* user, revode_problem** q) {
  return guarded([&] {
    if (n < 1 || np < 0)
      misuse("a problem of " + std::to_string(n) + " states and " + std::to_string(np) +
             " parameters (n >= 1 and np >= 0) pass their numbers?");
    given(y0, "y0");
    if (np > 0) given(p, "p");
    given(f, "f");
    revode_problem*& out = given(q, "where the problem goes");
    revode_problem made;
    made.user = user;
    made.callbacks = any_callbacks{.f = as_f("f", f, user)};
    made.q = {.y0 = {y0, y0 + n}, .t0 = t0, .t1 = t1, .p = listed(p, std::size_t(np))};
    made.q.f = made.field();
    out = new revode_problem(std::move(made));
  });
}
revode_code revode_problem_set_quadrature(revode_problem* q, int k, const double* q0, revode_f g,
                                          revode_vjp vjp, void* user) {
  return guarded([&] {
    revode_problem& of = given(q, "the problem");
    if (k < 0)
      misuse("a quadrature of " + std::to_string(k) +
             " integrals (there are none or some) pass 0?");
    if (k == 0) return of.integrand.reset();
    given(g, "g");
    any_callbacks made{.f = as_f("g", g, user)};
    if (vjp != nullptr) made.vjp = as_vjp("vjp of g", vjp, user);
    const auto count = static_cast<std::size_t>(k);
    of.integrals = q0 == nullptr ? any_state(count) : listed(q0, count);
    of.integrand = std::move(made);
  });
}
revode_code revode_problem_named(const char* spec, revode_problem** q) {
  return guarded([&] {
    revode_problem*& out = given(q, "where the problem goes");
    out = new revode_problem{named_problem(&given(spec, "the name"))};
  });
}
void revode_problem_free(revode_problem* q) { delete q; }

revode_code revode_problem_set_vjp(revode_problem* q, revode_vjp vjp) {
  return guarded([&] {
    renew_derivative(q, "the vjp", [=](any_callbacks& c, const revode_problem& of) {
      c.vjp = as_vjp("vjp", &given(vjp, "vjp"), of.user);
    });
  });
}
revode_code revode_problem_set_jvp(revode_problem* q, revode_jvp jvp) {
  return guarded([&] {
    renew_derivative(q, "the jvp", [=](any_callbacks& c, const revode_problem& of) {
      c.jvp = as_jvp("jvp", &given(jvp, "jvp"), of.user);
    });
  });
}
revode_code revode_problem_set_explicit_part(revode_problem* q, revode_f g, revode_vjp vjp,
                                             revode_jvp jvp, void* user) {
  return guarded([&] {
    renew_numbers(q, "an explicit part", [=](any_callbacks&, revode_problem& of) {
      of.explicit_part.reset();
      if (g == nullptr) return;
      any_callbacks& part = of.explicit_part.emplace(any_callbacks{.f = as_f("g", g, user)});
      if (vjp != nullptr) part.vjp = as_vjp("vjp of g", vjp, user);
      if (jvp != nullptr) part.jvp = as_jvp("jvp of g", jvp, user);
    });
  });
}
revode_code revode_problem_set_jacobian(revode_problem* q, revode_jacobian jacobian) {
  return guarded([&] {
    renew_derivative(q, "the Jacobian", [=](any_callbacks& c, const revode_problem& of) {
      given(jacobian, "jacobian");
      c.jacobian = [jacobian, user = of.user](double t, auto y, auto p, auto jac) {
        expect_zero("jacobian", jacobian(t, y.data(), p.data(), jac.data(), user));
      };
    });
  });
}
revode_code revode_problem_set_banded_jacobian(revode_problem* q, revode_jacobian jacobian) {
  return guarded(
      [&] { set_shaped(q, "banded_jacobian", jacobian, &any_callbacks::banded_jacobian); });
}
revode_code revode_problem_set_sparse_jacobian(revode_problem* q, revode_jacobian jacobian) {
  return guarded(
      [&] { set_shaped(q, "sparse_jacobian", jacobian, &any_callbacks::sparse_jacobian); });
}
revode_code revode_problem_set_band(revode_problem* q, int lower, int upper) {
  return guarded([&] {
    any_algebra& of = given(q, "the problem").algebra;
    of.lower = lower;
    of.upper = upper;
  });
}
revode_code revode_problem_set_pattern(revode_problem* q, const int* starts, const int* rows) {
  return guarded([&] {
    revode_problem& of = given(q, "the problem");
    if (starts == nullptr) return of.algebra.pattern.reset();
    const std::size_t n = of.q.y0.size();
    const auto count = static_cast<std::size_t>(std::max(starts[n], 0));
    if (count > 0) given(rows, "rows");
    of.algebra.pattern = any_pattern({starts, n + 1}, {rows, count});
  });
}
revode_code revode_problem_use_finite_differences(revode_problem* q) {
  return guarded([&] {
    renew_derivative(q, "differences", [](any_callbacks& c, const revode_problem&) {
      c.by_finite_differences = true;
    });
  });
}
revode_code revode_problem_set_typical_size(revode_problem* q, double size) {
  return guarded([&] {
    renew_derivative(q, "the typical size",
                     [=](any_callbacks& c, const revode_problem&) { c.typical_size = size; });
  });
}
revode_code revode_problem_set_typical_time(revode_problem* q, double time) {
  return guarded([&] {
    renew_derivative(q, "the typical time",
                     [=](any_callbacks& c, const revode_problem&) { c.typical_time = time; });
  });
}

revode_code revode_problem_set_mass(revode_problem* q, const double* mass) {
  return guarded([&] {
    renew_numbers(q, "the mass matrix", [=](any_callbacks& c, const revode_problem& of) {
      c.mass = listed(mass, of.q.y0.size() * of.q.y0.size());
      if (mass == nullptr) c.index.clear();
    });
  });
}
revode_code revode_problem_set_index(revode_problem* q, const int* index) {
  return guarded([&] {
    renew_numbers(q, "the index", [=](any_callbacks& c, const revode_problem& of) {
      c.index = listed(index, of.q.y0.size());
    });
  });
}

revode_code revode_problem_sizes(const revode_problem* q, int* n, int* np) {
  return guarded([&] {
    const any_problem& of = given(q, "the problem").q;
    if (n != nullptr) *n = static_cast<int>(of.y0.size());
    if (np != nullptr) *np = static_cast<int>(of.p.size());
  });
}
revode_code revode_problem_get(const revode_problem* q, double* y0, double* p, double* t0,
                               double* t1) {
  return guarded([&] {
    const any_problem& of = given(q, "the problem").q;
    give(of.y0, y0);
    give(of.p, p);
    if (t0 != nullptr) *t0 = of.t0;
    if (t1 != nullptr) *t1 = of.t1;
  });
}
revode_code revode_problem_set(revode_problem* q, const double* y0, const double* p, double t0,
                               double t1) {
  return guarded([&] {
    any_problem& of = given(q, "the problem").q;
    if (y0 != nullptr) of.y0.assign(y0, y0 + of.y0.size());
    if (p != nullptr) of.p.assign(p, p + of.p.size());
    of.t0 = t0;
    of.t1 = t1;
  });
}

revode_code revode_problem_add_event(revode_problem* q, const revode_event* event) {
  return guarded([&] {
    any_problem& of = given(q, "the problem").q;
    const revode_event c =
        as_known(&given(event, "the event"), revode_event REVODE_EVENT, "revode_event");
    any_event_callbacks e{.name = c.name == nullptr ? "" : c.name};
    if (c.condition != nullptr)
      e.condition = [c](double t, auto y, auto p) {
        double value = 0;
        expect_zero("condition", c.condition(t, y.data(), p.data(), &value, c.user));
        return value;
      };
    if (c.jump != nullptr)
      e.jump = [c](double t, auto y, auto p, auto y_new) {
        expect_zero("jump", c.jump(t, y.data(), p.data(), y_new.data(), c.user));
      };
    if (c.condition_gradient != nullptr)
      e.condition_gradient = [c](double t, auto y, auto p, double& gt, auto gy, auto gp) {
        expect_zero("condition_gradient",
                    c.condition_gradient(t, y.data(), p.data(), &gt, gy.data(), gp.data(), c.user));
      };
    if (c.jump_vjp != nullptr)
      e.jump_vjp = [c](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
        expect_zero("jump_vjp",
                    c.jump_vjp(t, y.data(), p.data(), w.data(), &gt, gy.data(), gp.data(), c.user));
      };
    if (c.direction < 0 || c.direction > 2)
      misuse("direction = " + std::to_string(c.direction) +
             " of an event (0 both, 1 rising, 2 falling) give one of them?");
    e.direction = static_cast<crossing>(c.direction);
    e.terminal = c.terminal != 0;
    e.passes = c.passes != 0;
    of.events.emplace_back(std::move(e));
  });
}

}  // extern "C"
