"""Checks a trace. Usage:
    check.py valid FILE LIMIT            an SM holds LIMIT blocks at most
    check.py blocks FILE POLICY COUNT    so many blocks are in it
    check.py budget FILE EVENTS          no more blocks and kernels
    check.py first FILE WHOLE            FILE has those events of WHOLE that ended first, and no others
    check.py span FILE WHOLE FROM TO     FILE is what of WHOLE was there from FROM to TO (ps)
    check.py file FILE NAME              the scenario's file is called NAME
    check.py pods FILE PLACEMENTS        FILE is of a cluster, of which it has all that PLACEMENTS has
    check.py some FILE WHOLE EVENTS      FILE is so many events of WHOLE, a cluster's, those that ended first
    check.py misses FILE                 each job, of one kernel, missed its deadline when its kernel ended
    check.py late_pods FILE              each pod called infer missed its deadline when it ended
    check.py holds FILE                  it marks each pause and each preemption, and nothing else
"""
import collections
import csv
import decimal
import json
import re
import sys

MICROSECOND = 10**6


def check(condition, message):
    if not condition:
        sys.exit(f"{sys.argv[1:]}: {message}")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=decimal.Decimal)


def names(trace, what):
    """The name of each process, or of each (process, thread)."""
    found = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "M" and event["name"] == what:
            key = event["pid"] if what == "process_name" else (event["pid"], event["tid"])
            check(key not in found, f"{what} of {key} is given twice")
            found[key] = event["args"]["name"]
    return found


def spans(trace, category):
    """Process, track without its lane, name, start, end, blocks."""
    threads = names(trace, "thread_name")
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and event["cat"] == category:
            track = re.sub(r" \+\d+$", "", threads[event["pid"], event["tid"]])
            args = event["args"]
            yield event["pid"], track, event["name"], args["start_ps"], args["end_ps"], args["blocks"]


def check_fields(trace):
    processes, threads = names(trace, "process_name"), names(trace, "thread_name")
    check(trace["displayTimeUnit"] == "ns", "unit of time")
    check(len(set(threads.values())) > 1 and len(processes) > 0, "names")
    tids = [tid for _, tid in threads]
    check(len(tids) == len(set(tids)), "two processes share a thread")
    places = [(e["pid"], e["args"]["sort_index"]) for e in trace["traceEvents"] if e["name"] == "thread_sort_index"]
    check(len(places) == len(set(places)) == len(threads), "a place for each thread")
    needed = {"X": {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"},
              "i": {"ph", "cat", "name", "pid", "tid", "ts", "s", "args"},
              "M": {"ph", "name", "pid", "tid", "args"}}
    for event in trace["traceEvents"]:
        check(needed[event["ph"]] <= event.keys(), f"a field is missing: {event}")
        check(event["pid"] in processes, f"a process without a name: {event}")
        check(event["ph"] not in "Xi" or (event["pid"], event["tid"]) in threads, f"a thread without a name: {event}")
        if event["ph"] != "X":
            continue
        args = event["args"]
        check(event["ts"] * MICROSECOND == args["start_ps"], f"inexact start: {event}")
        check(event["dur"] * MICROSECOND == args["end_ps"] - args["start_ps"], f"inexact length: {event}")


def check_lanes(trace):
    tracks = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["args"]["start_ps"], event["args"]["end_ps"]))
    for track, of_track in tracks.items():
        of_track.sort()
        for (_, end), (start, _) in zip(of_track, of_track[1:]):
            check(end <= start, f"events overlap on {track}")


def check_overlaps(trace, limit):
    sms = collections.defaultdict(list)
    check_lanes(trace)
    for pid, track, _, start, end, blocks in spans(trace, "block"):
        sms[pid, track] += [(start, blocks), (end, -blocks)]
    most = 0
    for sm, changes in sms.items():
        resident = 0
        for _, change in sorted(changes):
            resident += change
            most = max(most, resident)
            check(resident <= limit, f"{resident} blocks on {sm}")
    check(most > 1, "no SM ever held two blocks: nothing was checked")


def valid(path, limit):
    trace = load(path)
    check_fields(trace)
    check_overlaps(trace, int(limit))


def blocks(path, policy, count):
    trace = load(path)
    run = next(run for run in trace["otherData"]["runs"] if run["policy"] == policy)
    pids = [pid for pid, name in names(trace, "process_name").items() if name.startswith(policy + ", device")]
    for category in "block", "kernel":
        total = sum(span[5] for span in spans(trace, category) if span[0] in pids)
        check(total == int(count), f"{total} blocks of category {category}")
    check(run["blocks"] == run["blocks_kept"] == int(count), f"the summary differs: {run}")


def budget(path, events):
    trace = load(path)
    counted = sum(e["ph"] in "Xi" for e in trace["traceEvents"])
    check(0 < counted <= int(events), f"{counted} events")


def both(trace):
    return collections.Counter([*spans(trace, "block"), *spans(trace, "kernel")])


