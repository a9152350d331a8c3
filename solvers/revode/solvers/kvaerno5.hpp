// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>

namespace revode {

/// Kværnø's ESDIRK 5(4) with 7 stages: L-stable; the estimate is the distance from its sixth stage,
/// which is L-stable too. (A filter takes what a stiff component leaves, h³/(hλ), for hλ times less.)
/// dense output  by the stages' values, of order 4 (esdirk_rows.hpp)
struct kvaerno5 {
  static constexpr const char* name = "kvaerno5";
  static constexpr const char* source = "Kvaerno, BIT 44 (2004) 489-502";
  static constexpr int order = 5, embedded_order = 4, dense_order = 4;
  static constexpr bool filtered = false;
  static constexpr esdirk_tableau<7> tableau = {
      .a = {{},
            {0.26, 0.26},
            {0.13, 0.8403332099679080963171360487915268154, 0.26},
            {0.2237196147832050559163143898290529442, 0.4767553231979969983278927937270874162,
             -0.06470895363112615133816161180658488283, 0.26},
            {0.1664856432324832152535151725360430044, 0.1045001884159172041151167240328967362,
             0.03631482272098715161651993758285203252, -0.1309070445107399857071749645700052402,
             0.26},
            {0.1385564023126822495054973091161581457, 0, -0.04245337201752043098844399725982168513,
             0.02446657898003141965963581513879101306, 0.6194303907248067618237108730048725264,
             0.26},
            {0.1365975117764029144062783844146127034, 0, -0.05496908796538376712487773114648630009,
             -0.04118626728321046868299776958296295742, 0.6299330489901640319161060392667246535,
             0.06962479448202728948549107704811190063, 0.26}},
      .b_embedded = {0.1385564023126822495054973091161581457, 0,
                     -0.04245337201752043098844399725982168513,
                     0.02446657898003141965963581513879101306,
                     0.6194303907248067618237108730048725264, 0.26, 0},
      .c = {0, 0.52, 1.230333209967908096317136048791526815,
            0.8957659843500759029060455717495554776, 0.4363936098586475852779768695817865330, 1,
            1}};

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

}  // namespace revode
