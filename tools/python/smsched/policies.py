"""Policies of every kind as Python functions."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Sequence

from ._native import ffi, lib

#: of each kind: its struct, and the member of `struct sms_load_options` that lists it
KINDS = {
    "block": ("struct sms_block_policy", "policies"),
    "share": ("struct sms_share_policy", "shares"),
    "mode": ("struct sms_sharing_mode", "modes"),
    "place": ("struct sms_place_policy", "places"),
    "queue": ("struct sms_queue_discipline", "queues"),
    "contention": ("struct sms_contention", "contentions"),
}


class Policy:
    """A policy or model in Python; `smsched.policy` makes one."""

    def __init__(self, kind: str, name: str, help: str, members: dict[str, Any]) -> None:
        self.kind, self.name = kind, name
        self._watchers: list[Callable[[BaseException], None]] = []
        self._keep: list[Any] = [ffi.new("char[]", name.encode()), ffi.new("char[]", help.encode())]
        self.struct = ffi.new(f"{KINDS[kind][0]} *", {"name": self._keep[0], "help": self._keep[1]})
        types = dict(ffi.typeof(self.struct).item.fields)
        for member, value in members.items():
            if member not in types:
                raise TypeError(f"{KINDS[kind][0]} has no '{member}'; it has {', '.join(types)}")
            is_function = callable(value) and not isinstance(value, ffi.CData)
            setattr(self.struct, member, self._callback(types[member].type, value) if is_function else value)
            self._keep.append(value)

    def _callback(self, type: Any, function: Callable[..., Any]) -> Any:
        self._keep.append(ffi.callback(type, function, onerror=self._failed))
        return self._keep[-1]

    def _failed(self, exception: Any, value: BaseException, trace: Any) -> None:
        for watcher in list(self._watchers):
            watcher(value)

    @contextlib.contextmanager
    def _watched(self, watcher: Callable[[BaseException], None]) -> Iterator[None]:
        """Tells the watcher of exceptions that the policy's functions raise meanwhile."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)


def parameter(name: str, fallback: float, min: float, max: float, help: str = "", unit: str = "count") -> dict[str, Any]:
    """Describes a parameter of a policy. `unit` is ratio, count, number, time, bytes or bandwidth.

    Functions get a ratio of 100 % as 1.0, a time in ps and a bandwidth in bytes/s."""
    unit_of = getattr(lib, "SMS_UNIT_" + unit.upper())
    return {"name": name, "unit": unit_of, "min": min, "max": max, "fallback": fallback, "help": help}


def policy(kind: str, name: str, help: str = "", *, params: Sequence[dict[str, Any]] = (), **members: Any) -> Policy:
    """Makes a policy from Python functions, for `plugins=` of `run`, `compare` and `explain`.

    `kind` is block, share, mode, place, queue or contention. `members` are those of its struct in the header of that kind
    (`smsched/policy.h`, `share.h`, `mode.h`, `place.h`, `queue.h`, `contention.h`). Functions get the header's arguments as cffi
    objects: `sm.usage[0]`, `block.waiting`. Constants and functions of the headers are in `smsched.lib`.

    This is the slow path: each call costs a quarter of a microsecond or more, and threads wait for each other. Write a
    plug-in in C when it works. An exception in a function ends the run, and `run` raises it."""
    if kind not in KINDS:
        raise ValueError(f"there is no kind '{kind}'; there are {', '.join(KINDS)}")
    keep: list[Any] = []
    if params:
        for param in params:
            row = {key: ffi.new("char[]", value.encode()) if isinstance(value, str) else value for key, value in param.items()}
            keep.append(row)
        members["params"] = ffi.new("struct sms_param[]", keep + [{}])
    made = Policy(kind, name, help, members)
    made._keep.append(keep)
    return made
