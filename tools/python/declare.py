#!/usr/bin/python3
"""Writes smsched/_declared.py: what the public headers declare, for cffi.

Usage: declare.py INCLUDE OUT, with the folder that has smsched/smsched.h. The headers are the only place where structs
and functions are declared, so Python cannot drift from them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

SYSTEM = ("atomic", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "string")


def declarations(include: pathlib.Path) -> str:
    """Returns the headers without what cffi cannot parse: directives, inline functions, attributes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM:  # cffi knows their types by itself
            pathlib.Path(empty, name + ".h").touch()
        command = ["cc", "-E", "-P", "-nostdinc", "-I", empty, "-I", str(include), "-Datomic_bool=bool", "-"]
        text = subprocess.run(command, input="#include <smsched/smsched.h>\n", capture_output=True, check=True, text=True).stdout
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"^static inline .*\}$", "", text, flags=re.M)
    text = re.sub(r"^static inline [^{;]*\{.*?^\}$", "", text, flags=re.M | re.S)
    text = re.sub(r"__attribute__\(\(.*?\)\)\)?(?=;)", "", text)
    constants = {name: value for name, value in re.findall(r"\b(SMS_\w+) = (\d+)\b", text)}
    return re.sub(r"\[(SMS_\w+)", lambda match: "[" + constants.get(match[1], match[1]), text)


def main() -> None:
    include, out = map(pathlib.Path, sys.argv[1:])
    builder = cffi.FFI()
    builder.set_source("_declared", None)
    builder.cdef(declarations(include))
    builder.emit_python_code(str(out))
    out.write_text("# mypy: ignore-errors\n" + out.read_text())  # versions of cffi disagree on the types of what it writes


if __name__ == "__main__":
    main()
