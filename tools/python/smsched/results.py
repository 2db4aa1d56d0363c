"""Results as data frames and arrays."""
from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Sequence

import numpy
import pandas

from ._native import Problem, call, ffi, lib, owned, problems, text

#: kinds of subjects, in the order of enum sms_subject
SUBJECTS = ("host", "vm", "resource", "kernel", "process", "device", "cluster", "node", "class")
BOUNDED = ("kernels", "blocks", "jobs", "stp")  # in the order of enum sms_bounded
ESTIMATE = ("n", "mean", "sd", "ci95")
REGIMES = ("low_regime", "high_regime")


class Answer(NamedTuple):
    """The metric by which the scenario compares policies. `better` is 1 if more is better, -1 if less is."""

    kind: str
    subject: str
    metric: str
    better: int


class Bound(NamedTuple):
    """A throughput that no policy exceeds, in the long run and in this run, and what limits it."""

    steady_per_s: float
    run_per_s: float
    limits: dict[str, float]
    reason: str


def _view(pointer: Any, type: Any, shape: tuple[int, ...], owner: Any) -> numpy.ndarray[Any, Any]:
    """Returns an array over the library's memory, which lives as long as the array."""
    size = int(numpy.prod(shape)) * numpy.dtype(type).itemsize
    held = owned(pointer, lambda pointer: None, owner)
    array = numpy.frombuffer(ffi.buffer(held, size), dtype=type).reshape(shape)
    array.flags.writeable = False
    return array


