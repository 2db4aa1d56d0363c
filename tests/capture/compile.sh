#!/usr/bin/env bash
# tools/capture as clang sees it without CUDA (stub/ has the declarations), and as nvcc
# does where it is: host and device code compile, and each kernel's loop holds the
# instructions it is to measure, all of them. Usage: compile.sh [SOURCE_FOLDER]
set -u
cd "$(dirname "$0")/../.." || exit 1
from=${1-tools/capture}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 compilers=0
bad() { failed=$((failed + 1)); echo "FAILED $*"; }

# looks COMPILER PTX: in each entry the instruction so many times, between a label and a jump back to it.
looks() {
    awk -v compiler="$1" '
        BEGIN {
            split("fma.rn.f32 fma.rn.f64 lop3.b32 mad.lo.s32 ex2.approx.ftz.f32 ld.shared.v4.u32 " \
                  "ld.global.ca.v4.u32 ld.global.cg.v4.u32 ld.global.cg.v4.u32", what)
            split("fp32 fp64 int imad sfu shared l1 l2 dram", name)
            split("64 64 64 64 64 8 8 8 8", times)
        }
        function complain(text) { print "FAILED " compiler ": " title ": " text; wrong++ }
        function judge() {
            if (count < times[kernel]) complain(count " of " what[kernel] " instead of " times[kernel])
            if (back == 0) complain("no loop around " what[kernel])
            if (timer != 2 || sm != 1) complain("the record is not taken")
            if (barrier < 1) complain("a block does not wait for its threads")
        }
        /^[ \t]*(\.visible )?(\.weak )?\.entry .*capture_kernel/ {
            match($0, /resource[0-9]+/); kernel = substr($0, RSTART + 8, RLENGTH - 8) + 1
            match($0, /Li[0-9]+ELi[0-9]+E/); split(substr($0, RSTART + 2, RLENGTH - 3), of, "ELi")
            title = name[kernel] " with " of[1] " registers more, " of[2] " chains"
            inside = 1; entries++; count = back = timer = sm = barrier = 0; delete label
        }
        !inside { next }
        /^\$?[A-Za-z_$][A-Za-z0-9_$]*:/ { at = $1; sub(/:.*/, "", at); label[at] = count; known[entries, at] = 1 }
        index($0, what[kernel] " ") || index($0, what[kernel] "\t") { count++ }
        /globaltimer/ { timer++ }
        /%smid/ { sm++ }
        /bar(rier)?\.sync/ { barrier++ }
        /bra/ { to = $NF; sub(/;.*/, "", to); if (known[entries, to] && count - label[to] >= times[kernel]) back = 1 }
        /^}/ { judge(); inside = 0 }
        END { if (entries != 54) { print "FAILED " compiler ": " entries + 0 " kernels instead of 54"; wrong++ }
              exit wrong > 0 }' "$2" || failed=$((failed + 1))
}

if command -v clang++ >/dev/null; then
    compilers=$((compilers + 1))
    flags="-x cuda -std=c++17 --cuda-path=/nonexistent -nocudainc -nocudalib -I tests/capture/stub -include cuda_runtime.h
           -fms-extensions -Wall -Wextra -Werror -Wno-unknown-cuda-version"
    # shellcheck disable=SC2086
    clang++ $flags --cuda-gpu-arch=sm_70 --cuda-device-only -O3 -S -o "$work/clang.ptx" "$from/gpu.cu" || bad "clang, device"
    # shellcheck disable=SC2086
    clang++ $flags --cuda-host-only -fsyntax-only "$from/gpu.cu" || bad "clang, host"
    for file in "$from"/*.cpp; do
        clang++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only "$file" || bad "clang, $file"
    done
    looks clang "$work/clang.ptx"
fi
if command -v nvcc >/dev/null; then
    compilers=$((compilers + 1))
    nvcc -std=c++17 -O3 -arch=compute_80 -ptx -o "$work/nvcc.ptx" "$from/gpu.cu" || bad "nvcc"
    looks nvcc "$work/nvcc.ptx"
    nvcc -std=c++17 -arch=compute_80 -Xcompiler=-Wall,-Wextra -Werror=all-warnings -c -o "$work/gpu.o" "$from/gpu.cu" || bad "nvcc, host"
fi
[ $compilers -gt 0 ] || { echo "neither clang++ nor nvcc is here"; exit 77; }
bash -n "$from/mps" || bad mps
bash -n "$from/campaign" || bad campaign
[ $failed -eq 0 ] && echo "tools/capture: 54 kernels, $compilers compilers, all as meant"
exit $((failed > 0))
