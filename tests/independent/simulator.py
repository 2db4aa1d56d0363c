"""A second simulator of processes that share GPUs, for compare.py. It was written from docs/explanation/sharing.md, and shares no
code with smsched, whose two engines share that of processes. It is slow and exact: times are whole picoseconds, work and rates are
fractions. It knows coarse kernels, host time, copies, streams, arrivals at given times, the modes together, exclusive, time_slice,
mps, and mig with a mode for each instance, and the contention models none, proportional, maxmin and pairwise."""

import heapq
import math
from fractions import Fraction

UNITS = {"ps": 1, "B": 1, "KiB": 2**10, "GiB": 2**30, "GB/s": Fraction(1, 1000), "%": Fraction(1, 100)}  # in ps, bytes, bytes a ps


def quantity(text):
    number, unit = text.split()
    return Fraction(number) * UNITS[unit]


class Activity:
    """Something that takes time: `left` is what is left to do, in ps at full speed, or in bytes."""

    def __init__(self, left, done, **of):
        self.left, self.done, self.rate = Fraction(left), done, Fraction(0)
        self.__dict__.update(of)


class Pool:
    """Activities that share something, which sets their rates."""

    def __init__(self, simulation):
        self.simulation, self.active = simulation, []
        simulation.pools.append(self)

    def add(self, activity):
        self.active.append(activity)
        self.rate()

    def finish(self):
        ended = [a for a in self.active if a.left <= 0]
        if ended:
            self.active = [a for a in self.active if a.left > 0]
            self.rate()
        for activity in ended:
            activity.done()
        return bool(ended)

    def decide(self):
        """At the end of an instant. Returns whether anything has changed."""
        return False

    def next(self):
        return min((self.simulation.now + max(1, math.ceil(a.left / a.rate)) for a in self.active if a.rate > 0), default=math.inf)

    def advance(self, by):
        for activity in self.active:
            activity.left -= activity.rate * by


class Simulation:
    def __init__(self):
        self.now, self.events, self.count, self.pools = 0, [], 0, []

    def at(self, time, act):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, act))

    def settle(self):
        """Does all that happens now: what is due, then what ends, then what is decided."""
        while True:
            if self.events and self.events[0][0] <= self.now:
                heapq.heappop(self.events)[2]()
            elif not any([pool.finish() for pool in self.pools]) and not any([pool.decide() for pool in self.pools]):
                return

    def run(self):
        while True:
            self.settle()
            then = min([pool.next() for pool in self.pools] + [event[0] for event in self.events[:1]])
            if then == math.inf:
                return
            for pool in self.pools:
                pool.advance(then - self.now)
            self.now = then


def fill(activities, limits):
    """Max-min fair rates under limits, each a capacity and those that share it."""
    rate = {}
    while len(rate) < len(activities):
        levels = []
        for capacity, sharers in limits:
            free = [a for a in sharers if a not in rate]
            if free:
                levels.append(((capacity - sum(rate[a] for a in sharers if a in rate)) / len(free), free))
        lowest = min(level for level, _ in levels)
        for level, free in levels:
            if level == lowest:
                rate.update((a, lowest) for a in free)
    for activity in activities:
        activity.rate = rate[activity]


class Cores(Pool):
    def __init__(self, simulation, cores):
        self.cores = cores
        super().__init__(simulation)

    def rate(self):
        for activity in self.active:
            activity.rate = min(Fraction(1), Fraction(self.cores, len(self.active))) if self.cores else Fraction(1)


class Links(Pool):
    """The copies of all devices, in both directions."""

    def __init__(self, simulation, link, host):
        self.link, self.host = link, host
        super().__init__(simulation)

    def rate(self):
        for direction in ("in", "out"):
            copies = [a for a in self.active if a.direction == direction]
            limits = [(quantity(self.host["link_" + direction]), copies)] if "link_" + direction in self.host else []
            for device in {a.device for a in copies}:
                beside = [a for a in copies if a.device == device]
                limits.append((quantity(self.link["bandwidth"]), beside))
                most = self.link.get(f"copy_{direction}_most")
                if most:
                    spread = quantity(self.link.get("copy_out_spread", "0 %")) if direction == "out" else 0
                    limits += [(quantity(most) / (1 + spread * (len(beside) - 1)), [a]) for a in beside]
            fill(copies, limits)


def proportional(kernels, _):
    usage = {}
    for kernel in kernels:
        for resource, demand in kernel.demand.items():
            usage[resource] = usage.get(resource, 0) + demand
    for kernel in kernels:
        kernel.rate = 1 / max([Fraction(1)] + [usage[r] for r in kernel.demand])


