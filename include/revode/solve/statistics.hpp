// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <revode/config.hpp>
#include <revode/status.hpp>

namespace revode {

/// Calls of the field and of its derivatives, counted by `system`, and what went wrong in a derivative.
struct evaluation_counts {
  index field_evaluations = 0;
  index vjp_evaluations = 0;
  index jvp_evaluations = 0;
  index tape_reads = 0;  ///< of these products, those that read the tape of a call of the field
  index jacobian_evaluations = 0;
  index factorizations = 0;  ///< counted by methods, as are the next two
  index linear_solves = 0;   ///< with real and complex factors of one step together: one
  index newton_iterations = 0;
  status trouble = status::success;  ///< see report
};

/// Notes why a derivative of a step is none; of all that is reported the first is kept. Whoever pulls
/// or pushes steps looks at it behind each.
template <class System>
REVODE_HD void report(System& sys, status why) {
  if constexpr (requires { sys.counts.trouble; })
    if (sys.counts.trouble == status::success) sys.counts.trouble = why;
}

// counts.member += n, where a system counts that.
template <class System>
REVODE_HD void count_factorization(System& sys) {
  if constexpr (requires { sys.counts.factorizations; }) ++sys.counts.factorizations;
}
template <class System>
REVODE_HD void count_solves(System& sys, int n) {
  if constexpr (requires { sys.counts.linear_solves; }) sys.counts.linear_solves += n;
}
/// Each takes one solve.
template <class System>
REVODE_HD void count_iterations(System& sys, int n) {
  if constexpr (requires { sys.counts.newton_iterations; }) sys.counts.newton_iterations += n;
  count_solves(sys, n);
}

/// What a forward solve did. Counts of implicit methods are 0 for explicit ones.
struct statistics {
  index accepted = 0;
  index rejected = 0;
  index field_evaluations = 0;
  index jacobian_evaluations = 0;
  index factorizations = 0;
  index linear_solves = 0;
  index newton_iterations = 0;
  index jvp_evaluations =
      0;  ///< products with the Jacobian: of Krylov spaces, of coloured matrices
  std::string_view jacobian_source{};  ///< empty: none was needed; see derivatives_of
  bool equal_bits = true;              ///< false: compiled with loose arithmetic, see keeps_bits
};

inline void take_counts(statistics& s, const evaluation_counts& counts) {
  s.field_evaluations = counts.field_evaluations;
  s.jacobian_evaluations = counts.jacobian_evaluations;
  s.factorizations = counts.factorizations;
  s.linear_solves = counts.linear_solves;
  s.newton_iterations = counts.newton_iterations;
  s.jvp_evaluations = counts.jvp_evaluations;
}

/// What a reverse pass did and held. Steps are step evaluations after the first sweep, recording
/// ones included; states are snapshots, the initial one counted, the working one not.
struct reverse_statistics {
  std::string_view schedule{};  ///< its name
  index slots = 0;
  index peak_states = 0;
  index peak_tapes = 0;
  index snapshot_bytes = 0;  ///< most bytes in snapshots at once
  index tape_bytes = 0;      ///< most bytes in stored tapes at once, the working tape not counted
  index log_bytes = 0;       ///< bytes of the step log
  index work_bytes = 0;      ///< working carries and tape, cotangents, scratch: at most
  index field_tapes = 0;     ///< most tapes of calls of the field at once, see has_tape
  index field_tape_bytes = 0;
  index peak_bytes = 0;  ///< all of them: what the gradient holds beyond the solve
  index snapshots_written = 0;
  index restores = 0;
  index replayed_steps = 0;
  index rejected_again = 0;  ///< attempts that controller replay repeated and rejected again
  index pulled_steps = 0;
  index field_evaluations = 0;
  index vjp_evaluations = 0;
  index tape_reads = 0;       ///< of these, those that read a tape of the field: one pass less each
  index recording_bytes = 0;  ///< of a field recorded by rows or on arrays, beside peak_bytes
  std::string_view vjp_source{};  ///< "own", "recording in registers", …: see derivatives_of
};

inline void take_counts(reverse_statistics& r, const evaluation_counts& before,
                        const evaluation_counts& after) {
  r.field_evaluations = after.field_evaluations - before.field_evaluations;
  r.vjp_evaluations = after.vjp_evaluations - before.vjp_evaluations;
  r.tape_reads = after.tape_reads - before.tape_reads;
}

}  // namespace revode
