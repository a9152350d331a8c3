! SPDX-License-Identifier: Apache-2.0
! revode from Fortran: revode.h with names and kinds of Fortran's. Compile it with your program, and link what
! revode.h asks for. Callbacks are functions with bind(c) that return 0 to go on; of text ask for
! text_of(revode_last_error()).
module revode
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: REVODE_OK = 0, REVODE_MISUSE = 1, REVODE_OUT_OF_MEMORY = 2, &
                               REVODE_CALLBACK = 3, REVODE_FAILURE = 4

  ! Defaults of the members are those of revode.h.
  type, bind(c) :: revode_options
    integer(c_size_t) :: size = 0  ! set by default_options
    real(c_double) :: rtol = 1e-6_c_double, atol = 1e-9_c_double
    real(c_double) :: fixed_step = 0, first_step = 0, max_step = 0, min_step = 0
    integer(c_int64_t) :: max_steps = 1000000
    type(c_ptr) :: save_ts = c_null_ptr
    integer(c_size_t) :: save_count = 0
    integer(c_int) :: save_t0 = 0, save_t1 = 0
    type(c_ptr) :: stops = c_null_ptr
    integer(c_size_t) :: stop_count = 0
    type(c_ptr) :: discontinuities = c_null_ptr
    integer(c_size_t) :: discontinuity_count = 0
    type(c_ptr) :: rtols = c_null_ptr, atols = c_null_ptr  ! of each component
    integer(c_size_t) :: rtol_count = 0, atol_count = 0
    type(c_ptr) :: algebra = c_null_ptr  ! a name by c_loc, or dense
  end type

  type, bind(c) :: revode_adjoint
    integer(c_size_t) :: size = 0  ! set by default_adjoint
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: slots = 0, budget = 0
    type(c_ptr) :: schedule = c_null_ptr, log = c_null_ptr
    integer(c_int64_t) :: base = 16, interval = 0, slow_slots = 0, events = 32
    type(c_ptr) :: spill = c_null_ptr
  end type

  type, bind(c) :: revode_gradient
    integer(c_size_t) :: size = 0  ! set by default_gradient
    type(c_ptr) :: y0 = c_null_ptr, p = c_null_ptr
    real(c_double) :: t0 = 0, t1 = 0
    integer(c_int) :: status = 0
    integer(c_int64_t) :: pulled_steps = 0, replayed_steps = 0, peak_states = 0, peak_bytes = 0
  end type

  type, bind(c) :: revode_statistics
    integer(c_size_t) :: size = 0  ! set by default_statistics
    integer(c_int64_t) :: accepted = 0, rejected = 0, field_evaluations = 0, &
                          jacobian_evaluations = 0, factorizations = 0, linear_solves = 0, &
                          newton_iterations = 0, jvp_evaluations = 0
  end type

  type, bind(c) :: revode_event
    integer(c_size_t) :: size = 0  ! set by default_event
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: condition = c_null_funptr, jump = c_null_funptr
    type(c_funptr) :: condition_gradient = c_null_funptr, jump_vjp = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int) :: direction = 0, terminal = 0, passes = 0
  end type

  interface
    type(c_ptr) function revode_version() bind(c)
      import
    end function
    type(c_ptr) function revode_last_error() bind(c)
      import
    end function

    ! Of these the i-th name, from 0; c_null_ptr behind the last.
    type(c_ptr) function revode_method_name(i) bind(c)
      import
      integer(c_size_t), value :: i
    end function
    type(c_ptr) function revode_algebra_name(i) bind(c)
      import
      integer(c_size_t), value :: i
    end function
    type(c_ptr) function revode_adjoint_name(i) bind(c)
      import
      integer(c_size_t), value :: i
    end function
    type(c_ptr) function revode_schedule_name(i) bind(c)
      import
      integer(c_size_t), value :: i
    end function
    type(c_ptr) function revode_problem_name(i) bind(c)
      import
      integer(c_size_t), value :: i
    end function

    integer(c_int) function revode_problem_new(n, y0, np, p, t0, t1, f, user, q) bind(c)
      import
      integer(c_int), value :: n, np
      real(c_double), intent(in) :: y0(*), p(*)
      real(c_double), value :: t0, t1
      type(c_funptr), value :: f
      type(c_ptr), value :: user
      type(c_ptr), intent(out) :: q
    end function
    integer(c_int) function revode_problem_named(spec, q) bind(c)
      import
      character(kind=c_char), intent(in) :: spec(*)
      type(c_ptr), intent(out) :: q
    end function
    subroutine revode_problem_free(q) bind(c)
      import
      type(c_ptr), value :: q
    end subroutine
    integer(c_int) function revode_problem_set_vjp(q, vjp) bind(c)
      import
      type(c_ptr), value :: q
      type(c_funptr), value :: vjp
    end function
    integer(c_int) function revode_problem_set_jvp(q, jvp) bind(c)
      import
      type(c_ptr), value :: q
      type(c_funptr), value :: jvp
    end function
    integer(c_int) function revode_problem_set_jacobian(q, jacobian) bind(c)
      import
      type(c_ptr), value :: q
      type(c_funptr), value :: jacobian
    end function
    integer(c_int) function revode_problem_use_finite_differences(q) bind(c)
      import
      type(c_ptr), value :: q
    end function
    ! The sizes, of numbers in y and p and of t, for which differences take their steps: 1 unless said. See revode.h.
    integer(c_int) function revode_problem_set_typical_size(q, size) bind(c)
      import
      type(c_ptr), value :: q
      real(c_double), value :: size
    end function
    integer(c_int) function revode_problem_set_typical_time(q, time) bind(c)
      import
      type(c_ptr), value :: q
      real(c_double), value :: time
    end function
    ! Where the Jacobian is not 0, for algebras of large systems; rows and starts count from 0. See revode.h.
    integer(c_int) function revode_problem_set_band(q, lower, upper) bind(c)
      import
      type(c_ptr), value :: q
      integer(c_int), value :: lower, upper
    end function
    integer(c_int) function revode_problem_set_pattern(q, starts, rows) bind(c)
      import
      type(c_ptr), value :: q
      integer(c_int), intent(in) :: starts(*), rows(*)
    end function
    integer(c_int) function revode_problem_set_banded_jacobian(q, jacobian) bind(c)
      import
      type(c_ptr), value :: q
      type(c_funptr), value :: jacobian
    end function
    integer(c_int) function revode_problem_set_sparse_jacobian(q, jacobian) bind(c)
      import
      type(c_ptr), value :: q
      type(c_funptr), value :: jacobian
    end function
    ! M_ik of M y' = f in mass(k, i): row by row, as C has it.
    integer(c_int) function revode_problem_set_mass(q, mass) bind(c)
      import
      type(c_ptr), value :: q
      real(c_double), intent(in) :: mass(*)
    end function
    ! Of which index each element of y is, 1, 2 or 3; after the mass matrix.
    integer(c_int) function revode_problem_set_index(q, index) bind(c)
      import
      type(c_ptr), value :: q
      integer(c_int), intent(in) :: index(*)
    end function
    ! y' = f + g: g is the explicit part of the methods of both; with its vjp and jvp, or c_null_funptr.
    integer(c_int) function revode_problem_set_explicit_part(q, g, vjp, jvp, user) bind(c)
      import
      type(c_ptr), value :: q
      type(c_funptr), value :: g, vjp, jvp
      type(c_ptr), value :: user
    end function
    ! k integrals beside y, by a function g like f and its vjp; see revode.h.
    integer(c_int) function revode_problem_set_quadrature(q, k, q0, g, vjp, user) bind(c)
      import
      type(c_ptr), value :: q
      integer(c_int), value :: k
      real(c_double), intent(in) :: q0(*)
      type(c_funptr), value :: g, vjp
      type(c_ptr), value :: user
    end function
    integer(c_int) function revode_problem_sizes(q, n, np) bind(c)
      import
      type(c_ptr), value :: q
      integer(c_int), intent(out) :: n, np
    end function
    integer(c_int) function revode_problem_get(q, y0, p, t0, t1) bind(c)
      import
      type(c_ptr), value :: q
      real(c_double), intent(out) :: y0(*), p(*), t0, t1
    end function
    integer(c_int) function revode_problem_set(q, y0, p, t0, t1) bind(c)
      import
      type(c_ptr), value :: q
      real(c_double), intent(in) :: y0(*), p(*)
      real(c_double), value :: t0, t1
    end function
    integer(c_int) function revode_problem_add_event(q, event) bind(c)
      import
      type(c_ptr), value :: q
      type(revode_event), intent(in) :: event
    end function

    integer(c_int) function revode_solve(q, method, o, s) bind(c)
      import
      type(c_ptr), value :: q
      character(kind=c_char), intent(in) :: method(*)
      type(revode_options), intent(in) :: o
      type(c_ptr), intent(out) :: s
    end function
    integer(c_int) function revode_solve_dense(q, method, o, s) bind(c)
      import
      type(c_ptr), value :: q
      character(kind=c_char), intent(in) :: method(*)
      type(revode_options), intent(in) :: o
      type(c_ptr), intent(out) :: s
    end function
    integer(c_int) function revode_solve_differentiable(q, method, o, adjoint, s) bind(c)
      import
      type(c_ptr), value :: q
      character(kind=c_char), intent(in) :: method(*)
      type(revode_options), intent(in) :: o
      type(revode_adjoint), intent(in) :: adjoint
      type(c_ptr), intent(out) :: s
    end function
    ! A solve for each of `count` columns of y0s(n, count) and ps(np, count), on threads; see revode.h.
    integer(c_int) function revode_solve_each(q, method, o, count, y0s, ps, threads, s) bind(c)
      import
      type(c_ptr), value :: q
      character(kind=c_char), intent(in) :: method(*)
      type(revode_options), intent(in) :: o
      integer(c_size_t), value :: count
      real(c_double), intent(in) :: y0s(*), ps(*)
      integer(c_int), value :: threads
      type(c_ptr), intent(out) :: s(*)
    end function
    subroutine revode_solution_free(s) bind(c)
      import
      type(c_ptr), value :: s
    end subroutine

    integer(c_int) function revode_solution_status(s) bind(c)
      import
      type(c_ptr), value :: s
    end function
    type(c_ptr) function revode_status_name(status) bind(c)
      import
      integer(c_int), value :: status
    end function
    type(c_ptr) function revode_status_text(status) bind(c)
      import
      integer(c_int), value :: status
    end function
    real(c_double) function revode_solution_t(s) bind(c)
      import
      type(c_ptr), value :: s
    end function
    integer(c_int) function revode_solution_y(s, y) bind(c)
      import
      type(c_ptr), value :: s
      real(c_double), intent(out) :: y(*)
    end function
    integer(c_size_t) function revode_solution_save_count(s) bind(c)
      import
      type(c_ptr), value :: s
    end function
    integer(c_int) function revode_solution_save(s, k, t, y) bind(c)
      import
      type(c_ptr), value :: s
      integer(c_size_t), value :: k
      real(c_double), intent(out) :: t, y(*)
    end function
    integer(c_size_t) function revode_solution_event_count(s) bind(c)
      import
      type(c_ptr), value :: s
    end function
    integer(c_int) function revode_solution_event(s, k, t, which) bind(c)
      import
      type(c_ptr), value :: s
      integer(c_size_t), value :: k
      real(c_double), intent(out) :: t
      integer(c_int), intent(out) :: which
    end function
    integer(c_int) function revode_solution_statistics(s, told) bind(c)
      import
      type(c_ptr), value :: s
      type(revode_statistics), intent(inout) :: told
    end function
    integer(c_int) function revode_solution_at(s, t, behind, y) bind(c)
      import
      type(c_ptr), value :: s
      real(c_double), value :: t
      integer(c_int), value :: behind
      real(c_double), intent(out) :: y(*)
    end function
    integer(c_int) function revode_solution_derivative(s, t, behind, dy) bind(c)
      import
      type(c_ptr), value :: s
      real(c_double), value :: t
      integer(c_int), value :: behind
      real(c_double), intent(out) :: dy(*)
    end function
    ! Cotangents by c_loc, or c_null_ptr.
    integer(c_int) function revode_solution_pullback(s, y_bar, ys_bar, events_bar, g) bind(c)
      import
      type(c_ptr), value :: s, y_bar, ys_bar, events_bar
      type(revode_gradient), intent(inout) :: g
    end function

    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  type(revode_options) function default_options() result(o)
    o%size = c_sizeof(o)
  end function
  type(revode_adjoint) function default_adjoint() result(a)
    a%size = c_sizeof(a)
  end function
  type(revode_gradient) function default_gradient() result(g)
    g%size = c_sizeof(g)
  end function
  type(revode_statistics) function default_statistics() result(s)
    s%size = c_sizeof(s)
  end function
  type(revode_event) function default_event() result(e)
    e%size = c_sizeof(e)
  end function

  ! A text of C's as one of Fortran's.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: i, n
    n = 0
    if (c_associated(pointer)) n = c_strlen(pointer)
    allocate (character(n) :: text)
    if (n == 0) return
    call c_f_pointer(pointer, letters, [n])
    do i = 1, n
      text(i:i) = letters(i)
    end do
  end function
end module
