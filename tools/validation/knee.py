"""The knee of a memory without the simulator (docs/explanation/contention.md)."""


def delivered(pressure, p, most):
    """What a memory that delivers at most `most` does for blocks that press it so much at no load, all in one unit. p: its knee."""
    return pressure / (1 + (pressure / most) ** p) ** (1 / p)


def pressure(use, p, most):
    """How much blocks press at no load that are delivered `use`."""
    return use / (1 - (use / most) ** p) ** (1 / p)
