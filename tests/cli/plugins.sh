#!/usr/bin/env bash
# Plug-ins, from an empty folder against an installed prefix: what `smsched new` writes works, each refusal, keys of
# sweeps, and promises that are broken. Usage: plugins.sh SMSCHED BUILD
set -u
. "$(dirname "$0")/../checks.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
sanitized "$1" && { echo "skipped: a plug-in would need the sanitizers, too"; exit 77; }
cmake --install "$2" --prefix "$work/usr" >/dev/null || exit 1
smsched=$work/usr/bin/smsched
export CC
CC=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$2/CMakeCache.txt")
cd "$work" || exit 1

for kind in policy share mode place queue contention; do
    try 0 "new $kind" new "$kind" "my_$kind"
    prints "my_$kind/scenario.yaml"
    if make -s -C "my_$kind" test >log 2>&1; then ok; else bad "the test of a new $kind" "$(cat log)"; fi
done
for asked in "share:in turnaround of" "mode:the lowest turnaround:" "place:the lowest mean wait:"; do # what the question asks is what the answer is about
    try 0 "an answer of a new ${asked%%:*}" compare "my_${asked%%:*}/scenario.yaml" --quiet
    prints "${asked#*:} "
done
try 0 "a new contention model" run my_contention/scenario.yaml --quiet --format csv # which slows the programs
if awk -F, '$3 == "vm" && $5 == "block_slowdown_ratio" {n += $6 > 1.2} END {exit n != 4}' <<<"$output"; then ok; else bad "no program is slowed" "$output"; fi
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
prints "takes the SM with the most free threads"
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

# Modes: a plug-in that is a mode of the tree under another name has its results, to the byte.
cat >modes.yaml <<'END'
workload: solve
kernels: [{name: flux, blocks: 300, threads: 192, registers: 60, block_time: 19 us, jitter: 5 %, demand: {fp32: 8.8 %, dram: 10.5 %}}]
steps: [{allocate: 2 GiB}, {launch: flux, times: 20}]
---
workload: infer
kernels: [{name: heat, blocks: 184, threads: 256, registers: 40, block_time: 2.7 us, demand: {fp32: 13.4 %, dram: 7.8 %}}]
steps: [{host: 1 ms}, {allocate: 1 GiB}, {launch: heat, times: 3}]
---
scenario: modes
devices: [{model: a100}]
policies: [{mode: MODE}]
processes:
  - {name: solve, workload: solve, active_threads: 40 %, chunks: 20, weight: 2}
  - {name: serve, workload: infer, priority: 1, active_threads: 33 %, chunks: 4, repeat: 5}
  - {name: late, workload: infer, start: 2 ms, chunks: 20}
