"""The step of action.yml: runs `smsched check` on the files of SCENARIOS, one a line, with BASELINE and TOLERANCE, and appends a table of what
was missed to the file GITHUB_STEP_SUMMARY. Exits as smsched does."""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

MOST_ROWS = 200  # a summary may have 1 MiB


def cell(text):
    """Text that may come from a baseline, as it is, in a cell of a table."""
    for special in "\\`*_{}[]<>|#~":
        text = text.replace(special, "\\" + special if special != "<" else "&lt;")
    return text.replace("\n", " ")


def summary(path):
    suite = xml.parse(path).getroot()
    missed = [case for case in suite if case.find("failure") is not None]
    lines = [f"## smsched: {len(missed)} of {len(suite)} checks missed", ""]
    if missed:
        lines += ["| scenario | check | result |", "|---|---|---|"]
    for case in missed[:MOST_ROWS]:
        lines.append(f"| {cell(case.get('classname'))} | {cell(case.get('name'))} | {cell(case.find('failure').get('message'))} |")
    if len(missed) > MOST_ROWS:
        lines += ["", f"{len(missed) - MOST_ROWS} more are in the log."]
    return "\n".join(lines) + "\n\n"


def main():
    scenarios = [line.strip() for line in os.environ["SCENARIOS"].splitlines() if line.strip()]
    options = ["--baseline", os.environ["BASELINE"], "--tolerance", os.environ["TOLERANCE"]] if os.environ.get("BASELINE") else []
    with tempfile.TemporaryDirectory() as folder:
        junit = os.path.join(folder, "checks.xml")
        done = subprocess.run(["smsched", "check", "--junit", junit, *options, "--", *scenarios], stderr=subprocess.PIPE, text=True, check=False)
        print(done.stderr, end="", file=sys.stderr)
        text = summary(junit) if os.path.exists(junit) else f"## smsched: nothing was checked\n\n```text\n{done.stderr}\n```\n\n"
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(text)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
