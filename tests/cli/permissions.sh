#!/usr/bin/env bash
# What must not be read or written is told by its name, with the exit code of the manual. Nothing else stands in for it.
# Usage: permissions.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
program=$(realpath "$1")
cd "$work" || exit 1

# Root may read and write everything, unless it gives these rights up.
cat >ordinary <<END
#!/bin/sh
[ "\$(id -u)" -ne 0 ] || exec setpriv --bounding-set -dac_override,-dac_read_search "$program" "\$@"
exec "$program" "\$@"
END
chmod +x ordinary
smsched=$work/ordinary
: >locked.yaml
chmod 0 locked.yaml
output=$("$smsched" validate locked.yaml 2>&1)
if [ $? -ne 4 ] || ! grep -q "locked.yaml: error: Permission denied" <<<"$output"; then
    echo "skipped: this user may read everything"
    [ -z "${SMSCHED_INSIST-}" ] && exit 0
    exit 1
fi

cat >short.yaml <<'END'
workload: load
kernels: [{name: grind, blocks: 400, threads: 128, block_time: 10 us, demand: {fp32: 20 %}}]
---
scenario: short
devices: [{model: v100}]
contention: proportional
policies: [round_robin]
vms: [{name: a, workload: load, repeat: 5}]
END
cat >plan.yaml <<'END'
plan: small
base: short.yaml
axes: [contention.slope: [1, 2, 3]]
END
try 0 "a run" run short.yaml --quiet --out results
try 0 "a sweep" sweep plan.yaml --quiet --out small

# A file that is not there is bad input. One that is, but cannot be read, is not.
for command in "validate" "run" "import kineto" "check short.yaml --baseline" "report" "plot" "calibrate --device v100" "advise --device v100"; do
    # shellcheck disable=SC2086
    try 3 "$command of a missing file" $command none.yaml; prints "none.yaml: error: "
    case $command in
        report | plot) continue ;;
    esac
    # shellcheck disable=SC2086
    try 4 "$command of a locked file" $command locked.yaml; prints "Permission denied"
done
try 4 "a locked report of ncu" advise v100/hotspot_512 --device v100 --with locked.yaml; prints "locked.yaml: error: Permission denied"
try 3 "a missing plug-in" run short.yaml --plugin none.so; prints "none.so: error: this plug-in cannot be found: No such file or directory"
try 4 "a locked plug-in" run short.yaml --plugin locked.yaml; prints "locked.yaml: error: this plug-in cannot be read: Permission denied"
mkdir shut && : >shut/plug.so
chmod 0 shut
try 4 "a plug-in in a locked folder" run short.yaml --plugin shut/plug.so; prints "shut/plug.so: error: this plug-in cannot be read: Permission denied"
# The same where a scenario names it.
sed '/^scenario:/a plugins: [PLUGIN]' short.yaml >plugged.yaml
sed 's/short.yaml/open.yaml/' plan.yaml >plugged-plan.yaml
for plugin in locked.yaml shut/plug.so; do
    sed "s|PLUGIN|$plugin|" plugged.yaml >open.yaml
    try 4 "plugins: [$plugin]" run open.yaml; prints "open.yaml:5:11: error: plug-in '$plugin' cannot be read: Permission denied"
    try 4 "plugins: [$plugin] in a plan" sweep plugged-plan.yaml --out plugged; prints "cannot be read: Permission denied"
done
sed "s|PLUGIN|none.so|" plugged.yaml >open.yaml
try 3 "plugins: [none.so]" run open.yaml; prints "open.yaml:5:11: error: plug-in 'none.so' cannot be found: No such file or directory"
chmod 700 shut

# Results that must not be looked at are not taken for others.
for folder in results small small/results; do
    chmod a-x $folder
    for command in report plot; do
        try 4 "$command of a locked folder" $command ${folder%/*} -o out.$command
        prints "Permission denied"
        if [ ! -e out.$command ]; then ok; else bad "$command of a locked folder writes something"; fi
    done
    chmod u+x $folder
done
chmod a-w small small/*
try 0 "the status of a sweep that is write-protected" sweep status plan.yaml --out small; prints "3 done"
try 4 "its merge" sweep merge plan.yaml --out small; prints "small/merge.lock: error: cannot be written: Permission denied"
chmod u+w small small/*

# A model of one's own that cannot be read is not replaced by the library's.
mkdir -p models/devices
printf 'device: mine\ninherits: v100\nsms: 3\n' >models/devices/v100.yaml
chmod a-x models/devices
try 4 "a locked folder of models" run short.yaml --quiet --models models; prints "models/devices/v100.yaml: error: Permission denied"
chmod u+x models/devices
ln -sf nowhere models/devices/v100.yaml
try 3 "a model that is a dangling link" run short.yaml --quiet --models models; prints "models/devices/v100.yaml: error: is a symbolic link to a file that does not exist"
ln -sf v100.yaml models/devices/v100.yaml
try 4 "a model that links to itself" run short.yaml --quiet --models models; prints "models/devices/v100.yaml: error: Too many levels of symbolic links"
rm models/devices/v100.yaml
for wrong in locked missing malformed; do
    rm -f models/families.yaml
    case $wrong in
        locked) : >models/families.yaml; chmod 0 models/families.yaml ;;
        missing) ln -s nowhere models/families.yaml ;;
        malformed) echo '[' >models/families.yaml ;;
    esac
    output=$("$smsched" run short.yaml --quiet --models models 2>&1)
    if grep -q "^models/families.yaml:.*error: " <<<"$output" && ! grep -q "unknown family" <<<"$output"; then ok; else bad "$wrong families" "$output"; fi
done
finish
