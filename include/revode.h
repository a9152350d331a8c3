/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REVODE_H
#define REVODE_H

/* revode from C, and from whatever calls C: methods, adjoints and named problems by name, fields as functions.
 * Link revode::any, or `pkg-config --libs revode` and the C++ library.
 *
 *   revode_problem* q;
 *   revode_problem_new(1, y0, 1, p, 0.0, 2.0, decay, NULL, &q);
 *   revode_options o = REVODE_OPTIONS;
 *   o.rtol = 1e-8;
 *   revode_solution* s;
 *   if (revode_solve(q, "tsit5", &o, &s) != REVODE_OK) puts(revode_last_error());
 *   revode_solution_y(s, y);
 *
 * Every function but those that free or tell returns a code; where it is not REVODE_OK nothing was made, and
 * revode_last_error() says in words what is wrong and what to do, until the next call of the same thread that
 * fails. How a solve or gradient ended is no code but a status. No exception leaves a function. An object
 * serves one thread at a time; a problem may be solved by many at once where its functions may.
 * Structs begin with their size as the caller was compiled, which the initialisers set: later versions may
 * append members, whose defaults are then those of the caller's version. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum revode_code {
  REVODE_OK = 0,
  REVODE_MISUSE = 1,        /* an argument: nothing was computed */
  REVODE_OUT_OF_MEMORY = 2, /* nor could be */
  REVODE_CALLBACK = 3,      /* a function of the caller's returned another number than 0 */
  REVODE_FAILURE = 4        /* anything else, such as a file that cannot be written */
} revode_code;

const char* revode_version(void);
const char* revode_last_error(void);

/* Names: "tsit5", "recursive_checkpoint", "binomial", "lorenz"; NULL behind the last. */
const char* revode_method_name(size_t i);
const char* revode_algebra_name(size_t i);
const char* revode_adjoint_name(size_t i);
const char* revode_schedule_name(size_t i);
const char* revode_problem_name(size_t i);

/* ---- problems: y' = f(t, y, p), y(t0) = y0 (n numbers), p (np numbers) ---- */

typedef struct revode_problem revode_problem;

/* Functions of the caller's; `user` is what was given with them. Anything but 0 ends the call of revode. */
typedef int (*revode_f)(double t, const double* y, const double* p, double* dy, void* user);
/* adds w' df/dt to *gt, w' df/dy to gy, w' df/dp to gp */
typedef int (*revode_vjp)(double t, const double* y, const double* p, const double* w, double* gt,
                          double* gy, double* gp, void* user);
/* out = df/dt dt + df/dy dy + df/dp dp */
typedef int (*revode_jvp)(double t, const double* y, const double* p, double dt, const double* dy,
                          const double* dp, double* out, void* user);
/* jac[i n + j] = df_i/dy_j, into zeros; of a band or a pattern: in its order, see below */
typedef int (*revode_jacobian)(double t, const double* y, const double* p, double* jac, void* user);

revode_code revode_problem_new(int n, const double* y0, int np, const double* p, double t0,
                               double t1, revode_f f, void* user, revode_problem** q);
/* A named problem: "lorenz96:40". */
revode_code revode_problem_named(const char* spec, revode_problem** q);
void revode_problem_free(revode_problem* q);

/* Derivatives, each of which may be missing: see any_callbacks in revode/any.hpp. */
revode_code revode_problem_set_vjp(revode_problem* q, revode_vjp vjp);
revode_code revode_problem_set_jvp(revode_problem* q, revode_jvp jvp);
revode_code revode_problem_set_jacobian(revode_problem* q, revode_jacobian jacobian);
revode_code revode_problem_use_finite_differences(revode_problem* q);
/* Differences take steps for numbers of size 1, for smaller ones no shorter: give the size at which those in y and p
 * begin to matter, 1e-9 for nanometres in metres, and that of t where its unit is far from what happens in it. */
revode_code revode_problem_set_typical_size(revode_problem* q, double size);
revode_code revode_problem_set_typical_time(revode_problem* q, double time);

