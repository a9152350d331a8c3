! SPDX-License-Identifier: Apache-2.0
! Robertson's reaction from Fortran, with the sum of its species as an equation in place of the third rate: M y' = f with a
! singular M, by a Rosenbrock method.
!
! prints: y\(40\) =  0\.715827  0\.000009  0\.284164, success
! prints: their sum is 1\.000000000000
module reaction
  use revode
  implicit none
contains
  integer(c_int) function f(t, y, p, dy, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(3), p(3)
    real(c_double), intent(out) :: dy(3)
    type(c_ptr), value :: user
    dy(1) = p(3)*y(2)*y(3) - p(1)*y(1)
    dy(2) = -dy(1) - p(2)*y(2)**2
    dy(3) = sum(y) - 1
    f = 0
  end function
  integer(c_int) function vjp(t, y, p, w, gt, gy, gp, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(3), p(3), w(3)
    real(c_double), intent(inout) :: gt, gy(3), gp(3)
    type(c_ptr), value :: user
    real(c_double) :: slow
    slow = w(1) - w(2)
    gy = gy + w(3) + slow*[-p(1), p(3)*y(3), p(3)*y(2)] - [0d0, 2*w(2)*p(2)*y(2), 0d0]
    gp = gp + [-slow*y(1), -w(2)*y(2)**2, slow*y(2)*y(3)]
    vjp = 0
  end function
end module

program mass_matrix_from_fortran
  use reaction
  implicit none
  type(c_ptr) :: q, s
  type(revode_options) :: o
  real(c_double) :: y(3)
  real(c_double), parameter :: mass(3, 3) = reshape([1d0, 0d0, 0d0, 0d0, 1d0, 0d0, 0d0, 0d0, 0d0], [3, 3])

  call expect(revode_problem_new(3, [1d0, 0d0, 0d0], 3, [0.04d0, 3d7, 1d4], 0d0, 40d0, &
                                 c_funloc(f), c_null_ptr, q))
  call expect(revode_problem_set_vjp(q, c_funloc(vjp)))
  call expect(revode_problem_set_mass(q, mass))
  o = default_options()
  o%rtol = 1d-8
  o%atol = 1d-12
  call expect(revode_solve(q, 'rodas5p'//c_null_char, o, s))
  call expect(revode_solution_y(s, y))
  print '(a, 3f10.6, 2a)', 'y(40) =', y, ', ', text_of(revode_status_name(revode_solution_status(s)))
  print '(a, f14.12)', 'their sum is ', sum(y)
  call revode_solution_free(s)
  call revode_problem_free(q)
contains
  subroutine expect(code)
    integer(c_int), intent(in) :: code
    if (code /= REVODE_OK) error stop text_of(revode_last_error())
  end subroutine
end program
