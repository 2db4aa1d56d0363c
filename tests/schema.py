#!/usr/bin/env python3
"""The schema for editors says what the loader says: it takes every file that smsched takes, refuses those of tests/bad
that are wrong in what a schema can tell, and has the keys of the tables of fields, no more and no less.
Usage: schema.py SMSCHED"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"{missing.name} is not installed (tools/setup --dev)")
    sys.exit(77)

smsched = sys.argv[1]
failed = 0


def bad(what):
    global failed
    failed += 1
    print("FAILED:", what)


def say(*arguments):
    return subprocess.run([smsched, *arguments], capture_output=True, text=True, check=True).stdout


class Core(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML 1.2's core schema, as editors read it: of words, only true, false and null are none."""


Core.yaml_implicit_resolvers = {}
for tag, pattern in (("bool", "true|True|TRUE|false|False|FALSE"), ("null", "~|null|Null|NULL|"),
                     ("int", "[-+]?[0-9]+"), ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), None)
Core.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(loader.construct_scalar(node)))
Core.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))

schema = json.loads(say("list", "schema"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def problems(text):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message:.200}"
            for document in yaml.load_all(text, Core) for error in validator.iter_errors(document)]


def refuses(text):
    try:
        return bool(problems(text))
    except yaml.YAMLError:  # a list for a key, which is no JSON
        return True


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# What smsched takes. In pages, blocks of YAML that begin a document; names of plug-ins are in their own schema (tests/cli/plugins.sh).
good = {path: read(path) for folder in ("models", "scenarios", "tests/golden", "tests/trace", "tests/fuzz/seeds")
        for path in glob.glob(f"{folder}/**/*.yaml", recursive=True)}
for page in ["README.md", *glob.glob("docs/*/*.md")]:
    for n, block in enumerate(re.findall(r"^```yaml[^\n]*\n(.*?)^```", read(page), re.M | re.S)):
        if re.match(r"(#.*\n)*(device|workload|scenario|plan):", block) and not re.search(r"^plugins:", block, re.M):
            good[f"{page}, block {n + 1}"] = block
taken = 0
for path, text in sorted(good.items()):
    if os.path.exists(path) and subprocess.run([smsched, "validate", path], capture_output=True).returncode:
        continue
    taken += 1
    for problem in problems(text)[:3]:
        bad(f"{path}: {problem}")
if taken < 165:
    bad(f"only {taken} files were looked at")

# What a schema cannot tell, by the first line of the .err. All else of tests/bad must fail.
WHOLE = "text, YAML or the file as a whole"
CANNOT = {
    WHOLE: r"not YAML|control characters|not text|this is UTF-|byte order mark|is empty$|alias |nested more than|"
    r"tags \(|has more than|more than 10100 documents|is given twice|is defined twice|is also one of the several of",
    "names of other things": r"is given by its time|inherits from (itself|a device that inherits)|are devices on other nodes|no node on which it may run|is the sum of all processes|is also a stream of|unknown (device|workload|kernel|VM|process|node|resource|profile|table of "
    r"pods|policy of this|class '(m|golt)')|no node has|no resource|has no instances|other resources on other nodes|and \w+ has none|there is no (SM|device)|the slowdown of|has no other policy",
    "one number against another": r"does not end before|is larger than the|SMs are no green context|a list has one mode for each|SMs of \w+, which has|is before the time ahead|jobs cannot come|the streams have workloads of their own: make|know no gangs|are fewer than the|points of a curve rise|is less than|is not above|fits no SM|would never "
    r"place|the job frees|the instances have|splits all GPUs|finds no free slices|ends beyond|starts (when|beyond)|is not between|"
    r"needs about|more than \d+ (processes|nodes|pods|failures|streams)|is hard: that is|units of '|share of the "
    r"device|takes device memory|it would end|jitter belongs|takes no time|stagger is for|'101 %' is out of range; it must be from 0 % to 100",
    "a range of numbers with units": r"^'[^']*[a-zA-Z%]' is out of range|is too large",
    "a ratio that counts units elsewhere, or one of another dimension": r"without % (it is a ratio|is \d+ %)",
    "what a run of it needs": r"is for the device's own file|repeats forever: the run needs|moves pods with profiles|knows one (pod in an instance|mode of all)|is for processes: GPUs have|has no chunks|has no instance|give the run a duration|a warm-up is found (by|in)|needs a scenario with processes|runs? kernels beside|all have one mode|"
    r"pods are drawn|"
    r"(are|is) (for|of) pods with (a workload|workloads)|gpushare knows no|priority is of blocks|"
    r"(vms|nodes): its tables have no rows",
    "one key beside another": r"'run.until' is decided|stands alone in its entry|has no workload and no draw|has either workload or draw|unknown entry 'b'|has no value, because no job|is coarse under fidelity",
    "whether a wait for an event can end": r"waits for (the event|events)|jobs that wait for the event",
    "what a plan comes to": r"this would override|has no scenario|no scenario of the plan|points; a plan has|of each of \d+ fields|a file can have only one plan|cannot name a folder|a search (needs two|has a limit)|.axes. or .search. is missing",
    "what the paths of a plan lead to": r"^$",
    "a metric of one thing in another": r"unknown metric|is a metric of|of one of vm|no processes in a scenario|a gain is (over another|of two policies)|expects nothing|is better by itself",
}
LED_TO = {f"tests/bad/plan-{name}.yaml" for name in ("unknown-path", "wrong-values", "empty-lists-of-entries")}
count = {reason: 0 for reason in CANNOT}
refused = 0
for path in sorted(glob.glob("tests/bad/*.yaml")):
    said = re.search(r"error: (.*)", read(path[:-4] + "err")).group(1)
    reasons = [reason for reason, pattern in CANNOT.items() if re.search(pattern, said)]
    if path in LED_TO:
        reasons = ["what the paths of a plan lead to"]
    if reasons[:1] == [WHOLE]:  # bombs and depths among them, which are no food for other readers
        count[WHOLE] += 1
    elif refuses(read(path)):
        refused += 1
    elif not reasons:
        bad(f"{path} passes the schema: {said}")
    else:
        count[reasons[0]] += 1
