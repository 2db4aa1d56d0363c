"""A second simulator of blocks on SMs, for compare_blocks.py. It was written from docs/explanation/model.md, contention.md and
docs/reference/policies.md, and shares no code with smsched, whose two engines share policies, contention models and dispatch queues.
It is slow and exact: times are whole picoseconds, work and speeds are fractions."""

import math
from fractions import Fraction

from simulator import quantity

LIMITS = ["threads", "warps", "blocks", "shared_memory"]


class Kernel:
    def __init__(self, vm, document):
        self.vm, self.name, self.blocks, self.work = vm, document["name"], document["blocks"], quantity(document["block_time"])
        threads = document["threads"]
        self.needs = {"threads": threads, "warps": -(-threads // 32), "blocks": 1,
                      "shared_memory": quantity(document.get("shared_memory", "0 B"))}
        self.demand = {resource: quantity(share) for resource, share in document["demand"].items()}


class Launch:
    def __init__(self, stream, kernel, number):
        self.stream, self.vm, self.kernel, self.number = stream, stream.vm, kernel, number
        self.waiting = self.left = kernel.blocks  # blocks that have not started, that have not ended
        self.served = None  # when its last block was placed, or it joined the row


class Block:
    def __init__(self, launch, sm, now):
        self.launch, self.sm, self.start, self.left, self.speed = launch, sm, now, Fraction(launch.kernel.work), None


def overhead(curve, usage):
    """Of a curve of straight lines from (0, 0) through its points, the last of which goes on."""
    points = [(0, 0)] + [(quantity(x), quantity(y)) for x, y in curve]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if usage <= x1:
            break
    return y0 + (y1 - y0) * (usage - x0) / Fraction(x1 - x0)


class Contention:
    """The speeds of blocks."""

    def __init__(self, device, document):
        self.device = device
        self.of = {"model": document} if isinstance(document, str) else document
        self.model = self.of["model"]

    def rate(self):
        if self.model == "maxmin":
            return self.fill()
        speeds = {}
        for block in self.device.blocks():
            key = block.sm, block.launch
            if key not in speeds:
                speeds[key] = 1 / Fraction(getattr(self, self.model)(block))
            block.speed = speeds[key]

    def none(self, _):
        return 1

    def proportional(self, block):
        usage = [self.device.usage(block.sm, resource) for resource, share in block.launch.kernel.demand.items() if share]
        return max([1] + [1 + Fraction(self.of["slope"]) * (u - 1) for u in usage])

    def knee(self, block):
        """Of resources without a knee."""
        return max([1] + [self.device.usage(block.sm, resource) for resource, share in block.launch.kernel.demand.items() if share])

    def pairwise(self, block):
        table = {a: {b: Fraction(str(slower)) for b, slower in row.items()} for a, row in self.of["slowdown"].items()}
        others = [table[block.launch.vm.corun_class][other.launch.vm.corun_class]
                  for other in self.device.on[block.sm] if other is not block]
        combine = {"max": lambda s: max([1] + s), "mul": math.prod, "add": lambda s: 1 + sum(slower - 1 for slower in s)}
        return combine[self.of.get("combine", "add")](others)

    def curve(self, block):
        resources = self.device.resources
        more = {resource: overhead(curve, self.device.usage(block.sm, resource)) for resource, curve in self.of["curves"].items()}
        alone = {r for r in more if r in self.device.wide or r in self.device.hard}
        largest = [max([more[r] for r in more if r not in alone and resources[r]["class"] == kind], default=0) for kind in ("compute", "memory")]
        return 1 + sum(largest) + sum(more[r] for r in alone)

    def pressure(self, block):
        total = 1
        for resource, curve in self.of["curves"].items():
            own = sum(b.launch.kernel.demand.get(resource, 0) for b in self.device.on[block.sm] if b.launch is block.launch)
            others = self.device.usage(block.sm, resource) - own
            if others > 0:
                total += overhead(curve, others) * (quantity(self.of["floor"]) + own)
        return total

    def fill(self):
        """Progressive filling: all speeds rise together until a resource is full, and its users stop."""
        users, free = {}, self.device.blocks()
        for block in free:
            block.speed = None
            for resource, share in block.launch.kernel.demand.items():
                if share:
                    where = None if resource in self.device.wide else block.sm
                    users.setdefault((resource, where), []).append((block, share))
        while free:
            full = {}
            for (resource, where), of in users.items():
                rising = sum(share for block, share in of if block.speed is None)
                if rising:
                    taken = sum(share * block.speed for block, share in of if block.speed is not None)
                    full[resource, where] = ((self.device.sms if where is None else 1) - taken) / Fraction(rising)
            level = min([1, *full.values()])
            stop = free if level == 1 else [block for key, at in full.items() if at == level for block, _ in users[key]]
            for block in stop:
                block.speed = level if block.speed is None else block.speed
            free = [block for block in free if block.speed is None]


class Device:
    def __init__(self, document, scenario):
        self.sms, self.resources = document["sms"], document["resources"]
        sm = document["sm"]
        self.capacity = {limit: quantity(sm[limit]) if limit == "shared_memory" else sm[limit] for limit in LIMITS}
        self.wide = {r for r, of in self.resources.items() if of.get("scope") == "device"}
        self.hard = {r for r, of in self.resources.items() if of.get("hard")}
        dispatch = document.get("dispatch", {"launch": "0 ps", "block": "0 ps"})
        self.launch_ps, self.block_ps = quantity(dispatch["launch"]), quantity(dispatch["block"])
        policy = scenario["policies"][0]
        self.policy, self.param = (policy, {}) if isinstance(policy, str) else next(iter(policy.items()))
        self.limit = quantity(self.param.get("limit", "100 %"))
        self.patience = quantity(self.param["patience"]) if "patience" in self.param else math.inf
        self.queue = scenario["queue"]
        self.contention = Contention(self, scenario["contention"])
        self.on = [[] for _ in range(self.sms)]
        self.waiting = []  # launches of which blocks wait, in the order in which they are served
        self.ring, self.free_at, self.wake = 0, 0, math.inf
        self.launches = 0
        self.turns, self.first = 0, None  # in this cycle; the stream that had the first of them

    def blocks(self):
        return [block for on in self.on for block in on]

    def usage(self, sm, resource):
        on = self.blocks() if resource in self.wide else self.on[sm]
        return Fraction(sum(block.launch.kernel.demand.get(resource, 0) for block in on), self.sms if resource in self.wide else 1)

    def with_block(self, sm, resource, kernel):
        return self.usage(sm, resource) + Fraction(kernel.demand.get(resource, 0), self.sms if resource in self.wide else 1)

    def used(self, sm, limit):
        return sum(block.launch.kernel.needs[limit] for block in self.on[sm])

    def fits(self, sm, kernel):
        return all(self.used(sm, limit) + kernel.needs[limit] <= self.capacity[limit] for limit in LIMITS) and \
            all(self.with_block(sm, r, kernel) <= 1 for r in self.hard if kernel.demand.get(r))

    def resident(self, sm, launch):
        return sum(block.launch is launch for block in self.on[sm])

    def admits(self, sm, launch):
        kernel = launch.kernel
        if not self.fits(sm, kernel):
            return False
        if self.policy == "fine_grained_capped" and not self.resident(sm, launch) and \
                sum(self.resident(s, launch) > 0 for s in range(self.sms)) >= self.param["sms"]:
            return False
        if self.policy in ("fine_grained", "fine_grained_capped"):
            return all(self.with_block(sm, r, kernel) <= self.limit for r in kernel.demand if kernel.demand[r])
        if self.policy == "utilization_aware":
            kinds = [[r for r, of in self.resources.items() if of["class"] == kind] for kind in ("compute", "memory")]
            return all(max(self.usage(sm, r) for r in kind) + max(self.with_block(sm, r, kernel) - self.usage(sm, r) for r in kind) <= self.limit
                       for kind in kinds if kind)
        return True

    def room(self, sm, kernel):
        return min((self.capacity[limit] - self.used(sm, limit)) // need for limit, need in kernel.needs.items() if need)

    def fullest(self, sm, kernel):
        return max([Fraction(self.used(sm, limit) + kernel.needs[limit], self.capacity[limit]) for limit in LIMITS] +
                   [self.with_block(sm, r, kernel) for r in self.hard])

    def find(self, launch):
        """The SM for a block of the launch, and where the next search begins; None if it fits nowhere."""
        kernel, open_ = launch.kernel, [sm for sm in range(self.sms) if self.admits(sm, launch)]
        if not open_:
            return None
        in_ring = min(open_, key=lambda sm: (sm - self.ring) % self.sms)
        if self.policy == "round_robin_full":
            return in_ring, in_ring
        if self.policy in ("leftover", "most_room"):
            return min(open_, key=lambda sm: (-self.room(sm, kernel), sm)), self.ring
        if self.policy in ("breadth_first", "depth_first"):
            sign = 1 if self.policy == "breadth_first" else -1
            return min(open_, key=lambda sm: (sign * self.fullest(sm, kernel), sm)), self.ring
        if self.policy == "affinity":
            return min(open_, key=lambda sm: (-self.resident(sm, launch), -self.room(sm, kernel), sm)), self.ring
        return in_ring, (in_ring + 1) % self.sms

    def end_of(self, priority):
        """The place in the row behind the launches of at least this priority."""
        return sum(launch.vm.priority >= priority for launch in self.waiting)

    def go_behind(self, launch):
        self.waiting.insert(self.end_of(launch.vm.priority), launch)

    def join(self, launch, now):
        launch.served = now
        self.go_behind(launch)

    def dispatch(self, now):
        self.wake, i = math.inf, 0
        while i < len(self.waiting) and self.waiting[i].vm.priority == self.waiting[0].vm.priority:
            launch = self.waiting[i]
            found = self.find(launch)
            if found and now < self.free_at:
                self.wake = self.free_at
                return
            if found:
                i = self.place(launch, *found, now, i)
            elif self.queue in ("leftover", "rr_fifo") or now - launch.served >= self.patience:
                return
            else:
                i += 1

    def place(self, launch, sm, ring, now, i):
        """Returns the place in the row of the launch that is asked next."""
        self.on[sm].append(Block(launch, sm, now))
        launch.waiting -= 1
        launch.served, self.ring, self.free_at = now, ring, now + self.block_ps
        if self.queue in ("interleave", "rr_fifo"):
            return self.end_turn(launch, i)
        if not launch.waiting:
            self.waiting.pop(i)
        return i

    def is_last(self, i):
        return i + 1 == self.end_of(self.waiting[i].vm.priority)

    def end_turn(self, launch, i):
        """A launch that has had its turn goes behind its equals. One that fits nowhere keeps its place."""
        if launch.waiting and self.is_last(i):
            return i
        self.waiting.pop(i)
        if launch.waiting:
            self.go_behind(launch)
        elif i == len(self.waiting) or self.is_last(i):
            return i
        self.first = self.first or launch.stream
        self.turns += 1
        if self.turns == self.sms:  # then the stream that had the first of these turns is skipped if it is next
            self.turns = 0
            if self.waiting[i].stream is self.first:
                self.go_behind(self.waiting.pop(i))
            self.first = self.waiting[i].stream
        return i

    def end(self, now, log):
        """Returns the streams whose kernels end, by the SMs of their last blocks, and on an SM in the order of their launches."""
        ended = {}
        for sm in range(self.sms):
            for block in [block for block in self.on[sm] if block.left <= 0]:
                self.on[sm].remove(block)
                block.launch.left -= 1
                log.append((block.launch.vm.name, block.launch.kernel.name, sm, block.start, now))
                if block.launch.left == 0:
                    ended[block.launch] = sm, block.launch.number
        return [launch.stream for launch in sorted(ended, key=ended.get)]

    def next(self, now):
        return min([self.wake] + [now + max(1, math.ceil(block.left / block.speed)) for block in self.blocks()])


class Vm:
    def __init__(self, document, workload):
        self.name, self.priority, self.jobs, self.start = document["name"], document["priority"], document["repeat"], quantity(document["start"])
        self.corun_class, self.steps = workload["corun_class"], workload["steps"]
        self.kernels = {kernel["name"]: Kernel(self, kernel) for kernel in workload["kernels"]}


class Stream:
    """`due` is when its host step ends, or it starts."""

    def __init__(self, vm, device):
        self.vm, self.device, self.due = vm, device, vm.start
        self.work = self.jobs()

    def jobs(self):
        while self.vm.jobs > 0:
            self.vm.jobs -= 1
            for step in self.vm.steps:
                if "host" in step:
                    yield quantity(step["host"])
                for _ in range(step.get("times", 0)):
                    yield self.vm.kernels[step["launch"]]

    def go_on(self, now, calls):
        """`calls` are launches on their way to the device."""
        what, self.due = next(self.work, None), math.inf
        if isinstance(what, Kernel):
            self.device.launches += 1
            calls.append((now + self.device.launch_ps, Launch(self, what, self.device.launches)))
        elif what is not None:
            self.due = now + what


def simulate(documents):
    """Returns the VM, kernel, SM, start and end of each block."""
    scenario, log, calls, now = documents[-1], [], [], 0
    device = Device(documents[0], scenario)
    workloads = {document["workload"]: document for document in documents[1:-1]}
    vms = [(Vm(vm, workloads[vm["workload"]]), vm["streams"]) for vm in scenario["vms"]]
    streams = [Stream(vm, device) for vm, count in vms for _ in range(count)]
    while now < math.inf:
        for stream in device.end(now, log):
            stream.go_on(now, calls)
        for stream in streams:
            if stream.due <= now:
                stream.go_on(now, calls)
        for due, launch in [call for call in calls if call[0] <= now]:
            device.join(launch, now)
        calls = [call for call in calls if call[0] > now]
        device.dispatch(now)
        device.contention.rate()
        then = min([device.next(now)] + [stream.due for stream in streams] + [due for due, _ in calls])
        for block in device.blocks():
            block.left -= block.speed * (then - now) if then < math.inf else 0
        now = then
    return log
