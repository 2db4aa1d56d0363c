"""Sweeps, and whatever else the program does that the library does not."""
from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
from typing import Any, Mapping, Sequence

import pandas

from ._native import PROGRAM, Error, Problem, as_yaml, refuse_single

PROBLEM = re.compile(r"^(?P<file>.+?):(?:(?P<line>\d+):(?P<column>\d+):)? error: (?P<message>.*)$")


class Sweep:
    """The merged results of a sweep, in its folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = pathlib.Path(folder)

    @property
    def names(self) -> list[str]:
        """What the sweep kept: points, hosts, vms, bounds and the like."""
        return sorted(file.stem for file in (self.folder / "results").glob("*.csv"))

    def frame(self, name: str = "points") -> pandas.DataFrame:
        """One of the tables in `names`."""
        if not self.names:
            raise ValueError(f"{self.folder} has no tables: a call of sweep without a shard merges them")
        if name not in self.names:
            raise ValueError(f"there is no table '{name}'; there are {', '.join(self.names)}")
        return pandas.read_csv(self.folder / "results" / f"{name}.csv")


def sweep(plan: str | os.PathLike[str] | Mapping[str, Any], out: str | os.PathLike[str], *, jobs: int | None = None,
          shard: tuple[int, int] | None = None, models: str | os.PathLike[str] | None = None,
          plugins: Sequence[str] = (), progress: bool | None = None) -> Sweep:
    """Runs the missing points of a plan, a path or a dict, into the folder `out`, and merges the results.

    `shard=(k, n)` runs the k-th of n parts, from 1, and merges nothing, so that machines or joblib share the work; a
    call without it merges. A sweep that was interrupted continues when it is called again. `plugins` are shared objects
    only, because other processes run the points. Raises `smsched.Error` if the plan is wrong, or if points fail."""
    refuse_single("plugins", plugins)
    path = os.fspath(plan) if not isinstance(plan, Mapping) else _write_plan(plan, pathlib.Path(out))
    arguments = ["sweep", path, "--out", os.fspath(out), *(["--jobs", str(jobs)] if jobs else [])]
    arguments += ["--shard", f"{shard[0]}/{shard[1]}"] if shard else []
    arguments += ["--models", os.fspath(models)] if models else []
    for plugin in plugins:
        arguments += ["--plugin", os.fspath(plugin)]
    program(*arguments, progress=sys.stderr.isatty() if progress is None else progress)
    return Sweep(out)


def advise(*programs: str, device: str | Sequence[str], **options: Any) -> pandas.DataFrame:
    """Says which programs should share a GPU, and in which way: a row for each way, the best first; of several GPUs, as
    `device=["a100=2", "t4=1"]`, a row for each GPU.

    Programs are traces, profiles, files with a workload or scenario, or workloads of the library by name. Options are
    those of `smsched advise`: `slo="serve:p99<10ms"`, `copies="1..4"`, a list where one is repeated. The frame's
    `attrs` has the answer and how sure it is."""
    arguments = ["advise", *map(os.fspath, programs), "--format", "json", "--quiet"]
    given: dict[str, Any] = {"device": device, **options}
    for key, value in given.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            arguments += [f"--{key}"] if one is True else [f"--{key}", str(one)]
    advice = json.loads(program(*arguments))
    frame = pandas.json_normalize(advice.pop("ways" if "ways" in advice else "gpus"))
    frame.attrs.update(advice)
    return frame


def _write_plan(plan: Mapping[str, Any], out: pathlib.Path) -> str:
    """Writes the plan beside the folder, because its paths are relative to the working folder as well."""
    path = out.with_name(out.name + ".plan.yaml")
    written = as_yaml(plan, 1) + "\n"
    if not path.exists() or path.read_text() != written:  # shards read it at the same time
        partial = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
        partial.write_text(written)
        partial.replace(path)
    return os.fspath(path)


def program(*arguments: str, progress: bool = False) -> str:
    """Runs the program `smsched` with these arguments and returns what it prints. Ctrl-C ends it.

    Raises `smsched.Error` with the problems that it reports."""
    with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        told: list[str] = []
        reader = threading.Thread(target=_tell, args=(process.stderr, told, progress))
        reader.start()
        assert process.stdout
        try:
            printed = process.stdout.read()
            reader.join()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    if process.returncode:
        found = (PROBLEM.match(line) for line in told)
        problems = [Problem(m["file"], int(m["line"] or 0), int(m["column"] or 0), m["message"]) for m in found if m]
        raise Error("".join(told).strip() or printed.strip(), problems)
    return printed


def _tell(stream: Any, told: list[str], progress: bool) -> None:
    for line in stream:
        told.append(line)
        if progress:
            print(line, end="", file=sys.stderr, flush=True)
