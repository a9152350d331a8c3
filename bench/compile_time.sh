#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long do users' programs take to compile? In user seconds, the least of RUNS rounds, and as ratios to a
# file that includes Eigen/Dense and solves one system, which other machines and days share.
# usage: bench/compile_time.sh [--runs N] [FILE [--write]]; CXX as usual. With FILE, what was kept: fails where a
# ratio is 15 % more; --write keeps them. Ratios of another compiler are not compared.
set -eu
cd "$(dirname "$0")/.."
runs=5
if [ "${1:-}" = --runs ]; then
  runs=$2
  shift 2
fi
kept=${1:-} write=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-g++}
eigen=$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)
sanitized='-O1 -fsanitize=address,undefined'

cat >"$work/eigen.cpp" <<'CPP'
#include <Eigen/Dense>
double first(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return Eigen::VectorXd(a.partialPivLu().solve(b))[0];
}
CPP
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

# compile NAME FILE FLAG...: a line of NAME and the user seconds of compiling FILE.
compile() {
  name=$1 file=$2
  shift 2
  # shellcheck disable=SC2086
  command time -f "$name %U" -a -o "$work/times" "$cxx" -std=c++20 "$@" -Iinclude -Isolvers -Iadjoint $eigen -c "$file" -o "$work/out.o"
}

for _ in $(seq "$runs"); do
  compile eigen "$work/eigen.cpp" -O2
  for name in include solve gradient; do compile $name "$work/$name.cpp" -O2; done
  compile readme examples/01_decay.cpp -O2
  compile robertson examples/30_robertson.cpp -O2
  compile readme_O1 examples/01_decay.cpp -O1
  # shellcheck disable=SC2086
  compile readme_sanitized examples/01_decay.cpp $sanitized
done
{
  echo "# $("$cxx" --version | head -n 1), $(uname -m): name, user seconds, ratio to eigen"
  awk '!($1 in least) { name[++n] = $1; least[$1] = $2 } $2 < least[$1] { least[$1] = $2 }
    END { for (i = 1; i <= n; ++i) printf "%-17s %6.2f %6.2f\n", name[i], least[name[i]], least[name[i]] / least["eigen"] }' "$work/times"
} | tee "$work/ratios"
if [ "$write" = --write ]; then
  cp "$work/ratios" "$kept"
elif [ -n "$kept" ] && [ "$(head -n 1 "$kept")" = "$(head -n 1 "$work/ratios")" ]; then
  awk 'NR == FNR { kept[$1] = $3; next }
    !/^#/ && $3 > 1.15 * kept[$1] { print $1 ": " $3 ", kept " kept[$1]; bad = 1 }
    END { exit bad }' "$kept" "$work/ratios"
fi
