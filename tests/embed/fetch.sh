#!/usr/bin/env bash
# A project that fetches the sources by CMake's FetchContent builds the library and finds the models beside it. Usage: fetch.sh BUILD
set -eu
# Beside the build that the test is about: there ccache has seen the same sources by the same relative names.
work=$(mktemp -d "$PWD/build-fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
build=$1
mkdir "$work/project"
cp tests/embed/ten_lines.c "$work/project"
cat >"$work/project/CMakeLists.txt" <<'END_OF_PROJECT'
cmake_minimum_required(VERSION 3.22)
project(embedding C)
include(FetchContent)
FetchContent_Declare(smsched URL smsched.tar.gz)
FetchContent_MakeAvailable(smsched)
add_executable(ten_lines ten_lines.c)
target_link_libraries(ten_lines smsched::smsched)
END_OF_PROJECT
cmake -G Ninja -S "$work/project" -B "$work" -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_C_COMPILER_LAUNCHER="$(cached CMAKE_C_COMPILER_LAUNCHER)" \
    -DSMSCHED_WERROR="$(cached SMSCHED_WERROR)" -DFETCHCONTENT_SOURCE_DIR_SMSCHED="$PWD" >/dev/null
cmake --build "$work" --target ten_lines | tail -1
[ ! -e "$work/_deps/smsched-build/tests" ] || { echo "a project that fetches smsched gets its tests"; exit 1; }
"$work/ten_lines" tests/scenarios/two-tenants.yaml | grep '^kernels_per_s [1-9]'
