"""What each row of the specification's list of checks is, by kinds.csv beside this file: input, parameter, ... and who compares it."""
import csv
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {
    "outcome": "a simulated result, compared with a text, a program or a prototype; nothing is fitted to it",
    "held back": "a published result of a study whose other numbers are fitted; nothing is fitted to this one",
    "in sample": "something is fitted or chosen to meet it, or it follows from such numbers, so that meeting it confirms nothing",
    "parameter": "a setting of a policy or a model, seen through what is simulated",
    "input": "put into a device, a workload, a scenario or a default, and read back, or arithmetic on such numbers",
    "itself": "a published table, compared with other numbers of the same table",
    "not compared": "nothing compares it; the reason is in the table",
}


def read():
    with open(os.path.join(HERE, "kinds.csv"), newline="") as file:
        return list(csv.DictReader(file))


def matches(entry, row_id):
    return re.fullmatch(entry["rows"], row_id) is not None


def classify(ids):
    """{id: its entry}, and what is wrong: rows of no or several entries, entries without rows, words that are no kinds."""
    entries, found, problems = read(), {}, []
    for row_id in ids:
        of = [entry for entry in entries if matches(entry, row_id)]
        if len(of) != 1:
            problems.append(f"{row_id} is in {len(of)} entries of kinds.csv, and not in one")
        if of:
            found[row_id] = of[0]
    for entry in entries:
        if entry["kind"] not in KINDS:
            problems.append(f"{entry['rows']}: {entry['kind']} is no kind")
        if not any(of is entry for of in found.values()):
            problems.append(f"{entry['rows']}: there is no such row")
        if (entry["kind"] == "not compared") == bool(entry["compared_by"]):
            problems.append(f"{entry['rows']}: either somebody compares it or it is 'not compared'")
        if entry["kind"] == "not compared" and not entry["why"]:
            problems.append(f"{entry['rows']}: it does not say why nothing compares it")
    return found, problems


def verify(script, ids, verdicts):
    """What kinds.csv says of this script, beside what it did. ids: all rows of the list; verdicts: {id: whether it is met}, of those
    that the script compared. Prints what is wrong and returns how much."""
    found, problems = classify(ids)
    said = {row_id: entry for row_id, entry in found.items() if entry["compared_by"] == script}
    problems += [f"{row_id}: {script} should compare it, and does not" for row_id in said if row_id not in verdicts]
    problems += [f"{row_id}: {script} compares it, and kinds.csv does not say so" for row_id in verdicts if row_id not in said]
    for row_id, fine in verdicts.items():
        if row_id in said and fine == bool(said[row_id]["missed"]):
            problems.append(f"{row_id}: it is {'met' if fine else 'missed'}, and kinds.csv does not say so")
    for problem in problems:
        print(problem)
    return len(problems)
