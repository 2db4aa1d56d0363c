"""Running scenarios."""
from __future__ import annotations

import contextlib
import json
import os
import threading
from typing import Any, Callable, Iterable, Mapping, Sequence

import pandas

from ._native import call, ffi, lib, owned, refuse_single, strings, text
from ._progress import Progress, Shown
from ._scenario import Plugin, Source, load
from .policies import Policy
from .results import Results

EVENTS = ("decision", "stay", "kernel", "wait", "span", "miss", "message", "placement", "departure", "shared_gpu", "part")


class _Run:
    """One call of sms_run in a thread of its own, so that this one can be interrupted."""

    def __init__(self, plugins: Iterable[Plugin], progress: Progress) -> None:
        self.cancel = ffi.new("bool *", False)
        self.raised: BaseException | None = None
        self.plugins = [plugin for plugin in plugins if isinstance(plugin, Policy)]
        self.shown, self.share = Shown(progress), 0.0
        self.keep: list[Any] = []

    def fail(self, exception: BaseException) -> None:
        self.raised = self.raised or exception
        self.cancel[0] = True

    def note(self, share: float) -> None:
        self.share = share

    def callback(self, type: str, function: Callable[..., Any]) -> Any:
        self.keep.append(ffi.callback(type, function, onerror=lambda kind, value, trace: self.fail(value), error=None))
        return self.keep[-1]

    @contextlib.contextmanager
    def watching(self) -> Any:
        """Raises what a policy raised, whatever the library made of it."""
        with contextlib.ExitStack() as stack:
            for policy in self.plugins:
                stack.enter_context(policy._watched(self.fail))
            try:
                yield
            except Exception:
                if not self.raised:
                    raise
        if self.raised:
            raise self.raised

    def in_thread(self, function: Callable[[], None]) -> None:
        """Calls the function. An interrupt of this thread cancels the run, waits for its end and is raised."""
        done, failed = threading.Event(), []

        def body() -> None:
            try:
                function()
            except BaseException as exception:
                failed.append(exception)
            done.set()

        threading.Thread(target=body, daemon=True).start()
        try:
            while not done.wait(0.1 if self.shown.wanted else None):
                self.shown.show(self.share)  # here, because notebooks show nothing from other threads
            self.shown.show(self.share if failed else 1.0)
        except BaseException:
            self.cancel[0] = True
            done.wait()
            raise
        finally:
            self.shown.end()
        if failed:
            raise failed[0]


def run(source: Source, *, scenario: str | int | None = None, policies: Sequence[str | Mapping[str, Any]] = (), seed: int = 0,
         replications: int = 0, jobs: int | None = None, alone: bool = True, bins: int = 0, latencies: bool = False,
         models: str | os.PathLike[str] | None = None, plugins: Sequence[Plugin] = (), strict: bool = False,
         max_events: int = 0, max_memory: int = 0, progress: Progress = None, _observer: tuple[Any, ...] = (),
         **overrides: Any) -> Results:
    """Runs all policies of a scenario, with all replications, and returns the results.

    `source` is a path, or a scenario as a dict. Options:

    - `scenario`: its name or number, where a file has several
    - `policies`: run only these, and add those that the scenario lacks, as `--policy` does: names, or dicts as
      in `policies:`
    - `seed`, `replications`, `max_events`, `max_memory` (bytes): as the options of `smsched run`
    - `jobs`: threads, as many as there are cores if not given; results do not depend on their number
    - `alone`: False runs no tenant alone, which is faster and leaves out normalized progress
    - `bins`: keep each SM's occupancy in this many intervals; `latencies`: keep how latencies are distributed
    - `models`: a folder that is searched for devices and workloads first; `strict`: as `--strict`
    - `plugins`: shared objects, and policies made by `smsched.policy`
    - `progress`: True, False, or a function of the share that is done; if not given, on terminals and in notebooks

    Any other option overrides a field of the scenario: `run("s.yaml", queue="fifo", run__duration="5 ms")` is
    `--set queue=fifo --set "run.duration=5 ms"`. Names with dots go into a dict: `**{"vms.server.streams": 4}`.

    Raises `smsched.Error` with all problems of the input; warns by `smsched.InputWarning`. Other threads of Python
    continue during the run, and Ctrl-C ends it."""
    refuse_single("policies", policies)
    refuse_single("plugins", plugins)
    under_way = _Run(plugins, progress)
    with under_way.watching():
        names = [policy if isinstance(policy, str) else json.dumps(policy) for policy in policies]
        loaded = load(source, scenario, names, models, plugins, strict, overrides)
    only, keep = strings(names)
    options = ffi.new("struct sms_run_options *", {
        "size": ffi.sizeof("struct sms_run_options"), "policies": only, "seed": seed, "replications": replications,
        "jobs": jobs or os.cpu_count() or 1, "alone": alone, "bins": bins, "latencies": latencies,
        "max_events": max_events, "max_memory": max_memory, "cancel": under_way.cancel, "explain_to_ps": 2**64 - 1})
    if under_way.shown.wanted:
        options.on_share = under_way.callback("void(void *, double)", lambda user, share: under_way.note(share))
    if _observer:
        observe, options.events, options.explain_from_ps, options.explain_to_ps, options.end_ps = _observer
        options.observe = under_way.callback("int(void *, const struct sms_run_event *)", lambda user, event: observe(event))
    out = ffi.new("struct sms_results **")
    with under_way.watching():
        under_way.in_thread(lambda: call(lib.sms_run, loaded, options, out))
    return Results(owned(out[0], lib.sms_results_free, loaded, list(plugins)), bins)


def compare(source: Source, baseline: str | None = None, **options: Any) -> pandas.DataFrame:
    """Runs a scenario and returns each policy's change over the baseline, the first policy if not given.

    Options are those of `run`, and the frame is that of `Results.changes`."""
    return run(source, **options).changes(baseline)


def _row(policy: str, struct: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"policy": policy}
    for name, field in ffi.typeof(struct).item.fields:
        value = getattr(struct, name)
        if name == "set":  # a bit for each SM
            row[name] = [sm for sm in range(struct.of) if value[sm // 64] >> sm % 64 & 1]
        else:
            row[name] = text(value) if field.type.kind == "pointer" else value
    return row


def explain(source: Source, event: str = "decision", *, from_ps: int = 0, to_ps: int = 2**64 - 1,
            **options: Any) -> pandas.DataFrame:
    """Runs the first replication of each policy, and returns its events of one kind, one a row.

    `event` is decision, stay, kernel, wait, span, miss, message, placement, departure, shared_gpu or part. The columns
    are the members of `struct sms_EVENT` in `smsched/smsched.h`; a part's `set` is a list of SMs. Decisions and messages
    are those from `from_ps` to `to_ps`. Options are those of `run`. Each event takes about 7 microseconds: choose a short
    span of time."""
    if event not in EVENTS:
        raise ValueError(f"there is no event '{event}'; there are {', '.join(EVENTS)}")
    rows: list[dict[str, Any]] = []

    def observe(told: Any) -> int:
        rows.append(_row(text(told.policy), getattr(told, event)))
        return 0

    bit = getattr(lib, "SMS_RUN_" + event.upper())
    once: dict[str, Any] = {"replications": 1, "alone": False, **options}
    ends = event in ("decision", "message") and to_ps < 2**64 - 1  # nothing later is told
    run(source, _observer=(observe, bit, from_ps, to_ps, to_ps + 1 if ends else 0), **once)
    return pandas.DataFrame(rows)
