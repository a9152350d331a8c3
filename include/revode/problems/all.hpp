// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/problems/advection_diffusion_3d.hpp>
#include <revode/problems/andrews.hpp>
#include <revode/problems/arenstorf.hpp>
#include <revode/problems/battery_cell.hpp>
#include <revode/problems/beam.hpp>
#include <revode/problems/bouncing_ball.hpp>
#include <revode/problems/brusselator.hpp>
#include <revode/problems/brusselator_1d.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/burgers_1d.hpp>
#include <revode/problems/car_axis.hpp>
#include <revode/problems/chemakzo.hpp>
#include <revode/problems/cusp.hpp>
#include <revode/problems/decay.hpp>
#include <revode/problems/detest.hpp>
#include <revode/problems/detest_references.hpp>
#include <revode/problems/e5.hpp>
#include <revode/problems/emep.hpp>
#include <revode/problems/fekete.hpp>
#include <revode/problems/harmonic.hpp>
#include <revode/problems/heat_1d.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/kepler.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/problems/lotka_volterra.hpp>
#include <revode/problems/medakzo.hpp>
#include <revode/problems/nand.hpp>
#include <revode/problems/neural_spiral.hpp>
#include <revode/problems/orego.hpp>
#include <revode/problems/pendulum_index1.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/problems/pleiades.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/problems/ring_modulator.hpp>
#include <revode/problems/rober.hpp>
#include <revode/problems/rober_dae.hpp>
#include <revode/problems/rotation.hpp>
#include <revode/problems/transamp.hpp>
#include <revode/problems/two_bit_adder.hpp>
#include <revode/problems/vdpol.hpp>
#include <revode/problems/vdpol_stiff.hpp>
#include <revode/problems/water_tube.hpp>

namespace revode {

template <class... Problems>
struct problem_list {};

/// Every named problem of the library: the only registry. A new problem is its own file and one
/// line above and below. Each has name, summary, source, t0, t1, digits, y0(), parameters(),
/// reference() and is its own field; a sized one has n, default_size and least_size. Where
/// reference_components() exists, the reference covers those components alone; `jump` or `jumps` are
/// times at which the field jumps.
using all_problems = problem_list<decay, harmonic, rotation, lotka_volterra, lorenz, vdpol,
                                  brusselator, brusselator_1d, arenstorf, pleiades, lorenz96,
                                  kepler, heat_1d, burgers_1d, neural_spiral>;

/// The stiff ones, for implicit methods. Besides what all have: atol(rtol), the absolute tolerance
/// that goes with a relative one, and `autonomous`.
using stiff_problems =
    problem_list<rober, orego, hires, vdpol_stiff, vdpol_fast, pollu, e5, ring_modulator, beam,
                 emep, cusp, medakzo, nand, brusselator_2d, advection_diffusion_3d>;

/// With a mass matrix, M y' = f: mass(m), besides what the stiff ones have, and index() where it is not 1.
using massive_problems =
    problem_list<chemakzo, transamp, pendulum_index1, rober_dae, pendulum_index2, pendulum_index3,
                 car_axis, andrews, fekete, water_tube, two_bit_adder, battery_cell>;

/// With located events: events() is their list, each has a name.
using event_problems = problem_list<bouncing_ball>;

/// Sets of problems behind one field, "detest:B4".
using problem_sets = problem_list<detest>;

/// fn(problem{}) for every problem of a list, in its order.
template <class Function, class... Problems>
constexpr void for_each_problem(problem_list<Problems...>, Function&& fn) {
  (fn(Problems{}), ...);
}

template <class Function>
constexpr void for_each_problem(Function&& fn) {
  for_each_problem(all_problems{}, fn);
}

}  // namespace revode
