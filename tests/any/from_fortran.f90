! SPDX-License-Identifier: Apache-2.0
! Lotka and Volterra's equations by Fortran's callbacks, for from_fortran.cpp, which holds what comes of them to the bits of
! the same by C++.
module fortran_predators
  use revode
  implicit none
contains
  integer(c_int) function f(t, y, p, dy, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4)
    real(c_double), intent(out) :: dy(2)
    type(c_ptr), value :: user
    dy(1) = p(1)*y(1) - p(2)*y(1)*y(2)
    dy(2) = p(4)*y(1)*y(2) - p(3)*y(2)
    f = 0
  end function
  integer(c_int) function vjp(t, y, p, w, gt, gy, gp, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4), w(2)
    real(c_double), intent(inout) :: gt, gy(2), gp(4)
    type(c_ptr), value :: user
    gy(1) = gy(1) + (w(1)*(p(1) - p(2)*y(2)) + w(2)*p(4)*y(2))
    gy(2) = gy(2) + (w(2)*(p(4)*y(1) - p(3)) - w(1)*p(2)*y(1))
    gp = gp + [w(1)*y(1), -w(1)*y(1)*y(2), -w(2)*y(2), w(2)*y(1)*y(2)]
    vjp = 0
  end function
  ! The integral of t y(1), and its vjp.
  integer(c_int) function g(t, y, p, dq, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4)
    real(c_double), intent(out) :: dq(1)
    type(c_ptr), value :: user
    dq(1) = t*y(1)
    g = 0
  end function
  integer(c_int) function vjp_of_g(t, y, p, w, gt, gy, gp, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4), w(1)
    real(c_double), intent(inout) :: gt, gy(2), gp(4)
    type(c_ptr), value :: user
    gt = gt + w(1)*y(1)
    gy(1) = gy(1) + w(1)*t
    vjp_of_g = 0
  end function
  ! Prey at two.
  integer(c_int) function condition(t, y, p, value, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4)
    real(c_double), intent(out) :: value
    type(c_ptr), value :: user
    value = y(1) - 2
    condition = 0
  end function
  integer(c_int) function condition_gradient(t, y, p, gt, gy, gp, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4)
    real(c_double), intent(inout) :: gt, gy(2), gp(4)
    type(c_ptr), value :: user
    gy(1) = gy(1) + 1
    condition_gradient = 0
  end function

  ! The problem with its integral and its event, by a method: y and q at the end, at two save points, the time of the event, a
  ! gradient. 0: all calls went well.
  integer(c_int) function solve_from_fortran(method, y, saved, event_t, of_y0, of_p) bind(c)
    character(kind=c_char), intent(in) :: method(*)
    real(c_double), intent(out) :: y(3), saved(3, 2), event_t
    real(c_double), target, intent(out) :: of_y0(3), of_p(4)
    type(c_ptr) :: q, s
    type(revode_options) :: o
    type(revode_adjoint) :: adjoint
    type(revode_event) :: two
    type(revode_gradient) :: bar
    real(c_double), target :: w(3), of_event(1), ts(2)
    real(c_double) :: t
    integer(c_int) :: which
    integer(c_size_t) :: k
    w = [1d0, -2d0, 0.5d0]
    of_event = 3
    ts = [0.25d0, 2.5d0]
    call add(revode_problem_new(2, [1d0, 1.5d0], 4, [1.5d0, 1d0, 3d0, 1d0], 0d0, 3d0, c_funloc(f), &
                                c_null_ptr, q), .true.)
    call add(revode_problem_set_vjp(q, c_funloc(vjp)))
    call add(revode_problem_set_quadrature(q, 1, [0d0], c_funloc(g), c_funloc(vjp_of_g), c_null_ptr))
    two = default_event()
    two%condition = c_funloc(condition)
    two%condition_gradient = c_funloc(condition_gradient)
    two%direction = 1
    call add(revode_problem_add_event(q, two))
    o = default_options()
    o%save_ts = c_loc(ts)
    o%save_count = 2
    adjoint = default_adjoint()
    adjoint%slots = 5
    call add(revode_solve_differentiable(q, method, o, adjoint, s))
    call add(revode_solution_y(s, y))
    do k = 1, 2
      call add(revode_solution_save(s, k - 1, t, saved(:, k)))
    end do
    call add(revode_solution_event(s, 0_c_size_t, event_t, which))
    bar = default_gradient()
    bar%y0 = c_loc(of_y0)
    bar%p = c_loc(of_p)
    call add(revode_solution_pullback(s, c_loc(w), c_null_ptr, c_loc(of_event), bar))
    call revode_solution_free(s)
    call revode_problem_free(q)
  contains
    subroutine add(code, first)
      integer(c_int), intent(in) :: code
      logical, intent(in), optional :: first
      if (present(first)) solve_from_fortran = 0
      solve_from_fortran = max(solve_from_fortran, code)
    end subroutine
  end function
end module
