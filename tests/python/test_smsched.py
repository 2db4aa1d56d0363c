#!/usr/bin/python3
"""The Python package, installed from its wheel. Runs in the root of the tree."""
import csv
import gc
import io
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy
import smsched
from smsched import lib

SERVER = "scenarios/02-a-server.yaml"
PROCESSES = "scenarios/04-processes.yaml"
TWO = "tests/scenarios/two-tenants.yaml"
CLUSTER = {
    "scenario": "c", "policies": ["first_fit"], "nodes": [{"name": "n", "gpus": 2, "cpu": 8, "count": 4}],
    "pods": [{"name": f"p{i}", "gpu": f"{20 + 7 * i} %", "cpu": 1 + i % 3, "duration": f"{5 + i} s", "start": f"{i} s"}
             for i in range(12)]}


# Python raises KeyboardInterrupt only if SIGINT was not ignored when it began, as a shell's background jobs do.
INTERRUPTED = "import signal, smsched\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nprint('up', flush=True)\n"


def estimates(results, policy=0):
    """All estimates of one policy, without its name."""
    frame = results.estimates()
    return frame[frame.policy == results.policies[policy]].drop(columns="policy").reset_index(drop=True)


class Running(unittest.TestCase):
    def test_results_are_those_of_the_program(self):
        printed = smsched.program("run", "--quiet", "--format", "csv", SERVER)
        rows = list(csv.DictReader(io.StringIO(printed)))
        frame = smsched.run(SERVER).estimates().set_index(["policy", "kind", "subject", "metric"])
        compared = 0
        for row in rows:
            key = (row["policy"], row["subject"], row["name"], row["metric"])
            if key in frame.index and row["mean"]:
                self.assertAlmostEqual(frame.loc[key, "mean"], float(row["mean"]), delta=1e-11 * abs(float(row["mean"])), msg=key)
                compared += 1
        self.assertGreater(compared, 100)

    def test_a_dict_is_a_scenario(self):
        text = {"scenario": "s", "devices": [{"model": "gtx1080ti"}], "policies": ["round_robin"],
                "vms": [{"name": "a", "workload": "gtx1080ti/lbm"}], "run": {"duration": "5 ms"}}
        results = smsched.run(text, run__seed=9)
        self.assertEqual((results.scenario, results.policies, results.seed), ("s", ["round_robin"], 9))

    def test_texts_of_a_dict_may_have_any_character(self):
        text = {"scenario": "s", "question": "\U0001f600 or \\ud83d\\ude00?", "devices": [{"model": "gtx1080ti", "title": "\u2028"}],
                "vms": [{"name": "a", "workload": "gtx1080ti/lbm"}], "run": {"duration": "1 ms"}}
        self.assertEqual(smsched.run(text, question="\U0001f600?").scenario, "s")

    def test_overrides_are_those_of_set(self):
        once = smsched.run(SERVER, run__seed=3, queue="fifo", **{"vms.server.streams": 2})
        with tempfile.TemporaryDirectory() as folder:
            smsched.program("run", "--quiet", SERVER, "--out", folder + "/out", "--set", "run.seed=3", "--set", "queue=fifo",
                            "--set", "vms.server.streams=2")
            manifest = json.loads(pathlib.Path(folder, "out", "manifest.json").read_text())
        self.assertEqual(once.seed, 3)
        self.assertIn("3", json.dumps(manifest))
        self.assertFalse(estimates(once).equals(estimates(smsched.run(SERVER, run__seed=3, queue="fifo"))))

    def test_threads_change_nothing(self):
        self.assertTrue(smsched.run(TWO, jobs=1).estimates().equals(smsched.run(TWO, jobs=3).estimates()))

    def test_policies_are_chosen_and_added(self):
        self.assertEqual(smsched.run(SERVER, policies=["most_room", "leftover"], replications=1).policies,
                         ["leftover", "most_room"])
        for wrong in {"policies": "leftover"}, {"policies": {"leftover": {}}}, {"plugins": "mine.so"}:
            with self.assertRaisesRegex(TypeError, "is a list: write (policies|plugins)=\\["):
                smsched.run(SERVER, **wrong)
        with self.assertRaisesRegex(TypeError, "is a list: write plugins="):
            smsched.sweep("plan.yaml", "out", plugins="mine.so")

    def test_several_scenarios_must_be_chosen_from(self):
        with open(TWO, encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "two.yaml")
            path.write_text(text + "---\n" + text[text.index("scenario:"):].replace("scenario: two-tenants", "scenario: again"))
            with self.assertRaisesRegex(smsched.Error, "'two-tenants', 'again'"):
                smsched.run(path)
            self.assertEqual(smsched.run(path, scenario="again", replications=1).scenario, "again")

    def test_progress_rises_to_one(self):
        told = []
        smsched.run(TWO, progress=told.append, run__duration="200 ms")
        self.assertGreater(len(told), 3)
        self.assertEqual(told, sorted(told))
        self.assertEqual(told[-1], 1)

    def test_other_threads_run_meanwhile(self):
        done, longest = threading.Event(), [0.0]

        def watch():
            last = time.monotonic()
            while not done.wait(0.001):
                longest[0], last = max(longest[0], time.monotonic() - last), time.monotonic()

        watcher = threading.Thread(target=watch)
        watcher.start()
        began = time.monotonic()
        smsched.run(TWO, jobs=1, run__duration="60 ms")
        took = time.monotonic() - began
        done.set()
        watcher.join()
        self.assertGreater(took, 0.5)
        self.assertLess(longest[0], took / 2)

    def test_an_interrupt_ends_a_run(self):
        code = INTERRUPTED + f"smsched.run({TWO!r}, run__duration='2000 s', progress=False)"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            run.stdout.readline()
            time.sleep(1)
            began = time.monotonic()
            run.send_signal(signal.SIGINT)
            told = run.communicate(timeout=600)[1]
        self.assertLess(time.monotonic() - began, 300)
        self.assertIn("KeyboardInterrupt", told)


