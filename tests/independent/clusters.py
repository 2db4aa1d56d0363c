"""A second simulator of pods on the nodes of a cluster, for compare_clusters.py. It was written from docs/explanation/clusters.md and
docs/reference/placement.md, and shares no code with smsched. Shares are fractions. It knows pods that last, with whole GPUs or parts,
gangs, priorities, labels and models of GPUs."""

from fractions import Fraction

from simulator import quantity

WHOLE = 1000  # thousandths of a GPU


class Pod:
    def __init__(self, document, order):
        self.name, self.order, self.replicas, self.priority = document["name"], order, document["replicas"], document["priority"]
        self.start, self.duration = quantity(document["start"]), quantity(document["duration"])
        self.cpu, self.memory, self.gpus = 1000 * document["cpu"], quantity(document["memory"]), document["gpus"]
        self.part = int(WHOLE * quantity(document.get("gpu", "100 %"))) if self.gpus else 0
        self.models, self.selector = document.get("models"), document.get("selector", {})
        self.size = "part" if self.gpus == 1 and self.part < WHOLE else self.gpus

    def is_for(self, node):
        is_model = not self.gpus or not self.models or node.model in self.models
        return is_model and all(node.labels.get(name) == value for name, value in self.selector.items())


class Node:
    def __init__(self, document):
        self.name, self.model, self.labels = document["name"], document.get("model"), document.get("labels", {})
        self.capacity = [1000 * document["cpu"], quantity(document["memory"]), WHOLE * document["gpus"]]
        self.cpu, self.memory = self.capacity[:2]
        self.gpu = [WHOLE] * document["gpus"]  # what is left of each
        self.pods = []

    def fits(self, pod):
        return pod.is_for(self) and pod.cpu <= self.cpu and pod.memory <= self.memory and len(self.choose(pod)) == pod.gpus

    def choose(self, pod):
        """The GPUs with the least left that is enough."""
        return sorted((g for g, left in enumerate(self.gpu) if left >= pod.part > 0), key=lambda g: (self.gpu[g], g))[:pod.gpus]

    def change(self, pod, gpus, sign):
        self.cpu, self.memory = self.cpu + sign * pod.cpu, self.memory + sign * pod.memory
        for g in gpus:
            self.gpu[g] += sign * pod.part
        self.pods.remove(pod) if sign > 0 else self.pods.append(pod)

    def left_after(self, pod):
        return [self.cpu - pod.cpu, self.memory - pod.memory, sum(self.gpu) - pod.gpus * pod.part]

    def shares_after(self, pod):
        return [Fraction(left, capacity) for left, capacity in zip(self.left_after(pod), self.capacity) if capacity]


