"""What the tests of advice share: a run of smsched advise, and checks that count what failed."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
smsched = str(Path(sys.argv[1]).resolve())
failed = 0


def check(what, right, seen=""):
    global failed
    if not right:
        print(f"FAILED: {what}: {seen}")
        failed += 1


def run(*arguments, code=0):
    done = subprocess.run([smsched, "advise", *map(str, arguments)], capture_output=True, text=True)
    check(f"exit {code} of {' '.join(map(str, arguments))}", done.returncode == code, f"{done.returncode}: {done.stderr}")
    return done


def near(what, value, wanted, tolerance=0.01):
    check(what, abs(value - wanted) <= tolerance * abs(wanted), f"{value}, not {wanted}")


def sanitized():
    """Whether the program is built with sanitizers, under which it takes 10 times as long."""
    return b"__asan_init" in Path(smsched).read_bytes()


def end():
    sys.exit(failed > 0)
