#!/usr/bin/env bash
# run.sh BUILD SECONDS: runs each fuzz target of a build folder, one after the other.
# What a run finds new stays in BUILD/corpus; an input that crashes is left in BUILD/crashes and fails the command.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?usage: run.sh BUILD SECONDS} seconds=${2:?usage: run.sh BUILD SECONDS}
[[ $seconds =~ ^[0-9]+$ ]] || { echo "fuzz: error: $seconds is no number of seconds" >&2; exit 2; }
mapfile -t targets < <(find "$build" -type f -executable -name 'fuzz_*' | sort)
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: error: no fuzz targets in $build" >&2; exit 1; }
passed=0 failed=0
for target in "${targets[@]}"; do
  name=$(basename "$target") name=${name#fuzz_}
  grown=$build/corpus/$name crashes=$build/crashes/$name
  mkdir -p "$grown" "$crashes"
  echo "==== $name, $seconds s"
  if "$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$crashes/" "$grown" "$here/corpus/$name"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name: see $crashes"
  fi
done
echo "fuzz: $passed passed, $failed failed"
[ "$failed" = 0 ]
