"""A name of a type means one thing in the whole program: two types of one name in one namespace are one to the linker,
whichever it meets first. `make odr` asks the compiler; this looks at the text, and so at the code for GPUs too."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTEAD_OF_GPU = "no_gpu.cpp"  # built where the folders gpu/ are not
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)\s*(?:final)?\s*(?:$|:[^:])")


def without_comments_and_texts(code):
    for pattern, instead in ((r"//[^\n]*", ""), (r"/\*.*?\*/", ""), (r'R"\w*\(.*?\)\w*"', '""'),
                             (r'"(\\.|[^"\\\n])*"', '""'), (r"'(\\.|[^'\\\n])+'", "' '")):
        code = re.sub(pattern, instead, code, flags=re.DOTALL)
    return code


def types_of(code):
    """The types that a file defines at the level of a namespace, with the namespace; nameless ones are left out."""
    around = []  # what each open brace belongs to: ("namespace", name), ("type", name) or ("code", "")
    words = ""
    for piece in re.findall(r"[{};]|[^{};]+", without_comments_and_texts(code)):
        if piece == "{":
            text = words.strip()
            namespace = re.search(r"\bnamespace\s*(?:TAMIS_PUBLIC\s+)?([\w:]*)$", text)
            defined = TYPE.search(text)
            if namespace:
                around.append(("namespace", namespace[1]))
            elif defined and not text.endswith(")"):
                kinds = [kind for kind, _ in around]
                if set(kinds) <= {"namespace"} and all(name for _, name in around):
                    yield "::".join([name for _, name in around] + [defined[1]])
                around.append(("type", defined[1]))
            else:
                around.append(("code", ""))
        elif piece == "}" and around:
            around.pop()
        words = "" if piece in "{};" else words + piece


def test_no_two_types_share_a_name_and_a_namespace():
    places = defaultdict(set)
    for folder in "include", "src", "bindings":
        for file in (ROOT / folder).rglob("*"):
            if file.name == INSTEAD_OF_GPU and file.parent == ROOT / "src":
                continue
            if file.suffix in (".cpp", ".hpp", ".cu", ".cuh") and not file.stem.endswith("_bench"):
                for name in types_of(file.read_text()):
                    places[name].add(str(file.relative_to(ROOT / folder)))
    assert len(places) > 100
    shared = {name: files for name, files in places.items() if len(files) > 1}
    assert not shared


def test_it_would_be_seen():
    code = "namespace a::b { namespace { struct Hidden {}; } struct Task { struct Part {}; }; enum class Kind { One }; }"
    assert list(types_of(code)) == ["a::b::Task", "a::b::Kind"]
