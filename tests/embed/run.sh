#!/usr/bin/env bash
# Installs into an empty folder and builds against nothing but that. Usage: run.sh BUILD
set -eu
grep -q '^SMSCHED_SANITIZE:STRING=.' "$1/CMakeCache.txt" && { echo "skipped: the library is sanitized"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/usr" # nothing may remember where it was installed
models=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$1/CMakeCache.txt")/share/smsched/models
[ -e "$models" ] && echo "note: $models is there, too"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
library=$(find "$work/usr" -name libsmsched.so)
libraries=$(dirname "$library")
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries
version=$(pkg-config --modversion smsched)
minor=${version%.*}
"$work/usr/bin/smsched" --version | grep -F "smsched $version" || { echo "the program is not $version"; exit 1; }

# What a shared library shows is what the headers declare.
objdump -p "$library" | grep -q "SONAME *libsmsched.so.$minor\$" || { echo "libsmsched.so has no soname"; exit 1; }
hidden=$(nm -D --defined-only "$library" | awk '$3 ~ /^sms/ && $3 !~ /^sms_[a-z]/ || $3 !~ /^sms/ {print $3}')
[ -z "$hidden" ] || { echo "libsmsched.so shows $hidden"; exit 1; }

# The headers are C and C++, each by itself.
for header in "$work"/usr/include/smsched/*.h; do
    for language in "c -std=c17 -Wstrict-prototypes" "c++ -std=c++17"; do
        # shellcheck disable=SC2086
        echo "#include <smsched/$(basename "$header")>" |
            "$compiler" -x $language -Wall -Wextra -Wpedantic -Werror -I"$work/usr/include" -fsyntax-only -
    done
done

# The example with pkg-config, as C and as C++, and with find_package in an empty folder.
flags=$(pkg-config --cflags --libs smsched)
# shellcheck disable=SC2086
"$compiler" -std=c17 -Wall -Wextra -Werror tests/embed/ten_lines.c -o "$work/ten_lines" $flags
# shellcheck disable=SC2086
"$compiler" -x c++ -std=c++17 -Wall -Wextra -Wno-missing-field-initializers -Werror tests/embed/ten_lines.c -o "$work/ten_lines_cpp" -x none $flags -lstdc++
mkdir "$work/project"
cp tests/embed/ten_lines.c "$work/project"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(embedding C)
find_package(smsched $minor REQUIRED)
add_executable(ten_lines ten_lines.c)
target_link_libraries(ten_lines smsched::smsched)
END
cmake -G Ninja -S "$work/project" -B "$work/project/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/project/build" >/dev/null

# Models, man page and program are found in the installed tree alone, wherever it has been moved to.
sed 's/replications: 10/replications: 2/; s/duration: 22 ms/duration: 4 ms/' tests/scenarios/two-tenants.yaml >"$work/two-tenants.yaml"
cd "$work"
"$work/usr/bin/smsched" run --quiet two-tenants.yaml >/dev/null
for file in share/smsched/models/devices/v100.yaml share/smsched/policies.txt share/man/man1/smsched.1; do
    [ -s "$work/usr/$file" ] || { echo "$file is not installed"; exit 1; }
done
for program in ./ten_lines ./ten_lines_cpp project/build/ten_lines; do
    "$program" two-tenants.yaml | grep '^kernels_per_s [1-9]'
done
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
# The reference engine and the checks of invariants are the program's, and the library says so.
nm "$library" | grep -E 'sms.*(reference_fire|audit_ledger)' && { echo "libsmsched.so has the oracle"; exit 1; }
sed 's/NULL, &results, /\&options, \&results, /; s/int code = /struct sms_run_options options = sms_run_defaults(); options.check = true; int code = /' \
    "$OLDPWD/tests/embed/ten_lines.c" >check.c
# shellcheck disable=SC2086
"$compiler" -std=c17 -Wall -Wextra -Werror check.c -o check $flags
./check two-tenants.yaml 2>err && { echo "the library checks invariants"; exit 1; }
grep 'does not contain the reference engine' err
"$work/usr/bin/smsched" run --quiet --check --engine reference two-tenants.yaml >/dev/null
