# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Read by tools/dev: the tests that take too long for every change, part by part.

# The heavy tests, at the flags that users get, beside the others of build/release.
nightly_heavy() {
  configure release -DREVODE_HEAVY_TESTS=ON &&
    build release --target heavy_tests &&
    ctest --test-dir build/release --no-tests=error -L heavy
}

# What every change compiles unoptimised by clang, as users compile it.
nightly_shipped() {
  configure release -B build/nightly_shipped -DREVODE_TESTS=values -DREVODE_ANY=OFF &&
    build nightly_shipped --target test_linalg test_interop test_loop test_problems test_batch test_adjoint test_solve test_solvers &&
    ctest --test-dir build/nightly_shipped --no-tests=error -L '^(linalg|interop|loop|problems|batch|adjoint|solve|solvers|compile_fail)$'
}

# What every change compiles by g++ as users compile, by clang so.
nightly_clang() {
  configure clang -DREVODE_TESTS=shipped &&
    build clang &&
    ctest --test-dir build/clang
}

# All test files, not the subset of every change; what reads sources and assembly or compiles programs of its own
# has no sanitizer to gain from.
nightly_sanitizers() {
  configure asan_all &&
    build asan_all &&
    ctest --test-dir build/asan_all -LE '^(architecture|compile_fail|consumer|vectors)$'
}

