"""A kernel of one GPU on another one without the simulator: the law of docs/reference/import.md, "Another device"."""
import math

SCALE = {"Hz": 1, "MHz": 1e6, "GHz": 1e9, "GB/s": 1e9, "TB/s": 1e12, "B": 1, "KiB": 1024, "%": 0.01}


def number(text):
    value, unit = str(text).split()
    return float(value) * SCALE[unit]


class Gpu:
    """A device file. `clock`, Hz: its clock, if it is not that of the file."""

    def __init__(self, about, clock=None):
        self.sms, self.sm, self.resources = about["sms"], about["sm"], about["resources"]
        self.clock = clock or number(about["clock"])
        self.compute_clock = min(number(about["power"].get("compute_clock", about["clock"])), self.clock)

    def per_wave(self, kernel):
        """Blocks of a wave: an SM's, by threads, blocks and registers."""
        warps = math.ceil(kernel["threads"] / 32)
        by_registers = 4 * (16384 // (math.ceil(kernel["registers"] * 32 / 256) * 256)) // warps
        return self.sms * min(self.sm["threads"] // (32 * warps), self.sm["blocks"], by_registers)

    def waves(self, kernel):
        return math.ceil(kernel["blocks"] / self.per_wave(kernel))

    def most(self, name):
        """What an SM has of a resource while that is full, and whether it is its own."""
        resource = self.resources[name]
        if "lanes" in resource:
            return resource["lanes"] * self.compute_clock, True
        wide = resource.get("scope") == "device"
        return number(resource["bandwidth"]) * number(resource.get("reached", "100 %")) / (self.sms if wide else 1), not wide

    def fullest(self, kernel):
        """Blocks of the SM that runs most."""
        return math.ceil(kernel["blocks"] / self.sms)


def busy(kernel, name, use, here):
    """The part of the kernel's time for which a resource is full, from its share of the peak."""
    resource, (_, own) = here.resources[name], here.most(name)
    use *= here.fullest(kernel) * here.sms / kernel["blocks"] if own else 1
    return min(1, use * (here.clock / here.compute_clock if resource["class"] == "compute" else 1 / number(resource.get("reached", "100 %"))))


def shares(kernel, uses, here):
    """Parts of its time that the kernel waits for compute, memory and latency, and by how much the first two were scaled down.
    `uses`: shares of the peak of resources."""
    most_busy = {kind: max((busy(kernel, name, use, here) for name, use in uses.items() if here.resources[name]["class"] == kind), default=0)
                 for kind in ("compute", "memory")}
    compute, memory = most_busy.values()
    scale = 1 / max(1, compute + memory)
    return [compute * scale, memory * scale, max(0, 1 - (compute + memory) * scale)], scale


def slower(kernel, uses, here, there):
    """How many times as long the kernel takes there. `uses`: shares of the peak of resources while it runs here."""
    times = {"compute": 0, "memory": 0}
    for name, use in uses.items():
        kind, (has, own) = here.resources[name]["class"], here.most(name)
        ratio = there.fullest(kernel) / here.fullest(kernel) if own else here.sms / there.sms
        times[kind] = max(times[kind], busy(kernel, name, use, here) * ratio * has / there.most(name)[0])
    (*_, latency), scale = shares(kernel, uses, here)
    return sum(times.values()) * scale + latency * here.clock / there.clock * there.waves(kernel) / here.waves(kernel)
