#!/usr/bin/env bash
# Scripts of studies: --help explains and runs nothing, from any folder. Relative paths are the caller's. Folders are created.
# Usage: studies.sh. The programs are those in SMSCHED_BUILD.
set -u
root=$(realpath "$(dirname "$0")/..")
. "$root/tests/checks.sh"
export SMSCHED_BUILD
SMSCHED_BUILD=$(realpath "${SMSCHED_BUILD:-$root/build}")
data=$(realpath -m "${SMSCHED_DATA:-$root/../shared/data}")
mkdir "$work/elsewhere"
cd "$work/elsewhere" || exit 1

studies=(checks/compare.py checks/page.py derive/gtx1080ti.py gpushare kang-2022/realtime.py kang-2022/study.py levels-together
         library metrics-table mobile-cuda/power.py mobile-cuda/study.py openb pairs parvagpu/compare.py quickstart validate)
for study in "${studies[@]}"; do
    timeout 300 "$root/tools/$study" --help >"$work/out" 2>"$work/err"
    exits 0 $? "$study --help"
    grep -q . "$work/out" && ok || bad "$study --help says nothing"
    timeout 300 "$root/tools/$study" --no-such-option >"$work/out" 2>"$work/err" && bad "$study takes any option" || ok
done
[ -z "$(ls)" ] && ok || bad "help leaves something behind" "$(ls)"

# A build that fails ends them, in place of a test, or a comparison, of what was built before.
mkdir -p "$work/tree/tools" "$work/bin"
printf '#!/bin/sh\n' | tee "$work/tree/tools/setup" >"$work/bin/ctest"
printf '#!/bin/sh\n[ "$1" != --build ]\n' >"$work/bin/cmake"
chmod +x "$work/tree/tools/setup" "$work"/bin/*
for script in test quickstart; do
    sed '/^export PATH/d' "$root/tools/$script" >"$work/tree/tools/$script"
    PATH=$work/bin:$PATH bash "$work/tree/tools/$script" >"$work/out" 2>"$work/err"
    exits 1 $? "$script after a build that fails"
    [ ! -s "$work/err" ] && ok || bad "$script goes on after a build that fails" "$(head -c 300 "$work/err")"
done

# Mobile CUDA: one list of one variant, into a folder that does not exist.
"$root/tools/mobile-cuda/study.py" --lists 1 --only own-links new/folder >"$work/out" 2>"$work/err"
exits 0 $? "mobile-cuda/study.py into a new folder"
[ "$(wc -l <new/folder/mobile-cuda-study.csv)" -eq 5 ] && ok || bad "one variant is four rows and their head"
"$root/tools/mobile-cuda/study.py" --only own-links 2>"$work/err" && bad "one variant replaces the results of all" || ok
"$root/tools/mobile-cuda/study.py" --only nothing new/folder 2>"$work/err" && bad "a variant that there is not" || ok

# Kang 2022: a list of checks is the caller's file, and a missing file is not replaced by another.
printf 'id,value,unit,tolerance\n' >checks.csv
"$root/tools/kang-2022/study.py" --check --checks none.csv >"$work/out" 2>"$work/err"
exits 77 $? "study.py without its list"
"$root/tools/kang-2022/study.py" --check --checks checks.csv >"$work/out" 2>"$work/err"
exits 0 $? "study.py with a list without rows"

if [ -d "$data/nvprof/gtx1080ti" ]; then
    ln -s "$data" measured
    "$root/tools/library" measured made >"$work/out" 2>"$work/err"
    exits 0 $? "library into a new folder"
    diff -r made/gtx1080ti "$root/models/workloads/gtx1080ti" >/dev/null && ok || bad "the library is another one"
    "$root/tools/validate" --data measured --check "$root/results/measured/v100-2019-dram-occupancy" >"$work/out" 2>"$work/err"
    exits 0 $? "validate with data of a relative path"
fi
if [ -d "$data/cluster" ]; then
    # The first of ParvaGPU's deployments beside ours is as the page says.
    "$root/tools/parvagpu/compare.py" --slo 1 >"$work/out" 2>"$work/err"
    exits 0 $? "parvagpu/compare.py"
    while read -r line; do
        grep -qF "$line" "$root/docs/reference/placement.md" && ok || bad "the first deployment is not as on the page" "$line"
    done < <(head -2 "$work/out")
fi
"$root/tools/library" nowhere made-of-nothing >"$work/out" 2>"$work/err"
exits 3 $? "library without data"
[ ! -e made-of-nothing ] && ok || bad "library without data leaves a folder"
finish