run: {seed: 1, replications: 3}
END
# same MODE USE: `use` is how a policy names the mode.
same() {
    local own
    sed -e "s/sms_sharing_mode_$1/mode/; s/^const struct/static const struct/; s/\.name = \"$1\"/.name = \"my_$1\"/; \
            s|<smsched/mode.h>|<smsched/plugin.h>|" "$root/policies/mode/$1.c" >"my_$1.c"
    echo 'SMS_PLUGIN(.mode = {&mode});' >>"my_$1.c"
    "$CC" -std=c17 -O2 -ffp-contract=off -fPIC -shared -I"$work/usr/include" "my_$1.c" -o "my_$1.so" || bad "my_$1 does not compile"
    sed "s/MODE/$2/" modes.yaml >own.yaml
    sed "s/MODE/$2/; s/\b$1\b/my_$1/" modes.yaml >other.yaml
    try 0 "$1 of the tree" run own.yaml --quiet --format csv
    own=$output
    try 0 "$1 as a plug-in" run other.yaml --quiet --format csv --check --plugin "my_$1.so"
    output=${output//my_/} output=${output//other.yaml/own.yaml} # keys without effect are warned of
    if [ "$own" = "$output" ]; then ok; else bad "$1 and its plug-in differ" "$(diff <(echo "$own") <(echo "$output"))"; fi
    try 0 "list $1" list policies "my_$1" --plugin "my_$1.so"
    prints "mode: "
}
same exclusive exclusive
same together '{together: {launch_wait: 3 us}}'
same mps '{mps: {granule: 2}}'
same mps '{mps: {replicas: 2}}'
same partition '{partition: {clients: 2}}'
same time_slice '{time_slice: {slice: 1 ms, drain: true, newcomer: rest_of_slice}}'
same time_slice time_slice
same mig '{mig: {instances: [4g.20gb, {3g.20gb: mps}]}}'
same mps '{mig: {instances: [4g.20gb, 3g.20gb], inside: mps}}'
cp my_mode/my_mode.so .
sed 's/MODE/my_mod/' modes.yaml >near.yaml
try 3 "a mode that is spelt wrong" validate near.yaml --plugin my_mode.so
prints "unknown mode 'my_mod'; did you mean 'my_mode'?"
sed 's/MODE/{mig: {instances: [4g.20gb], inside: my_mod}}/' modes.yaml >near.yaml
try 3 "the same inside instances" validate near.yaml --plugin my_mode.so
prints "did you mean 'my_mode'?"
sed 's/MODE/{my_mode: {hihg: 20 %}}/' modes.yaml >near.yaml
try 3 "a parameter that is spelt wrong" validate near.yaml --plugin my_mode.so
prints "did you mean 'high'?"
for plugin in my_policy my_share my_mode my_place my_queue my_contention; do
    try 0 "the schema of $plugin" list schema --plugin "$plugin/$plugin.so"
    prints "\"$plugin\""
done

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
    try 3 "list --plugin $1" list --plugin "$1"
    if [ "$(wc -l <<<"$output")" = 1 ]; then ok; else bad "list --plugin $1 says it more than once" "$output"; fi
}
refused none.so "cannot be found: No such file or directory"
sed 's/^policies: .*/policies: [of_the_plugin]/' named.yaml >of-it.yaml
try 3 "a policy of a plug-in that is not there" validate of-it.yaml
if grep -q "plug-in 'none.so'" <<<"$output" && ! grep -q "unknown policy" <<<"$output"; then ok; else bad "only the plug-in is missing" "$output"; fi
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
for name in $(cd usr/include/smsched && sed -n 's/^struct \(sms_[a-z_]*\) {.*/\1/p' policy.h share.h place.h queue.h contention.h mode.h); do
    if grep -q "sizeof(struct $name)" usr/include/smsched/plugin.h; then ok; else bad "headers with another $name are not told apart" ""; fi
