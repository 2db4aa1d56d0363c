#!/usr/bin/env bash
# Plug-ins, from an empty folder against an installed prefix: what `smsched new` writes works, each refusal, keys of
# sweeps, and promises that are broken. Usage: plugins.sh SMSCHED BUILD
set -u
. "$(dirname "$0")/../checks.sh"
sanitized "$1" && { echo "skipped: a plug-in would need the sanitizers, too"; exit 77; }
cmake --install "$2" --prefix "$work/usr" >/dev/null || exit 1
smsched=$work/usr/bin/smsched
export CC
CC=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$2/CMakeCache.txt")
cd "$work" || exit 1

for kind in policy share place queue contention; do
    try 0 "new $kind" new "$kind" "my_$kind"
    prints "my_$kind/scenario.yaml"
    if make -s -C "my_$kind" test >log 2>&1; then ok; else bad "the test of a new $kind" "$(cat log)"; fi
done
try 4 "a folder that is there" new policy my_policy
try 2 "a kind that there is not" new polcy mine
prints "did you mean 'policy'?"
try 2 "a name that C has not" new policy my-policy
prints "'my-policy' cannot be a name"
try 2 "a name that is taken" new policy round_robin
prints "smsched has a policy 'round_robin'"
if [ -e round_robin ]; then bad "a name that is taken" "its folder was made"; else ok; fi

# A policy of 20 lines in a comparison, by the option and by the scenario.
cp my_policy/my_policy.so .
sed '/^plugins:/d' my_policy/scenario.yaml >bare.yaml
try 0 "compare --plugin" compare bare.yaml --plugin my_policy.so
prints "my_policy"
try 0 "compare with plugins:" compare my_policy/scenario.yaml
prints "my_policy"
try 0 "validate both" validate my_policy/scenario.yaml --plugin ./my_policy/my_policy.so
try 0 "list --plugin" list policies my_policy --plugin ./my_policy.so
prints "the SM with the most free threads"
try 3 "without it" validate bare.yaml
prints "unknown block policy 'my_policy'"
sed 's/\[leftover, my_policy\]/[leftover]/' bare.yaml >hardware.yaml
try 0 "--policy of a plug-in" compare hardware.yaml --plugin my_policy.so --policy leftover --policy my_policy
prints "my_policy"
try 3 "--set of another plug-in" run bare.yaml --plugin my_policy.so --set 'plugins=my_share/my_share.so'
prints "is not open, and a changed scenario cannot open it"

# The manifest has the content, so that results of two builds are told apart.
try 0 "results in a folder" run my_policy/scenario.yaml --quiet --out results
content=$(sha256sum <my_policy/my_policy.so | cut -d ' ' -f 1)
if jq -e --arg content "$content" '.scenarios[0].plugins == [{file: "my_policy.so", sha256: $content}]' results/manifest.json >/dev/null; then ok
else bad "the manifest lacks the plug-in $content" "$(cat results/manifest.json)"; fi
try 0 "results without plug-ins" run hardware.yaml --quiet --out bare
if jq -e '.scenarios[0] | has("plugins") | not' bare/manifest.json >/dev/null; then ok; else bad "plug-ins of none" "$(cat bare/manifest.json)"; fi

# Each refusal: its words, with the place in a scenario.
# build NAME LINE...: a plug-in whose C file is these lines.
build() {
    local name=$1
    shift
    printf '%s\n' '#include <smsched/plugin.h>' "$@" >"$name.c"
    "$CC" -std=c17 -O1 -fPIC -shared -I"$work/usr/include" "$name.c" -o "$name.so" || bad "$name does not compile"
}
refused() { # FILE WORDS
    try 3 "--plugin $1" validate hardware.yaml --plugin "$1"
    prints "$2"
    sed "2i plugins: [$1]" hardware.yaml >named.yaml
    try 3 "plugins: $1" validate named.yaml
    prints "named.yaml:2:11: error: plug-in '$1' "
}
refused none.so "cannot be found: No such file or directory"
refused hardware.yaml "is not a shared object"
: >empty.so
refused empty.so "is not a shared object"
for bytes in 20 100 3000 $(($(stat -c %s my_policy.so) / 2)); do
    head -c "$bytes" my_policy.so >cut.so
    refused cut.so "is cut off"
