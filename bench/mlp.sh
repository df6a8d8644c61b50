#!/bin/sh
# SPDX-License-Identifier: MIT
# mlp.sh - the training step of a perceptron, against PyTorch on this machine.
#
# Both sides first try the settings that could be fastest for them, then the
# fastest of each run in turn, ROUNDS times (default 9), and the medians are
# compared.  PyTorch gets: OpenBLAS with threads of its own or of OpenMP,
# OPENBLAS_CORETYPE unset, SkylakeX and Haswell, AVX-512 in ATen, memory that is
# not given back between steps, passive waiting, its fused optimizer.  Needs the
# group "bench" of packages.txt.
#
#     BENCH=folder-of-the-programs bench/mlp.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
bench=${BENCH:?folder of the programs mlp and peak}
rounds=${ROUNDS:-9}
python=${PYTHON:-/usr/bin/python3}
unset OPENBLAS_L2_SIZE OPENBLAS_CORETYPE

if ! "$python" -c 'import torch' 2>/dev/null; then
  echo "bench-mlp: $python has no torch: apt-get install python3-torch" >&2
  exit 77
fi

median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }

openmp=$(ls /usr/lib/*/openblas-openmp/libopenblas.so.0 2>/dev/null | head -1)
blas=$(ls /usr/lib/*/openblas-openmp/libblas.so.3 2>/dev/null | head -1)
tuned='GLIBC_TUNABLES=glibc.malloc.hugetlb=1 MALLOC_MMAP_MAX_=0
MALLOC_TRIM_THRESHOLD_=9000000000 MALLOC_TOP_PAD_=268435456
ATEN_CPU_CAPABILITY=avx512 OMP_WAIT_POLICY=passive'

# One run of a setting, "kind threads environment": milliseconds of a step.
ours() { env $3 "$bench/mlp" "$2" | awk '{ print $1 }'; }
torch() {
  env OMP_NUM_THREADS="$2" OPENBLAS_NUM_THREADS="$2" $3 \
    "$python" "$here/mlp.py" --threads "$2" $4
}

torch_settings() {
  for core in '' OPENBLAS_CORETYPE=SkylakeX OPENBLAS_CORETYPE=Haswell; do
    for memory in '' "$tuned"; do
      for library in '' "${openmp:+LD_PRELOAD=$blas:$openmp}"; do
        for fused in '' --foreach; do
          echo "$core $memory $library|$fused" | tr '\n' ' '
          echo
        done
      done
    done
  done | sort -u
}

compare() {
  threads=$1
  best=; best_ms=
  while IFS='|' read -r setting fused; do
    ms=$( (for i in 1 2 3; do torch x "$threads" "$setting" "$fused"; done) | median)
    [ -n "$ms" ] || continue
    if [ -z "$best_ms" ] || awk "BEGIN { exit !($ms < $best_ms) }"; then
      best_ms=$ms; best=$setting; best_fused=$fused
    fi
  done <<LIST
$(torch_settings)
LIST
  mine=; mine_ms=
  for core in NN_=1 OPENBLAS_CORETYPE=SkylakeX OPENBLAS_CORETYPE=Haswell; do
    ms=$( (for i in 1 2 3; do ours x "$threads" "$core"; done) | median)
    if [ -z "$mine_ms" ] || awk "BEGIN { exit !($ms < $mine_ms) }"; then
      mine_ms=$ms; mine=$core
    fi
  done
  a=; b=; p=
  for round in $(seq "$rounds"); do
    p="$p $("$bench/peak" "$threads")"
    a="$a $(ours x "$threads" "$mine")"
    b="$b $(torch x "$threads" "$best" "$best_fused")"
  done
  a_ms=$(echo $a | tr ' ' '\n' | median)
  b_ms=$(echo $b | tr ' ' '\n' | median)
  peak=$(echo $p | tr ' ' '\n' | median)
  # Multiply-adds of a step: forward, weight gradients, deltas but the first.
  awk -v t="$threads" -v a="$a_ms" -v b="$b_ms" -v p="$peak" -v m="$mine" \
      -v s="$best $best_fused" 'BEGIN {
    flops = 2 * 128 * (2 * (784 * 1000 + 1000 * 1000 + 10000) + 1000 * 1000 + 10000)
    sub("NN_=1", "default", m)
    printf "%d thread%s: nervenet %.2f ms (%.0f %% of the FMA peak, %.0f GFLOP/s), ",
      t, (t > 1 ? "s" : ""), a, 100 * flops / a / 1e6 / p, p
    printf "pytorch %.2f ms (%.0f %%), ratio %.2f\n", b,
      100 * flops / b / 1e6 / p, a / b
    printf "  nervenet: %s; pytorch: %s\n", m, s }'
}

for threads in 1 2; do
  compare $threads
done
set -- $("$bench/mlp" 2)
echo "page faults in 150 steps after 40: $2"
