"""The pages of the reference: what the program, the Python module and the public headers say of themselves."""

import inspect
import json
import re
import subprocess

MARKDOWN = re.compile(r"([\\*_<>\[\]$|#])")
# Of a header: all but what the file says of itself, which stands above already, and names of other headers.
SECTIONS = ("innernamespace innerclass enum typedef func var user-defined public-attrib public-func public-static-func "
            "public-type")
SECTION = re.compile(r"^(\w[\w ]*)\n((?:  .*\n?)+)", re.MULTILINE)


def escaped(text):
    """For Markdown; what stands in backticks stays."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else MARKDOWN.sub(r"\\\1", piece) for piece in pieces)


def entries(block):
    """(name, text) of each entry of a section of the help, whose texts begin at one column."""
    found = []
    for line in block.splitlines():
        if re.match(r"  \S", line):
            name, _, text = line[2:].partition("  ")
            found.append([name, text.strip()])
        else:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def help_of(program, *words):
    """What `tamis WORDS --help` says: its first line, how it is called, {section: text}."""
    told = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout
    usage = re.search(r"^Usage: (.*)$", told, re.MULTILINE)[1]
    return told.splitlines()[0].partition(": ")[2], usage, dict(SECTION.findall(told))


def parameter_facts(parameter):
    """What the help leaves out: details, and the range of a number."""
    parts = [parameter["details"]] if parameter["details"] else []
    if bounds := parameter["range"]:
        ends = [f"{bounds[end]:.10g}" for end in ("minimum", "maximum") if bounds.get(end) is not None]
        parts.append("Range: " + " to ".join(ends) + ("." if len(ends) == 2 else " and more."))
    return " ".join(parts)


def command_page(program, words, operations):
    text, usage, sections = help_of(program, *words)
    name = " ".join(words)
    operation = operations.get(name.replace("-", "_"))
    lines = [f"# tamis {name}", "", escaped(text[:1].upper() + text[1:]) + ".", ""]
    facts = {}
    if operation:
        if operation["details"]:
            lines += [escaped(operation["details"]), ""]
        facts = {parameter["name"].replace("_", "-"): parameter_facts(parameter) for parameter in operation["parameters"]}
        if re.fullmatch(r"\w+", operation["name"]):
            lines += [f"In Python: {{py:func}}`tamis.{operation['name']}`.", ""]
    lines += ["```text", usage, "```", "", f"```{{program}} tamis {name}", "```", ""]
    for section, block in sections.items():
        if section in ("Examples", "Kinds"):
            continue
        lines += [f"## {section}", ""]
        for flag, what in entries(block):
            if section == "Arguments":
                lines += [f"`{flag}`", f": {escaped(what)}", ""]
                continue
            more = facts.get(re.search(r"--([\w-]+)", flag)[1], "")
            lines += [f"```{{option}} {flag}", escaped(what), *(["", escaped(more)] if more else []), "```", ""]
    if operation and operation["notes"]:
        lines += ["## Notes", "", escaped(operation["notes"]), ""]
    if "Examples" in sections:
        examples = "\n".join(line.strip() for line in sections["Examples"].splitlines())
        lines += ["## Examples", "", "```sh", examples, "```", ""]
    if operation and operation["references"]:
        lines += ["## Literature", ""] + [f"- {escaped(source)}" for source in operation["references"]] + [""]
    return "\n".join(lines)


def command_pages(program):
    told = subprocess.run([program, "operations", "--json"], capture_output=True, text=True, check=True).stdout
    operations = {operation["name"]: operation for operation in json.loads(told)["operations"]}
    _, _, sections = help_of(program)
    rows, names = [], []
    commands = [block for title, block in sections.items() if title not in ("Options", "Examples")]
    for command, what in entries("".join(commands)):
        words = [[command]]
        if kinds := help_of(program, command)[2].get("Kinds"):
            words = [[command, kind] for kind, _ in entries(kinds)]
        for each in words:
            name = "-".join(each)
            names.append(name)
            title = " ".join(each)
            summary = what if len(words) == 1 else operations[title]["text"]
            rows.append(f"| [tamis {title}]({name}.md) | {escaped(summary)} |")
            yield f"reference/command/{name}.md", command_page(program, each, operations)
    yield "reference/command/index.md", "\n".join([
        "# Commands", "", "Written from what the program says of itself: `tamis COMMAND --help`, `tamis operations --json`.",
        "", "| command | what it does |", "|---|---|", *rows, "",
        "```{toctree}", ":hidden:", "", *names, "```", ""])


def python_kind(thing):
    return "class" if inspect.isclass(thing) else "function"


def python_pages():
    import tamis
    from tamis import _elements

    shapes = [name for name in _elements.__all__ if name != "Element"]
    groups = {"Functions": [], "Elements": shapes, "What they give": [], "Errors": []}
    for name in tamis.__all__:
        thing = getattr(tamis, name)
        if name in shapes or not callable(thing):
            continue
        group = ("Functions" if not inspect.isclass(thing) else
                 "Errors" if issubclass(thing, Exception) else "What they give")
        groups[group].append(name)
    index = ["Python", "======", "", "Written from the docstrings of the module. What arrays may be, and how calls end, is "
             "in :doc:`tamis for Python </python>`.", ""]
    for group, names in groups.items():
        index += [group, "-" * len(group), ""]
        for name in sorted(names, key=str.lower):
            summary = (inspect.getdoc(getattr(tamis, name)) or "").partition("\n\n")[0].replace("\n", " ")
            index += [f":py:obj:`tamis.{name}`", f"   {summary.replace('*', chr(92) + '*').replace('|', chr(92) + '|')}", ""]
    pages = [name for group in ("Functions", "What they give") for name in sorted(groups[group], key=str.lower)]
    index += [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in [*pages, "elements", "errors"]), ""]
    yield "reference/python/index.rst", "\n".join(index)
    for name in pages:
        kind = python_kind(getattr(tamis, name))
        yield f"reference/python/{name}.rst", (f"tamis.{name}\n{'=' * (len(name) + 6)}\n\n.. py:currentmodule:: tamis\n\n"
                                               f".. auto{kind}:: tamis.{name}\n")
    for title, names in (("Elements", shapes), ("Errors", groups["Errors"])):
        lines = [title, "=" * len(title), "", ".. py:currentmodule:: tamis", ""]
        for name in names:
            lines += [f".. auto{python_kind(getattr(tamis, name))}:: tamis.{name}", ""]
        yield f"reference/python/{title.lower()}.rst", "\n".join(lines)


def cpp_pages(root):
    """A page for each public header that declares something for users."""
    names, rows = [], []
    include = root / "include" / "tamis"
    for path in sorted(include.rglob("*.hpp")):
        header = path.relative_to(include)
        page = str(header.with_suffix("")).replace("/", "_")
        text = path.read_text()
        if not re.search(r"^///", text, re.MULTILINE) or path.stem == "compiler":
            continue
        what = " ".join(line.removeprefix("//").strip() for line in re.match(r"(?:// .*\n)*", text)[0].splitlines())
        names.append(page)
        rows.append(f"| [tamis/{header}]({page}.md) | {escaped(what)} |")
        yield f"reference/cpp/{page}.md", (f"# tamis/{header}\n\n{escaped(what)}\n\n```{{doxygenfile}} {page}.hpp\n"
                                           f":sections: {SECTIONS}\n```\n")
    yield "reference/cpp/index.md", "\n".join([
        "# C++", "", "Written from the public headers. [tamis in C++](../../cpp.md) shows how they are used.", "",
        "| header | what it is for |", "|---|---|", *rows, "", "```{toctree}", ":hidden:", "", *names, "```", ""])


def pages(program, root):
    """(name, text) of every page."""
    yield "reference/index.md", "\n".join([
        "# Reference", "", "Every command, function, option and default, as the program and its libraries describe "
        "themselves.", "", "- [Commands](command/index.md)", "- [Python](python/index.rst)", "- [C++](cpp/index.md)", "",
        "```{toctree}", ":hidden:", "", "command/index", "python/index", "cpp/index", "```", ""])
    yield from command_pages(program)
    yield from python_pages()
    yield from cpp_pages(root)
