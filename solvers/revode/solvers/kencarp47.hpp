// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/esdirk.hpp>
#include <revode/solvers/imex_tableau.hpp>

namespace revode {

/// The implicit half of ARK4(3)7L[2]SA₁, whose explicit rows make imex<kencarp47>: L-stable, 7 stages, small γ, the stages damp, too.
/// dense output  by the stages' values, of order 4 (esdirk_rows.hpp)
struct kencarp47 {
  static constexpr const char* name = "kencarp47";
  static constexpr const char* imex_name = "kencarp47_imex";
  static constexpr const char* source =
      "Kennedy & Carpenter, Appl. Numer. Math. 136 (2019) 183-205, ARK4(3)7L[2]SA1";
  static constexpr int order = 4, embedded_order = 3, dense_order = 4;
  static constexpr bool filtered = false;
  static constexpr esdirk_tableau<7> tableau = {
      .a = {{},
            {0.1235, 0.1235},
            {624185399699. / 4186980696204, 624185399699. / 4186980696204, 0.1235},
            {1258591069120. / 10082082980243, 1258591069120. / 10082082980243,
             -322722984531. / 8455138723562, 0.1235},
            {-436103496990. / 5971407786587, -436103496990. / 5971407786587,
             -2689175662187. / 11046760208243, 4431412449334. / 12995360898505, 0.1235},
            {-2207373168298. / 14430576638973, -2207373168298. / 14430576638973,
             242511121179. / 3358618340039, 3145666661981. / 7780404714551,
             5882073923981. / 14490790706663, 0.1235},
            {0, 0, 9164257142617. / 17756377923965, -10812980402763. / 74029279521829,
             1335994250573. / 5691609445217, 2273837961795. / 8368240463276, 0.1235}},
      .b_embedded = {0, 0, 4469248916618. / 8635866897933, -621260224600. / 4094290005349,
                     696572312987. / 2942599194819, 1532940081127. / 5565293938103, 2441. / 20000},
      .c = {0, 0.247, 4276536705230. / 10142255878289, 0.335, 0.075, 0.7, 1}};
  static constexpr double explicit_rows[7][7] = {
      {},
      {0.247},
      {0.06175, 2694949928731. / 7487940209513},
      {464650059369. / 8764239774964, 878889893998. / 2444806327765,
       -952945855348. / 12294611323341},
      {476636172619. / 8159180917465, -1271469283451. / 7793814740893,
       -859560642026. / 4356155882851, 1723805262919. / 4571918432560},
      {6338158500785. / 11769362343261, -4970555480458. / 10924838743837,
       3326578051521. / 2647936831840, -880713585975. / 1841400956686,
       -1428733748635. / 8843423958496},
      {760814592956. / 3276306540349, 760814592956. / 3276306540349,
       -47223648122716. / 6934462133451, 71187472546993. / 9669769126921,
       -13330509492149. / 9695768672337, 11565764226357. / 8513123442827}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};
static_assert(has_order(kencarp47::tableau, 4, 3));
static_assert(has_imex_order<kencarp47>(4, 3));

}  // namespace revode