def first(path, whole):
    found, all_of_it = both(load(path)), both(load(whole))
    left = all_of_it - found
    check(0 < found.total() < all_of_it.total() and found <= all_of_it, "nothing, everything, or something else was kept")
    check(max(span[4] for span in found) <= min(span[4] for span in left), "one that ended later is kept")


def span(path, whole, first, last):
    trace, all_of_it = load(path), load(whole)
    kept = collections.Counter({span: n for span, n in both(all_of_it).items()
                                if span[3] < int(last) and span[4] > int(first)})
    check(both(trace) == kept, "what is kept is not what was there")
    check(0 < kept.total() < both(all_of_it).total(), "nothing, or everything, was kept")


def file(path, name):
    check(load(path)["otherData"]["file"] == name, "the file's name is another")


def stays(trace):
    """Policy and node, GPU, pod, how it ended, start, end; of those that wait, too."""
    processes, threads = names(trace, "process_name"), names(trace, "thread_name")
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            args, track = event["args"], re.sub(r" \+\d+$", "", threads[event["pid"], event["tid"]])
            check((event["cat"] == "wait") == (track == "waiting") == ("ended" not in args), f"where it is: {event}")
            yield processes[event["pid"]], track, event["name"], args.get("ended"), args["start_ps"], args["end_ps"]


def pods(path, placements):
    trace, expected = load(path), collections.Counter()
    check_fields(trace)
    check_lanes(trace)
    with open(placements, encoding="utf-8", newline="") as file_:
        for row in csv.DictReader(file_):
            start, wait, end = (int(decimal.Decimal(row[key]) * 1000) for key in ("time_ns", "wait_ns", "end_ns"))
            for gpu in row["gpus"].split():
                expected[f"{row['policy']}, {row['node']}", f"GPU {gpu}", row["pod"], row["ended"], start, end] += 1
            if wait:
                expected[f"{row['policy']}, waiting", "waiting", row["pod"], None, start - wait, start] += 1
    found = collections.Counter(stays(trace))
    check(found == expected, f"{(found - expected).most_common(3)} instead of {(expected - found).most_common(3)}")
    check({stay[3] for stay in found} >= {None, "done"}, "not all ways to end")
    check(sum(run["pods_kept"] for run in trace["otherData"]["runs"]) == found.total(), "what there is")


def some(path, whole, events):
    trace, all_of_it = load(path), collections.Counter(stays(load(whole)))
    found = collections.Counter(stays(trace))
    check_fields(trace)
    marks = sum(event["ph"] == "i" for event in trace["traceEvents"])
    check(found.total() + marks == int(events) and found <= all_of_it, f"{found.total()} events and {marks} instants")
    check(trace["otherData"]["runs"][0]["pods"] > int(events), "what there was")
    left = all_of_it - found
    check(max(stay[5] for stay in found) <= min(stay[5] for stay in left), "one that ended later is kept")


def instants(trace, category):
    return collections.Counter((e["pid"], e["tid"], e["args"]["start_ps"]) for e in trace["traceEvents"]
                               if e["ph"] == "i" and e["cat"] == category)


def misses(path):
    trace = load(path)
    check_fields(trace)
    ends = collections.Counter((pid, name.split("/")[0], end) for pid, _, name, _, end, _ in spans(trace, "kernel"))
    found = [e for e in trace["traceEvents"] if e["ph"] == "i"]
    check(ends == collections.Counter((e["pid"], e["name"], e["args"]["start_ps"]) for e in found), "other misses")
    check(found and all(0 < e["args"]["late_ps"] < e["args"]["start_ps"] for e in found), "how late they are")
    kept = sum(run["instants_kept"] for run in trace["otherData"]["runs"])
    check(kept == len(found), f"{kept} in the summary")


def late_pods(path):
    trace = load(path)
    check_fields(trace)
    ends = collections.Counter((e["pid"], e["tid"], e["args"]["end_ps"]) for e in trace["traceEvents"] if e["ph"] == "X" and
                               e["name"].startswith("infer") and e["args"].get("ended") in ("done", "running"))
    check(ends and ends == instants(trace, "miss"), "other misses")


def holds(path):
    trace = load(path)
    threads = names(trace, "thread_name")
    kernels = {(track.replace(", stream 0", ""), end) for _, track, _, _, end, _ in spans(trace, "kernel")}
    pauses, preemptions, before = collections.Counter(), collections.Counter(), {}
    for event in trace["traceEvents"]:
        if event["ph"] != "X" or event["cat"] != "process":
            continue
        lane, state, start = (event["pid"], event["tid"]), event["name"], event["args"]["start_ps"]
        cut = state == "waiting" and before.get(lane) == ("kernel", start) and (threads[lane], start) not in kernels
        pauses[*lane, start] += state == "paused"
        preemptions[*lane, start] += cut or state == "suspending"
        before[lane] = state, event["args"]["end_ps"]
    check(+pauses == instants(trace, "pause"), "pauses")
    check(+preemptions == instants(trace, "preemption"), "preemptions")
    check(pauses.total() + preemptions.total() > 0, "nothing was checked")


{f.__name__: f for f in (valid, blocks, budget, first, span, file, pods, some, misses, late_pods, holds)}[sys.argv[1]](*sys.argv[2:])
