#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# count.sh PROGRAM FILE [--write]: instructions of each workload under callgrind beside those in FILE;
# fails where one takes 2 % more. --write keeps them. Counts of another compiler are not compared.
set -eu
program=$1 file=$2 write=${3-}
compiler=$(strings -a "$program" | grep -m1 '^GCC: ' || echo unknown)
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
echo "# $compiler, $(uname -m)" >"$counts"
for workload in $("$program"); do
  n=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*run_workload*' \
    "$program" "$workload" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
  echo "$workload $n" >>"$counts"
done
if [ "$write" = --write ]; then
  cp "$counts" "$file"
  cat "$file"
  exit 0
fi
if [ "$(head -n 1 "$counts")" != "$(head -n 1 "$file")" ]; then
  echo "counted with $(head -n 1 "$counts"), kept from $(head -n 1 "$file"): not compared"
  exit 0
fi
awk 'NR == FNR { kept[$1] = $2; next }
  /^#/ { next }
  !($1 in kept) { print $1 ": not kept yet"; bad = 1; next }
  { ratio = $2 / kept[$1]; printf "%-30s %12d %+.2f %%\n", $1, $2, 100 * (ratio - 1); if (ratio > 1.02) bad = 1 }
  END { exit bad }' "$file" "$counts"
