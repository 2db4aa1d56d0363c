#!/usr/bin/env bash
# Fuzzes the reader of files and short runs with libFuzzer, or another TARGET: import the importers; nsys that of databases; kineto that of JSON; plan the plans;
# results the folders that report and plot read; store and database those of sweeps; baseline that of check; arguments
# the command line.
# Usage: [FUZZ_BUILD=FOLDER] [FUZZ_OPTIMIZE=O0] run.sh SECONDS [CORPUS [TARGET]]; what is built is kept in FOLDER for other targets, which
# may run at the same time. With O0 it takes a third of the time to build, and runs half as often. run.sh --targets prints them.
# What breaks it stays in CORPUS or is printed in base64. Exit 1 if something did, 77 without clang.
set -u
targets='file import nsys kineto plan results store database baseline arguments'
seconds=${1:?seconds}
[ "$seconds" != --targets ] || { printf '%s\n' $targets; exit; }
cd "$(dirname "$0")/../.." || exit 1
command -v clang >/dev/null || { echo "skipped: there is no clang"; exit 77; }
work=$(mktemp -d)
fast=$(mktemp -d /dev/shm/fuzz-XXXXXX)
trap 'rm -rf "$work" "$fast"' EXIT
export FUZZ_SCRATCH=$fast FUZZ_RESULTS=$work/results FUZZ_PLAN=tests/fuzz/small-plan.yaml FUZZ_SCENARIO=tests/fuzz/seeds/small.yaml
build=${FUZZ_BUILD:-$work/build}
export FUZZ_SHARE=$build/share/smsched
program=$build/bin/smsched longest=4096
corpus=${2:-$work/corpus}
target=${3:-file}
case $target in
    file) seeds=tests/fuzz/seeds words=tests/fuzz/yaml.dict ;;
    import) seeds='' words=tests/fuzz/profiles.dict ;;
    nsys) seeds='' words=tests/fuzz/results.dict longest=131072 ;;
    kineto) seeds='' words=tests/fuzz/results.dict longest=65536 ;;
    plan) seeds=tests/fuzz/seeds-plan words="tests/fuzz/yaml.dict tests/fuzz/plan.dict" ;;
    results) seeds='' words=tests/fuzz/results.dict longest=65536 ;;
    store) seeds='' words=tests/fuzz/results.dict longest=65536 ;;
    database) seeds='' words=tests/fuzz/results.dict longest=131072 ;;
    baseline) seeds='' words=tests/fuzz/results.dict ;;
    arguments) seeds=tests/fuzz/seeds-arguments words=tests/fuzz/arguments.dict longest=1024 ;;
    *) echo "unknown target '$target'; known: $targets"; exit 2 ;;
