"""Pages about the C interface, made of the public headers: a page for each header, a section for each group of functions, types and macros, with
the comment that stands before it. write_pages(ROOT, FOLDER) writes them; conf.py calls it."""
import re
from pathlib import Path

# Lines that are of no interest to a reader: guards, includes, and what makes the header C++.
PLUMBING = re.compile(r"#ifdef __cplusplus\n.*?#endif\n|^#(?:pragma|include|ifndef SMSCHED|define SMSCHED_\w*H$|endif)[^\n]*\n", re.M | re.S)
NAME = re.compile(r"#define (\w+)|(?:struct|enum) (\w+) \{|(?:struct|enum) (\w+);|typedef .*?(\w+);|enum \{ (\w+)|[\w *]*?\b(\w+)\(|.*?(\w+)(?:\[\])?(?: =.*|, .*)?;")


def prose(comment):
    """The text of a comment as Markdown: indented lines stay code, and nothing else in it is markup."""
    out = []
    for line in comment.removeprefix("/*").removesuffix("*/").strip().split("\n"):
        line = re.sub(r"^ ?\* ?", "", line)
        if line.startswith("    "):
            out.append(line if out and (out[-1].startswith("    ") or not out[-1]) else "\n" + line)
            continue
        if out and out[-1].startswith("    ") and line:
            out.append("")
        parts = line.strip().split("`")
        parts[::2] = [re.sub(r"([*<\[\]|#~\\])", r"\\\1", part) for part in parts[::2]]
        out.append("`".join(parts))
    return "\n".join(out)


def groups(text):
    """(comment, code) of each group of lines without a blank line or a comment between them, except inside braces and macros."""
    comment, code, depth, in_comment = "", [], 0, False
    for line in [*text.split("\n"), ""]:
        inside = depth > 0 or (code and code[-1].endswith("\\"))
        if in_comment or (not inside and line.startswith("/*")):
            if not in_comment and (code or comment):
                yield comment, "\n".join(code)
                comment, code = "", []
            comment += line + "\n"
            in_comment = "*/" not in line
        elif line or inside:
            code.append(line)
            depth += line.count("{") - line.count("}")
        elif code or comment:
            yield comment, "\n".join(code)
            comment, code = "", []


def names(code):
    """What the group declares, in its order."""
    found, depth, ended = [], 0, True
    for line in code.split("\n"):
        if depth == 0 and ended and (match := NAME.match(line)):
            found.append(next(group for group in match.groups() if group))
        depth += line.count("{") - line.count("}")
        ended = line.endswith((";", "}")) or line.startswith("#define") and not line.endswith("\\") or line.endswith("*/")
    return [name for name in dict.fromkeys(found) if not name.endswith("_")]


def page(header):
    out = [f"# smsched/{header.name}"]
    for comment, code in groups(PLUMBING.sub("", header.read_text(encoding="utf-8"))):
        declared = names(code)
        if declared:
            out.append("## " + ", ".join(declared))
        if comment:
            out.append(prose(comment.strip()))
        if code:
            out.append(f"```c\n{code}\n```")
    return "\n\n".join(out) + "\n"


def write_pages(root, folder):
    """Returns the names of the pages. A page that is as it was is not written, so that Sphinx need not read it again."""
    headers = sorted(Path(root, "sim/include/smsched").glob("*.h"))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for header in headers:
        new, path = page(header), Path(folder, f"{header.stem}.md")
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.write_text(new, encoding="utf-8")
    return [header.stem for header in headers]
