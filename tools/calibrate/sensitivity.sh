#!/usr/bin/env bash
# How far the paper's scenarios depend on what the paper does not say: prints the
# Markdown tables of docs/fine-grained-2022.md. Usage, in the repository's root:
#   tools/calibrate/sensitivity.sh [SMSCHED]
set -eu
smsched=${1-build/bin/smsched}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# gains NAME SED-EXPRESSION [OPTION...]: one row, gains in percent of the scenarios so changed.
gains() {
    local name=$1 change=$2
    shift 2
    for scenario in s1 s2 s3 s4; do
        sed -e '/^expect:/,$d' -e "$change" "scenarios/fine-grained-2022/$scenario.yaml" >"$work/$scenario.yaml"
    done
    "$smsched" run --quiet --jobs 2 --replications 2 --format csv "$@" "$work"/s[1-4].yaml |
        awk -F, -v name="$name" '
            $3 == "host" && $5 == "kernels_per_s" { sub(/\(.*/, "", $2); value[$1, $2] = $6 }
            END {
                printf "| %s", name
                for (i = 1; i <= 4; i++) {
                    fg = value["s" i, "fine_grained"]; ua = value["s" i, "utilization_aware"]; rr = value["s" i, "round_robin"]
                    printf " | %+.0f", 100 * (fg / ua - 1); sum_ua += fg / ua - 1; sum_rr += fg / rr - 1
                    other = other sprintf(" | %+.0f", 100 * (fg / rr - 1))
                }
                printf " | %+.1f%s | %+.1f |\n", 25 * sum_ua, other, 25 * sum_rr
            }'
}

header() {
    printf '\n| %s | fg over ua, %%: S1 | S2 | S3 | S4 | mean | fg over rr, %%: S1 | S2 | S3 | S4 | mean |\n' "$1"
    printf '|---|---|---|---|---|---|---|---|---|---|---|\n'
}

header slope
for slope in 1 1.5 2 2.55 3; do gains "$slope" "s/slope: 2.55/slope: $slope/"; done
header "limit of ua and fg"
for limit in 50 75 100 150 200; do
    gains "$limit %" "s/^policies:.*/policies: [round_robin, {utilization_aware: {limit: $limit %}}, {fine_grained: {limit: $limit %}}]/"
done
header "queue"
for queue in interleave fifo kernel_fifo rr_fifo; do gains "$queue" "s/^queue:.*/queue: $queue/"; done
header "seed"
for seed in 2 3 4 5 6 7 8 9 10 11; do gains "$seed" "" --seed "$seed"; done
header "order of the VMs"
for order in 1 2 3; do
    # $order: rotated by one, rotated by two, reversed.
    for scenario in s1 s2 s3 s4; do
        awk -v order="$order" '
            /^  - \{name: vm/ { vm[n++] = $0; next }
            n && !done { for (i = 0; i < n; i++) print vm[order == 3 ? n - 1 - i : (i + order) % n]; done = 1 }
            { print }' "scenarios/fine-grained-2022/$scenario.yaml" >"$work/ordered-$scenario.yaml"
    done
    names=("" "rotated by one" "rotated by two" "reversed")
    (
        mkdir -p "$work/root/scenarios/fine-grained-2022"
        for scenario in s1 s2 s3 s4; do cp "$work/ordered-$scenario.yaml" "$work/root/scenarios/fine-grained-2022/$scenario.yaml"; done
        smsched=$(realpath "$smsched")
        cd "$work/root"
        gains "${names[$order]}" ""
    )
done
