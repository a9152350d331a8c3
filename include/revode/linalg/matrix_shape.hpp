// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <revode/config.hpp>

namespace revode {

class sparsity;

/// By what a Jacobian, its factors and what solves with them are made when they first meet a state: how long that is,
/// and what the algebra says (shape_of in algebra.hpp). Those that make their memory then tell of it beforehand:
///   blocks_to_come(shape, visit)   visit(bytes) for every block that they will allocate, their parts' aside
///   bytes_in_passing(shape)        what making or using them takes beside that for a while, if anything
struct matrix_shape {
  index n = 0;
  int lower = 0, upper = 0;           ///< diagonals of a band
  const sparsity* pattern = nullptr;  ///< where a sparse one has entries
  int block = 1;                      ///< unknowns of a block on the diagonal
  int restart = 0;                    ///< products after which GMRES starts again
  std::size_t which = 0;              ///< of several algebras
};

}  // namespace revode
