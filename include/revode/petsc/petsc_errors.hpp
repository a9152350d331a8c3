// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <petscsys.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace revode {

static_assert(std::is_same_v<PetscScalar, double>,
              "a PETSc whose numbers are not double (revode::petsc knows real double alone) take "
              "another build of it, PETSC_ARCH?");

/// While it lives PETSc prints no error: a code that is not 0 throws what PETSc, or whoever raised it, said
/// of it.
///
///   petsc_calls petsc;
///   petsc(MatMult(a, x, y));
///
/// errors  std::runtime_error, on those ranks where PETSc told of the error
class petsc_calls {
 public:
  petsc_calls() { PetscPushErrorHandler(&petsc_calls::keep, this); }
  petsc_calls(const petsc_calls&) = delete;
  petsc_calls& operator=(const petsc_calls&) = delete;
  ~petsc_calls() { PetscPopErrorHandler(); }

  void operator()(PetscErrorCode code) {
    if (code == 0) return;
    if (words_.empty()) {
      const char* text = nullptr;
      PetscErrorMessage(code, &text, nullptr);
      words_ = text != nullptr ? text : "error " + std::to_string(static_cast<int>(code));
    }
    const std::string said = std::exchange(words_, {});
    throw std::runtime_error("PETSc failed (" + said +
                             ") look for its reason in what it was given?");
  }

 private:
  /// The first of the functions that an error passes through knows most.
  static PetscErrorCode keep(MPI_Comm, int, const char* function, const char*, PetscErrorCode code,
                             PetscErrorType type, const char* message, void* self) {
    std::string& words = static_cast<petsc_calls*>(self)->words_;
    if (type == PETSC_ERROR_INITIAL || words.empty()) {
      words = function != nullptr ? std::string(function) : "PETSc";
      if (message != nullptr && *message != 0) words += std::string(": ") + message;
    }
    return code;
  }

  std::string words_{};
};

/// Are objects of PETSc still there to be destroyed?
inline bool petsc_lives() {
  PetscBool begun = PETSC_FALSE, ended = PETSC_FALSE;
  PetscInitialized(&begun);
  PetscFinalized(&ended);
  return begun == PETSC_TRUE && ended == PETSC_FALSE;
}

/// An object of PETSc, which ends with it; not copied.
template <class Object, PetscErrorCode (*Destroy)(Object*)>
class petsc_handle {
 public:
  petsc_handle() = default;
  petsc_handle(const petsc_handle&) = delete;
  petsc_handle& operator=(const petsc_handle&) = delete;
  ~petsc_handle() { clear(); }

  Object get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Where PETSc puts a new one.
  Object* fresh() {
    clear();
    return &object_;
  }
  /// One that somebody else has, too.
  void share(Object of) {
    if (of != nullptr) PetscObjectReference(reinterpret_cast<PetscObject>(of));
    clear();
    object_ = of;
  }
  void clear() {
    if (object_ != nullptr && petsc_lives()) Destroy(&object_);
    object_ = nullptr;
  }

 private:
  Object object_ = nullptr;
};

}  // namespace revode
