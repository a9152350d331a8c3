# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Read by tools/dev: what needs a GPU.

gpu_test() {
  ctest --test-dir build/gpu --no-tests=error -L '^(device|batch)$' && build/gpu/tests/test_cuda_events device &&
    build/gpu/tests/test_cuda_wide
}

gpu_sanitize() {
  for tool in memcheck initcheck racecheck; do
    for program in test_cuda_ensemble test_cuda_events; do
      compute-sanitizer --tool "$tool" --error-exitcode 1 "build/gpu/tests/$program" device || return 1
    done
  done
}

# Beside Diffrax and torchdiffeq on the same card, where this machine's python3 has them for CUDA.
gpu_measure() {
  peers=--no-python
  ! python3 -c 'import diffrax, jax, torch, torchdiffeq; jax.devices("cuda"), torch.zeros(1, device="cuda")' 2>/dev/null || peers='--python python3'
  # shellcheck disable=SC2086
  python3 bench/lanes/run.py build/gpu/bench/lanes/revode-bench-lanes --device cuda --times 64 --rounds 1 $peers -o build/gpu
}

# How busy the FP64 pipes are in the kernels of the Lorenz sweep, of their peak.
gpu_roofline() {
  ncu --clock-control none -k regex:lane_kernel --metrics sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active \
    build/gpu/bench/lanes/revode-bench-lanes lorenz --times 64 --repeats 1 | tee build/gpu/roofline.txt
}

gpu() {
  if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
    echo "tools/dev gpu: no NVIDIA GPU (nvidia-smi finds none) run it on a machine with one and its driver?" >&2
    exit 2
  elif ! find_nvcc; then
    echo "tools/dev gpu: no nvcc (neither on PATH nor in /usr/local/cuda/bin) install the CUDA toolkit?" >&2
    exit 2
  fi
  # shellcheck disable=SC2086
  need 'the device programs' $build_packages doctest-dev $command_packages libboost-dev libbenchmark-dev
  card=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  # the host fuses products as the device does, so that their states are equal in bits
  configure cuda -B build/gpu -DREVODE_BENCHMARKS=ON -DCMAKE_CXX_FLAGS=-march=x86-64-v3 \
    -DCMAKE_CUDA_FLAGS=-Xcompiler=-march=x86-64-v3 -DCMAKE_CUDA_ARCHITECTURES="$card" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=OFF
  build gpu --target test_batch test_cuda_ensemble test_cuda_events test_cuda_wide test_cuda_emulated cuda_compile revode-bench-lanes revode_command
  stage tests gpu_test
  if command -v compute-sanitizer >/dev/null; then
    stage sanitizer gpu_sanitize
  else
    skipped=' sanitizer (no compute-sanitizer)'
  fi
  stage measure gpu_measure
  if command -v ncu >/dev/null; then
    stage roofline gpu_roofline
  else
    skipped="$skipped roofline (no ncu)"
  fi
  finish gpu
}
