// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscvec.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include <revode/mpi/spread.hpp>
#include <revode/petsc/petsc_errors.hpp>

namespace revode {

using vec_handle = petsc_handle<Vec, VecDestroy>;

/// The layout of a Vec: on each rank the elements that PETSc has put there, in rows of its block size.
/// cost    a collective or two
/// errors  std::invalid_argument, on every rank: a Vec whose elements are not one array of this machine
inline spread_layout layout_of(Vec v) {
  petsc_calls petsc;
  MPI_Comm comm = MPI_COMM_NULL;
  petsc(PetscObjectGetComm(reinterpret_cast<PetscObject>(v), &comm));
  VecType type = nullptr;
  petsc(VecGetType(v, &type));
  const std::string name = type != nullptr ? type : "no type";
  if (name != VECSEQ && name != VECMPI && name != VECSTANDARD)
    throw std::invalid_argument("a Vec of type " + name +
                                " (states lie in one array of the host a rank) take VECSTANDARD?");
  PetscInt here = 0, width = 1;
  petsc(VecGetLocalSize(v, &here));
  petsc(VecGetBlockSize(v, &width));
  return spread_layout::of_parts(communicator(comm), here / width, static_cast<int>(width));
}

/// The elements of a Vec that are here, read or written by body(first element).
/// errors  std::invalid_argument, on every rank: another number of elements somewhere
template <class Body>
void with_elements(Vec v, const spread_layout& layout, const Body& body) {
  together(layout.ranks(), [&] {
    petsc_calls petsc;
    PetscInt here = 0;
    petsc(VecGetLocalSize(v, &here));
    if (static_cast<std::size_t>(here) != layout.size())
      throw std::invalid_argument("a Vec of " + std::to_string(here) +
                                  " elements here for a part of " + std::to_string(layout.size()) +
                                  " (they lie as the layout says) take layout_of it?");
    PetscScalar* elements = nullptr;
    petsc(VecGetArray(v, &elements));
    body(elements);
    petsc(VecRestoreArray(v, &elements));
  });
}
/// The state with the elements of a Vec, and a Vec with those of a state: copies, for the ends of a solve.
/// cost    a collective
inline spread<double> state_of(const spread_layout& layout, Vec v) {
  spread<double> y(layout);
  with_elements(v, layout, [&](const double* from) { std::copy_n(from, y.size(), y.data()); });
  return y;
}
inline void copy_to(const spread<double>& y, Vec v) {
  with_elements(v, y.layout(), [&](double* to) { std::copy_n(y.data(), y.size(), to); });
}

/// A Vec without elements of its own, which stands for one state after the other.
class vec_view {
 public:
  explicit vec_view(const spread_layout& layout) {
    petsc_calls petsc;
    const MPI_Comm comm = layout.ranks().handle();
    const auto here = static_cast<PetscInt>(layout.size());
    const auto width = static_cast<PetscInt>(layout.shape().width);
    if (layout.ranks().size() == 1)
      petsc(VecCreateSeqWithArray(comm, width, here, nullptr, vec_.fresh()));
    else
      petsc(VecCreateMPIWithArray(comm, width, here, static_cast<PetscInt>(layout.elements()),
                                  nullptr, vec_.fresh()));
  }
  Vec get() const { return vec_.get(); }

 private:
  vec_handle vec_;
};

/// A state as a Vec, while it lives; what is read only cannot be written by PETSc either.
class placed_vec {
 public:
  placed_vec(const vec_view& view, spread<double>& y) : vec_(view.get()) { place(y.data()); }
  placed_vec(const vec_view& view, const spread<double>& y) : vec_(view.get()), locked_(true) {
    place(const_cast<double*>(y.data()));
    VecLockReadPush(vec_);
  }
  placed_vec(const placed_vec&) = delete;
  placed_vec& operator=(const placed_vec&) = delete;
  ~placed_vec() {
    if (locked_) VecLockReadPop(vec_);
    VecResetArray(vec_);
  }
  operator Vec() const { return vec_; }

 private:
  void place(double* elements) {
    petsc_calls petsc;
    petsc(VecPlaceArray(vec_, elements));
  }
  Vec vec_;
  bool locked_ = false;
};

}  // namespace revode