/* For linear algebras of large systems (revode_options.algebra): where df/dy may be nonzero. A band of `lower`
 * diagonals below the main one and `upper` above, for "banded"; a pattern by compressed columns, for "klu" and
 * "gmres_ilu0": n + 1 starts, entries starts[j] to starts[j + 1] - 1 of `rows` being those of column j; the numbers are
 * copied. NULL, or negative widths: not known, as at first; named problems are then asked. With integrals (see
 * revode_problem_set_quadrature) the pattern stays that of y, their rows are added; a band has them as well: it holds what
 * they read. What misses an element is refused by a solve, where the field has a jvp or vjp. */
revode_code revode_problem_set_band(revode_problem* q, int lower, int upper);
revode_code revode_problem_set_pattern(revode_problem* q, const int* starts, const int* rows);
/* The Jacobian in these shapes: jac[i (lower + 1 + upper) + lower + j - i] = df_i/dy_j, or a number for each entry of
 * the pattern in its order, into zeros. Without them it is made of products. */
revode_code revode_problem_set_banded_jacobian(revode_problem* q, revode_jacobian jacobian);
revode_code revode_problem_set_sparse_jacobian(revode_problem* q, revode_jacobian jacobian);

/* y' = f + g: with this explicit part, f is the implicit, stiff one, and "kencarp5_imex" and its like take each its own
 * way, asking for the Jacobian of f alone; other methods take the sum. g NULL: none, as at first. Its derivatives, of
 * which gradients need one, may be NULL. */
revode_code revode_problem_set_explicit_part(revode_problem* q, revode_f g, revode_vjp vjp,
                                             revode_jvp jvp, void* user);

/* M y' = f(t, y, p) with mass[i n + k] = M_ik, singular or not; NULL: y' = f. The numbers are copied. A
 * method that takes none says which do: "rodas5p" is one. */
revode_code revode_problem_set_mass(revode_problem* q, const double* mass);
/* Of which index each of the n elements of y is, 1, 2 or 3, behind the mass matrix; NULL: all of 1. "radau"
 * and the other Radau methods take such problems. */
revode_code revode_problem_set_index(revode_problem* q, const int* index);

/* k integrals beside y: q' = g(t, y, p), which fills k numbers, q(t0) = q0 (NULL: zeros); their vjp (NULL: none) is
 * asked for by gradients and implicit methods. k = 0: none. States and gradients of solutions, tolerances of
 * components and cotangents then have n + k numbers, y and then q; functions see y alone. A running cost is the
 * last of them: its cotangent is 1. */
revode_code revode_problem_set_quadrature(revode_problem* q, int k, const double* q0, revode_f g,
                                          revode_vjp vjp, void* user);

revode_code revode_problem_sizes(const revode_problem* q, int* n, int* np);
revode_code revode_problem_get(const revode_problem* q, double* y0, double* p, double* t0,
                               double* t1); /* what is NULL is left out */
revode_code revode_problem_set(revode_problem* q, const double* y0, const double* p, double t0,
                               double t1);

/* A located event: occurs where condition passes through 0. */
typedef struct revode_event {
  size_t size;
  const char* name;
  int (*condition)(double t, const double* y, const double* p, double* value, void* user);
  int (*jump)(double t, const double* y, const double* p, double* y_new,
              void* user); /* NULL: none; y_new comes as y */
  /* for gradients: as vjp, of the condition and of y_new. A solve that begins on the event's surface, behind its jump
   * for instance, asks how the condition changes as well: by condition_gradient, else by differences. */
  int (*condition_gradient)(double t, const double* y, const double* p, double* gt, double* gy,
                            double* gp, void* user);
  revode_vjp jump_vjp;
  void* user;
  int direction; /* 0: both, 1: rising, 2: falling */
  int terminal, passes;
} revode_event;
#define REVODE_EVENT \
  { sizeof(revode_event), "", NULL, NULL, NULL, NULL, NULL, 0, 0, 0 }
revode_code revode_problem_add_event(revode_problem* q, const revode_event* event);

/* ---- solves ---- */

typedef struct revode_options {
  size_t size;
  double rtol, atol;
  double fixed_step, first_step, max_step, min_step; /* 0: chosen, as in solve/options.hpp */
  int64_t max_steps;
  const double* save_ts; /* save points, in the order of integration */
  size_t save_count;
  int save_t0, save_t1;
  const double* stops;
  size_t stop_count;
  const double* discontinuities;
  size_t discontinuity_count;
  const double* rtols; /* of each component, in place of rtol and atol: n numbers, or NULL */
  const double* atols;
  size_t rtol_count, atol_count;
  const char* algebra; /* of implicit methods: a revode_algebra_name; NULL: "dense" */
} revode_options;
#define REVODE_OPTIONS                                                                          \
  {                                                                                             \
    sizeof(revode_options), 1e-6, 1e-9, 0, 0, 0, 0, 1000000, NULL, 0, 0, 0, NULL, 0, NULL, 0,   \
        NULL, NULL, 0, 0, NULL                                                                  \
  }

