"""The shared library, its errors as exceptions, and objects that it owns."""
from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, Callable, Iterable, Mapping, NamedTuple

from . import _declared  # written by declare.py from the public headers

ffi: Any = _declared.ffi
INSTALLED = pathlib.Path(__file__).parent / "installed"
PROGRAM = INSTALLED / "bin" / "smsched"
lib: Any = ffi.dlopen(str(next(INSTALLED.glob("lib/**/libsmsched.so.*"))))


class Problem(NamedTuple):
    """One problem of the input. Lines and columns count from 1; 0 means that it has no place."""

    file: str
    line: int
    column: int
    message: str
    source: str = ""  #: the line
    caret: int = 0  #: the character of `source` that is meant, from 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        shown = f"\n  {self.source}\n  {' ' * self.caret}^" if self.source else ""
        return place + self.message + shown


class Error(Exception):
    """A file, a run or a sweep failed. `problems` has all that were found, with their places."""

    def __init__(self, what: str, problems: Iterable[Problem] = (), count: int = 0) -> None:
        self.problems = tuple(problems)
        #: how many problems there are; `problems` has the first 20
        self.count = max(count, len(self.problems))
        more = [f"and {self.count - len(self.problems)} more"] if self.count > len(self.problems) else []
        super().__init__("\n".join([str(problem) for problem in self.problems] + more) or what)


class InputWarning(UserWarning):
    """Legal input that is probably a mistake, or results that say less than they seem to."""


def text(string: Any) -> str:
    """Returns a C string as text, "" for NULL."""
    return str(ffi.string(string).decode(errors="replace")) if string else ""


def problems(errors: Any) -> list[Problem]:
    """Returns the stored problems of a `struct sms_errors`."""
    stored = [errors.item[i] for i in range(min(errors.count, lib.SMS_ERRORS_MAX))]
    options = {"--set": "override", "--policy": "policies"}
    return [Problem(options.get(text(e.file), text(e.file)), e.line, e.column, text(e.message), text(e.source), e.caret) for e in stored]


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last parameter takes errors, and raises what it reports."""
    errors = ffi.new("struct sms_errors *")
    code = function(*arguments, errors)
    if code == lib.SMS_ENOMEM:
        raise MemoryError
    if code:
        raise Error(text(lib.sms_strerror(code)), problems(errors), errors.count)


def owned(pointer: Any, free: Callable[[Any], object], *keep: object) -> Any:
    """Returns the pointer, which is freed when nobody uses it, and only then lets go of what it refers to."""
    return ffi.gc(pointer, lambda object, keep=keep: free(object))


def as_yaml(value: Any, indent: int | None = None) -> str:
    """Returns JSON, which YAML contains but for a character that JSON escapes as a pair."""
    def escape(found: re.Match[str]) -> str:
        return found[0] if found[0] == r"\\" else rf"\U{ord(json.loads(chr(34) + found[0] + chr(34))):08x}"
    return re.sub(r"\\\\|\\ud[89ab]..\\ud[c-f]..", escape, json.dumps(value, indent=indent))


def refuse_single(name: str, value: Any) -> None:
    """Python takes a text for a list of its letters, and a dict for a list of its keys."""
    if isinstance(value, (str, os.PathLike, Mapping)):
        raise TypeError(f"{name} is a list: write {name}=[{value!r}]")


def strings(values: Iterable[str]) -> tuple[Any, list[Any]]:
    """Returns a C array of strings that ends with NULL, and what keeps them alive."""
    kept = [ffi.new("char[]", value.encode()) for value in values]
    array = ffi.new("char *[]", kept + [ffi.NULL])
    return array, [array, *kept]