done
build terse 'static const struct sms_sharing_mode mode = {.name = "terse"};' 'SMS_PLUGIN(.mode = {&mode});'
try 0 "a mode without help" list policies terse --plugin terse.so
prints "terse mode: "
build nothing 'SMS_PLUGIN(.block = {0});'
refused nothing.so "has no policy, mode or model in it"
build taken 'static const struct sms_block_policy policy = {.name = "leftover", .help = "mine"};' 'SMS_PLUGIN(.block = {&policy});'
refused taken.so "names something 'leftover', and that name is taken"
build mode 'static const struct sms_block_policy policy = {.name = "mps", .help = "mine"};' 'SMS_PLUGIN(.block = {&policy});'
refused mode.so "that name is taken"
build scoreless 'static const struct sms_block_policy policy = {.name = "mine", .help = "mine", .search = SMS_SEARCH_BEST};' 'SMS_PLUGIN(.block = {&policy});'
refused scoreless.so "looks for the best SM and has no score"
bad_mode() { # NAME WORDS FIELDS
    build "$1" "static const struct sms_param params[] = {{\"slice\", SMS_UNIT_RATIO, 0, 1, 0, \"mine\", NULL}, {0}};" \
        'double weigh(const double *p, const struct sms_device_view *d, const struct sms_mode_process *o, double s) { return (void)p, (void)d, (void)o, s; }' \
        "static const struct sms_sharing_mode it = {.name = \"mine\", .help = \"mine\", $3};" "const void *uses[] = {&params, &weigh};" 'SMS_PLUGIN(.mode = {&it});'
    refused "$1.so" "$2"
}
build mode_taken 'static const struct sms_sharing_mode mode = {.name = "leftover", .help = "mine"};' 'SMS_PLUGIN(.mode = {&mode});'
refused mode_taken.so "names something 'leftover', and that name is taken"
bad_mode reserves "reserves SMs and does not say how many" '.reserves = true'
bad_mode no_turns "has a slice for each process, and no turns" '.slice_ps = weigh'
bad_mode splits "has instances, and these have modes of their own" '.instances = true, .slices = true'
bad_mode other_slice "has a parameter of the engine's, and not as mode.h has it" '.slices = true, .params = params'
bad_mode other_size "was compiled with another version of the header" '.size = 8'
# bad_struct NAME WORDS MEMBER STRUCT FIELDS [LINE]: a struct that is wrong, and of which nothing may be called.
bad_struct() {
    build "$1" "${6-}" "static const struct $4 it = {.name = \"mine\", .help = \"mine\", $5};" "SMS_PLUGIN(.$3 = {&it});"
    refused "$1.so" "$2"
}
bad_param() { # NAME WORDS PARAMETERS
    bad_struct "$1" "$2" block sms_block_policy '.params = params' \
        "static const char *const names[] = {\"x\", \"y\", NULL}; static const struct sms_param params[] = {$3, {0}}; const void *uses = names;"
}
bad_param choice_beyond "a parameter whose default is none of its choices" '{"a", SMS_UNIT_CHOICE, 0, 1, 5, "mine", names}'
bad_param choice_below "a parameter whose default is none of its choices" '{"a", SMS_UNIT_CHOICE, 0, 1, -3, "mine", names}'
bad_param choice_nan "a parameter whose default is none of its choices" '{"a", SMS_UNIT_CHOICE, 0, 1, 0.0 / 0.0, "mine", names}'
bad_param params_alike "two parameters of one name" '{"a", SMS_UNIT_COUNT, 0, 1, 0, "mine"}, {"a", SMS_UNIT_COUNT, 0, 1, 0, "mine"}'
bad_param param_nameless "one with a name that no file could say" '{"a: b", SMS_UNIT_COUNT, 0, 1, 0, "mine"}'
bad_struct search_none "has a search that there is not" block sms_block_policy '.search = 99'
bad_struct place_none "has a search that there is not" place sms_place_policy '.search = 99'
bad_struct state_wraps "has a state of more than 1 TiB" block sms_block_policy '.run_bytes = SIZE_MAX - 100, .tenant_bytes = 60'
bad_struct share_state "has a state of more than 1 TiB" share sms_share_policy '.state = SIZE_MAX / 2'
bad_struct queue_nameless "has a queue without a name" block sms_block_policy '.queue = &queue' \
    'static const struct sms_queue_discipline queue = {.help = "mine"};'
printf '%s\n' '#include <smsched/plugin.h>' 'const struct sms_block_policy one = {.name = "mine"};' \
    "SMS_PLUGIN(.block = {$(printf '&one, %.0s' {1..17})});" >many.c
"$CC" -std=c17 -fPIC -shared -I"$work/usr/include" many.c -o many.so || bad "many does not compile"
refused many.so "has more than 16 policies, modes or models of a kind"
build loose 'static const char *const names[] = {"x", "y", NULL};' \
    'static const struct sms_param params[] = {{"a", SMS_UNIT_CHOICE, 7, 9, 1, NULL, names}, {0}};' \
    'static const struct sms_block_policy it = {.name = "mine", .help = "mine", .params = params};' 'SMS_PLUGIN(.block = {&it});'
try 0 "a choice needs no range, and a parameter no help" list policies mine --plugin loose.so
prints "a: x | y, default y"
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
bad_model no_number "which is not a finite number of at least 1" "usage > 0 ? 0.0 / 0.0 : 1"
bad_model speeds_up "which is not a finite number of at least 1" "0.5"
bad_model endless "a slowdown of inf, which is not a finite number of at least 1" "1 / 0.0"
bad_model not_free "promises free_below_full, and slows below 100 %" "1 + usage / SMS_FULL" ".free_below_full = true, "
# Answers out of range end a run without --check, too.
bad_answer() { # KIND NAME WORDS STRUCT FIELDS FUNCTION
    sed '/^plugins:/d' "my_$1/scenario.yaml" >other.yaml
    build "$2" "$6" "static const struct $4 it = {.name = \"my_$1\", .help = \"broken\", $5};" "SMS_PLUGIN(.$1 = {&it});"
    try 70 "$1: $2" run other.yaml --plugin "$2.so" --quiet
    prints "$3"
}
model='const struct sms_contention_view *view'
bad_full() { bad_answer contention "$1" "$2" sms_contention '.slowdown = slow' \
    "static double slow($model, size_t r, double usage) { (void)view, (void)r; return usage >= SMS_FULL ? $3 : 1; }"; }