/* name NULL: recursive_checkpoint; slots, budget (bytes): one of them or 0; schedule NULL: chosen;
 * log NULL or "automatic", "steps", "controller"; interval: of periodic and interpolating. */
typedef struct revode_adjoint {
  size_t size;
  const char* name;
  int64_t slots, budget;
  const char* schedule;
  const char* log;
  int64_t base, interval, slow_slots, events;
  const char* spill;
} revode_adjoint;
#define REVODE_ADJOINT \
  { sizeof(revode_adjoint), NULL, 0, 0, NULL, NULL, 16, 0, 0, 32, NULL }

typedef struct revode_solution revode_solution;

/* Options NULL: the defaults. A list in them that is NULL has the count 0. */
revode_code revode_solve(const revode_problem* q, const char* method, const revode_options* o,
                         revode_solution** s);
revode_code revode_solve_dense(const revode_problem* q, const char* method, const revode_options* o,
                               revode_solution** s);
revode_code revode_solve_differentiable(const revode_problem* q, const char* method,
                                        const revode_options* o, const revode_adjoint* adjoint,
                                        revode_solution** s);
/* A solve for each of `count` starts and parameters, on so many threads (0: as many as the machine has), in the bits of as
 * many calls: y0s has count times n numbers and ps count times np, NULL stands for those of the problem; s has room
 * for `count` solutions, each to be freed. The problem's functions are called by several threads at once. One call that
 * fails, of misuse or of a function, ends all, and there are no solutions; misuse behind the first point, 0, says of which. */
revode_code revode_solve_each(const revode_problem* q, const char* method, const revode_options* o,
                              size_t count, const double* y0s, const double* ps, int threads,
                              revode_solution** s);
void revode_solution_free(revode_solution* s);

/* 0: success; its name, and one sentence. */
int revode_solution_status(const revode_solution* s);
const char* revode_status_name(int status);
const char* revode_status_text(int status);

double revode_solution_t(const revode_solution* s);
revode_code revode_solution_y(const revode_solution* s, double* y);
size_t revode_solution_save_count(const revode_solution* s);
revode_code revode_solution_save(const revode_solution* s, size_t k, double* t, double* y);
size_t revode_solution_event_count(const revode_solution* s);
revode_code revode_solution_event(const revode_solution* s, size_t k, double* t, int* which);

typedef struct revode_statistics {
  size_t size;
  int64_t accepted, rejected, field_evaluations, jacobian_evaluations, factorizations,
      linear_solves, newton_iterations, jvp_evaluations;
} revode_statistics;
#define REVODE_STATISTICS \
  { sizeof(revode_statistics), 0, 0, 0, 0, 0, 0, 0, 0 }
revode_code revode_solution_statistics(const revode_solution* s, revode_statistics* out);

/* y(t) and dy/dt of a dense solution; behind: the value behind the events at t. */
revode_code revode_solution_at(revode_solution* s, double t, int behind, double* y);
revode_code revode_solution_derivative(revode_solution* s, double t, int behind, double* dy);

/* The derivative of a loss with these cotangents, of y (n numbers), of the saved states (save_count times n)
 * and of the times of events; NULL: none. What is NULL in the result is left out. */
typedef struct revode_gradient {
  size_t size;
  double *y0, *p; /* the caller's arrays of n (with integrals n + k) and np numbers */
  double t0, t1;
  int status;
  int64_t pulled_steps, replayed_steps, peak_states, peak_bytes;
} revode_gradient;
#define REVODE_GRADIENT \
  { sizeof(revode_gradient), NULL, NULL, 0, 0, 0, 0, 0, 0, 0 }
revode_code revode_solution_pullback(revode_solution* s, const double* y_bar, const double* ys_bar,
                                     const double* events_bar, revode_gradient* g);

#ifdef __cplusplus
}
#endif
#endif
