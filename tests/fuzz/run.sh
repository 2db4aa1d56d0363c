#!/usr/bin/env bash
# Fuzzes the reader of files and short runs with libFuzzer, or with TARGET import the importers, plan the plans.
# Usage: run.sh SECONDS [CORPUS [TARGET]]
# What breaks it stays in CORPUS or is printed in base64. Exit 1 if something did, 77 without clang.
set -u
seconds=${1:?seconds}
cd "$(dirname "$0")/../.." || exit 1
command -v clang >/dev/null || { echo "skipped: there is no clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
corpus=${2:-$work/corpus}
target=${3:-file}
case $target in
    file) seeds=tests/fuzz/seeds words=tests/fuzz/yaml.dict ;;
    import) seeds=tests/fuzz/seeds-import words="tests/fuzz/simtbs.dict tests/fuzz/profiles.dict" ;;
    plan) seeds=tests/fuzz/seeds-plan words="tests/fuzz/yaml.dict tests/fuzz/plan.dict" ;;
    *) echo "unknown target '$target'; known: file, import, plan"; exit 2 ;;
esac
mkdir -p "$corpus" "$work/build" "$work/seeds"
cp "$seeds"/* "$work/seeds"
cat $words >"$work/words.dict"
# Profiles, and behind each the byte that selects its importer.
if [ "$target" = import ]; then
    for file in tests/import/*/ncu-*.csv tests/import/*/ncu-*.txt; do
        for byte in 80 84 8c; do { cat "$file"; printf "\\x$byte"; } >"$work/seeds/$byte-$(basename "$file")"; done
    done
    for file in tests/import/*/nvprof-*.csv tests/import/*/nvprof-*.txt; do
        for byte in c0 c4 cc; do { cat "$file"; printf "\\x$byte"; } >"$work/seeds/$byte-$(basename "$file")"; done
    done
fi

{
    CC=clang cmake -S . -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-g -O1" -DBUILD_TESTING=OFF \
        -DSMSCHED_FUZZ=ON && cmake --build "$work/build" --target "fuzz_$target"
} >"$work/log" 2>&1 || { cat "$work/log"; echo "it does not build"; exit 1; }

"$work/build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -malloc_limit_mb=2048 -max_len=4096 \
    -dict="$work/words.dict" -artifact_prefix="$work/" -print_final_stats=1 -verbosity=0 \
    "$corpus" "$work/seeds" >"$work/fuzzed" 2>&1
status=$?
if [ "$status" -ne 0 ]; then
    cat "$work/fuzzed"
    for file in "$work"/crash-* "$work"/leak-* "$work"/timeout-* "$work"/oom-*; do
        [ -e "$file" ] && echo "== $file, in base64" && base64 "$file"
    done
    exit 1
fi
grep -E 'number_of_executed_units|peak_rss_mb' "$work/fuzzed"
echo "fuzzed for $seconds s: nothing broke"
