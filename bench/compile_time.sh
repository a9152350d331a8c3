#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long does a user's file with the umbrella header, one solve and one gradient take to compile?
# usage: bench/compile_time.sh [RUNS]; CXX and CXXFLAGS as usual. Prints user seconds, median of RUNS.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)
include="-Iinclude -Isolvers -Iadjoint $eigen"

cat >"$work/include.cpp" <<'CPP'
#include <revode/revode.hpp>
CPP
cat >"$work/solve.cpp" <<'CPP'
#include <revode/revode.hpp>
struct pendulum {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -(p[0] * y[0]);
  }
};
double end(double stiffness) {
  const revode::problem q{pendulum{}, revode::vec{1.0, 0.0}, 0.0, 10.0, revode::vec{stiffness}};
  return revode::solve(q, revode::tsit5{}).y[0];
}
CPP
sed 's/^double end/double slope/; s/return .*/auto s = revode::solve(q, revode::tsit5{}, {}, revode::recursive_checkpoint{.slots = 20});\n  return s.pullback(revode::vec{1.0, 0.0}).p[0];/' \
  "$work/solve.cpp" >"$work/gradient.cpp"

user_seconds() { # of compiling $1
  # shellcheck disable=SC2086
  { TIMEFORMAT=%U; command time -p ${CXX:-g++} -std=c++20 ${CXXFLAGS:--O2} $include -c "$1" -o "$work/out.o"; } 2>&1 |
    awk '/^user/ { print $2 } /error/ { print > "/dev/stderr" }'
}

echo "${CXX:-g++} $(${CXX:-g++} -dumpfullversion -dumpversion) ${CXXFLAGS:--O2}, user seconds, median of $runs"
for name in include solve gradient; do
  for _ in $(seq "$runs"); do user_seconds "$work/$name.cpp"; done | sort -n |
    awk -v name="$name" '{ t[NR] = $1 } END { printf "%-10s %6.2f\n", name, t[int((NR + 1) / 2)] }'
done
