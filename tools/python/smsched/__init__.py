"""Simulates how GPUs are shared: scenarios are run, compared, swept and explained as by the program `smsched`."""
from ._native import Error, InputWarning, Problem, ffi, lib, text
from .policies import Policy, parameter, policy
from .results import Answer, Bound, Results
from .runs import compare, explain, run
from .sweeps import Sweep, advise, program, sweep

__version__ = text(lib.sms_version())
__all__ = ["Answer", "Bound", "Error", "InputWarning", "Policy", "Problem", "Results", "Sweep", "advise", "compare", "explain",
           "ffi", "lib", "parameter", "policy", "program", "run", "sweep", "text"]
