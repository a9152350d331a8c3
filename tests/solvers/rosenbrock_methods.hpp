// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas4p.hpp>
#include <revode/solvers/rodas4p2.hpp>
#include <revode/solvers/rodas5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/ros34pw2.hpp>
#include <revode/solvers/ros3p.hpp>
#include <revode/solvers/rosenbrock23.hpp>

namespace revode {

/// One of each kind: what every push tries. The others are in *.heavy.cpp, and in the order law.
template <class Function>
void for_some_rosenbrock(Function&& fn) {
  fn(rosenbrock23{});
  fn(rodas4{});
  fn(rodas5p{});
  fn(ros34pw2_held{});
}

template <class Function>
void for_each_rosenbrock(Function&& fn) {
  for_some_rosenbrock(fn);
  fn(ros3p{});
  fn(rodas3{});
  fn(rodas3p{});
  fn(ros34pw2{});
  fn(rodas4p{});
  fn(rodas4p2{});
  fn(rodas5{});
}

}  // namespace revode
