#!/usr/bin/env bash
# Hostile names and paths: nothing reaches a terminal, a shell, XML or JSON without being escaped.
# Usage: escape.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$work" || exit 1

cat >s.yaml <<'END'
workload: load
kernels: [{name: grind, blocks: 40, threads: 128, block_time: 10 us}]
---
scenario: s
question: "Is it red, or \"<b>\"?"
devices: [{model: v100, sms: 2}]
policies: [round_robin]
vms: [{name: a, workload: load, repeat: 2}]
END

cat >plain.py <<'END'
import sys
text = open(sys.argv[1], 'rb').read().decode('utf-8')
sys.exit(any((ord(c) < 32 and c != '\n') or 127 <= ord(c) < 160 or c in '\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069' for c in text))
END
cat >names.py <<'END'
import json, os, re, sys
wanted = os.fsencode(sys.argv[1])
def path(text):
    return re.sub(rb'\\(\\|x[0-9a-f]{2})', lambda m: b'\\' if m[1] == b'\\' else bytes.fromhex(m[1][1:].decode()), text.encode())
manifest = json.load(open('results/manifest.json', encoding='utf-8'))
trace = json.load(open('trace.json', encoding='utf-8'))
assert path(manifest['scenarios'][0]['file']) == wanted, manifest['scenarios'][0]['file']
assert wanted in path(manifest['command']), manifest['command']
assert path(trace['otherData']['file']) == wanted, trace['otherData']['file']
END
# plain FILE WHAT: checks that it is UTF-8 without control characters other than line breaks.
plain() { if python3 plain.py "$1" 2>/dev/null; then ok; else bad "$2" "$(head -c 300 "$1" | cat -v)"; fi; }
json() { if python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$1" 2>err; then ok; else bad "$2" "$(tail -1 err)"; fi; }
xml() { if python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1" 2>err; then ok; else bad "$2" "$(tail -1 err)"; fi; }

# Terminals.
hostile=$'evil\e[2J\n\xff.yaml'
cp s.yaml "$hostile"
echo "scenario: [" >"bad$hostile"
# complains ARGUMENT...: checks that the command reports something, and that its output has no control characters.
complains() {
    "$smsched" "$@" >out 2>err
    [ -s err ] && ok || bad "${*@Q} says nothing"
    plain err "the message of ${*@Q}"
    plain out "the output of ${*@Q}"
}
complains "$hostile"
complains run "$hostile.none"
complains validate "bad$hostile"
complains run s.yaml "--$hostile"
for option in format policy baseline models events trace-from; do
    complains check s.yaml "--$option" "$hostile"
done
for option in format policy models; do complains run s.yaml "--$option" "$hostile"; done
complains run s.yaml --out "none/$hostile"
complains run s.yaml --trace "none/$hostile"
complains check s.yaml --baseline "$hostile"
complains check s.yaml --baseline "$hostile.none"
complains compare s.yaml --baseline "$hostile"
complains list "$hostile"
complains import "$hostile" x
complains import ncu "$hostile"
complains plot "$hostile"
complains report "$hostile"
complains sweep "$hostile"

# Text that a terminal would show in another order, or as two lines.
sed -e $'s/Is it red/a\u202eb\u2066c\u2028d/' s.yaml >bidi.yaml
for command in run compare; do
    "$smsched" $command bidi.yaml --policy round_robin --policy leftover >out 2>err
    exits 0 $? "$command with text of two directions"
    plain out "$command of text of two directions"
    if [ $command = compare ] || grep -qF 'a\xe2\x80\xaeb\xe2\x81\xa6c\xe2\x80\xa8d' out; then ok; else bad "$command: the question" "$(head -3 out)"; fi
done
sed $'s/^policies.*/policies: [round\u202erobin]/' s.yaml >unknown.yaml
complains run unknown.yaml

# JUnit with names from a baseline, which cannot hold what no table has.
"$smsched" run s.yaml --format csv >base.csv
row() { printf 's,"%s",vm,a,kernels_per_s,1,0,0,1,\n' "${1//\"/\"\"}"; }
for name in $'\e[31mred' $'\x01' $'\xff\xfe'; do
    { head -1 base.csv; row "$name"; } >hostile.csv
    complains check s.yaml --baseline hostile.csv
    if grep -q 'hostile.csv:2:3: error: .*holds control characters' err; then ok; else bad "a baseline with $(cat -v <<<"$name")" "$(cat -v err)"; fi
done
for name in $'\xef\xbf\xbe' '<a href=""&>' ']]>' '"quoted, twice"'; do
    { head -1 base.csv; row "$name"; } >hostile.csv
    what="a baseline with the policy $(cat -v <<<"$name")"
    "$smsched" check s.yaml --baseline hostile.csv --junit out.xml >out 2>err
    exits 1 $? "$what"
    xml out.xml "JUnit of $what"
    if LC_ALL=C grep -q '[^ -~]' <<<"$name" || python3 -c 'import sys, xml.dom.minidom as m
sys.exit(not any(sys.argv[2] in c.getAttribute("name") for c in m.parse(sys.argv[1]).getElementsByTagName("testcase")))' out.xml "$name"
    then ok; else bad "JUnit of $what lost the name"; fi
    plain out "$what"
done

{ head -1 base.csv; sed -n 2p base.csv | sed -E $'s/,[0-9]+,([a-z]*)$/,5\u202e,\\1/'; } >hostile.csv
"$smsched" check s.yaml --baseline hostile.csv --verbose >out 2>err
exits 0 $? "replications of a baseline"
plain out "replications of a baseline"

# A file whose name is not UTF-8. Whatever names it is readable, and can be decoded into the original name.
"$smsched" run "$hostile" --quiet --trace trace.json --out results >/dev/null 2>err
exits 0 $? "a scenario whose file's name is not UTF-8"
json trace.json "the trace of a file whose name is not UTF-8"
for file in manifest.json summary.json comparison.json; do json results/$file "$file of a file whose name is not UTF-8"; done
if python3 names.py "$hostile" 2>err; then ok; else bad "the name of the file is lost" "$(tail -1 err)"; fi
"$smsched" report results --out page.html --quiet 2>err
exits 0 $? "a report of it"

# Sweeps of such a file.
{ grep -v question s.yaml; printf -- '---\nplan: plan\naxes: [{contention.slope: [1, 2]}]\n'; } |
    sed 's/^policies/contention: {model: proportional, slope: 1}\n&/' >plan.yaml
cp plan.yaml $'plan\xff.yaml'
"$smsched" sweep $'plan\xff.yaml' --out swept --quiet >/dev/null 2>err
exits 0 $? "a sweep of a plan whose file's name is not UTF-8"
json swept/results/manifest.json "the manifest of its sweep"
cp plan.yaml "plan$hostile"
complains run "plan$hostile"
mv swept $'\xc3\xa9 %41?#\xff'
"$smsched" report $'\xc3\xa9 %41?#\xff' --out swept.html --quiet 2>err
exits 0 $? "a report of a sweep in a folder of any bytes"

# An SVG is XML, whatever it says.
sed 's/^question.*/question: "a[b[1]]> 2?"/' s.yaml >closing.yaml
"$smsched" run closing.yaml --quiet --out closing && "$smsched" plot closing --quiet
exits 0 $? "a figure with ]]> in it"
for file in closing/plots/*.svg; do xml "$file" "$file with ]]> in it"; done

# Figures of results from elsewhere.
sed 's/,a,/,\xff,/' results/timeline.csv >t.csv && mv t.csv results/timeline.csv
"$smsched" plot results >out 2>err
exits 3 $? "figures of names that are not UTF-8"
plain err "figures of names that are not UTF-8"

finish