for reason, files in count.items():
    print(f"{files:3} files of tests/bad are left to the loader, for: {reason}")
    if files == 0:
        bad(f"no file of tests/bad shows what a schema cannot tell: {reason}")
if refused < 140:
    bad(f"only {refused} files of tests/bad are refused")
print(f"{refused} files of tests/bad are refused, {taken} files and examples are taken")

# Of clusters, what goes beside the names of nodes and pods: the schema takes what the loader takes.
CLUSTER = """scenario: s
nodes: [{name: n, gpus: 2, gpu_memory: 8 GiB%s}]
policies: [%s]
pods: [{name: p, gpu_memory: %s}]
%s
"""
GPUSHARE = "scheduler: {kind: gpushare%s}"
PLAIN = ("", "first_fit", "2 GiB", "")
CASES = [  # nodes, policies, pods, the rest; whether they are taken
    (*PLAIN, True),
    (", labels: {zone: east, rack: 3, fast: true}", "first_fit", "1 GiB, selector: {zone: east}", "", True),
    (", labels: east", *PLAIN[1:], False),
    (", labels: {zone: [east]}", *PLAIN[1:], False),
    (", labels: {zone: east}", "first_fit", "1 GiB, selector: [zone]", "", False),
    ("", "{fgd: {}}", "1 GiB, count: 5, arrivals: {poisson: 2 s, batch: 3}", "", True),
    ("", "first_fit", "1 GiB, count: 5, arrivals: {poisson: 2}", "", False),
    ("", "first_fit", "1 GiB, count: 5, arrivals: 2 s", "", False),
    (*PLAIN[:3], "monitor: {start_least: 0 s, full: 90 %}", True),
    (*PLAIN[:3], "monitor: {model: cycle, query: 50 ms, list: 0 s, eager_miss: on}", True),
    (*PLAIN[:3], "monitor: {model: cycle, query: 50 ms, list: 0}", True),
    (*PLAIN[:3], "monitor: {model: cycle, query: 50 ms, list: '0'}", True),
    (*PLAIN[:3], "monitor: {model: cycle, query: 50 ms, list: 1}", False),
    (*PLAIN[:3], "monitor: {model: calibrated, query: 50 ms}", False),
    (*PLAIN[:3], "monitor: {model: cycle, start_most: 1 s}", False),
    (*PLAIN[:3], "monitor: {model: cycles}", False),
    (*PLAIN[:3], "monitor: {full: 0.95}", True),
    (*PLAIN[:3], "monitor: {full: 10}", False),
    (*PLAIN[:3], "monitor: {eager_miss: sometimes}", False),
    ("", "{place: {fgd: {}}}", "2 GiB", "", True),
    ("", "{place: fgd, mod: mps}", "2 GiB", "", False),
    ("", "{place: mps}", "2 GiB", "", False),
    ("", "{}", "2 GiB", "", False),
    (*PLAIN[:3], "scheduler: {kind: default, start_delay: 1 s}", True),
    (*PLAIN[:3], "scheduler: {unit: GiB}", False),
    (*PLAIN[:3], "scheduler: {kind: gpushared}", False),
    ("", "gpushare", "[1 GiB, 2 GiB]", GPUSHARE % ", unit: GiB, quirks: {any_pod: false}", True),
    ("", "gpushare", "1 GiB, allocate_delay: 1 s, start_delay: 1 s", GPUSHARE % "", True),
    ("", "first_fit", "1 GiB, allocate_delay: 1 s", "", False),
    ("", "first_fit", "1 GiB, start_delay: 1 s", "scheduler: {kind: default}", False),
    ("", "first_fit", "[1 GiB, 2 GiB]", "", False),
    (", share: memory", *PLAIN[1:], False),
    (", used_by_others: 1 GiB", *PLAIN[1:], False),
    (", unhealthy: [{gpu: 0, from: 1 s}]", *PLAIN[1:], False),
    (", added: 1 s", *PLAIN[1:], False),
    ("}, {table: {columns: [name, gpus, added], rows: [[m, 1, 1 s]]}", *PLAIN[1:], False),
    ("}, {table: {columns: [name, gpus, gpu_memory, added], rows: [[m, 1, 2 GiB, 1 s]]}", "gpushare", "2 GiB", GPUSHARE % "", True),
    ("", "gpushare", "[]", GPUSHARE % "", False),
    ("", "gpushare", "[1 GiB, [2 GiB]]", GPUSHARE % "", False),
    ("", "gpushare", "1 GiB", GPUSHARE % ", quirks: {any_pods: false}", False),
    ("", "gpushare", "1 GiB", GPUSHARE % ", unit: KiB", False),
    (", share: memory, used_by_others: [2 GiB, 1 GiB], unhealthy: [{gpu: 0, from: 1 s, to: 2 s}], added: 1 s",
     "gpushare", "1 GiB", GPUSHARE % "", True),
    (", used_by_others: 1 GiB", "gpushare", "1 GiB", GPUSHARE % "", True),
    (", share: all", "gpushare", "1 GiB", GPUSHARE % "", False),
    (", used_by_others: {}", "gpushare", "1 GiB", GPUSHARE % "", False),
    (", unhealthy: {gpu: 0}", "gpushare", "1 GiB", GPUSHARE % "", False),
    (", unhealthy: [{from: 1 s}]", "gpushare", "1 GiB", GPUSHARE % "", False),
    (", added: 1", "gpushare", "1 GiB", GPUSHARE % "", False),
]
told = 0
with tempfile.TemporaryDirectory() as folder:
    for *parts, takes in CASES:
        text, path = CLUSTER % tuple(parts), os.path.join(folder, "case.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        loader = subprocess.run([smsched, "validate", path], capture_output=True, text=True)
        if (loader.returncode == 0) != takes:
            bad(f"the loader has another mind of {parts}: {loader.stderr}")
        if takes and problems(text):
            bad(f"the schema refuses {parts}: {problems(text)}")
        told += not takes and bool(problems(text))
if told < 24:
    bad(f"the schema refuses only {told} clusters")

# Of plans, the axes and what else they say.
PLAN = """workload: w
kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {fp32: 1 %%}}]
---
scenario: s
devices: [{model: v100}]
contention: proportional
policies: [round_robin, fine_grained]
vms: [{name: a, workload: w}, {name: b, workload: w}]
---
plan: p
%s
axes: %s
"""
CASES = [
    ("", "[]", True),
    ("", "{queue: [fifo]}", False),
    ("", "[{queue: [fifo, interleave]}]", True),
    ("", "[{queue: fifo}]", False),
    ("", "[{queue: []}]", False),
    ("", "[{}]", False),
    ("", "[[queue]]", False),
    ("", "[{scenario: [t]}]", False),
    ("", "[{queue.: [fifo]}]", False),
    ("", "[{vms..start: [1 us]}]", False),
    ("", "[{'': [1]}]", False),
    ("", "[{vms.0.start: [1 us, 2 us], vms.b.start: {from: 1 us, to: 4 us, steps: 2}}]", True),
    ("", "[{vms.0.start: {from: 0, to: 4 us, step: 1 us}, vms.b.start: {from: 4 us, to: 0, steps: 5}}]", True),
    ("", "[{vms.0.start: {from: 1, to: 4 us, steps: 2}}]", False),
    ("", "[{contention.slope: {from: 1, to: 2, steps: 3}}]", True),
    ("", "[{contention.slope: {from: 1, to: 2, step: 0.5}}]", True),
    ("", "[{contention.slope: {from: 1, to: 2, steps: 3, scale: log, whole: false}}]", True),
    ("", "[{contention.slope: {from: 1, to: 2}}]", False),
    ("", "[{contention.slope: {from: 1, to: 2, steps: 3, step: 1}}]", False),
    ("", "[{contention.slope: {from: 1, to: 2, step: 1, scale: log}}]", False),
    ("", "[{contention.slope: {from: 1, to: 2, steps: 1}}]", False),
    ("", "[{contention.slope: {from: 1, steps: 3}}]", False),
    ("", "[{contention.slope: {from: one, to: 2, steps: 3}}]", False),
    ("", "[{contention.slope: {from: [1], to: 2, steps: 3}}]", False),
    ("", "[{contention.slope: {from: 1, to: 2, steps: 3, whole: maybe}}]", False),
    ("", "[{sobol: {points: 4, of: {contention.slope: {from: 1, to: 2}, queue: [fifo]}}}]", True),
    ("", "[{random: {points: 4, of: {run.duration: {from: 1 us, to: 2 us, scale: log}}}}]", True),
    ("", "[{random: {points: 4, of: {run.duration: {from: 1 us, to: 2 us, steps: 2}}}}]", False),
    ("", "[{random: {points: 0, of: {run.duration: {from: 1 us, to: 2 us}}}}]", False),
    ("", "[{random: {points: 4, of: {}}}]", False),
    ("", "[{random: {points: 4}}]", False),
    ("", "[{random: {points: 4, of: {queue: [fifo]}}, run.duration: [1 ms]}]", False),
    ("", "[{mixes: {of: [1, 2], into: [vms.0.repeat, vms.1.repeat], repeat: true}}]", True),
    ("", "[{mixes: {of: [1, 2], into: [vms.0.repeat, vms.1.repeat], draws: 5}}]", True),
    ("", "[{mixes: {of: [1, 2], into: []}}]", False),
    ("", "[{mixes: {of: 1, into: [queue]}}]", False),
    ("", "[{mixes: {of: [], into: [queue]}}]", False),
    ("", "[{mixes: {of: [fifo], into: queue}}]", False),
    ("policies: [leftover, {fine_grained: {limit: 80 %}}]", "[]", True),
    ("policies: [leftoverr]", "[]", False),
    ("policies: []", "[]", False),
    ("policies: leftover", "[]", False),
    ("replications: 3\nseed: 4\nkeep: [host, node]\nquestion: Why?", "[]", True),
    ("replications: 0", "[]", False),
    ("seed: 0", "[]", False),
    ("keep: [hosts]", "[]", False),
    ("keep: host", "[]", False),
    ("base: []", "[]", False),
    ("base: {file: x}", "[]", False),
    ("axis: []", "[]", False),
]
told = 0
with tempfile.TemporaryDirectory() as folder:
    for more, axes, takes in CASES:
        text, path = PLAN % (more, axes), os.path.join(folder, "plan.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        loader = subprocess.run([smsched, "validate", "--quiet", path], capture_output=True, text=True)
        if (loader.returncode == 0) != takes:
            bad(f"the loader has another mind of {more} {axes}: {loader.stderr}")
        if takes and problems(text):
            bad(f"the schema refuses {more} {axes}: {problems(text)}")
        told += not takes and bool(problems(text))
if told < 30:
    bad(f"the schema refuses only {told} plans")

# The keys: `list fields` has a title for each table, which is its place in the schema.
definitions = schema["definitions"]


def within(node, key):
    """The mapping below `key`, of a list or a mapping by names those in it."""
    node = node["properties"][key]
    for either in node.get("anyOf", []):  # a number, or a list or a mapping
        node = either if "items" in either or "properties" in either else node
    for inner in ("items", "additionalProperties"):
        node = node[inner] if isinstance(node.get(inner), dict) else node
    return node


PLANS = {"plan": "plan", "plan: axes: PATH": "range", "plan: axes: sobol, random": "spread", "plan: axes: mixes": "mix"}


def at(title):
    title, _, kind = re.sub(" of (kind|model) ", "\0", title).partition("\0")
    if title.startswith("plan"):
        return [definitions[PLANS[title]] if title in PLANS else definitions["plan"]["properties"][title.split(": ")[1]]]
    words = [word for word in title.split(": ") if word != "NAME"]
    if title == "scenario with nodes":
        return [definitions["cluster"]]
    roots = [definitions[words[0]]] if words[0] != "scenario" else [definitions["scenario"], definitions["cluster"]]
    found = roots
    for word in words[1:]:
        found = [within(form, word) for node in found for form in (node, node.get("then", {}), node.get("else", {}))
                 if word in form.get("properties", {}) and form["properties"][word] is not False]
        found = [node for node in found if set(node) != {"properties"}]  # what is refused besides
    if kind:
        return [node["then"] for node in found if kind in next(iter(node["if"]["properties"].values()))["enum"]]
    return [node if "properties" in node else node["else"] for node in (found[:1] if len(words) == 1 else found)]


walked = []
tables = 0
for block in say("list", "fields").strip().split("\n\n"):
    title, *lines = block.split("\n")
    fields = dict(re.match(r"  (\S+) +(.*)", line).groups() for line in lines)
    tables += 1
    places = at(title) + (at("scenario: nodes: devices") if title == "scenario: devices" else [])
    if not places:
        bad(f"the schema has no place for '{title}'")
    for node in places:
        walked.append(node)
        keys = set(node["properties"])
        if title == "scenario: devices":
            keys -= set(definitions["device"]["properties"]) - {"device"}
        if keys != set(fields):
            bad(f"{title}: {sorted(keys ^ set(fields))}")
        if node["additionalProperties"] is not False:
            bad(f"{title}: unknown keys pass")
        if set(node.get("required", [])) != {key for key, text in fields.items() if text.startswith("(required)")}:
            bad(f"{title}: other keys are required: {node.get('required')}")
        for key, text in fields.items():
            if not node["properties"][key]["description"].startswith(text.removeprefix("(required) ")):
                bad(f"{title}: {key} has another description")
if tables < 20:
    bad(f"only {tables} tables")


def unwalked(node, path):
    """Mappings with keys of their own that no table has described, above definitions of policies and models."""
    if isinstance(node, list):
        for i, inner in enumerate(node):
            unwalked(inner, f"{path}/{i}")
    elif isinstance(node, dict):
        known = set(node.get("properties", [])) in keys_walked or re.search(r"_policy|/definitions/(mode|instance|contention_model)/|/definitions$|/(then|else)$", path)
        if "properties" in node and node.get("type") == "object" and not known and not path.startswith(OVERRIDES):
            bad(f"{path}: no table has these keys")
        for key, inner in node.items():
            unwalked(inner, f"{path}/{key}")


# Overrides of a device have its tables again, of which no key of a resource, of the link and of the power is required.
OVERRIDES = ("/definitions/scenario/properties/devices/items/properties",
             "/definitions/cluster/properties/nodes/items/properties/devices/properties")
for devices in at("scenario: devices") + at("scenario: nodes: devices"):
    for key, value in definitions["device"]["properties"].items():
        if key in ("link", "power"):
            value = {name: rule for name, rule in value.items() if name != "required"}
        if key not in ("device", "resources") and devices["properties"].get(key) != value:
            bad(f"an override of {key} is something else")
keys_walked = [set(node["properties"]) for node in walked]  # a table may be that of two fields
unwalked(schema, "")

# Policies, modes and models with their parameters, as `list` prints them.
listed, queues = {}, set()
for line in (say("list", "policies") + say("list", "contention")).split("\n"):
    if queue := re.match(r"(\S+) +queue discipline:", line):
        queues.add(queue.group(1))
    elif name := re.match(r"(\S+) +(place)?", line):  # of places there may be one of the same name
        current = listed.setdefault(" ".join(filter(None, name.groups()[::-1])), set())
    elif parameter := re.match(r"    (\w+): ", line):
        current.add(parameter.group(1))


def uses(node):
    return next(option["properties"] for option in node["anyOf"] if option.get("maxProperties") == 1)


share = definitions["share_policy"]["anyOf"][2]["properties"]
forms = {**uses(definitions["block_policy"]), **uses(share["share"]), **uses(definitions["mode"]),
         **{f"place {name}": form for name, form in uses(definitions["place_policy"]).items()}}
models = definitions["contention_model"]["anyOf"]
forms.update((form["properties"]["model"]["enum"][0], form) for form in models if "properties" in form)
if queues != set(definitions["queue_discipline"]["enum"]):
    bad(f"queue disciplines: {sorted(queues)}")
if set(forms) != set(listed):
    bad(f"policies or models: {sorted(set(forms) ^ set(listed))}")
for name in set(forms) & set(listed):
    keys = set(forms[name]["properties"]) - {"model"}
    if name != "place random" and keys != listed[name]:
        bad(f"{name}: {sorted(keys ^ listed[name])}")

listing, page = say("list", "fields").rstrip(), read("docs/reference/formats.md")
if listing not in page:
    lacking = [line.strip() for line in listing.split("\n") if line not in page.split("\n")]
    bad("\n".join(["docs/reference/formats.md is not what 'smsched list fields' prints; it lacks:", *lacking]))
sys.exit(failed > 0)
