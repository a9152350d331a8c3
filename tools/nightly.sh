# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Read by tools/dev: the tests that take too long for every change, part by part.

# Every test as users compile it, -O3 and forced inlining in all layers, the heavy ones too.
nightly_heavy() {
  configure release -B build/nightly_heavy -DREVODE_HEAVY_TESTS=ON -DREVODE_SHIPPED_FLAGS=ON &&
    build nightly_heavy &&
    ctest --test-dir build/nightly_heavy
}

nightly_clang() {
  configure clang &&
    build clang &&
    ctest --test-dir build/clang
}

# All test files, not the subset of every change.
nightly_sanitizers() {
  configure asan_all &&
    build asan_all &&
    ctest --test-dir build/asan_all
}

# Recordings and lanes on std::thread, whose order the thread sanitizer sees; it does not see OpenMP's.
nightly_threads() {
  configure release && build release --target revode_core revode_catalog &&
    g++ -std=c++20 -O1 -g1 -DREVODE_HD=inline -ffp-contract=off -fsanitize=thread -w -Iinclude -Isolvers -Iadjoint -Itests \
      -isystem /usr/include/eigen3 -isystem /usr/local/cuda/include/cccl \
      -DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP \
      tests/main.cpp tests/batch/threads.cpp tests/ad/thread_owner.cpp tests/interop/eigen_recording_threads.cpp \
      tests/problems/erased_field.cpp build/release/librevode_catalog.a build/release/librevode_core.a \
      -o build/nightly/test_threads &&
    build/nightly/test_threads
}

# Of twelve workloads; 2 % more fails.
nightly_instructions() {
  configure release &&
    build release --target revode-bench-instructions &&
    bench/instructions/count.sh build/release/revode-bench-instructions bench/results/instructions.txt
}

# What users' programs take to compile, as ratios; 15 % more fails.
nightly_compile() { bench/compile_time.sh bench/results/compile.txt; }

# fuzz TARGET SOURCE...: a million inputs for tests/fuzz/TARGET.cpp, or ten minutes of them.
fuzz() {
  target=$1
  shift
  clang++ -std=c++20 -O1 -g -DREVODE_HD=inline -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -Iinclude -Isolvers -Iadjoint -Isrc -isystem /usr/include/eigen3 "$@" "tests/fuzz/$target.cpp" \
    build/release/librevode_catalog.a build/release/librevode_core.a -o "build/nightly/fuzz_$target" &&
    (cd build/nightly && "./fuzz_$target" -max_len=300 -runs=1000000 -max_total_time=600)
}
nightly_fuzz() {
  configure release && build release --target revode_core revode_catalog &&
    fuzz numbers src/cli/text.cpp &&
    fuzz spill src/loop/file_pool.cpp &&
    fuzz requests "-DREVODE_METHOD_PARTS=$(find build/release/methods -name '*.cpp' | wc -l)" src/cli/arguments.cpp src/cli/ensemble_request.cpp src/cli/gradient_request.cpp src/cli/loss.cpp \
      src/cli/methods.cpp src/cli/request.cpp src/cli/text.cpp
}

# Random command lines, run whole.
nightly_commands() {
  configure release && build release --target revode_command &&
    python3 tools/fuzz_commands.py build/release/revode --seconds 600
}

# nightly_lanes SYSTEM: lanes on its threads have the bits of one core.
nightly_lanes() {
  configure release -B "build/nightly_$1" -DREVODE_BATCH_SYSTEM="$1" -DREVODE_COMMAND=OFF &&
    build "nightly_$1" --target test_batch &&
    ctest --test-dir "build/nightly_$1" --no-tests=error -L '^batch$'
}
nightly_omp() { nightly_lanes OMP; }
nightly_tbb() { nightly_lanes TBB; }

# nightly_part NAME: runs it unless it passed at this commit; its line is kept beside the builds.
nightly_part() {
  line=build/nightly/$1
  if [ -e "$line" ] && grep -q "| $commit | passed |" "$line"; then
    echo "== $1 passed at $commit"
    return 0
  fi
  echo "== $1"
  start=$(date +%s)
  result=failed
  ! "nightly_$1" || result=passed
  minutes=$((($(date +%s) - start + 59) / 60))
  echo "| $1 | $commit | $result | $minutes |" >"$line"
  [ $result = passed ]
}

nightly_parts='instructions compile fuzz commands heavy clang omp tbb threads sanitizers'

nightly() {
  # shellcheck disable=SC2086
  need 'the nightly tests' $build_packages doctest-dev $command_packages $optional_packages clang gnuplot-nox libtbb-dev valgrind binutils time git
  commit=$(git rev-parse --short HEAD)
  [ -z "$(git status --porcelain -- ':!docs/nightly.md')" ] || commit=$commit+
  mkdir -p build/nightly
  bad=0
  for part in $nightly_parts; do nightly_part $part || bad=1; done
  {
    printf '# The last nightly run\n\n`tools/dev test --nightly` writes this page.\n\n'
    printf '| part | commit | result | minutes |\n|---|---|---|---|\n'
    for part in $nightly_parts; do cat build/nightly/$part; done
  } >docs/nightly.md
  cat docs/nightly.md
  return $bad
}
