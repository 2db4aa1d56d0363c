"""Settings of Sphinx for the website of the documentation (tools/site/build). docs/README.md is its index: the sidebar
has the pages that it names, in its order, so a page that it forgets is an error."""
import os
import re
import sys

from pygments.lexers.special import TextLexer

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import api  # pylint: disable=wrong-import-position

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
project = "smsched"
with open(os.path.join(ROOT, "sim/include/smsched/version.h"), encoding="utf-8") as header:
    version = release = ".".join(re.findall(r"#define SMSCHED_VERSION_[A-Z]+ (\d+)", header.read()))
html_title = f"smsched {release}"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as GitHub makes them
root_doc = "docs/README"
include_patterns = ["*.md", "docs/**.md", "scenarios/**.md", "build/api/*.md"]
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = html_show_copyright = html_show_sphinx = False

FOLDERS = ["learn", "how-to", "reference", "explanation", "evidence", "development"]


def add_contents(app, docname, source):
    if docname != root_doc:
        return
    pages = list(dict.fromkeys(re.findall(r"\(([\w-]+/[\w-]+)\.md[#)]", source[0])))
    for folder in FOLDERS:
        named = "\n".join(page for page in pages if page.startswith(folder + "/"))
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {folder.replace('-', ' ').capitalize()}\n\n{named}\n```\n"
    headers = "\n".join(f"/build/api/{name}" for name in api.write_pages(ROOT, os.path.join(ROOT, "build/api")))
    source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: C interface\n\n{headers}\n```\n"
    source[0] += ("\n```{toctree}\n:hidden:\n:caption: Project\n\n/README\n/CHANGELOG\n/ARTIFACT\n/CONTRIBUTING\n"
                  "/scenarios/openb/README\n```\n")


def write_api(app, config):
    """Before Sphinx looks for pages."""
    api.write_pages(ROOT, os.path.join(ROOT, "build/api"))


def setup(app):
    app.connect("config-inited", write_api)
    app.add_lexer("csv", TextLexer)  # Pygments knows none
    app.connect("source-read", add_contents)