esac
mkdir -p "$corpus" "$build" "$work/seeds"
[ -z "$seeds" ] || cp "$seeds"/* "$work/seeds"
# Profiles, and behind each the byte that selects its importer.
if [ "$target" = import ]; then
    for file in tests/import/*/ncu-*.csv tests/import/*/ncu-*.txt; do
        for byte in 80 84 8c; do { cat "$file"; printf "\\x$byte"; } >"$work/seeds/$byte-$(basename "$file")"; done
    done
    for file in tests/import/*/nvprof-*.csv tests/import/*/nvprof-*.txt; do
        for byte in c0 c4 cc; do { cat "$file"; printf "\\x$byte"; } >"$work/seeds/$byte-$(basename "$file")"; done
    done
    byte=0
    for name in philly.json helios.csv pai2020.csv alibaba2025.csv azure.csv units.csv; do
        for how in $byte $((byte + 8)); do
            { cat "tests/import/pods/fine/$name"; printf "\\x$(printf 'e%x' $how)"; } >"$work/seeds/pods-$how-$name"
        done
        byte=$((byte + 1))
    done
    { tail -n +2 tests/import/pods/fine/units.csv; printf '\xe6'; } >"$work/seeds/pods-6-units.csv"
    { gzip -nc tests/import/pods/fine/helios.csv; printf '\xe1'; } >"$work/seeds/pods-1-helios.csv.gz"
fi

{
    exec 9>"$build/lock"
    flock 9
    CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-g1 -${FUZZ_OPTIMIZE:-O1}" -DBUILD_TESTING=OFF \
        -DSMSCHED_FUZZ=ON && cmake --build "$build" --target "fuzz_$target" smsched_program
    built=$?
    exec 9>&-
    [ $built -eq 0 ]
} >"$work/log" 2>&1 || { cat "$work/log"; echo "it does not build"; exit 1; }

# The keys and names that this version knows are words of its files.
write_words() {
    cat $words && case $target in
        file | plan) python3 - "$program" <<'END' ;;
import json, subprocess, sys
for what in ("fields", "policies", "contention"):
    for entry in json.loads(subprocess.check_output([sys.argv[1], "list", what, "--format", "json"])):
        for part in entry.get("fields") or entry.get("parameters", []):
            print('"%s: "' % part["name"])
        if what != "fields":
            print('"%s"' % entry["name"])
END
    esac
}
ASAN_OPTIONS=detect_leaks=0 write_words >"$work/words.dict" || { echo "its words cannot be listed"; exit 1; }

# What this version writes is where the fuzzing of what it reads begins.
write_seeds() {
    local seeds=$work/seeds
    case $target in
        results)
            "$program" run --quiet --out "$work/results" tests/fuzz/seeds/small.yaml || return
            "$program" run --quiet --out "$work/pods" tests/fuzz/seeds/cluster.yaml || return
            "$program" run --quiet --out "$work/shares" tests/fuzz/seeds/processes.yaml || return
            for file in pods/cluster pods/allocation pods/placements shares/processes shares/spans; do
                head -20 "$work/$file.csv" >"$work/results/${file#*/}.csv"
            done
            for file in "$work"/results/*.csv "$work"/results/*.json; do
                { basename "$file"; head -c 60000 "$file"; } >"$seeds/$(basename "$file")"
                { basename "$file"; head -5 "$file"; } >"$seeds/short-$(basename "$file")"
            done ;;
        nsys | kineto) python3 "tests/import/$target.py" --seeds "$seeds" ;;
        store)
            "$program" sweep --quiet --out "$work/sweep" "$FUZZ_PLAN" || return
            python3 - "$work"/sweep/1-of-1.*.db "$seeds" <<'END'
import sqlite3, struct, sys, zlib
store = sqlite3.connect(sys.argv[1])
contents = [zlib.decompress(content) for (content,) in store.execute("SELECT content FROM record ORDER BY point LIMIT 8")]
with open(sys.argv[2] + "/records", "wb") as file:
    file.write(b"1" + b"".join(struct.pack("<H", len(content)) + content for content in contents))
store.execute("DELETE FROM record WHERE point > 3")
store.commit()
store.execute("PRAGMA page_size = 1024")
store.execute("VACUUM INTO ?", (sys.argv[2] + "/small.db",))
with open(sys.argv[2] + "/file", "wb") as file:
    file.write(b"0" + open(sys.argv[2] + "/small.db", "rb").read())
END
            rm "$seeds/small.db" ;;
        database)
            "$program" sweep --quiet --out "$work/sweep" "$FUZZ_PLAN" || return
            python3 - "$work/sweep/results/sweep.db" "$seeds/small.db" <<'END'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
for table in [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%point INTEGER%'")]:
    base.execute(f"DELETE FROM {table} WHERE point > 3")
base.commit()
base.execute("PRAGMA page_size = 1024")
base.execute("VACUUM INTO ?", (sys.argv[2],))
END
            ;;
        baseline) "$program" run --quiet --format csv "$FUZZ_SCENARIO" | head -30 >"$seeds/baseline.csv" ;;
    esac
}
ASAN_OPTIONS=detect_leaks=0 write_seeds >"$work/log" 2>&1 || { cat "$work/log"; echo "its seeds cannot be made"; exit 1; }

"$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -malloc_limit_mb=2048 -max_len="$longest" -close_fd_mask=3 \
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
echo "$target: fuzzed for $seconds s, nothing broke"
