"""Progress on a terminal and in notebooks."""
from __future__ import annotations

import sys
from typing import Any, Callable, Union

Progress = Union[bool, None, Callable[[float], object]]


def _notebook() -> Any:
    """Returns IPython's handle of a display in a notebook, else None."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if type(shell).__name__ != "ZMQInteractiveShell":
        return None
    import IPython.display

    display: Any = IPython.display.display  # which has types in some versions
    return display("0 %", display_id=True)


class Shown:
    """Shows the share of the runs that is done, each per cent once."""

    def __init__(self, wanted: Progress) -> None:
        self.percent = -1
        self.report = wanted if callable(wanted) else None
        self.handle = _notebook() if wanted in (None, True) else None
        self.terminal = not self.handle and (wanted is True or (wanted is None and sys.stderr.isatty()))

    @property
    def wanted(self) -> bool:
        return bool(self.report or self.handle or self.terminal)

    def show(self, share: float) -> None:
        percent = int(share * 100 + 1e-6)
        if percent <= self.percent:
            return
        self.percent = percent
        if self.report:
            self.report(share)
        elif self.handle:
            self.handle.update(f"{percent} %")
        elif self.terminal:
            print(f"\r{percent} %", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.terminal and self.percent >= 0:
            print("\r     \r", end="", file=sys.stderr, flush=True)
