"""napari.yaml, made of the descriptions of the operations: python -m napari_tamis.manifest >napari_tamis/napari.yaml"""

from __future__ import annotations

from . import describe
from .widgets import class_name

_SAMPLES = {"foam": "Foam, 128³", "octahedra": "Octahedra of known sizes, 128³"}


def manifest() -> str:
    lines = ["# Made by python -m napari_tamis.manifest.", "name: napari-tamis", "display_name: tamis", "contributions:", "  commands:"]
    for name in describe.names():
        lines += [f"    - id: napari-tamis.{name}", f"      python_name: napari_tamis.widgets:{class_name(name)}",
                  f"      title: {describe.title(name)}"]  # fmt: skip
    for name, title in _SAMPLES.items():
        lines += [f"    - id: napari-tamis.sample.{name}", f"      python_name: napari_tamis.samples:{name}", f"      title: {title}"]
    lines.append("  widgets:")
    for name in describe.names():
        lines += [f"    - command: napari-tamis.{name}", f"      display_name: {describe.title(name)}"]
    lines.append("  sample_data:")
    for name, title in _SAMPLES.items():
        lines += [f"    - command: napari-tamis.sample.{name}", f"      key: {name}", f"      display_name: {title}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(manifest(), end="")