bad_full faster_full "at 100 % a slowdown of 0.5, which is not a finite number of at least 1" 0.5
bad_full nan_full "at 100 % a slowdown of nan, which is not a finite number of at least 1" "0.0 / 0.0"
bad_join() { bad_answer contention "$1" "contention model 'my_contention' joins slowdowns by an exponent of $2" sms_contention '.slowdown = slow, .joins = joins' \
    "static double slow($model, size_t r, double usage) { (void)view, (void)r; return 1 + usage / SMS_FULL; }
     static struct sms_join joins($model) { (void)view; return (struct sms_join){$3}; }"; }
bad_join join_nan "nan and a grain of 0" "0.0 / 0.0, 0"
bad_join join_zero "0 and a grain of 0" "0, 0"
bad_join join_grain "1 and a grain of 2" "1, 2"
# What is asked before or after a run names the model, too.
sed 's/^run:/answer: {metric: kernels_per_s}\nrun:/' model.yaml >asked.yaml
before() { # NAME SLOWDOWN FIELDS [FUNCTION]
    build "$1" "static double slow($model, size_t r, double usage) { (void)view, (void)r; return usage > 0 ? $2; }" "${4-}" \
        "static const struct sms_contention it = {.name = \"my_contention\", .help = \"broken\", .slowdown = slow, $3};" 'SMS_PLUGIN(.contention = {&it});'
}
before no_delivery "1 : 1" ".delivers = delivers" "static double delivers($model, size_t r, double background, double most) { (void)view, (void)r, (void)background, (void)most; return 0.0 / 0.0; }"
try 0 "a bound of no number" compare asked.yaml --plugin no_delivery.so --quiet
prints "no bound: 'delivers' of its contention model answers with less than 0, or with no number"
try 70 "the same is checked" run asked.yaml --plugin no_delivery.so --quiet --check
prints "'delivers' of contention model 'my_contention' says at most nan"
before stops "1 / 0.0 : 1" ".measured_alone = true"
try 3 "a kernel that is stopped alone" run asked.yaml --plugin stops.so --quiet
prints "contention model 'my_contention', with measured_alone, stops kernel 'copy' alone on v100"
# The same of kernels that are simulated as a whole.
cat >coarse.yaml <<'END'
workload: w
kernels: [{name: k, time: 1 ms, demand: {dram: 50 %}}]
---
scenario: coarse
devices: [{model: v100, sms: 8}]
contention: mine
policies: [{mode: mps}]
processes: [{name: a, workload: w, count: 3}]
END
bad_coarse() { # NAME WORDS FIELDS FUNCTION
    build "$1" "$4" "static const struct sms_contention it = {.name = \"mine\", .help = \"broken\", $3};" 'SMS_PLUGIN(.contention = {&it});'
    try 70 "coarse kernels: $1" run coarse.yaml --plugin "$1.so" --quiet
    prints "contention model 'mine' $2"
}
coarse_rate() { bad_coarse "$1" "gives a coarse kernel a speed of $2, which is not in (0, 1]" '.rate = rate' \
    "static void rate($model, const double *usage, struct sms_group *group, size_t groups) { (void)view, (void)usage; for (size_t g = 0; g < groups; g++) *group[g].speed = $3; }"; }
coarse_rate coarse_nan nan "0.0 / 0.0"
coarse_rate coarse_below -1 -1
coarse_rate coarse_fast 2 2
coarse_rate coarse_zero 0 0
coarse_slow() { bad_coarse "$1" "gives a coarse kernel a speed of $2, which is not in (0, 1]" '.slowdown = slow' \
    "static double slow($model, size_t r, double usage) { (void)view, (void)r; return usage > SMS_FULL ? $3 : 1; }"; }
coarse_slow coarse_slow_nan nan "0.0 / 0.0"
coarse_slow coarse_speeds_up 2 0.5
bad_coarse coarse_join "joins slowdowns by an exponent of nan" '.slowdown = slow, .joins = joins' \
    "static double slow($model, size_t r, double usage) { (void)view, (void)r; return 1 + usage / SMS_FULL; }
     static struct sms_join joins($model) { (void)view; return (struct sms_join){0.0 / 0.0, 0}; }"
bad_ask() { bad_answer share "$1" "$2" sms_share_policy ".$3 = f" "static $4 f(struct sms_share *share, size_t process) { (void)share, (void)process; return $5; }"; }
bad_ask place_beyond "share policy my_share placed a process on device 99 of 1" place long 99
bad_ask place_below "share policy my_share placed a process on device -5 of 1" place long -5
bad_ask answer_none "share policy my_share gave the answer 42, which is none of enum sms_answer" launch "enum sms_answer" 42
bad_ask call_deferred "share policy my_share answered a call with SMS_DEFER, and may grant or suspend" call "enum sms_answer" SMS_DEFER
bad_ask call_refused "share policy my_share answered a call with SMS_REFUSE, and may grant or suspend" call "enum sms_answer" SMS_REFUSE
bad_answer share wakes_for_ever "at 0 ps share policy my_share was called more than" sms_share_policy '.start = start, .timer = timer' \
    'static void start(struct sms_share *share) { sms_share_wake(share, 0, 0); }
     static void timer(struct sms_share *share, size_t tag) { sms_share_wake(share, 0, tag); }'
where='const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX]'
bad_pace() { bad_answer place "$1" "place policy my_place gave a pace" sms_place_policy '.score = score, .pace = pace' \
    "static double score($where) { (void)view, (void)node, (void)pod, (void)chosen; return 1; }
     static struct sms_place_pace pace(const struct sms_place_view *view, size_t nodes) { (void)view, (void)nodes; return (struct sms_place_pace){$2}; }"; }
bad_pace pace_nan "0.0 / 0.0, 0, 1"
bad_pace pace_below "0, -1, 1"
bad_pace pace_never_waits "0, 0, 0"
bad_answer place searches_none "place policy my_place searches in a way that there is not" sms_place_policy '.search = SMS_PLACE_FIRST, .search_by = by' \
    'static enum sms_place_search by(const double *params) { (void)params; return SMS_PLACE_BEST; }'

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

# All that a share policy may do, it may do while it is asked for atoms.
build fails_in_atom 'static uint64_t atom(struct sms_share *share, size_t process) { sms_share_fail(share, process); return 5; }' \
    'static const struct sms_share_policy it = {.name = "my_share", .help = "fails all", .atom = atom};' 'SMS_PLUGIN(.share = {&it});'
sed '/^plugins:/d' my_share/scenario.yaml >other.yaml
try 0 "a process that fails as its atom is asked for" run other.yaml --plugin fails_in_atom.so --check --quiet

mode_args='const double *param, const struct sms_device_view *device, const struct sms_mode_process *process'
broken_mode() { # NAME WORDS FIELDS FUNCTION
    bad_other mode "$1" "$2" sms_sharing_mode "$3" "$4"
}
broken_mode too_many "gives a process more SMs than the device has" '.sms = sms' \
    "static uint64_t sms($mode_args) { (void)param, (void)process; return device->sms + 1; }"
broken_mode sms_count "mode my_mode answers the same question differently" '.sms = sms' \
    "static uint64_t sms($mode_args) { static int n; (void)param, (void)device, (void)process; return 1 + n++ % 2; }"
broken_mode bytes_count "mode my_mode answers the same question differently" '.bytes = bytes' \
    "static uint64_t bytes($mode_args) { static int n; (void)param, (void)process; return device->memory - n++; }"
slice="static double slice($mode_args, double ps) { (void)param, (void)device, (void)process, (void)ps; return"
broken_mode slice_nan "mode my_mode gave a slice of " '.slices = true, .slice_ps = slice' "$slice 0.0 / 0.0; }"
broken_mode slice_zero "mode my_mode gave a slice of 0 ps" '.slices = true, .slice_ps = slice' "$slice 0; }"
broken_mode slice_endless "mode my_mode gave a slice of inf ps" '.slices = true, .slice_ps = slice' "$slice 1 / 0.0; }"
try 70 "a slice that is no number, without --check" run other.yaml --plugin slice_nan.so --quiet

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
