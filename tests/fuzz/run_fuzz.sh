#!/bin/sh
# run_fuzz.sh PROGRAM SEEDS SECONDS: fuzzes for a bounded time, in a temporary folder, so that the source tree
# is never written. What it finds is copied beside the program. PROGRAM is "none" when clang++ or its fuzzer
# runtime is missing: exit code 77, which CTest shows as skipped.
set -u
program=$1 seeds=$2 seconds=$3
if [ "$program" = none ]; then
  echo "skipped: clang++ with libFuzzer is not installed (apt install clang libclang-rt-14-dev), or does not fit this build"
  exit 77
fi
if [ ! -x "$program" ]; then
  echo "failed: $program is not there; build it first"
  exit 1
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/corpus" "$folder/empty" "$folder/found" || exit 1
cp "$seeds"/* "$folder/corpus" || exit 1
cd "$folder/empty" || exit 1
"$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
  -artifact_prefix="$folder/found/" "$folder/corpus" > "$folder/log" 2>&1
code=$?
tail -n 60 "$folder/log"
if [ $code -ne 0 ]; then
  mkdir -p "$program.found" && cp "$folder"/found/* "$program.found"
  echo "failed: run '$program FILE' on the file in $program.found to see it again"
fi
exit $code