done
build undefined 'int nobody(void);' 'int call(void) { return nobody(); }' 'SMS_PLUGIN(0);'
refused undefined.so "undefined symbol: nobody"
build silent 'int answer = 42;'
refused silent.so "has no symbol sms_plugin"
build older '#undef SMS_PLUGIN_VERSION' '#define SMS_PLUGIN_VERSION 0, 999' 'SMS_PLUGIN(.block = {0});'
refused older.so "was built for smsched 0.999, and this is"
build other '#undef SMS_PLUGIN_SIZES' '#define SMS_PLUGIN_SIZES 1, 2, 3' 'SMS_PLUGIN(.block = {0});'
refused other.so "was built with other headers"
build nothing 'SMS_PLUGIN(.block = {0});'
refused nothing.so "has no policy or model in it"
build taken 'static const struct sms_block_policy policy = {.name = "leftover", .help = "mine"};' 'SMS_PLUGIN(.block = {&policy});'
refused taken.so "names something 'leftover', and that name is taken"
build mode 'static const struct sms_block_policy policy = {.name = "mps", .help = "mine"};' 'SMS_PLUGIN(.block = {&policy});'
refused mode.so "that name is taken"
build scoreless 'static const struct sms_block_policy policy = {.name = "mine", .help = "mine", .search = SMS_SEARCH_BEST};' 'SMS_PLUGIN(.block = {&policy});'
refused scoreless.so "looks for the best SM and has no score"
cp my_policy.so twice.so
try 3 "two of one name" validate hardware.yaml --plugin my_policy.so --plugin twice.so
prints "names something 'my_policy', and that name is taken"
try 0 "one plug-in twice" validate hardware.yaml --plugin my_policy.so --plugin ./my_policy.so

# Broken promises, which --check finds.
broken() { # NAME WORDS FIELDS LINE...: a block policy with these fields
    local name=$1 words=$2 fields=$3
    shift 3
    build "$name" "$@" "static const struct sms_block_policy policy = {.name = \"my_policy\", .help = \"broken\", $fields};" \
        'SMS_PLUGIN(.block = {&policy});'
    try 70 "$name" run bare.yaml --plugin "$name.so" --check --quiet --set run.replications=1
    prints "$words"
}
arguments='const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm, const struct sms_block_request *block'
unused='(void)param, (void)device, (void)sm, (void)block;'
broken counts "scores the same SM differently" '.search = SMS_SEARCH_BEST, .score = score, .promises = SMS_PURE' \
    "static double score($arguments) { static int n; $unused return n++; }"
broken nan "which is not finite" '.search = SMS_SEARCH_BEST, .score = score' "static double score($arguments) { $unused return 0.0 / 0.0; }"
broken likes_full "promises SMS_MONOTONE, and takes a block because more is used" '.admits = admits, .promises = SMS_PURE | SMS_MONOTONE' \
    "static int admits($arguments) { (void)param, (void)device, (void)block; return sm->used[SMS_BLOCKS] == 0 || sm->used[SMS_BLOCKS] > 3 ? SMS_ADMIT : SMS_NOT_HERE; }"
broken flips "answers the same question differently" '.admits = admits' \
    "static int admits($arguments) { static int n; $unused return n++ % 3 ? SMS_ADMIT : SMS_NOT_HERE; }"
broken looks_away "promises SMS_LOCAL, and looks at the usage of a resource of scope device" '.admits = admits, .promises = SMS_PURE | SMS_LOCAL' \
    "static int admits($arguments) { double all = 0; (void)param, (void)block; for (size_t r = 0; r < device->resources; r++) all += device->resource[r].scope == SMS_SCOPE_DEVICE ? sm->usage[r] : 0; return (unsigned long)all % 3 ? SMS_NOT_HERE : SMS_ADMIT; }"
