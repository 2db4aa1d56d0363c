#!/usr/bin/env bash
# Random configurations against the reference model, simtbs_ref.py in the folder tools
# beside the data. Usage: random.sh SMSCHED [COUNT [FIRST SEED]]
set -u
smsched=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
reference=${SMSCHED_DATA:-$here/../../../shared/data}/../tools/simtbs_ref.py
[ -f "$reference" ] || { echo "skipped: there is no $reference"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "$here/compare.py" "$smsched" "$reference" "${@:2}"