class Results:
    """The results of a run. Arrays are views of the library's memory: reading them copies nothing."""

    def __init__(self, results: Any, bins: int) -> None:
        self._results, self._bins = results, bins
        scenario = lib.sms_results_scenario(results)
        self.scenario = text(lib.sms_scenario_name(scenario))
        self.question = text(lib.sms_scenario_question(scenario))
        self.policies = [text(lib.sms_results_policy(results, i)) for i in range(lib.sms_results_policies(results))]
        self.seed: int = lib.sms_results_seed(results)
        self.replications: int = lib.sms_results_replications(results)
        #: nothing in the runs is random
        self.exact: bool = lib.sms_results_exact(results)
        #: of the results: a precision that was not reached, a warm-up that is too short
        self.warnings: list[Problem] = problems(lib.sms_results_warnings(results))
        self.warmup_ps: float = lib.sms_results_warmup_ps(results)

    def __repr__(self) -> str:
        return f"<results of {self.scenario}: {', '.join(self.policies)}; {self.replications} replications>"

    @property
    def notes(self) -> list[str]:
        """Notes on uncertainty that the intervals do not cover."""
        count = ffi.new("size_t *")
        notes = lib.sms_results_notes(self._results, count)
        return [text(notes[i]) for i in range(count[0])]

    @property
    def answer(self) -> Answer | None:
        """The metric by which the scenario compares policies, or None without such a subject."""
        asked = ffi.new("struct sms_question *")
        if not lib.sms_results_question(self._results, asked):
            return None
        kind = SUBJECTS[asked.subject]
        return Answer(kind, self.subjects(kind)[asked.idx], self.metrics(kind)[asked.metric], asked.better)

    def subjects(self, kind: str) -> list[str]:
        """The names of the subjects of a kind: host, vm, resource, kernel, process, device, cluster, node or class."""
        of = _kind(kind)
        count = lib.sms_results_subjects(self._results, of)
        return [text(lib.sms_results_subject(self._results, of, i)) for i in range(count)]

    def metrics(self, kind: str) -> list[str]:
        """The names of a kind's metrics. They end with their units."""
        return [text(metric.name) for metric in _metrics(kind)]

    def values(self, kind: str, policy: str | int = 0, replication: int = 0) -> numpy.ndarray[Any, Any]:
        """The values of one replication, an array [subjects, metrics] over the library's memory."""
        at = lib.sms_results_values(self._results, self._policy(policy), replication, _kind(kind))
        if not at:
            raise IndexError(f"there are no values of kind '{kind}' in replication {replication}")
        return _view(at, numpy.float64, (len(self.subjects(kind)), len(self.metrics(kind))), self._results)

    def frame(self, kind: str) -> pandas.DataFrame:
        """The means over the replications: a row for each policy and subject, a column for each metric."""
        rows = [(p, s) for p in range(len(self.policies)) for s in range(len(self.subjects(kind)))]
        index = pandas.MultiIndex.from_product([self.policies, self.subjects(kind)], names=["policy", kind])
        means = [[self._estimate(p, kind, s, m).mean for m in range(len(_metrics(kind)))] for p, s in rows]
        return pandas.DataFrame(means, index=index, columns=self.metrics(kind), dtype=float)

    def estimates(self) -> pandas.DataFrame:
        """All estimates, one a row: number of replications, mean, standard deviation, half of the 95 % interval.

        If the replications fall into two regimes, `low_regime` and `high_regime` are their means, otherwise NaN. `ci95`
        is always of the mean of all replications; the interval that `smsched run` prints covers both regimes."""
        rows, regimes = [], ffi.new("double[2]")
        for policy, kind, subject, metric in self._walk():
            estimate = self._estimate(policy, kind, subject, metric)
            lib.sms_results_regimes(self._results, policy, _kind(kind), subject, metric, regimes)
            rows.append(self._names(policy, kind, subject, metric) + tuple(getattr(estimate, key) for key in ESTIMATE)
                        + tuple(regimes))
        return pandas.DataFrame(rows, columns=["policy", "kind", "subject", "metric", *ESTIMATE, *REGIMES])

    def changes(self, baseline: str | int | None = None) -> pandas.DataFrame:
        """Each policy's change over the baseline, the first policy if not given, paired by replication.

        `ratio` is NaN where the baseline is not above 0 in each replication. `p` is of Student's paired t test of the
        ratio, else of the difference; `p_holm` is `p` after Holm's correction for all changes of the same kind and metric
        here. `judged` is False where neither means much, as for a percentile of few jobs."""
        base, rows = self._policy(baseline or 0), []
        for policy, kind, subject, metric in self._walk():
            over = lib.sms_results_compare(self._results, policy, base, _kind(kind), subject, metric)
            if policy != base and over.difference.n:
                rows.append(self._names(policy, kind, subject, metric) + (
                    over.ratio.mean, over.ratio.ci95, over.difference.mean, over.difference.ci95, over.p, over.judged,
                    _metrics(kind)[metric].better))
        frame = pandas.DataFrame(rows, columns=["policy", "kind", "subject", "metric", "ratio", "ratio_ci95", "difference",
                                                "difference_ci95", "p", "judged", "better"])
        families = frame.groupby(["kind", "metric"], sort=False)["p"]
        frame.insert(9, "p_holm", families.transform(_holm) if rows else frame["p"])
        return frame

    def occupancy(self, policy: str | int = 0) -> numpy.ndarray[Any, Any]:
        """The occupancy of each SM over time in the first replication, [SMs, bins], 0 to 1. Needs `bins=`."""
        at = lib.sms_results_bins(self._results, self._policy(policy), 0)
        if not at:
            raise ValueError("the run kept no occupancy: give it bins=")
        return _view(at, numpy.float32, (lib.sms_results_sms(self._results), self._bins), self._results)

    def bin_ps(self, policy: str | int = 0) -> int:
        """The width of one bin of `occupancy`, in ps."""
        return int(lib.sms_results_bin_ps(self._results, self._policy(policy)))

    def latencies(self, tenant: str, policy: str | int = 0) -> pandas.DataFrame:
        """How the latencies of a tenant's jobs are distributed: which share took so long or less. Needs `latencies=`."""
        points = numpy.empty(lib.SMS_LATENCIES, dtype=[("latency_ns", float), ("share", float), ("jobs", numpy.uint64)])
        out = ffi.from_buffer("struct sms_latency *", points, require_writable=True)
        idx = _index(self.subjects("vm"), tenant, "tenant")
        count = lib.sms_results_latencies(self._results, self._policy(policy), idx, out)
        return pandas.DataFrame(points[:count])

    def allocation(self, policy: str | int = 0) -> pandas.DataFrame:
        """How full the cluster was when pods had asked for a given part of its GPUs."""
        point = ffi.new("struct sms_allocation *")
        rows: list[tuple[float, float, float]] = []
        while lib.sms_results_allocation(self._results, self._policy(policy), len(rows), point):
            rows.append((point.arrived, point.allocated, point.fragments))
        return pandas.DataFrame(rows, columns=["arrived", "allocated", "fragments"])

    def bound(self, metric: str = "kernels") -> Bound:
        """The throughput that no policy exceeds; `metric` is `kernels`, `blocks`, `jobs` or `stp`."""
        bound = ffi.new("struct sms_bound *")
        call(lib.sms_results_bound, self._results, _index(BOUNDED, metric, "bound of"), bound)
        limits = {text(bound.part[i].name): bound.part[i].share for i in range(bound.parts)}
        return Bound(bound.steady_per_s, bound.run_per_s, limits, text(bound.reason))

    def _policy(self, policy: str | int) -> int:
        idx = _index(self.policies, policy, "policy") if isinstance(policy, str) else policy
        if not 0 <= idx < len(self.policies):
            raise IndexError(f"there is no policy {policy}; there are {', '.join(self.policies)}")
        return idx

    def _estimate(self, policy: int, kind: str, subject: int, metric: int) -> Any:
        return lib.sms_results_estimate(self._results, policy, _kind(kind), subject, metric)

    def _walk(self) -> Iterator[tuple[int, str, int, int]]:
        for policy in range(len(self.policies)):
            for kind in SUBJECTS:
                for subject in range(lib.sms_results_subjects(self._results, _kind(kind))):
                    for metric in range(len(_metrics(kind))):
                        yield policy, kind, subject, metric

    def _names(self, policy: int, kind: str, subject: int, metric: int) -> tuple[str, str, str, str]:
        name = text(lib.sms_results_subject(self._results, _kind(kind), subject))
        return self.policies[policy], kind, name, text(_metrics(kind)[metric].name)


def _holm(p: Any) -> Any:
    values, adjusted = numpy.ascontiguousarray(p, dtype=float), numpy.empty(len(p))
    if not lib.sms_holm(ffi.from_buffer("double *", values), ffi.from_buffer("double *", adjusted), len(p)):
        raise MemoryError
    return adjusted


def _index(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        raise ValueError(f"there is no {what} '{name}'; there are {', '.join(names)}")
    return names.index(name)


def _kind(kind: str) -> int:
    return _index(SUBJECTS, kind, "kind")


def _metrics(kind: str) -> list[Any]:
    count = ffi.new("size_t *")
    metrics = lib.sms_metrics(_kind(kind), count)
    return [metrics[i] for i in range(count[0])]
