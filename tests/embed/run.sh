#!/usr/bin/env bash
# Installs into an empty folder and builds against nothing but that. Usage: run.sh BUILD
set -eu
grep -q '^SMSCHED_SANITIZE:STRING=.' "$1/CMakeCache.txt" && { echo "skipped: the library is sanitized"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/usr" >/dev/null
export PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name smsched.pc)")
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
flags=$(pkg-config --define-variable=prefix="$work/usr" --cflags --libs --static smsched)
for header in "$work"/usr/include/smsched/*.h; do
    echo "#include <smsched/$(basename "$header")>" |
        "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$work/usr/include" -fsyntax-only -x c -
done
# shellcheck disable=SC2086
"$compiler" -std=c17 -Wall -Wextra -Werror tests/embed/ten_lines.c -o "$work/ten_lines" $flags
# Models, man page and program are found in the installed tree alone.
cp scenarios/01-two-tenants.yaml "$work"
cd "$work"
"$work/usr/bin/smsched" run --quiet 01-two-tenants.yaml >/dev/null
for file in share/smsched/models/devices/v100.yaml share/smsched/policies.txt share/man/man1/smsched.1; do
    [ -s "$work/usr/$file" ] || { echo "$file is not installed"; exit 1; }
done
# The library was told at build time where models are; here the file brings its device along.
{ cat "$work/usr/share/smsched/models/devices/v100.yaml"; echo ---; cat 01-two-tenants.yaml; } >whole.yaml
"$work/ten_lines" whole.yaml | grep '^kernels_per_s [1-9]'
# A file without a scenario, and one of a cluster, which has no host.
"$work/ten_lines" "$work/usr/share/smsched/models/devices/v100.yaml" 2>err && { echo "a device ran"; exit 1; }
grep 'there is no scenario to run' err
cat >cluster.yaml <<'END'
scenario: cluster
policies: [first_fit]
nodes: [{name: n, gpus: 1}]
pods: [{name: p, gpu: 50 %, duration: 1 s}]
END
"$work/ten_lines" cluster.yaml | grep '^pods_count 1'
