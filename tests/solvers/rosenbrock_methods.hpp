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

template <class Function>
void for_each_rosenbrock(Function&& fn) {
  fn(rosenbrock23{});
  fn(ros3p{});
  fn(rodas3{});
  fn(rodas3p{});
  fn(rodas4{});
  fn(rodas4p{});
  fn(rodas4p2{});
  fn(rodas5{});
  fn(rodas5p{});
  fn(ros34pw2{});
  fn(ros34pw2_held{});
}

}  // namespace revode