class Policies:
    """The higher the score of a node, the better. A policy returns it with the pod's GPUs."""

    def __init__(self, nodes, pods):
        self.most = [max(node.capacity[i] for node in nodes) or 1 for i in range(3)]
        every = sum(pod.replicas for pod in pods)
        self.typical = [(pod, Fraction(pod.replicas, every)) for pod in pods]

    def first_fit(self, node, pod):
        return 0, node.choose(pod)

    def best_fit(self, node, pod):
        cpu, _, gpu = node.left_after(pod)
        return -Fraction(cpu, self.most[0]) - Fraction(gpu, self.most[2]), node.choose(pod)

    def worst_fit(self, node, pod):
        cpu, _, gpu = node.left_after(pod)
        return cpu + 100 * gpu, node.choose(pod)

    def dot_product(self, node, pod):
        cpu, gpu = self.most[0] ** 2, self.most[2] ** 2
        return -Fraction(node.cpu * pod.cpu, cpu) - Fraction(sum(node.gpu) * pod.gpus * pod.part, gpu), node.choose(pod)

    def most_allocated(self, node, pod):
        shares = node.shares_after(pod)
        return -sum(shares) / len(shares), node.choose(pod)

    def least_allocated(self, node, pod):
        return -self.most_allocated(node, pod)[0], node.choose(pod)

    def balanced(self, node, pod):
        shares = node.shares_after(pod)
        mean = sum(shares) / len(shares)
        return -sum((share - mean) ** 2 for share in shares) / len(shares), node.choose(pod)

    def dominant_share(self, node, pod):
        asked = [pod.cpu, pod.memory, pod.gpus * pod.part]
        return max(Fraction(ask, left) if left else 1 for ask, left in zip(asked, node.left_after(pod)) if ask), node.choose(pod)

    def gpu_packing(self, node, pod):
        gpus = node.choose(pod)
        free = sum(node.gpu[g] == WHOLE for g in gpus)
        if not pod.gpus:
            return 0, gpus
        if not free:
            return max(50, 100 - sum(node.gpu[g] for g in gpus) // 10 // 10), gpus
        if min(node.gpu) < WHOLE:
            return max(33, 50 - free), gpus
        return 33 - len(node.gpu), gpus

    def gpu_clustering(self, node, pod):
        sizes = {other.size for other in node.pods if other.gpus}
        group = 0 if sizes == {pod.size} else 1 if pod.size in sizes else 2 if not sizes else 3
        return (-group, -sum(node.gpu)) if pod.gpus else (0, 0), node.choose(pod)

    def fragments(self, node, cpu, gpu):
        """What is free of the GPUs and cannot be used, the mean over typical pods."""
        total = 0
        for pod, weight in self.typical:
            runs = pod.gpus and pod.is_for(node) and pod.cpu <= cpu and sum(left >= pod.part for left in gpu) >= pod.gpus
            total += weight * sum(left for left in gpu if not runs or left < pod.part)
        return total

    def fgd(self, node, pod):
        """A part of a GPU goes to the GPU where fragments grow least."""
        choices = [[g] for g, left in enumerate(node.gpu) if left >= pod.part] if 0 < pod.part < WHOLE and pod.gpus == 1 else [node.choose(pod)]
        grown = []
        for gpus in choices:
            left = [left - pod.part * (g in gpus) for g, left in enumerate(node.gpu)]
            grown.append(self.fragments(node, node.cpu - pod.cpu, left) - self.fragments(node, node.cpu, node.gpu))
        return -min(grown), choices[grown.index(min(grown))]


def simulate(document):
    """Returns the time, pod, node and GPUs of each placement."""
    pods = [Pod(pod, order) for order, pod in enumerate(document["pods"])]
    nodes = [Node(node) for node in document["nodes"]]
    policy = document["policies"][0]
    score = getattr(Policies(nodes, pods), policy if isinstance(policy, str) else next(iter(policy)))
    placed, running, waiting, coming = [], [], [], sorted(pods, key=lambda pod: pod.start)

    def place(pod):
        fit = [node for node in nodes if node.fits(pod)]
        if fit:
            best = max(fit, key=lambda node: score(node, pod)[0])
            gpus = score(best, pod)[1]
            best.change(pod, gpus, -1)
            return best, gpus
        return None

    while coming or running:
        now = min([pod.start for pod in coming[:1]] + [end for end, *_ in running])
        for _, pod, node, gpus in [run for run in running if run[0] == now]:
            node.change(pod, gpus, 1)
        running = [run for run in running if run[0] > now]
        waiting += [pod for pod in coming if pod.start == now]
        coming = [pod for pod in coming if pod.start > now]
        for pod in sorted(waiting, key=lambda pod: (-pod.priority, pod.start, pod.order)):
            gang = []
            while len(gang) < pod.replicas and (found := place(pod)):
                gang.append(found)
            if len(gang) < pod.replicas:
                for node, gpus in gang:
                    node.change(pod, gpus, 1)
                continue
            waiting.remove(pod)
            running += [(now + pod.duration, pod, node, gpus) for node, gpus in gang]
            placed += [(int(now), pod.name + (str(number) if pod.replicas > 1 else ""), node.name, sorted(gpus))
                       for number, (node, gpus) in enumerate(gang, 1)]
    return placed
