#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# killed.sh PROGRAM MPIEXEC…: one rank of three is killed, two go on: the sums of a run that nobody killed.
set -eu
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
  ranks=$1
  shift
  "$@" "$ranks" "$program" -ns -tc='a run to be killed'
}

run 1 "$@" | grep '^sum' >"$work/whole"
REVODE_KEPT=$work/kept REVODE_PID=$work/pid run 3 "$@" >"$work/killed" 2>&1 &
while [ "$(find "$work" -name '*.kept' | wc -l)" -lt 3 ] || [ ! -s "$work/pid" ]; do
  sleep 0.02
done
kill -9 "$(cat "$work/pid")"
! wait $! || { echo "the job of a rank that was killed succeeds"; exit 1; }
! grep '^sum' "$work/killed" || { echo "it had ended before"; exit 1; }
kept=$(find "$work/kept" -name '*.kept' | wc -l)
REVODE_KEPT=$work/kept run 2 "$@" | grep '^sum' >"$work/resumed"
cat "$work/whole" "$work/resumed"
[ "$(cut -d, -f1 "$work/whole")" = "$(cut -d, -f1 "$work/resumed")" ]
grep -q ", $kept chunks" "$work/resumed"
