#!/usr/bin/env bash
# Includes point one way, in this order.
# Policies, modes and contention models include public headers only. The files that pages name are there.
set -u
order=(base yaml model record engine levels guests results bound report trace figures import sweep advise calibrate page cli)
wrong=0

complain() { echo "$1"; wrong=1; }

declare -A rank
for i in "${!order[@]}"; do rank[${order[i]}]=$i; done

# Of all includes at once, because a start of realpath each takes longer than all else.
layers() { tr '\n' '\0' | xargs -0 realpath -m --relative-to=sim | cut -d/ -f1; }

includes=$(grep -rHoE '^#include "[^"]*\.\./[^"]+"' --include='*.[ch]' sim)
while read -r from to file; do
    [ "$from" = "$to" ] && continue
    [ "${rank[$to]-}" -lt "${rank[$from]-}" ] 2>/dev/null || complain "$file includes $to, which is not below $from"
done < <(paste -d' ' <(cut -d: -f1 <<<"$includes" | layers) \
    <(sed -E 's|[^/]*:.*"(.*)".*|\1|' <<<"$includes" | layers) <(cut -d: -f1 <<<"$includes"))
grep -lE '#include "' policies/*/*.c models/contention/*.c && complain "a policy or model includes a private header"
grep -lE '#include "' sim/include/smsched/*.h && complain "a public header includes a private one"
# The core knows guests by their table only (sim/model/cluster/guest.h).
grep -rlE '#include ".*(guests|gpushare|realtime)' --include='*.[ch]' sim | grep -v '^sim/guests/' && complain "the core includes a guest"
grep -rnE 'sms__(gpushare|realtime|monitor_observer)|(->|\.)gpushare' --include='*.[ch]' --include='*.def' sim |
    grep -v '^sim/guests/' && complain "the core names a guest"
# What runs blocks and processes knows modes by what they do, not by name.
grep -rnwE 'mig|mps|sms_sharing_mode_[a-z_]+' --include='*.[ch]' sim/engine sim/levels/block sim/levels/share && complain "a level names a mode"
# All state belongs to a run, so static and extern variables must be const. One exception is the thread's flag of a failed
# allocation, because jansson calls its allocator without an argument.
grep -nE '^(static|extern) [^(]*[;=]' -r sim policies models --include='*.c' |
    grep -vE 'const|^sim/cli/|char \*\*environ;|^sim/report/memory.c:[0-9]+:static _Thread_local bool memory_failed;' && complain "a variable that lives outside the run"
there=$(find sim policies models tests tools)$'\n'
while IFS=: read -r page file; do
    file=${file#share/smsched/} # where it is installed
    [[ $file =~ NAME|shortest_kernel ]] || [ -e "$file" ] || [[ $there == *"/$file"$'\n'* ]] || complain "$page names $file, which is not there"
done < <(grep -oE '`[A-Za-z0-9_./-]+\.(c|h|def|sh|py)`' README.md CONTRIBUTING.md docs/*/*.md | tr -d '`' | sed 's|:\.\./|:|' | sort -u)
exit $wrong
