#!/usr/bin/python3
"""Runs the Python of a page, or the cells of a notebook, from top to bottom. Usage: page.py PAGE | NOTEBOOK.ipynb

A notebook runs in a kernel of this Python, as Jupyter runs it."""
import re
import sys


def run_notebook(path: str) -> None:
    import nbformat
    from jupyter_client.manager import KernelManager
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)
    manager = KernelManager()
    manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    NotebookClient(book, km=manager, timeout=300).execute()
    texts = [str(output.get("data", output)) for cell in book.cells for output in cell.get("outputs", [])]
    assert any("100 %" in text for text in texts), f"no progress is shown: {texts}"
    assert any("image/png" in text for text in texts), "no figure is shown"


def run_page(path: str) -> None:
    with open(path, encoding="utf-8") as page:
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read(), re.M | re.S)
    assert blocks, f"{path} has no Python"
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{path}, block {number}", "exec"), names)


(run_notebook if sys.argv[1].endswith(".ipynb") else run_page)(sys.argv[1])