def max_min(kernels, _):
    rate = {}
    while len(rate) < len(kernels):
        level, full = Fraction(1), []
        for resource in {r for kernel in kernels for r in kernel.demand}:
            users = [k for k in kernels if resource in k.demand]
            free = [k for k in users if k not in rate]
            if not free:
                continue
            own = (1 - sum(rate[k] * k.demand[resource] for k in users if k in rate)) / sum(k.demand[resource] for k in free)
            full = free if own < level else full + free if own == level and full else full
            level = min(own, level)
        rate.update((k, level) for k in full or kernels if k not in rate)
    for kernel in kernels:
        kernel.rate = rate[kernel]


def pairwise(kernels, contention):
    for kernel in kernels:
        others = [Fraction(contention["slowdown"][kernel.corun_class][k.corun_class]) for k in kernels if k is not kernel]
        combined = {"add": 1 + sum(x - 1 for x in others), "max": max(others, default=Fraction(1)), "mul": math.prod(others)}
        kernel.rate = 1 / Fraction(combined[contention["combine"]])


def alone(kernels, _):
    for kernel in kernels:
        kernel.rate = Fraction(1)


MODELS = {"none": alone, "proportional": proportional, "maxmin": max_min, "pairwise": pairwise}


class Kernels(Pool):
    """The kernels on a device, all at once."""

    def __init__(self, simulation, contention):
        self.contention, self.switches = contention, 0
        super().__init__(simulation)

    def running(self):
        return self.active

    def rate(self):
        for kernel in self.active:
            kernel.rate = Fraction(0)
        MODELS[self.contention["model"]](self.running(), self.contention)


class TimeSlices(Kernels):
    """The same of one process at a time. Those that wait are in a queue."""

    def __init__(self, simulation, contention, mode):
        self.slice, self.switch = (int(quantity(mode[key])) for key in ("slice", "switch"))
        self.whole = mode["newcomer"] == "whole_slice"
        self.state, self.current, self.queue, self.due = "idle", None, [], math.inf
        super().__init__(simulation, contention)

    def running(self):
        return [k for k in self.active if self.state == "run" and k.process == self.current]

    def next(self):
        return min(super().next(), self.due if self.state != "idle" else math.inf)

    def begin_slice(self):
        self.state, self.due = "run", self.simulation.now + self.slice
        self.rate()

    def turn_to(self, process):
        keeps = self.current in (None, process)
        self.current = process
        self.switches += not keeps
        if keeps or self.switch == 0:
            self.begin_slice()
        else:
            self.state, self.due = "switch", self.simulation.now + self.switch
            self.rate()

    def line_up(self, processes):
        new = [p for p in dict.fromkeys(processes) if p not in self.queue]
        self.queue += new
        return bool(new)

    def decide(self):
        now, ready = self.simulation.now, [k.process for k in self.active]
        if self.state == "switch":
            changed = self.line_up(p for p in ready if p != self.current)
            if now < self.due:
                return changed
            self.begin_slice()
            return True
        if self.state == "idle" or self.current not in ready:
            was, self.state = self.state, "idle"
            self.line_up(ready)
            if self.queue:
                self.turn_to(self.queue.pop(0))
            return self.state != was
        return self.go_on(now, ready)

    def go_on(self, now, ready):
        if self.due == now and not self.queue and self.whole:
            self.due += self.slice
        was_alone = not self.queue
        changed = self.line_up(p for p in ready if p != self.current)
        if changed and was_alone and self.whole:
            self.due = now + self.slice
        if now < self.due:
            return changed
        if not self.queue:
            self.due = now + self.slice
            return True
        self.queue.append(self.current)
        self.turn_to(self.queue.pop(0))
        return True


def fit(time, demand, part):
    """The time and the demand of a kernel on a part of each resource. One that demands more takes as many times as long."""
    slow = max([Fraction(1)] + [demand[resource] / part.get(resource, 1) for resource in demand])
    return time * slow, {resource: amount / slow for resource, amount in demand.items()}


class Place:
    """A device or an instance of one: what it has of the device, and its processes."""

    def __init__(self, simulation, contention, mode, device, number, sms, part, memory):
        self.device, self.number, self.sms, self.part, self.memory = device, number, sms, part, memory
        self.on, self.exclusive, self.parts = [], mode == "exclusive", mode == "mps"
        sliced = isinstance(mode, dict)
        self.kernels = TimeSlices(simulation, contention, mode["time_slice"]) if sliced else Kernels(simulation, contention)

    def takes(self, process):
        here = process.get("device", self.device) == self.device and process.get("instance", self.number) == self.number
        return here and not (self.exclusive and self.on)

    def fit(self, process, time, demand):
        time, demand = fit(time, demand, self.part)
        demand = {resource: amount / self.part[resource] for resource, amount in demand.items()}
        if not self.parts or "active_threads" not in process:
            return time, demand
        sms = max(1, int(quantity(process["active_threads"]) * self.sms))
        return fit(time, demand, {resource: Fraction(sms, self.sms) for resource in demand if resource != "dram"})


