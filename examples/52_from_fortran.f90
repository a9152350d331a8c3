! SPDX-License-Identifier: Apache-2.0
! Predators and prey from Fortran, and how their number at the end depends on four rates.
!
! prints: y\(10\) =   1\.0240515  1\.1543255 in 228 steps, success
! prints: gradient:     1\.455990   -0\.176994    0\.332006    0\.536877
module predators
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
    gy(1) = gy(1) + w(1)*(p(1) - p(2)*y(2)) + w(2)*p(4)*y(2)
    gy(2) = gy(2) + w(2)*(p(4)*y(1) - p(3)) - w(1)*p(2)*y(1)
    gp = gp + [w(1)*y(1), -w(1)*y(1)*y(2), -w(2)*y(2), w(2)*y(1)*y(2)]
    vjp = 0
  end function
end module

program from_fortran
  use predators
  implicit none
  type(c_ptr) :: q, s
  type(revode_options) :: o
  type(revode_adjoint) :: adjoint
  type(revode_statistics) :: told
  type(revode_gradient) :: g
  real(c_double) :: y(2)
  real(c_double), target :: w(2) = [1, 0], gp(4)

  call expect(revode_problem_new(2, [1d0, 1.5d0], 4, [1.5d0, 1d0, 3d0, 1d0], 0d0, 10d0, &
                                 c_funloc(f), c_null_ptr, q))
  call expect(revode_problem_set_vjp(q, c_funloc(vjp)))
  o = default_options()
  o%rtol = 1d-8
  adjoint = default_adjoint()
  adjoint%slots = 8
  call expect(revode_solve_differentiable(q, 'tsit5'//c_null_char, o, adjoint, s))
  call expect(revode_solution_y(s, y))
  told = default_statistics()
  call expect(revode_solution_statistics(s, told))
  print '(a, 2f11.7, a, i0, 2a)', 'y(10) = ', y, ' in ', told%accepted, ' steps, ', &
    text_of(revode_status_name(revode_solution_status(s)))
  g = default_gradient()
  g%p = c_loc(gp)
  call expect(revode_solution_pullback(s, c_loc(w), c_null_ptr, c_null_ptr, g))
  print '(a, 4f12.6)', 'gradient: ', gp
  call revode_solution_free(s)
  call revode_problem_free(q)
contains
  subroutine expect(code)
    integer(c_int), intent(in) :: code
    if (code /= REVODE_OK) error stop text_of(revode_last_error())
  end subroutine
end program