class Refusals(unittest.TestCase):
    def test_all_problems_have_places(self):
        with self.assertRaises(smsched.Error) as raised:
            smsched.run({"scenario": "s", "devices": [{"model": "v1000"}], "policies": ["round_robbin"], "vms": []})
        problems = raised.exception.problems
        self.assertGreaterEqual(len(problems), 2)
        for problem in problems:
            self.assertEqual(problem.file, "dict")
            self.assertGreater(problem.line, 0)
            self.assertGreater(problem.column, 0)
        self.assertIn("did you mean 'v100'?", str(raised.exception))

    def test_overrides_are_named(self):
        with self.assertRaises(smsched.Error) as raised:
            smsched.run(SERVER, queu="fifo", run__sed=1)
        self.assertEqual([(p.file, p.source) for p in raised.exception.problems],
                         [("override", "run.sed=1"), ("override", 'queu="fifo"')])

    def test_a_missing_file_and_wrong_names(self):
        with self.assertRaisesRegex(smsched.Error, "no-such.yaml"):
            smsched.run("no-such.yaml")
        results = smsched.run(TWO, replications=1)
        with self.assertRaisesRegex(ValueError, "host, vm"):
            results.frame("vms")
        for what, ask in {"policy": lambda: results.values("vm", "leftovr"), "tenant": lambda: results.latencies("nobody"),
                          "bound of": lambda: results.bound("stp_ratio")}.items():
            with self.assertRaisesRegex(ValueError, f"there is no {what} '.*'; there are [a-z]"):
                ask()
        with self.assertRaises(IndexError):
            results.values("vm", replication=1)
        with self.assertRaisesRegex(ValueError, "bins="):
            results.occupancy()

    def test_limits_are_errors(self):
        with self.assertRaises(smsched.Error):
            smsched.run(TWO, max_events=10)

    def test_warnings_are_of_the_module_warnings(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            smsched.run(TWO, replications=1, run__warmup="0 ms", **{"vms.single.start": "21.9 ms"})
        for warning in told:
            self.assertTrue(issubclass(warning.category, smsched.InputWarning))

    def test_a_plan_that_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(smsched.Error) as raised:
            smsched.sweep({"plan": "p", "base": os.path.abspath(TWO), "axes": [{"queue": ["fif"]}]}, folder + "/out")
        self.assertTrue(any(p.line > 0 and "did you mean 'fifo'?" in p.message for p in raised.exception.problems))


class Arrays(unittest.TestCase):
    def test_they_are_views_that_outlive_the_results(self):
        results = smsched.run(TWO, bins=20)
        names = results.metrics("vm")
        kept = results.frame("vm").loc["round_robin"]["kernels_per_s"].to_numpy()
        arrays = [results.values("vm", "round_robin", r) for r in range(results.replications)]
        again = results.values("vm", "round_robin", 0)
        self.assertEqual(arrays[0].__array_interface__["data"][0], again.__array_interface__["data"][0])
        self.assertFalse(arrays[0].flags.owndata or arrays[0].flags.writeable)
        occupancy = results.occupancy("fine_grained")
        self.assertEqual(occupancy.shape, (80, 20))
        before = occupancy.copy()
        del results, again
        gc.collect()
        smsched.run(TWO, replications=2)  # what was freed would be written over
        numpy.testing.assert_allclose(numpy.mean(arrays, axis=0)[:, names.index("kernels_per_s")], kept, rtol=1e-12)
        numpy.testing.assert_array_equal(occupancy, before)

    def test_latencies_and_allocation(self):
        latencies = smsched.run(SERVER, latencies=True, replications=1).latencies("server")
        self.assertTrue(latencies.latency_ns.is_monotonic_increasing)
        self.assertEqual(latencies.share.iloc[-1], 1)
        allocation = smsched.run(CLUSTER).allocation()
        self.assertTrue((allocation.allocated <= allocation.arrived + 1e-9).all())
        self.assertGreater(len(allocation), 10)

    def test_regimes_are_those_of_the_answer(self):
        workloads = [("a", 110, 256, "90 us", {"dram": "14 %", "int": "3 %"}, "7 %"),
                     ("b", 80, 192, "130 us", {"fp32": "20 %", "shared": "9 %"}, "4 %"),
                     ("c", 230, 128, "40 us", {"fp64": "11 %", "dram": "2 %"}, "10 %")]
        documents = [{"workload": name, "kernels": [{"name": "k", "blocks": blocks, "threads": threads, "block_time": time,
                                                     "demand": demand, "jitter": jitter}]}
                     for name, blocks, threads, time, demand, jitter in workloads]
        documents.append({
            "scenario": "s", "devices": [{"model": "v100", "sms": 8}], "policies": ["round_robin", "fine_grained"],
            "answer": {"metric": "stp_ratio", "better": "lower"},
            "vms": [{"name": name, "workload": name, "repeat": "forever"} for name, *_ in workloads],
            "run": {"warmup": "5 ms", "duration": "25 ms", "seed": 3, "replications": 8}})
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", smsched.InputWarning)
            path = pathlib.Path(folder, "phases.yaml")
            path.write_text("\n---\n".join(map(json.dumps, documents)))
            answer = json.loads(smsched.program("compare", "--quiet", "--format", "json", str(path)))["answer"]
            frame = smsched.run(path).estimates()
        told = re.search(r"^round_robin has the lowest system throughput \(STP\): \S+ \(two regimes: (\S+) and (\S+)\)", answer["text"])
        self.assertIsNotNone(told, answer["text"])
        stp = frame[frame.metric == "stp_ratio"].set_index("policy")
        self.assertEqual([round(stp.loc["round_robin", column], 3) for column in ("low_regime", "high_regime")], [float(of) for of in told.groups()])
        self.assertTrue(math.isnan(stp.loc["fine_grained", "low_regime"]) and math.isnan(stp.loc["fine_grained", "high_regime"]))
        self.assertTrue((frame.low_regime.isna() == frame.high_regime.isna()).all())
        self.assertTrue((frame.low_regime.dropna() < frame.high_regime.dropna()).all())

    def test_changes_are_those_of_the_program(self):
        document = json.loads(smsched.program("compare", "--quiet", "--format", "json", SERVER))
        printed = document["comparisons"] if "comparisons" in document else document["scenarios"][0]["comparisons"]
        changes = smsched.compare(SERVER).set_index(["policy", "kind", "subject", "metric"])
        answer = document["answer"] if "answer" in document else document["scenarios"][0]["answer"]
        compared, asked = 0, (answer["subject"], answer["name"], answer["metric"])
        for row in printed:
            if row["ratio"] is not None:
                mine = changes.loc[(row["policy"], row["subject"], row["name"], row["metric"])]
                for column in ("ratio", "ratio_ci95", "difference", "difference_ci95", "p"):
                    printed_one = math.nan if row[column] is None else row[column]
                    numpy.testing.assert_allclose(mine[column], printed_one, rtol=1e-9, err_msg=str(row))
                is_asked = (row["subject"], row["name"], row["metric"]) == asked  # is corrected as the answer is
                if row["subject"] == "vm" and row["p_holm"] is not None and not is_asked:  # its family is all VMs here, too
                    numpy.testing.assert_allclose(mine["p_holm"], row["p_holm"], rtol=1e-9, err_msg=str(row))
                self.assertEqual(bool(mine.judged), row["verdict"] != "no verdict")
                compared += 1
        self.assertGreater(compared, 10)

    def test_events_are_those_of_the_program(self):
        printed = smsched.program("explain", "--format", "csv", "--from", "0 ms", "--to", "0.1 ms", "--policy", "leftover", SERVER)
        rows = list(csv.DictReader(io.StringIO(printed)))
        frame = smsched.explain(SERVER, policies=["leftover"], to_ps=10**8)
        self.assertEqual(len(frame), len(rows))
        self.assertEqual(list(frame.kernel), [row["kernel"] for row in rows])
        self.assertGreater(len(smsched.explain(CLUSTER, "placement")), 5)
        half = {"scenario": "half", "devices": [{"model": "v100"}], "policies": [{"mode": "mps"}],
                "processes": [{"name": "p", "workload": "v100/hotspot_512", "active_threads": "50 %"}]}
        part = smsched.explain(half, "part").iloc[0]
        self.assertEqual([part["name"], len(set(part["set"])), max(part["set"]) < part["of"], part["of"]], ["p", 40, True, 80])


class Policies(unittest.TestCase):
    """Each kind, as one that is built in."""

    def same(self, source, built_in, mine, options):
        """`options` returns the options of a run with the policy of that name."""
        one, other = (smsched.run(source, replications=2, plugins=[mine], **options(name)) for name in (built_in, mine.name))
        self.assertTrue(estimates(one).equals(estimates(other)))
        return other

    def test_block(self):
        mine = smsched.policy("block", "mine", search=lib.SMS_SEARCH_BEST, promises=lib.SMS_PURE | lib.SMS_MONOTONE | lib.SMS_LOCAL,
                              score=lambda params, device, sm, block: lib.sms_room(device, sm, block))
        other = self.same(TWO, "most_room", mine, lambda name: {"policies": [name]})
        self.assertEqual(other.policies, ["mine"])

    def test_queue(self):
        mine = smsched.policy("queue", "mine", turn=lambda launch: 1, passes_over=True)
        self.same(TWO, "interleave", mine, lambda name: {"queue": name})

    def test_contention(self):
        def slowdown(view, resource, usage):
            return 1 + view.params[0] * ((usage - 1e9) / 1e9) if usage > 1e9 else 1.0

        mine = smsched.policy("contention", "mine", params=[smsched.parameter("slope", 1, 0, 100, unit="ratio")],
                              free_below_full=True, slowdown=slowdown)
        self.same(TWO, "proportional", mine, lambda name: {"contention": {"model": name, "slope": 2}})

    def test_place(self):
        def score(view, node, pod, chosen):
            cpu_most, gpu_most = view.cpu_most or 1, 1000 * view.gpus_most or 1
            gpu = lib.sms_node_gpu_left(node) - pod.gpus * pod.gpu_milli
            return -float((node.cpu_left - pod.cpu_milli) * gpu_most + gpu * cpu_most)

        mine = smsched.policy("place", "mine", search=lib.SMS_PLACE_BEST, score=score)
        self.same(CLUSTER, "best_fit", mine, lambda name: {"policies": [name]})
        placed = smsched.explain(CLUSTER, "placement", plugins=[mine], policies=["mine"])
        self.assertEqual(len(placed), len(CLUSTER["pods"]))

    def test_share(self):
        def following(share, device, ready, count):
            return max(range(count), key=lambda i: (lib.sms_share_process(share, ready[i]).priority, -i))

        mine = smsched.policy("share", "mine", next=following)
        self.same(PROCESSES, "priority", mine, lambda name: {"policies": [{"share": name, "mode": "time_slice"}]})

    def test_mode(self):
        mine = smsched.policy("mode", "mine", sms=lambda params, device, process: int(process.active_threads * device.sms))
        self.same(PROCESSES, "mps", mine, lambda name: {"policies": [{"mode": name}]})

    def test_an_exception_ends_the_run_and_is_raised(self):
        def score(params, device, sm, block):
            raise KeyError("mine")

        broken = smsched.policy("block", "broken", search=lib.SMS_SEARCH_BEST, score=score)
        with self.assertRaisesRegex(KeyError, "mine"):
            smsched.run(TWO, plugins=[broken], policies=["broken"])

    def test_a_member_that_is_none_is_refused(self):
        with self.assertRaisesRegex(TypeError, "has no 'scores'; it has"):
            smsched.policy("block", "mine", scores=len)
        with self.assertRaisesRegex(ValueError, "there are block"):
            smsched.policy("blocks", "mine")


class Sweeps(unittest.TestCase):
    def test_advice_is_that_of_the_program(self):
        programs, options = ("v100/cfd_193k", "v100/hotspot_512"), ("--device", "v100", "--unknowns", "2")
        printed = json.loads(smsched.program("advise", *programs, *options, "--format", "json", "--quiet"))
        frame = smsched.advise(*programs, device="v100", unknowns=2)
        self.assertEqual(list(frame["name"]), [way["name"] for way in printed["ways"]])
        self.assertEqual(list(frame["work_ratio.mean"]), [way["work_ratio"]["mean"] for way in printed["ways"]])
        self.assertEqual(frame.attrs["answer"], printed["answer"])
        packing = smsched.advise(*programs, device=["v100=1", "t4=1"], unknowns=2)
        self.assertEqual(sorted(packing["device"]), ["t4", "v100"])
        self.assertEqual(packing.attrs["placed"], 2)

    def test_shards_of_joblib_are_one_sweep(self):
        from joblib import Parallel, delayed

        plan = {"plan": "p", "base": os.path.abspath(TWO), "replications": 2, "axes": [{"contention.slope": [1, 2, 3, 4]}]}
        with tempfile.TemporaryDirectory() as folder:
            Parallel(n_jobs=2)(delayed(smsched.sweep)(plan, folder + "/shards", jobs=1, shard=(k, 3)) for k in (1, 2, 3))
            with self.assertRaisesRegex(ValueError, "has no tables: a call of sweep without a shard merges them"):
                smsched.Sweep(folder + "/shards").frame()
            shards = smsched.sweep(plan, folder + "/shards")
            with self.assertRaisesRegex(ValueError, "there is no table 'vm'; there are bounds, hosts, points, vms$"):
                shards.frame("vm")
            whole = smsched.sweep(plan, folder + "/whole")
            self.assertEqual(shards.names, whole.names)
            self.assertEqual(len(whole.frame()), 4)
            self.assertTrue(shards.frame("vms").equals(whole.frame("vms")))

    def test_an_interrupt_ends_a_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = {"plan": "p", "base": os.path.abspath(TWO), "axes": [{"run.duration": ["1000 s", "2000 s"]}]}
            code = INTERRUPTED + f"smsched.sweep({plan!r}, {folder + '/out'!r})"
            with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                run.stdout.readline()
                time.sleep(2)
                run.send_signal(signal.SIGINT)
                told = run.communicate(timeout=600)[1]
            self.assertIn("KeyboardInterrupt", told)


if __name__ == "__main__":
    unittest.main()
