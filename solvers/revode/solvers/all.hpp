// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/adams.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/bs5.hpp>
#include <revode/solvers/carpenter_kennedy2n54.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/dopri5.hpp>
#include <revode/solvers/euler.hpp>
#include <revode/solvers/heun.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/implicit/implicit.hpp>
#include <revode/solvers/kahan_li.hpp>
#include <revode/solvers/mclachlan_atela4.hpp>
#include <revode/solvers/mclachlan_atela5.hpp>
#include <revode/solvers/midpoint.hpp>
#include <revode/solvers/ndf.hpp>
#include <revode/solvers/owren_zennaro5.hpp>
#include <revode/solvers/ralston.hpp>
#include <revode/solvers/rdpk3sp_fsal49.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rkl2.hpp>
#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas4p.hpp>
#include <revode/solvers/rodas4p2.hpp>
#include <revode/solvers/rodas5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/ros34pw2.hpp>
#include <revode/solvers/ros3p.hpp>
#include <revode/solvers/rosenbrock.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/solvers/ssprk104.hpp>
#include <revode/solvers/ssprk33.hpp>
#include <revode/solvers/ssprk43.hpp>
#include <revode/solvers/stormer_verlet.hpp>
#include <revode/solvers/switching.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern6.hpp>
#include <revode/solvers/vern7.hpp>
#include <revode/solvers/vern8.hpp>
#include <revode/solvers/vern9.hpp>

namespace revode {

template <class... Methods>
struct method_list {};

/// Every method of the library, by kind and order: the only registry. A new method is its own file
/// and one line above and below. The laws of further_methods are heavy tests.
using basic_methods =
    method_list<euler, heun, midpoint, ralston, bosh3, rk4, tsit5, dopri5, bs5, vern7, dop853>;
using further_methods = method_list<ssprk33, ssprk43, ssprk104, carpenter_kennedy2n54,
                                    rdpk3sp_fsal49, owren_zennaro5, vern6, vern8, vern9>;
using symplectic_methods =
    method_list<stormer_verlet, mclachlan_atela4, mclachlan_atela5, kahan_li6, kahan_li8>;
using stabilized_methods = method_list<rkc, rkl2, rock2, rock4>;
using reversible_methods = method_list<reversible_heun>;
using rosenbrock_methods = method_list<rosenbrock23, ros3p, rodas3, rodas3p, ros34pw2,
                                       ros34pw2_held, rodas4, rodas4p, rodas4p2, rodas5, rodas5p>;
using implicit_methods =
    method_list<implicit_euler, trapezoid, tr_bdf2, kvaerno3, kencarp3, esdirk325, kvaerno4,
                kencarp4, kencarp47, esdirk436, kvaerno5, kencarp5, esdirk547, esdirk54i8,
                radau_iia5, radau_iia9, radau_iia13, radau>;
/// For fields in two parts.
using additive_methods =
    method_list<imex<kencarp3>, imex<kencarp4>, imex<kencarp47>, imex<kencarp5>>;
using multistep_methods = method_list<bdf5, ndf5>;
using adams_methods = method_list<adams12>;
using switching_methods = method_list<tsit5_rodas5p, vern7_rodas5p>;

/// One list of several.
template <class... Methods>
constexpr auto joined(method_list<Methods...> all) {
  return all;
}
template <class... A, class... B, class... Lists>
constexpr auto joined(method_list<A...>, method_list<B...>, Lists... more) {
  return joined(method_list<A..., B...>{}, more...);
}
using explicit_methods = decltype(joined(basic_methods{}, further_methods{}));
using all_methods =
    decltype(joined(explicit_methods{}, symplectic_methods{}, stabilized_methods{},
                    reversible_methods{}, rosenbrock_methods{}, implicit_methods{},
                    additive_methods{}, multistep_methods{}, adams_methods{}, switching_methods{}));

/// fn(method{}) for every method of a list, in its order.
template <class Function, class... Methods>
constexpr void for_each_method(method_list<Methods...>, Function&& fn) {
  (fn(Methods{}), ...);
}

}  // namespace revode
