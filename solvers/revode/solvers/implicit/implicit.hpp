// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/esdirk325.hpp>
#include <revode/solvers/esdirk436.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/esdirk54i8.hpp>
#include <revode/solvers/implicit_euler.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/kencarp47.hpp>
#include <revode/solvers/kencarp5.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/kvaerno4.hpp>
#include <revode/solvers/kvaerno5.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/tr_bdf2.hpp>
#include <revode/solvers/trapezoid.hpp>
