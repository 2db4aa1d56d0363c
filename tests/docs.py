#!/usr/bin/env python3
"""Follows a page as a reader would: writes its files, types its commands, and compares what they print.

    tests/docs.py [--update] [--keep DIR] BIN PAGE...
    tests/docs.py --options BIN PAGE...
    tests/docs.py --examples BIN

BIN is the folder with smsched. Commands run in an empty folder with a copy of scenarios/ and a link to the build. Fenced blocks mean:

    ```KIND NAME    a file; its content is written to NAME
    ```diff NAME    lines to take out of NAME (-) and to put in their place (+)
    ```sh           commands, run one after another; none may fail
    ```sql NAME     a query to the SQLite database NAME
    ```text         the output of the commands just before; a line `...` stands for any number of lines

<!-- not run: REASON --> before a block of commands leaves it out. <!-- file NAME: PATH --> gives NAME the content of a file of the tree.
Commands of smsched that stand elsewhere on lines of their own are refused.

A lesson's figure must be equal to the file of the same name that its commands wrote. --update copies figures, and writes
the outputs into those text blocks that have no `...`. With --options nothing is run: each `smsched` command of a page must be
one, and have its options. --examples runs the examples of each command's --help, of which each has some, and looks for them in the
man page."""
import argparse
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*) ?(.*?)\n(.*?)^```$", re.M | re.S)
PART = re.compile(r"^<!-- (not run|file \S+): ([^>]+) -->$|" + FENCE.pattern, re.M | re.S)
FIGURE = re.compile(r"!\[[^]]*\]\(([^)]+figures/learn/[^)]+)\)")
TYPED = r"^{}(?:\S+/)?smsched [a-z]+ .*"


def edit(path, changes):
    """Applies one replacement: the lines with - must be in the file together, and once."""
    old = "".join(line[1:] + "\n" for line in changes.splitlines() if line.startswith("-"))
    new = "".join(line[1:] + "\n" for line in changes.splitlines() if line.startswith("+"))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not old or text.count(old) != 1:
        raise ValueError(f"the lines to replace are {text.count(old)} times in {os.path.basename(path)}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def run(commands, folder, binaries):
    environment = dict(os.environ, PATH=os.path.abspath(binaries) + ":" + os.environ["PATH"], COLUMNS="100", HOME=folder,
                       CPATH=os.path.abspath("sim/include"))  # where an installed smsched has its headers, a compiler looks
    done = subprocess.run(["bash", "-euc", commands], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise ValueError(f"exit {done.returncode} of:\n{commands}{done.stdout}")
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def matches(expected, output):
    """Whether the output is what the page shows, where `...` stands for any lines."""
    parts = re.split(r"^\.\.\.\n", expected, flags=re.M)
    return re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), output) is not None


def differences(expected, output):
    return "\n".join(difflib.unified_diff(expected.splitlines(), output.splitlines(), "page", "output", lineterm="", n=1))


def follow(text, folder, binaries, skipped):
    """Yields (begin, end, expected, output) of each text block, and adds the reasons of blocks that are not run to `skipped`."""
    for line in re.findall(TYPED.format("    "), FENCE.sub("", text), re.M):
        raise ValueError(f"a command is in no block: {line}")
    output, reason = None, None
    for part in PART.finditer(text):
        comment, value, kind, name, body = part.groups()
        if comment == "not run":
            reason = value
        elif comment:
            shutil.copyfile(value, os.path.join(folder, comment.split()[1]))
        elif kind in ("sh", "sql") and reason:
            skipped.append(reason)
            output, reason = "", None
        elif kind == "sh":
            output = run(body, folder, binaries)
        elif kind == "sql":
            output = run(f"sqlite3 {name} <<'END'\n{body}END\n", folder, binaries)
        elif kind == "text":
            if output is None:
                raise ValueError("there is an output without a command")
            yield part.start(5), part.end(5), body, output
            output = None
        elif kind == "diff" and name:
            edit(os.path.join(folder, name), body)
        elif name:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(body)
        elif not kind:
            raise ValueError(f"a block is of no kind, so nobody would see that it is wrong:\n{body}")
        elif re.search(TYPED.format(""), body, re.M):
            raise ValueError(f"a command is in a block that is not sh:\n{body}")


def check_figures(page, text, folder, update):
    wrong = 0
    for target in FIGURE.findall(text):
        shown = os.path.join(os.path.dirname(page), target)
        made = next(glob.iglob(os.path.join(folder, "**", glob.escape(os.path.basename(target))), recursive=True), None)
        if not made:
            print(f"{page}: no command wrote {os.path.basename(target)}")
            wrong += 1
        elif update:
            os.makedirs(os.path.dirname(shown), exist_ok=True)
            shutil.copyfile(made, shown)
        elif not os.path.exists(shown) or open(made, "rb").read() != open(shown, "rb").read():
            print(f"{page}: {target} is not what the commands write")
            wrong += 1
    return wrong


def check(page, folder, binaries, update):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    wrong, outputs, changes, skipped = 0, 0, [], []
    try:
        for begin, end, expected, output in follow(text, folder, binaries, skipped):
            outputs += 1
            if matches(expected, output):
                continue
            if update and "\n...\n" not in "\n" + expected:
                changes.append((begin, end, output))
                continue
            print(f"{page}: an output differs\n{differences(expected, output)}")
            wrong += 1
    except ValueError as error:
        print(f"{page}: {error}")
        return 1
    for begin, end, output in reversed(changes):
        text = text[:begin] + output + text[end:]
    if changes:
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
    print(f"{page}: {outputs} outputs, {wrong} differ" + (f", {len(changes)} written" if update else ""), *skipped, sep="; not run: ")
    return wrong + check_figures(page, text, folder, update)


def check_options(page, binaries, helps):
    """Looks at each command, in blocks and within sentences."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    code = [block[2] for block in FENCE.findall(text)] + re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    wrong = 0
    for command, rest in re.findall(r"(?:^|[|(] ?)smsched ([a-z]+)\b([^|;#)\n]*)", "\n".join(code).replace("\\\n", " "), re.M):
        if command not in helps:
            done = subprocess.run([f"{binaries}/smsched", command, "--help"], capture_output=True, text=True, check=False)
            helps[command] = set(re.findall(r"--?[a-z][a-z-]*", done.stdout)) if done.returncode == 0 else None
        if helps[command] is None:
            print(f"{page}: no command 'smsched {command}'")
            wrong += 1
            continue
        for option in re.findall(r"(?<=\s)(--[a-z-]+|-[a-z])\b", rest.split(" -- ")[0]):
            if option not in helps[command]:
                print(f"{page}: 'smsched {command}' has no {option}")
                wrong += 1
    return wrong


def check_examples(folder, binaries):
    """Runs the examples of all commands, in the order of the help."""
    man = run("smsched help man", folder, binaries).replace("\\-", "-").replace("\\\\", "\\")
    wrong = 0
    for command in re.findall(r"^  ([a-z]+)", run("smsched help", folder, binaries), re.M):
        examples = re.findall(r"^examples:\n((?:  .*\n)+)", run(f"COLUMNS=999 smsched {command} --help", folder, binaries), re.M)
        lines = [line.strip() for line in "".join(examples).splitlines()]
        print(f"{command}: {len(lines)} examples")
        try:
            if not lines or any(line not in man for line in lines):
                raise ValueError("no example" if not lines else "an example is not in the man page")
            run("\n".join(lines), folder, binaries)
        except ValueError as error:
            print(f"smsched help {command}: {error}")
            wrong += 1
    return wrong


def prepare(binaries):
    folder = tempfile.mkdtemp()
    shutil.copytree("scenarios", os.path.join(folder, "scenarios"))
    os.symlink(os.path.dirname(os.path.abspath(binaries)), os.path.join(folder, "build"))
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", metavar="DIR", help="work in this folder, and leave it there")
    parser.add_argument("--options", action="store_true")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("binaries")
    parser.add_argument("page", nargs="*")
    options = parser.parse_args()
    wrong, helps = 0, {}
    if options.options:
        sys.exit(sum(check_options(page, options.binaries, helps) for page in options.page) > 0)
    for page in options.page or [None]:
        folder = prepare(options.binaries)
        try:
            wrong += check(page, folder, options.binaries, options.update) if page else check_examples(folder, options.binaries)
        finally:
            if options.keep:
                shutil.copytree(folder, options.keep, dirs_exist_ok=True, symlinks=True)
            shutil.rmtree(folder)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
