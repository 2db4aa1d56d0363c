"""Settings of Sphinx for the website of the documentation (tools/site/build). docs/README.md is its index: the sidebar
has the pages that it names, in its order, so a page that it forgets is an error."""
import re

from pygments.lexers.special import TextLexer

project = html_title = "smsched"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as GitHub makes them
root_doc = "docs/README"
include_patterns = ["README.md", "CONTRIBUTING.md", "docs/**.md", "scenarios/**.md"]
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
    source[0] += "\n```{toctree}\n:hidden:\n\n/README\n/CONTRIBUTING\n/scenarios/openb/README\n```\n"


def setup(app):
    app.add_lexer("csv", TextLexer)  # Pygments knows none
    app.connect("source-read", add_contents)
