/* SPDX-License-Identifier: Apache-2.0
 * A bouncing ball from C: its impacts are events, and the gradient of where it is goes through them.
 *
 * prints: t = 3\.0: height 0\.418352, 4 bounces, success
 * prints: d height / d restitution = 6\.770978
 */
#include <stdio.h>

#include <revode.h>

static int fall(double t, const double* y, const double* p, double* dy, void* user) {
  (void)t, (void)user;
  dy[0] = y[1];
  dy[1] = -p[0];
  return 0;
}
static int fall_vjp(double t, const double* y, const double* p, const double* w, double* gt,
                    double* gy, double* gp, void* user) {
  (void)t, (void)y, (void)p, (void)gt, (void)user;
  gy[1] += w[0];
  gp[0] -= w[1];
  return 0;
}

static int height(double t, const double* y, const double* p, double* value, void* user) {
  (void)t, (void)p, (void)user;
  *value = y[0];
  return 0;
}
static int height_gradient(double t, const double* y, const double* p, double* gt, double* gy,
                           double* gp, void* user) {
  (void)t, (void)y, (void)p, (void)gt, (void)gp, (void)user;
  gy[0] += 1;
  return 0;
}
static int bounce(double t, const double* y, const double* p, double* y_new, void* user) {
  (void)t, (void)user;
  y_new[1] = -p[1] * y[1];
  return 0;
}
static int bounce_vjp(double t, const double* y, const double* p, const double* w, double* gt,
                      double* gy, double* gp, void* user) {
  (void)t, (void)gt, (void)user;
  gy[0] += w[0];
  gy[1] -= w[1] * p[1];
  gp[1] -= w[1] * y[1];
  return 0;
}

static int failed(revode_code code) {
  if (code != REVODE_OK) fprintf(stderr, "%s\n", revode_last_error());
  return code != REVODE_OK;
}

int main(void) {
  const double y0[] = {1, 0}, p[] = {9.81, 0.9}; /* gravity, restitution */
  revode_problem* ball;
  if (failed(revode_problem_new(2, y0, 2, p, 0, 3, fall, NULL, &ball)) ||
      failed(revode_problem_set_vjp(ball, fall_vjp)))
    return 1;
  revode_event impact = REVODE_EVENT;
  impact.name = "impact";
  impact.condition = height;
  impact.condition_gradient = height_gradient;
  impact.jump = bounce;
  impact.jump_vjp = bounce_vjp;
  impact.direction = 2;
  if (failed(revode_problem_add_event(ball, &impact))) return 1;

  revode_options o = REVODE_OPTIONS;
  o.rtol = 1e-9;
  revode_adjoint adjoint = REVODE_ADJOINT;
  adjoint.slots = 10;
  revode_solution* s;
  if (failed(revode_solve_differentiable(ball, "tsit5", &o, &adjoint, &s))) return 1;
  double y[2], by_p[2];
  revode_solution_y(s, y);
  printf("t = %.1f: height %.6f, %zu bounces, %s\n", revode_solution_t(s), y[0],
         revode_solution_event_count(s), revode_status_name(revode_solution_status(s)));

  const double of_height[] = {1, 0};
  revode_gradient g = REVODE_GRADIENT;
  g.p = by_p;
  if (failed(revode_solution_pullback(s, of_height, NULL, NULL, &g))) return 1;
  printf("d height / d restitution = %.6f\n", by_p[1]);
  revode_solution_free(s);
  revode_problem_free(ball);
  return 0;
}
