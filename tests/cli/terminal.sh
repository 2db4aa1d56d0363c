#!/usr/bin/env bash
# What a user sees in a terminal of 80 and of 120 columns. Usage: terminal.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")

cat >"$work/see.py" <<'END'
"""see.py COLUMNS COMMAND...: runs a command in a terminal, and prints what it writes. Exits as the command does. Writes into the file
WIDEST, if that is set, the width of the widest line, in characters, without escape sequences and what a carriage return replaces."""
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    text += more
text = text.replace(b"\r\n", b"\n")
sys.stdout.buffer.write(text)
if "WIDEST" in os.environ:
    with open(os.environ["WIDEST"], "w") as widest:
        plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text.decode())
        print(max(len(line.split("\r")[-1]) for line in plain.split("\n")), file=widest)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
see() { env -u NO_COLOR -u COLUMNS TERM=xterm python3 -IS "$work/see.py" "$@"; }

# fits WHAT ARGUMENTS...: in both terminals no line is wider than the terminal.
fits() {
    local what=$1 columns widest
    shift
    for columns in 80 120; do
        if ! WIDEST=$work/widest see $columns "$smsched" "$@" >"$work/seen" 2>&1; then bad "$what does not run" "$(tail -3 "$work/seen")"; fi
        widest=$(<"$work/widest")
        if [ "$widest" -le $columns ]; then ok; else bad "$what is $widest wide in $columns columns" "$(cat "$work/seen")"; fi
        if grep -n '^ *%' "$work/seen"; then bad "$what has a % apart from its number"; else ok; fi
    done
}

