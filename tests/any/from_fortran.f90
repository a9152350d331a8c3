! SPDX-License-Identifier: Apache-2.0
! Lotka and Volterra's equations and a chain by Fortran's callbacks, for from_fortran.cpp, which holds what comes of them to
! the bits of the same by C++.
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
  ! The explicit part, more prey in spring, and its vjp.
  integer(c_int) function spring(t, y, p, dy, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4)
    real(c_double), intent(out) :: dy(2)
    type(c_ptr), value :: user
    dy(1) = 0.125d0*t
    dy(2) = 0
    spring = 0
  end function
  integer(c_int) function vjp_of_spring(t, y, p, w, gt, gy, gp, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: y(2), p(4), w(2)
    real(c_double), intent(inout) :: gt, gy(2), gp(4)
    type(c_ptr), value :: user
    gt = gt + 0.125d0*w(1)
    vjp_of_spring = 0
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

  ! The problem in parts, with its integral and its event, by a method: y and q at the end, at two save points, the time of the event, a
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
    call add(revode_problem_set_explicit_part(q, c_funloc(spring), c_funloc(vjp_of_spring), &
                                              c_null_funptr, c_null_ptr))
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

! The chain of chain.hpp with its Jacobian in a band and on a pattern.
module fortran_chain
  use revode
  implicit none
  integer, parameter :: n = 12
contains
  integer(c_int) function f(t, y, p, dy, user) bind(c, name='chain_f')
    real(c_double), value :: t
    real(c_double), intent(in) :: y(n), p(2)
    real(c_double), intent(out) :: dy(n)
    type(c_ptr), value :: user
    real(c_double) :: flow
    integer :: i
    do i = 1, n
      flow = y(i)*(-2d0)
      if (i > 1) flow = flow + 1.25d0*y(i - 1)
      if (i < n) flow = flow + 0.75d0*y(i + 1)
      dy(i) = p(1)*flow + p(2)*(y(i)*(1 - y(i)))
    end do
    f = 0
  end function
  pure real(c_double) function on_diagonal(y, p)
    real(c_double), intent(in) :: y, p(2)
    on_diagonal = -2*p(1) + p(2)*(1 - 2*y)
  end function
  integer(c_int) function vjp(t, y, p, w, gt, gy, gp, user) bind(c, name='chain_vjp')
    real(c_double), value :: t
    real(c_double), intent(in) :: y(n), p(2), w(n)
    real(c_double), intent(inout) :: gt, gy(n), gp(2)
    type(c_ptr), value :: user
    real(c_double) :: below, above
    integer :: i
    do i = 1, n
      below = 0
      above = 0
      if (i > 1) below = y(i - 1)
      if (i < n) above = y(i + 1)
      if (i > 1) gy(i - 1) = gy(i - 1) + 1.25d0*p(1)*w(i)
      gy(i) = gy(i) + on_diagonal(y(i), p)*w(i)
      if (i < n) gy(i + 1) = gy(i + 1) + 0.75d0*p(1)*w(i)
      gp(1) = gp(1) + w(i)*(1.25d0*below - 2*y(i) + 0.75d0*above)
      gp(2) = gp(2) + w(i)*y(i)*(1 - y(i))
    end do
    vjp = 0
  end function
  ! A column of `rows` is a row of the Jacobian: C has row after row.
  integer(c_int) function band(t, y, p, rows, user) bind(c, name='chain_band')
    real(c_double), value :: t
    real(c_double), intent(in) :: y(n), p(2)
    real(c_double), intent(inout) :: rows(-1:1, n)
    type(c_ptr), value :: user
    integer :: i
    do i = 1, n
      rows(:, i) = [1.25d0*p(1), on_diagonal(y(i), p), 0.75d0*p(1)]
    end do
    band = 0
  end function
  ! The numbers of each column from its first row to its last.
  integer(c_int) function entries(t, y, p, numbers, user) bind(c, name='chain_entries')
    real(c_double), value :: t
    real(c_double), intent(in) :: y(n), p(2)
    real(c_double), intent(inout) :: numbers(3*n - 2)
    type(c_ptr), value :: user
    integer :: j
    do j = 1, n
      if (j > 1) numbers(3*j - 3) = 0.75d0*p(1)
      numbers(3*j - 2) = on_diagonal(y(j), p)
      if (j < n) numbers(3*j - 1) = 1.25d0*p(1)
    end do
    entries = 0
  end function

  ! The state at the end and its gradient by a method and an algebra, and the ends of an ensemble of three.
  integer(c_int) function solve_chain_from_fortran(method, algebra, y0, w, y, of_y0, of_p, ends) bind(c)
    character(kind=c_char), intent(in) :: method(*)
    character(kind=c_char), target, intent(in) :: algebra(*)
    real(c_double), intent(in) :: y0(n)
    real(c_double), target, intent(in) :: w(n)
    real(c_double), intent(out) :: y(n), ends(n, 3)
    real(c_double), target, intent(out) :: of_y0(n), of_p(2)
    type(c_ptr) :: q, s, all(3)
    type(revode_options) :: o
    type(revode_adjoint) :: adjoint
    type(revode_gradient) :: bar
    real(c_double), parameter :: ps(2, 3) = reshape([40d0, 3d0, 30d0, 2d0, 20d0, 1d0], [2, 3])
    integer(c_int) :: starts(n + 1), rows(3*n - 2)
    integer :: j
    starts = [0, (3*j - 1, j = 1, n - 1), 3*n - 2]
    rows = [0, 1, (j - 2, j - 1, j, j = 2, n - 1), n - 2, n - 1]
    solve_chain_from_fortran = 0
    call add(revode_problem_new(n, y0, 2, ps(:, 1), 0d0, 0.5d0, c_funloc(f), c_null_ptr, q))
    call add(revode_problem_set_vjp(q, c_funloc(vjp)))
    call add(revode_problem_set_band(q, 1, 1))
    call add(revode_problem_set_banded_jacobian(q, c_funloc(band)))
    call add(revode_problem_set_pattern(q, starts, rows))
    call add(revode_problem_set_sparse_jacobian(q, c_funloc(entries)))
    o = default_options()
    o%algebra = c_loc(algebra)
    adjoint = default_adjoint()
    adjoint%slots = 5
    call add(revode_solve_differentiable(q, method, o, adjoint, s))
    if (solve_chain_from_fortran /= 0) return
    call add(revode_solution_y(s, y))
    bar = default_gradient()
    bar%y0 = c_loc(of_y0)
    bar%p = c_loc(of_p)
    call add(revode_solution_pullback(s, c_loc(w), c_null_ptr, c_null_ptr, bar))
    call revode_solution_free(s)
    call add(revode_solve_each(q, method, o, 3_c_size_t, spread(y0, 2, 3), ps, 2, all))
    if (solve_chain_from_fortran /= 0) return
    do j = 1, 3
      call add(revode_solution_y(all(j), ends(:, j)))
      call revode_solution_free(all(j))
    end do
    call revode_problem_free(q)
  contains
    subroutine add(code)
      integer(c_int), intent(in) :: code
      solve_chain_from_fortran = max(solve_chain_from_fortran, code)
    end subroutine
  end function
end module

! Michaelis and Menten's decay in small units, by differences of its field alone.
module fortran_units
  use revode
  implicit none
contains
  integer(c_int) function f(t, y, p, dy, user) bind(c, name='decay_f')
    real(c_double), value :: t
    real(c_double), intent(in) :: y(1), p(2)
    real(c_double), intent(out) :: dy(1)
    type(c_ptr), value :: user
    dy(1) = -p(1)*t*y(1)/(p(2) + y(1))
    f = 0
  end function

  ! The gradient of the end, where numbers of y and p are of size `unit` and times of size `time`.
  integer(c_int) function differences_from_fortran(method, unit, time, of_y0, of_p) bind(c)
    character(kind=c_char), intent(in) :: method(*)
    real(c_double), value :: unit, time
    real(c_double), target, intent(out) :: of_y0(1), of_p(2)
    type(c_ptr) :: q, s
    type(revode_options) :: o
    type(revode_gradient) :: bar
    real(c_double), target :: w(1)
    w = 1
    differences_from_fortran = 0
    call add(revode_problem_new(1, [2*unit], 2, [unit/time**2, unit], 0d0, 2*time, c_funloc(f), c_null_ptr, q))
    call add(revode_problem_use_finite_differences(q))
    call add(revode_problem_set_typical_size(q, unit))
    call add(revode_problem_set_typical_time(q, time))
    o = default_options()
    o%atol = 1e-9_c_double*unit
    call add(revode_solve_differentiable(q, method, o, default_adjoint(), s))
    if (differences_from_fortran /= 0) return
    bar = default_gradient()
    bar%y0 = c_loc(of_y0)
    bar%p = c_loc(of_p)
    call add(revode_solution_pullback(s, c_loc(w), c_null_ptr, c_null_ptr, bar))
    call revode_solution_free(s)
    call revode_problem_free(q)
  contains
    subroutine add(code)
      integer(c_int), intent(in) :: code
      differences_from_fortran = max(differences_from_fortran, code)
    end subroutine
  end function
end module
