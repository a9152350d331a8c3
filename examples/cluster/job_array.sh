#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=lorenz
#SBATCH --array=0-3
#SBATCH --time=01:00:00
#SBATCH --signal=USR1@120
#
# An ensemble as an array of jobs, each with its part of the lanes.
#   sbatch job_array.sh        where there is a queue; a job that was killed at its limit is sent again and goes
#                              on where it was, one that has ended does nothing
#   sh job_array.sh            elsewhere: the parts as processes side by side
#   sh job_array.sh merge      behind all of them: lorenz.npz, the bytes of one run of all lanes
# REVODE names the command, LANES and PARTS (the length of the array) what is solved.
set -eu
revode=${REVODE:-revode} lanes=${LANES:-1000} parts=${PARTS:-4}

part() {
  [ -e "part$1.npz" ] && return
  # USR1, two minutes before the limit, has the state written, as has TERM.
  ${SLURM_JOB_ID:+srun} "$revode" ensemble lorenz --lanes "$lanes" --sweep p:1=20:30 \
    --lanes-from $(($1 * lanes / parts)) --lanes-to $((($1 + 1) * lanes / parts)) \
    --restart "part$1.kept" --out "whole$1.npz" >"part$1.txt"
  mv "whole$1.npz" "part$1.npz" # so that a part that is there is whole
  rm -f "part$1.kept" "part$1.kept.old"
}

merge() {
  set --
  for i in $(seq 0 $((parts - 1))); do set -- "$@" "part$i.npz"; done
  "$revode" merge "$@" --out lorenz.npz
}

if [ "${1:-}" = merge ]; then
  merge
elif [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  part "$SLURM_ARRAY_TASK_ID"
else
  for i in $(seq 0 $((parts - 1))); do part "$i" & done
  wait
  merge
fi
