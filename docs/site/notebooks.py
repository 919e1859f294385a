#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks with Jupyter and keeps what they show; the site makes pages of that.

    docs/site/notebooks.py [NOTEBOOK...]           runs them, and says which no longer print what is stored
    docs/site/notebooks.py --write [NOTEBOOK...]   stores what they show

Needs nbclient and ipykernel, which nothing else here does (docs/notebooks/requirements.txt), the Python package, and qim3d on
PYTHONPATH. Outputs are stored: forges show notebooks with their pictures, and `make docs` needs no Jupyter."""

import argparse
import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
SHOWN = ("image/svg+xml", "text/html", "image/png", "text/plain")  # the first that there is


def load(path):
    return json.loads(path.read_text())


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def printed(cell):
    """What a cell has printed, of its stored outputs."""
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


# ---- running --------------------------------------------------------------------------------------------------------


def run_in_jupyter(notebook, folder):
    """The notebook with new outputs, run by a kernel of its own."""
    import nbclient
    import nbformat

    made = nbformat.reads(json.dumps(notebook), as_version=4)
    nbclient.NotebookClient(made, timeout=600, kernel_name="python3", record_timing=False,
                            resources={"metadata": {"path": str(folder)}}).execute()
    return tidy(json.loads(nbformat.writes(made)))


def tidy(notebook):
    """Without what differs from run to run and machine to machine; numbers of cells from 1 on."""
    for number, cell in enumerate(code_cells(notebook), 1):
        cell["execution_count"], cell["metadata"] = number, {}
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = number
            if data := output.get("data"):
                best = next(kind for kind in SHOWN if kind in data)
                if best == "image/png":
                    data[best] = smaller(data[best])
                output["data"] = {kind: data[kind] for kind in dict.fromkeys((best, "text/plain"))}
    notebook["metadata"] = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                            "language_info": {"name": "python"}}
    return notebook


def smaller(png):
    """A picture of at most 128 colours, so that notebooks stay small."""
    from PIL import Image

    out = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA")
    image.quantize(128, Image.Quantize.FASTOCTREE).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def prints_of(notebook):
    """What each cell prints where there is no Jupyter: all of them in this process, as a script."""
    names, said = {"__name__": "__main__"}, []
    for cell in code_cells(notebook):
        tree = ast.parse("".join(cell["source"]))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(tree, "cell", "exec"), names)  # noqa: S102
        said.append(out.getvalue())
    return said


# ---- pages ----------------------------------------------------------------------------------------------------------


def page(notebook, name):
    """The notebook as Markdown for the site, and the files of its pictures: {name: bytes}."""
    parts, files = [], {}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            parts.append(drawn(output, f"{name}_{len(files)}", files))
    head, _, rest = "\n\n".join(parts).partition("\n")
    return f"{head}\n\nThis page is a notebook: {{download}}`{name}.ipynb`.\n{rest}\n", files


def drawn(output, name, files):
    if output["output_type"] == "stream":
        return "```text\n" + "".join(output["text"]).rstrip() + "\n```"
    data = {kind: "".join(content) for kind, content in output["data"].items()}
    kind = next(kind for kind in SHOWN if kind in data)
    if kind == "image/png":
        files[f"{name}.png"] = base64.b64decode(data[kind])
        return f"![{data['text/plain']}]({name}.png)"
    if kind == "text/plain":
        return f"```text\n{data[kind]}\n```"
    return f'```{{raw}} html\n<div class="notebook-output">{data[kind]}</div>\n```'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", type=Path, nargs="*", default=sorted(FOLDER.glob("*.ipynb")))
    parser.add_argument("--write", action="store_true", help="store what they show")
    arguments = parser.parse_args()
    differ = []
    for path in arguments.notebooks:
        old = load(path)
        new = run_in_jupyter(load(path), path.parent)
        if list(map(printed, code_cells(old))) != list(map(printed, code_cells(new))):
            differ.append(path.name)
        if arguments.write:
            path.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n")
            print(path)
    if differ and not arguments.write:
        sys.exit(f"print another thing than is stored: {', '.join(differ)}; --write stores it")


if __name__ == "__main__":
    main()
