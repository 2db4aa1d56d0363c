"""Kernels of a small network on some of the 54 TPCs (of 2 SMs) of an A100, by LithOS: what both comparisons with them share."""

LEAST, MIDDLE, ALL, SHORT = 4, 13, 54, 20  # TPCs of which a time is given; us below which the source shows its own overhead
MEMORY = ("relu", "64 MiB", "layout")


def bound_by(label):
    return "memory" if any(word in label for word in MEMORY) else "other"


def law(times, q):
    """(a^q + (b / TPCs)^q)^(1/q) through the times at the ends."""
    divided = (times[LEAST] ** q - times[ALL] ** q) / (LEAST**-q - ALL**-q)
    rest = times[ALL] ** q - divided * ALL**-q
    return lambda tpcs: max(rest + divided * tpcs**-q, 0) ** (1 / q)


def law_of_three(times):
    """The same through the middle too, with q of 1 to 8 by halving, as the simulator has it."""
    low, high = 1.0, 8.0
    for _ in range(50):
        q = (low + high) / 2
        low, high = (q, high) if law(times, q)(MIDDLE) > times[MIDDLE] else (low, q)
    return law(times, low)