broken scores_away "promises SMS_LOCAL, and scores by the usage of a resource of scope device" '.search = SMS_SEARCH_BEST, .score = score, .promises = SMS_PURE | SMS_LOCAL' \
    "static double score($arguments) { double all = 0; (void)param, (void)block; for (size_t r = 0; r < device->resources; r++) all -= device->resource[r].scope == SMS_SCOPE_DEVICE ? sm->usage[r] : 0; return all; }"
sed '/^plugins:/d' my_contention/scenario.yaml >model.yaml
bad_model() { # NAME WORDS EXPRESSION [FIELDS]
    build "$1" "static double slowdown(const struct sms_contention_view *view, size_t r, double usage) { static int n; (void)view, (void)r, (void)usage, (void)n; return $3; }" \
        "static const struct sms_contention model = {.name = \"my_contention\", .help = \"broken\", ${4-}.slowdown = slowdown};" 'SMS_PLUGIN(.contention = {&model});'
    try 70 "$1" run model.yaml --plugin "$1.so" --check --quiet --set run.replications=1
    prints "$2"
}
bad_model falls "has a slowdown that falls as the usage rises" "usage < SMS_FULL ? 3 - usage / SMS_FULL : 2"
bad_model drifts "slows the same usage differently" "1 + 0.001 * n++"
bad_model no_number "has a slowdown that is no number of at least 1" "usage > 0 ? 0.0 / 0.0 : 1"
bad_model speeds_up "has a slowdown that is no number of at least 1" "0.5"
bad_model endless "speed 0" "1 / 0.0"
bad_model not_free "promises free_below_full, and slows below 100 %" "1 + usage / SMS_FULL" ".free_below_full = true, "
# bad_other KIND NAME WORDS STRUCT FIELDS FUNCTION: the same of the other kinds.
bad_other() {
    sed '/^plugins:/d' "my_$1/scenario.yaml" >other.yaml
    build "$2" "$6" "static const struct $4 it = {.name = \"my_$1\", .help = \"broken\", $5};" "SMS_PLUGIN(.$1 = {&it});"
    try 70 "$1: $2" run other.yaml --plugin "$2.so" --check --quiet
    prints "$3"
}
bad_rank() { bad_other queue "$1" "$2" sms_queue_discipline '.rank = rank' "static double rank(const struct sms_queued *queued) { static int n; (void)queued, (void)n; return $3; }"; }
bad_rank rank_nan "gives a rank that is not finite" "0.0 / 0.0"
bad_rank rank_counts "answers the same question differently" "n++"
place='const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX]'
bad_place() { bad_other place "$1" "$2" sms_place_policy '.search = SMS_PLACE_BEST, .score = score' "static double score($place) { static int n; (void)view, (void)node, (void)pod, (void)chosen, (void)n; return $3; }"; }
bad_place place_nan "gave a score that is not finite" "0.0 / 0.0"
bad_place place_counts "scores the same node differently" "n++"
bad_other share acts_in_next "called sms_share_pause in its function next" sms_share_policy '.next = next' \
    "static size_t next(struct sms_share *share, size_t device, const size_t *ready, size_t count) { (void)device, (void)count; sms_share_pause(share, ready[0]); return 0; }"

# A sweep takes no results of another build.
cat >plan.yaml <<'END'
plan: seeds
base: my_policy/scenario.yaml
replications: 1
axes: [{run.seed: [1, 2]}]
END
missing() { "$smsched" sweep status plan.yaml --out sweep; }
try 0 "a sweep of a plug-in" sweep plan.yaml --out sweep --quiet
if missing | grep -q "2 done"; then ok; else bad "nothing is done" "$(missing)"; fi
sed -i 's/- sm->used/- 2 * sm->used/' my_policy/my_policy.c
make -s -C my_policy
if missing | grep -q "2 missing"; then ok; else bad "another build, and its points are done" "$(missing)"; fi
try 0 "a sweep of another build" sweep plan.yaml --out sweep --quiet
if missing | grep -q "2 done"; then ok; else bad "the new build has no results" "$(missing)"; fi
finish