# Recordings and lanes on std::thread, whose order the thread sanitizer sees; it does not see that of g++'s OpenMP, and sees clang's. Cases that are
# refused race on purpose; so does the question for a field's length, whose answer is then thrown away.
nightly_threads() {
  configure release && build release --target revode_core revode_catalog &&
    g++ -std=c++20 -O1 -g1 -DREVODE_HD=inline -ffp-contract=off -fsanitize=thread -w -Iinclude -Isolvers -Iadjoint -Itests \
      -isystem /usr/include/eigen3 -isystem /usr/local/cuda/include/cccl \
      -DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP \
      tests/main.cpp tests/batch/threads.cpp tests/ad/thread_owner.cpp tests/interop/eigen_recording_threads.cpp \
      tests/problems/erased_field.cpp build/release/librevode_catalog.a build/release/librevode_core.a \
      -o build/nightly/test_threads &&
    TSAN_OPTIONS=suppressions=tests/thread_sanitizer.txt build/nightly/test_threads -tce='*refused*' &&
    clang++ -std=c++20 -O1 -g1 -DREVODE_HD=inline -ffp-contract=off -fsanitize=thread -fopenmp -w -Iinclude -Isolvers -Iadjoint -Itests \
      tests/main.cpp tests/threads/long_states.cpp build/release/librevode_core.a -o build/nightly/test_long_states &&
    TSAN_OPTIONS=ignore_noninstrumented_modules=1 build/nightly/test_long_states
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
    build/release/librevode_any.a build/release/librevode_catalog.a build/release/librevode_core.a -o "build/nightly/fuzz_$target" &&
    (cd build/nightly && "./fuzz_$target" -max_len=300 -runs=1000000 -max_total_time=600)
}
nightly_fuzz() {
  configure release && build release --target revode_command &&
    fuzz numbers src/cli/text.cpp &&
    fuzz spill src/loop/file_pool.cpp &&
    fuzz arrays src/io/npy.cpp src/io/npz.cpp src/safetensors/safetensors.cpp &&
    fuzz restart src/io/restart.cpp &&
    fuzz models src/problems/model/scanner.cpp src/problems/model/expression.cpp src/problems/model/reader.cpp src/problems/model/source.cpp &&
    fuzz requests src/cli/arguments.cpp src/cli/ensemble_request.cpp src/cli/gradient_request.cpp src/cli/loss.cpp \
      src/cli/methods.cpp src/cli/request.cpp src/cli/text.cpp \
      build/release/CMakeFiles/revode_command.dir/src/cli/lanes.cpp.o build/release/CMakeFiles/revode_command.dir/src/cli/step_file.cpp.o \
      build/release/CMakeFiles/revode_command_lanes.dir/lanes/*.cpp.o
}

# Random command lines, run whole, ten minutes of them on two processors.
nightly_commands() {
  configure release && build release --target revode_command || return 1
  python3 tools/fuzz_commands.py build/release/revode --seconds 300 --seed 1 &
  ended=0
  python3 tools/fuzz_commands.py build/release/revode --seconds 300 --seed 2 || ended=1
  wait $! && [ $ended = 0 ]
}

# A flame as a model and as a plugin. Random models, compiled and solved beside Python; damaged ones refused by line and column.
nightly_models() {
  configure release && build release --target revode_command &&
    python3 tools/check_models.py build/release/revode &&
    python3 tools/fuzz_models.py build/release/revode --models 300
}

# What lintian may say of the Debian packages: packaging/README.md has the reasons.
lintian_knows=bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,pkg-config-bad-directive,embedded-javascript-library,zero-byte-file-in-doc-directory

# The Debian packages, looked at by lintian, installed and used in a clean root; Conan's package and its test.
nightly_package() {
  need 'a clean root, and Conan' debootstrap dpkg-dev lintian python3-venv
  cmake -S . -B build/nightly_package -G Ninja -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=Release &&
    cmake --build build/nightly_package &&
    (cd build/nightly_package && rm -f ./*.deb && cpack -G DEB) &&
    lintian --fail-on error,warning --suppress-tags "$lintian_knows" build/nightly_package/*.deb &&
    sh tests/consumer/clean_root.sh build/nightly_package build/nightly/root &&
    python3 -m venv build/nightly/venv && build/nightly/venv/bin/pip install -q conan &&
    (export CONAN_HOME="$PWD/build/nightly/conan" && PATH=$PWD/build/nightly/venv/bin:$PATH &&
      { [ -e "$CONAN_HOME/profiles/default" ] || conan profile detect; } &&
      conan create . -o '&:system_eigen=True' -s compiler.cppstd=20 --no-remote)
}

# nightly_lanes SYSTEM: lanes on its threads have the bits of one core.
nightly_lanes() {
  configure release -B "build/nightly_$1" -DREVODE_BATCH_SYSTEM="$1" -DREVODE_COMMAND=OFF &&
    build "nightly_$1" --target test_batch &&
    ctest --test-dir "build/nightly_$1" --no-tests=error -L '^batch$'
}
nightly_omp() { nightly_lanes OMP; }
nightly_tbb() { nightly_lanes TBB; }

# The Python package, built as a wheel against this revode, in an environment of its own, where it finds jaxlib's headers.
nightly_python() {
  need 'the Python package' python3-venv python3-dev
  configure release && build release --target revode_any revode_command &&
    cmake --install build/release --prefix build/nightly/prefix --component revode_development >/dev/null &&
    rm -rf build/nightly/venv && python3 -m venv build/nightly/venv && build/nightly/venv/bin/pip install -q jax &&
    CMAKE_PREFIX_PATH=$PWD/build/nightly/prefix build/nightly/venv/bin/pip install -q "./python[test]" &&
    REVODE_COMMAND=$PWD/build/release/revode build/nightly/venv/bin/python -m pytest -q python/tests &&
    build/nightly/venv/bin/python -m mypy --strict python/tests/typed.py
}

# Where products are fused: sums round otherwise, equal bits stay equal.
nightly_fused() {
  configure release -B build/nightly_fused -DCMAKE_CXX_FLAGS=-march=x86-64-v3 -DREVODE_COMMAND=OFF &&
    build nightly_fused --target core_tests test_contract &&
    ctest --test-dir build/nightly_fused --no-tests=error -L '^(state|ad|schedule|loop|solve|contract)$'
}

# Networks whose products a BLAS makes: the same laws, and the same bits in every budget.
nightly_blas() {
  need 'a BLAS' libopenblas-dev
  configure release -B build/nightly_blas -DREVODE_BLAS=OpenBLAS -DREVODE_ANY=OFF &&
    build nightly_blas --target test_nn &&
    ldd build/nightly_blas/tests/test_nn | grep libopenblas &&
    ctest --test-dir build/nightly_blas --no-tests=error -L '^nn$'
}

# The core's tests on another machine, by a cross compiler and an emulator.
nightly_aarch64() {
  need 'aarch64' g++-aarch64-linux-gnu qemu-user
  configure aarch64 &&
    build aarch64 --target core_tests &&
    ctest --test-dir build/aarch64 --no-tests=error -L '^(state|ad|schedule|loop|solve)$'
}

# Every page of the site without a warning, each command and example on it, and its search in a browser.
nightly_docs() {
  need 'a browser' chromium
  tools/dev docs && sh docs/site/browser.sh build/site build/nightly/pictures
}

# nightly_part NAME: runs it unless it passed at this commit; its line is kept beside the builds, and on the page.
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

nightly_parts='instructions compile fuzz commands models heavy shipped clang omp tbb threads fused blas aarch64 docs package python sanitizers'

# nightly [PART...]: these, or all; the page keeps the last line of the others.
nightly() {
  for part; do
    case " $nightly_parts " in *" $part "*) ;; *) wrong "$part" ;; esac
  done
  # shellcheck disable=SC2086
  need 'the nightly tests' $build_packages doctest-dev $command_packages $optional_packages clang libclang-rt-dev gnuplot-nox pkg-config gfortran libtbb-dev valgrind binutils time git
  commit=$(git rev-parse --short HEAD)
  [ -z "$(git status --porcelain -- ':!docs/nightly.md')" ] || commit=$commit+
  mkdir -p build/nightly
  for part in $nightly_parts; do
    [ -e build/nightly/$part ] || grep "^| $part |" docs/nightly.md >build/nightly/$part 2>/dev/null || rm -f build/nightly/$part
  done
  bad=0
  # shellcheck disable=SC2086
  [ $# -gt 0 ] || set -- $nightly_parts
  for part; do nightly_part "$part" || bad=1; done
  {
    printf '# The last nightly run\n\n`tools/dev test --nightly` writes this page, part by part (`tools/dev test --nightly heavy clang` runs two of them).\n\n'
    printf '| part | commit | result | minutes |\n|---|---|---|---|\n'
    for part in $nightly_parts; do [ ! -e build/nightly/$part ] || cat build/nightly/$part; done
  } >docs/nightly.md
  cat docs/nightly.md
  return $bad
}
