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


# What smsched takes. In pages, blocks of YAML that begin a document.
good = {path: read(path) for folder in ("models", "scenarios", "tests/golden", "tests/trace", "tests/fuzz/seeds")
        for path in glob.glob(f"{folder}/**/*.yaml", recursive=True)}
for page in ["README.md", *glob.glob("docs/*.md")]:
    for n, block in enumerate(re.findall(r"^```yaml[^\n]*\n(.*?)^```", read(page), re.M | re.S)):
        if re.match(r"(#.*\n)*(device|workload|scenario):", block):
            good[f"{page}, block {n + 1}"] = block
taken = 0
for path, text in sorted(good.items()):
    if os.path.exists(path) and subprocess.run([smsched, "validate", path], capture_output=True).returncode:
        continue
    taken += 1
    for problem in problems(text)[:3]:
        bad(f"{path}: {problem}")
if taken < 120:
    bad(f"only {taken} files were looked at")

# What a schema cannot tell, by the first line of the .err. All else of tests/bad must fail.
WHOLE = "text, YAML or the file as a whole"
CANNOT = {
    WHOLE: r"not YAML|control characters|is not text|is empty$|alias |nested more than|"
    r"tags \(|has more than|more than 10100 documents|is given twice|is defined twice|is also one of the several of",
    "names of other things": r"unknown (device|workload|kernel|VM|resource|profile|table of pods|policy of this|class "
    r"'m')|no node has|no resource|has no instances|different resources|there is no (SM|device)|the slowdown of",
    "one number against another": r"does not end before|points of a curve rise|is less than|fits no SM|would never "
    r"place|the job frees|the instances have|finds no free slices|ends beyond|starts (when|beyond)|is not between|"
    r"needs about|more than \d+ (processes|nodes|pods)|is hard: that is|units of '|share of the device|takes device "
    r"memory|it would end|jitter belongs|takes no time|stagger is for|'101 %' is out of range; it goes from 0 % to 100",
    "a range of numbers with units": r"^'[^']*[a-zA-Z%]' is out of range|is too large",
    "a ratio that counts units elsewhere": r"without % it is a ratio",
    "what a run of it needs": r"repeats forever: the run needs|needs a scenario with processes|runs kernels beside|pods are drawn|"
    r"compat simtbs|simtbs would never end|vms: there are none",
    "a metric of one thing in another": r"unknown metric|a gain is over another|expects nothing",
}
count = {reason: 0 for reason in CANNOT}
refused = 0
for path in sorted(glob.glob("tests/bad/*.yaml")):
    said = re.search(r"error: (.*)", read(path[:-4] + "err")).group(1)
    reasons = [reason for reason, pattern in CANNOT.items() if re.search(pattern, said)]
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
if refused < 110:
    bad(f"only {refused} files of tests/bad are refused")
print(f"{refused} files of tests/bad are refused, {taken} files and examples are taken")

# The keys: `list fields` has a title for each table, which is its place in the schema.
definitions = schema["definitions"]


def within(node, key):
    """The mapping below `key`, of a list or a mapping by names those in it."""
    node = node["properties"][key]
    for either in node.get("anyOf", []):  # a number, or a list
        node = either if "items" in either else node
    for inner in ("items", "additionalProperties"):
        node = node[inner] if isinstance(node.get(inner), dict) else node
    return node


def at(title):
    words = [word for word in title.split(": ") if word != "NAME"]
    if title == "scenario with nodes":
        return [definitions["cluster"]]
    roots = [definitions[words[0]]] if words[0] != "scenario" else [definitions["scenario"], definitions["cluster"]]
    found = []
    for root in roots:
        node = root
        try:
            for word in words[1:]:
                node = within(node, word)
            found.append(node)
        except KeyError:
            pass
    return found[:1] if len(words) == 1 else found


walked = []
tables = 0
for block in say("list", "fields").strip().split("\n\n"):
    title, *lines = block.split("\n")
    fields = dict(re.match(r"  (\S+) +(.*)", line).groups() for line in lines)
    tables += 1
    places = at(title)
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
        known = set(node.get("properties", [])) in keys_walked or re.search(r"_policy|/contention/|/definitions$|/(then|else)$", path)
        if "properties" in node and node.get("type") == "object" and not known and not path.startswith(OVERRIDES):
            bad(f"{path}: no table has these keys")
        for key, inner in node.items():
            unwalked(inner, f"{path}/{key}")


# Overrides of a device have its tables again, of which no key of a resource is required.
OVERRIDES = "/definitions/scenario/properties/devices/items/properties"
for key, value in definitions["device"]["properties"].items():
    override = within(definitions["scenario"], "devices")["properties"].get(key)
    if key not in ("device", "resources") and override != value:
        bad(f"an override of {key} is something else")
keys_walked = [set(node["properties"]) for node in walked]  # a table may be that of two fields
unwalked(schema, "")

# Policies, modes and models with their parameters, as `list` prints them.
listed = {}
for line in (say("list", "policies") + say("list", "contention")).split("\n"):
    if name := re.match(r"(\S+) +", line):
        current = listed.setdefault(name.group(1), set())
    elif parameter := re.match(r"    (\w+): ", line):
        current.add(parameter.group(1))


def uses(node):
    return next(option["properties"] for option in node["anyOf"] if option.get("maxProperties") == 1)


share = definitions["share_policy"]["anyOf"][2]["properties"]
forms = {**uses(definitions["block_policy"]), **uses(share["share"]), **uses(share["mode"]),
         **uses(definitions["place_policy"])}
models = definitions["scenario"]["properties"]["contention"]["anyOf"]
forms.update((form["properties"]["model"]["enum"][0], form) for form in models if "properties" in form)
if set(forms) != set(listed):
    bad(f"policies or models: {sorted(set(forms) ^ set(listed))}")
for name in set(forms) & set(listed):
    keys = set(forms[name]["properties"]) - {"model"}
    if name != "random" and keys != listed[name]:
        bad(f"{name}: {sorted(keys ^ listed[name])}")

if say("list", "fields").rstrip() not in read("docs/formats.md"):
    bad("docs/formats.md has other keys than 'smsched list fields' prints")
sys.exit(failed > 0)