class Host:
    """Processes that get a place, go through their jobs and leave."""

    def __init__(self, documents):
        scenario = documents[-1]
        self.simulation, self.contention = Simulation(), scenario["contention"]
        self.workload = {document["workload"]: document for document in documents if "workload" in document}
        host = scenario.get("host", {})
        self.cores = Cores(self.simulation, host.get("cores"))
        self.links = Links(self.simulation, documents[0]["link"], host)
        self.context = quantity(host.get("context_time", "0 ps"))
        mode, count = scenario["policies"][0]["mode"], scenario["devices"][0]["count"]
        self.places = [place for number in range(count) for place in self.new_places(documents[0], mode, number)]
        self.waiting, self.result = [], {}
        for process in scenario["processes"]:
            self.simulation.at(int(quantity(process["start"])), lambda process=process: self.arrive(process))

    def new_places(self, device, mode, number):
        if "mig" not in mode:
            whole = dict.fromkeys(device["resources"], 1)
            return [Place(self.simulation, self.contention, mode, number, 0, device["sms"], whole, quantity(device["memory"]))]
        profiles = {profile["name"]: profile for profile in device["mig"]["profiles"]}
        return [self.new_instance(device, profiles[name], inside, number, i)
                for i, instance in enumerate(mode["mig"]["instances"]) for name, inside in instance.items()]

    def new_instance(self, device, profile, inside, number, i):
        part = dict.fromkeys(device["resources"], Fraction(profile["sms"], device["sms"]))
        part["dram"] = Fraction(profile["slices"], device["mig"]["slices"])
        return Place(self.simulation, self.contention, inside, number, i, profile["sms"], part, quantity(profile["memory"]))

    def arrive(self, process):
        self.result[process["name"]] = {"copy_in": 0, "copy_out": 0, "kernel": 0, "latencies": []}
        self.waiting.append(process)
        self.place()

    def place(self):
        for process in list(self.waiting):
            open_ = [place for place in self.places if place.takes(process)]
            if not open_:
                continue
            place = min(open_, key=lambda place: (len(place.on), -place.memory))
            place.on.append(process)
            self.waiting.remove(process)
            begins = self.simulation.now + max(1, int(self.context))
            self.simulation.at(begins, lambda process=process, place=place: self.begin(process, place))

    def begin(self, process, place):
        streams = [self.stream(process, place) for _ in range(process["streams"])]
        self.result[process["name"]]["streams"] = len(streams)
        for stream in streams:
            self.go_on(stream)

    def go_on(self, stream):
        """Until the stream waits for something, which is told how to call this again."""
        wait = next(stream, None)
        if wait:
            wait(lambda: self.go_on(stream))

    def host_time(self, ps):
        return lambda done: self.cores.add(Activity(ps, done))

    def copy(self, place, direction, size):
        return lambda done: self.links.add(Activity(size, done, device=place.device, direction=direction))

    def kernel(self, process, place, name):
        workload = self.workload[process["workload"]]
        kernel = next(k for k in workload["kernels"] if k["name"] == name)
        demand = {resource: quantity(text) for resource, text in kernel["demand"].items()}
        time, demand = place.fit(process, quantity(kernel["time"]), demand)
        return lambda done: place.kernels.add(
            Activity(time, done, process=process["name"], demand=demand, corun_class=workload["corun_class"]))

    def launch(self, process, place, step):
        result = self.result[process["name"]]
        for _ in range(step["times"]):
            began = self.simulation.now
            yield self.kernel(process, place, step["launch"])
            result["kernel"] += self.simulation.now - began
            if "sync" in step:
                yield self.host_time(quantity(step["sync"]))

    def step(self, process, place, step):
        began, result = self.simulation.now, self.result[process["name"]]
        if "host" in step:
            yield self.host_time(quantity(step["host"]))
        elif "launch" in step:
            yield from self.launch(process, place, step)
        else:
            (key, size), = step.items()
            yield self.copy(place, key.removeprefix("copy_"), quantity(size))
            result[key] += self.simulation.now - began

    def stream(self, process, place):
        result, start = self.result[process["name"]], int(quantity(process["start"]))
        arrivals = process.get("arrivals", {}).get("times")
        for job in range(process["repeat"]):
            due = start + int(quantity(arrivals[job])) if arrivals else self.simulation.now if job else start
            if due > self.simulation.now:
                yield lambda done, due=due: self.simulation.at(due, done)
            for step in self.workload[process["workload"]]["steps"]:
                yield from self.step(process, place, step)
            result["latencies"].append(self.simulation.now - due)
        result["streams"] -= 1
        if result["streams"] == 0:
            result["turnaround"] = self.simulation.now - start
            place.on.remove(process)
            self.place()


def simulate(documents):
    """Returns what each process took, in ps, and how often devices switched."""
    host = Host(documents)
    host.simulation.run()
    return host.result, sum(place.kernels.switches for place in host.places)
