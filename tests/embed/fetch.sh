#!/usr/bin/env bash
# A project that fetches the sources by CMake's FetchContent builds the library and finds the models beside it. Usage: fetch.sh BUILD
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
build=$1
cp tests/embed/ten_lines.c tests/scenarios/two-tenants.yaml "$work"
cat >"$work/CMakeLists.txt" <<'END_OF_PROJECT'
cmake_minimum_required(VERSION 3.22)
project(embedding C)
include(FetchContent)
FetchContent_Declare(smsched URL smsched.tar.gz)
FetchContent_MakeAvailable(smsched)
add_executable(ten_lines ten_lines.c)
target_link_libraries(ten_lines smsched::smsched)
END_OF_PROJECT
cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_C_COMPILER_LAUNCHER="$(cached CMAKE_C_COMPILER_LAUNCHER)" \
    -DFETCHCONTENT_SOURCE_DIR_SMSCHED="$PWD" >/dev/null
cmake --build "$work/build" --target ten_lines | tail -1
[ ! -e "$work/build/_deps/smsched-build/tests" ] || { echo "a project that fetches smsched gets its tests"; exit 1; }
"$work/build/ten_lines" "$work/two-tenants.yaml" | grep '^kernels_per_s [1-9]'
