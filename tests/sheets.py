#!/usr/bin/env python3
"""The sheets of devices: each value of a device file has a source, and what is not known has a rule that is named. sheets.py SMSCHED"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SMSCHED = sys.argv[1]
MODELS = Path(__file__).resolve().parents[1] / "models"
ROWS = {"knee_dram", "launch", "block", "dram_reached", "compute_clock", "slice", "switch", "grids", "chunk", "clients", "green_contexts", "queue", "carveouts", "scaling"}


def listed(*arguments):
    return subprocess.run([SMSCHED, "list", *arguments], capture_output=True, text=True, check=True).stdout


sheets = json.loads(listed("devices", "--sheet", "--format", "json"))
names = {path.stem for path in (MODELS / "devices").glob("*.yaml")}
assert {sheet["name"] for sheet in sheets} == names, names
for sheet in sheets:
    about = sheet["name"]
    assert sheet["family"], f"{about} has no family"
    rows = {row["name"]: row for row in sheet["rows"]}
    assert len(rows) == len(sheet["rows"]) and ROWS <= set(rows), f"{about}: {sorted(rows)}"
    assert {"knee_issue", "knee_fp32", "knee_int", "knee_fp64", "knee_sfu"} <= set(rows), f"{about}: {sorted(rows)}"
    for name, row in rows.items():
        known = row["value"] != "not measured"
        assert known == bool(row["source"]), f"{about}: {name} is {row['value']}, from '{row['source']}'"
        assert known == (":" not in row["instead"]), f"{about}: {name} is {row['value']}; instead '{row['instead']}'"

# A folder of results/measured that a source names is there.
for sheet in sheets:
    for row in sheet["rows"]:
        if "results/measured/" in row["source"]:
            folder = row["source"][row["source"].index("results/measured/"):].split()[0]
            assert (MODELS.parent / folder).is_dir(), f"{sheet['name']}: {row['name']}: there is no {folder}"

table = listed("devices", "--sheet", "l4")
assert "compute_clock  702 MHz; " in table and "knee_dram      not measured; corner: " in table, table
# What was measured on the same chip, not what other chips of its process take.
assert "energy: from 68.8 pJ per fp32 result of 16 nm chips at 300 W, 1217 MHz" in listed("devices", "--sheet", "p100")
# A device of one's own with the name of the last does not make all of them be printed in full.
with tempfile.TemporaryDirectory() as own:
    (Path(own) / "devices").mkdir()
    shutil.copy(MODELS / "devices" / f"{sheets[-1]['name']}.yaml", Path(own) / "devices")
    assert "  known: " in listed("devices", "--sheet", "--models", own)
wrong = subprocess.run([SMSCHED, "list", "policies", "--sheet"], capture_output=True, text=True)
assert wrong.returncode == 2 and "--sheet prints devices only" in wrong.stderr, wrong
print(f"{len(sheets)} sheets")
