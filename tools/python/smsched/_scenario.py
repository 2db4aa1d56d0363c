"""Loading: a path, text or dict, and changes to it, become a scenario of the library."""
from __future__ import annotations

import os
import warnings
from typing import Any, Iterable, Mapping, Union

from ._native import Error, InputWarning, Problem, as_yaml, call, ffi, lib, owned, problems, strings, text
from .policies import KINDS, Policy

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Plugin = Union[str, "os.PathLike[str]", Policy]


def _options(models: str | os.PathLike[str] | None, plugins: Iterable[Plugin], strict: bool) -> tuple[Any, list[Any]]:
    options = ffi.new("struct sms_load_options *", {"size": ffi.sizeof("struct sms_load_options"), "strict": strict})
    plugins = list(plugins)
    array, keep = strings(os.fspath(plugin) for plugin in plugins if not isinstance(plugin, Policy))
    options.plugins = array
    if models is not None:
        keep.append(ffi.new("char[]", os.fsencode(models)))
        options.models = keep[-1]
    for kind, (struct, member) in KINDS.items():
        own = [plugin for plugin in plugins if isinstance(plugin, Policy) and plugin.kind == kind]
        keep += [own, ffi.new(f"{struct} *[]", [policy.struct for policy in own])]
        setattr(options, member, keep[-1])
        setattr(options, "n_" + member, len(own))
    return options, keep


def _load(source: Source, options: Any) -> Any:
    out = ffi.new("struct sms_file **")
    if isinstance(source, Mapping):
        document = as_yaml(source, 1).encode()
        call(lib.sms_file_load_text, document, len(document), b"dict", options, out)
    else:
        call(lib.sms_file_load, os.fsencode(source), options, out)
    return out[0]


def _choose(file: Any, wanted: str | int | None, name: str) -> int:
    names = [text(lib.sms_scenario_name(lib.sms_file_scenario(file, i))) for i in range(lib.sms_file_scenarios(file))]
    if wanted in names:
        return names.index(str(wanted))
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return wanted
    if wanted is None and len(names) == 1:
        return 0
    has = f"has the scenarios {', '.join(map(repr, names))}: choose one by scenario=" if names else "has no scenario"
    raise Error(has, [Problem(name, 0, 0, has)])


def _warn(file: Any) -> None:
    for problem in problems(lib.sms_file_warnings(file)):
        warnings.warn(str(problem), InputWarning, stacklevel=5)


def load(source: Source, scenario: str | int | None, policies: Iterable[str], models: str | os.PathLike[str] | None,
         plugins: Iterable[Plugin], strict: bool, overrides: Mapping[str, Any]) -> Any:
    """Returns a `struct sms_scenario *` that keeps alive all that it needs."""
    options, keep = _options(models, plugins, strict)
    file = owned(_load(source, options), lib.sms_file_free, keep)
    _warn(file)
    name = "dict" if isinstance(source, Mapping) else os.fspath(source)
    changed, idx = ffi.new("struct sms_file **"), _choose(file, scenario, name)
    fields, kept = strings(f"{key.replace('__', '.')}={as_yaml(value)}" for key, value in overrides.items())
    added, also = strings(policies)
    changes = ffi.new("struct sms_settings *", {"size": ffi.sizeof("struct sms_settings"), "set": fields, "policies": added})
    if overrides or also[1:]:
        call(lib.sms_file_set, file, options, idx, changes, changed)
        file, idx = owned(changed[0], lib.sms_file_free, file, keep, kept, also), 0
        _warn(file)
    return owned(lib.sms_file_scenario(file, idx), lambda scenario: None, file)