mapfile -t known < <("$smsched" list policies | sed -nE 's/^(\w+) +block policy.*/\1/p')
[ ${#known[@]} -ge 8 ] && ok || bad "fewer than 8 block policies"
short=(--set "run.warmup=500 us" --set "run.duration=2 ms")
for count in 2 4 8; do
    list=$(IFS=,; echo "${known[*]:0:$count}")
    for scenario in tests/scenarios/two-tenants.yaml scenarios/fine-grained-2022/s1.yaml; do
        sed "/^expect:/,\$d; s/^policies:.*/policies: [$list]/" "$scenario" >"$work/$count-$(basename "$scenario")"
        fits "compare of $count policies" compare "${short[@]}" --replications 2 "$work/$count-$(basename "$scenario")"
        fits "run of $count policies" run "${short[@]}" --replications 1 "$work/$count-$(basename "$scenario")"
    done
done
fits "processes" compare tests/scenarios/processes.yaml
fits "processes, run" run tests/scenarios/processes.yaml
for what in "" devices workloads policies contention metrics fields; do fits "list $what" list $what; done
for command in run compare check validate explain sweep list; do fits "help of $command" "$command" --help; done
fits "check" check tests/scenarios/expectations.yaml

# The answer is the last line, too, notes are one line, and the first run shows that it is under way.
see 80 "$smsched" compare "$work/2-s1.yaml" "${short[@]}" --replications 2 >"$work/seen"
if tail -8 "$work/seen" | grep -qE "^[^ ]+: .* (has|have) the "; then ok; else bad "the answer is not at the end" "$(tail -5 "$work/seen")"; fi
if grep -qE "^  [0-9]+ notes?: --notes prints (it|them)" "$work/seen" && ! grep -q "note: " "$work/seen"; then ok; else bad "notes are not folded" "$(tail -20 "$work/seen")"; fi
if grep -q "none of the runs is done yet" "$work/seen"; then ok; else bad "no sign of life" "$(head -3 "$work/seen")"; fi
see 80 "$smsched" compare "$work/2-s1.yaml" "${short[@]}" --replications 2 --notes >"$work/seen"
if grep -q "  note: " "$work/seen"; then ok; else bad "--notes prints no notes" "$(tail -20 "$work/seen")"; fi
"$smsched" compare "$work/2-s1.yaml" "${short[@]}" --replications 2 >"$work/seen" 2>/dev/null
if grep -q "  note: " "$work/seen" && [ "$(grep -cE "^[^ ]+: .* (has|have) the " "$work/seen")" -eq 1 ]; then ok; else bad "a pipe gets notes and one answer" "$(tail -20 "$work/seen")"; fi

# Pipes get whole lines without colours.
"$smsched" compare "${short[@]}" --replications 3 "$work/8-s1.yaml" >"$work/piped" 2>/dev/null
if grep -q $'\e' "$work/piped"; then bad "colour in a pipe"; else ok; fi
if grep -qE '^.{121}' "$work/piped"; then ok; else bad "lines for a pipe are folded"; fi

# A change that is no chance is better or worse, in colour unless NO_COLOR or --color says otherwise.
see 80 "$smsched" compare tests/scenarios/two-tenants.yaml >"$work/seen"
if grep -q $'\e\[32m✓ +9.4 ± 0.1 %\e\[0m' "$work/seen" && grep -q $'\e\[31m✗ -12.7 ± 0.1 %\e\[0m' "$work/seen"; then ok; else bad "better is green and worse is red" "$(cat "$work/seen")"; fi
NO_COLOR=1 TERM=xterm python3 "$work/see.py" 80 "$smsched" compare --quiet tests/scenarios/two-tenants.yaml >"$work/seen"
if grep -q $'\e' "$work/seen"; then bad "NO_COLOR is not honoured"; else ok; fi
see 80 "$smsched" compare --quiet --color never tests/scenarios/two-tenants.yaml >"$work/seen"
if grep -q $'\e' "$work/seen"; then bad "--color never is not honoured"; else ok; fi
if "$smsched" compare --color always tests/scenarios/two-tenants.yaml | grep -q $'\e\[32m✓'; then ok; else bad "--color always is not honoured"; fi

# The answer is the first line. More than four policies have a row each, and what does not differ is said once.
if head -1 "$work/piped" | grep -qE "^[^ ]+: [a-z_]+ has the (most|highest) "; then ok; else bad "the answer is not first" "$(head -1 "$work/piped")"; fi
if grep -qE "^  ${known[7]} " "$work/piped"; then ok; else bad "eight policies are not rows" "$(cat "$work/piped")"; fi
try 0 "constant metrics" run tests/scenarios/processes.yaml
prints "the same throughout: paused 0, suspended 0, failed_count 0"
prints "208.5 ms"
if grep -q "e+0" <<<"$output"; then bad "a number with an exponent" "$output"; else ok; fi

# A long run shows the time left. Ctrl-C ends it with a clean line and nothing half written.
sed '/^expect:/,$d; s/replications: [0-9]*/replications: 2000/' tests/scenarios/a-server.yaml >"$work/long.yaml"
cat >"$work/interrupt.py" <<'END'
"""interrupt.py COMMAND...: runs a command in a terminal, and types Ctrl-C when it shows how much time is left."""
import fcntl, os, pty, select, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
while select.select([terminal], [], [], 600)[0]:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if b" left" in more and b" left" not in text:
        os.write(terminal, b"\x03")
    text += more
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
python3 "$work/interrupt.py" "$smsched" run "$work/long.yaml" --out "$work/cut" >"$work/seen" 2>"$work/err"
exits 130 $? "an interrupted run"
if grep -qE "a-server: [0-9]+ % of the runs, [0-9.]+ [a-z]+ left" "$work/seen"; then ok; else bad "no progress" "$(tail -c 300 "$work/seen")"; fi
if tail -1 "$work/seen" | grep -qE $'\r\e\[K[^\r]*interrupted$'; then ok; else bad "the last line is not clean" "$(tail -c 300 "$work/seen" | cat -v)"; fi
clean cut "an interrupted run"

# So does a report about many points.
cat >"$work/many.yaml" <<'END'
workload: w
kernels: [{name: k, blocks: 4, threads: 64, registers: 16, block_time: 10 us, demand: {fp32: 10 %}}]
---
scenario: tiny
devices: [{model: v100}]
policies: [round_robin, fine_grained]
vms: [{name: a, workload: w}]
---
plan: many
axes: [run.seed: {from: 1, to: 15000, step: 1}]
END
"$smsched" sweep "$work/many.yaml" --out "$work/many" --quiet
see 80 "$smsched" report "$work/many" --out "$work/many.html" >"$work/seen"
if grep -qE "[0-9]+ of 20 steps, [0-9.e+]+/s, [0-9.]+ [a-z]+ left" "$work/seen"; then ok; else bad "no progress of a report" "$(cat -v "$work/seen")"; fi

# A sweep shows how many points have failed so far: here a quarter, whose warm-up does not end before the run does.
sed 's/^vms: .*/&\nrun: {duration: 50 us}/; s/^axes: .*/axes:\n  - run.seed: {from: 1, to: 2500, step: 1}\n  - run.warmup: [0 us, 30 us]\n  - run.duration: [50 us, 20 us]/' "$work/many.yaml" >"$work/quarter.yaml"
see 80 "$smsched" sweep "$work/quarter.yaml" --out "$work/quarter" >"$work/seen"
if grep -qE "[0-9]+ of 10000 points, [1-9][0-9]{0,3} failed, [0-9.e+]+/s, [0-9.]+ [a-z]+ left" "$work/seen"; then ok; else bad "failed points are not counted" "$(head -c 600 "$work/seen" | cat -v)"; fi

finish
