#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# job_array.sh REVODE EXAMPLE: the parts of examples/cluster/job_array.sh, as processes and as a queue starts them, have
# the bytes of one run, those that were killed too.
set -eu
REVODE=$1 example=$2 LANES=4000 PARTS=3
export REVODE LANES PARTS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$REVODE" ensemble lorenz --lanes $LANES --sweep p:1=20:30 --out whole.npz >/dev/null

for limit in 0.05 0.1 0.2; do # whatever has been done by then
  SLURM_ARRAY_TASK_ID=1 timeout -s TERM $limit sh "$example" || true
done
for i in 0 1 2; do SLURM_ARRAY_TASK_ID=$i sh "$example"; done
sh "$example" merge
cmp lorenz.npz whole.npz

cp part1.npz kept.npz
rm -f part* lorenz.npz
sh "$example"
cmp part1.npz kept.npz
cmp lorenz.npz whole.npz
