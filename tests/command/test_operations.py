"""tamis operations: what a program reads of every operation is what the command line does."""

import json
import re

import numpy
import pytest
import tifffile

KINDS = {"flag", "integer", "number", "numbers", "interval", "choice", "text", "element", "family", "border", "edges",
         "extent", "threshold", "length", "bytes"}


@pytest.fixture(scope="module")
def operations(tamis_program):
    import subprocess
    told = subprocess.run([tamis_program, "operations", "--json"], check=True, capture_output=True, text=True).stdout
    return {operation["name"]: operation for operation in json.loads(told)["operations"]}


def flag(parameter):
    return "--" + parameter["name"].replace("_", "-")


def commands(tamis, operations):
    """The operations that are commands, with their help."""
    for name, operation in operations.items():
        command = name.replace("_", "-")
        result = tamis(*command.split(), "--help", check=False)
        if result.returncode == 0:
            yield command, operation, result.stdout


def test_every_operation_says_what_programs_ask(operations):
    assert {"median", "smooth", "erode", "open", "reconstruct"} <= set(operations)
    for operation in operations.values():
        assert operation["text"] and operation["gives"]
        assert operation["reach"] in ("sample", "window", "image")
        for parameter in operation["parameters"]:
            assert set(parameter) >= {"name", "type", "default", "range", "choices", "unit", "text", "example"}
            assert parameter["type"] in KINDS and parameter["text"]


def test_every_parameter_is_a_flag_of_its_command_with_its_default(tamis, operations):
    tried = 0
    for name, operation, text in commands(tamis, operations):
        flat = " ".join(text.split())
        assert operation["text"] in flat
        for parameter in operation["parameters"]:
            entry = re.search(rf"^  {flag(parameter)}( |$)", text, re.M)
            assert entry, f"{name} {flag(parameter)}"
            assert re.sub("`([a-z_]+)`", r"--\1", parameter["text"]) in flat
            if parameter["type"] != "flag" and parameter["default"] is not None:
                shown = f"[{parameter['default']:g}]" if isinstance(parameter["default"], float) else f"[{parameter['default']}]"
                assert shown in flat, f"{name} {flag(parameter)} {shown}"
            tried += 1
    assert tried > 40


def outside(bounds):
    """Numbers just outside of a range, as texts."""
    for key, value in bounds.items():
        number = {"minimum": value - 1, "maximum": value + 1, "exclusiveMinimum": value, "exclusiveMaximum": value}[key]
        yield str(int(number) if number == int(number) else number)


def test_a_value_outside_of_the_range_is_refused_in_its_words(tamis, operations, tmp_path):
    tifffile.imwrite(tmp_path / "in.tif", numpy.zeros((5, 6), numpy.uint8), photometric="minisblack")
    tried = 0
    for name, operation, _ in commands(tamis, operations):
        files = ["in.tif"] * len(operation["takes"]) + ["out.tif"]
        for parameter in operation["parameters"]:
            bad = ["no-such-word"] if parameter["choices"] and parameter["type"] != "text" else []
            if parameter["type"] in ("integer", "number"):
                bad += [*outside(parameter["range"] or {}), "x", "nan"]
            for text in bad:
                result = tamis(*name.split(), *files, f"{flag(parameter)}={text}", check=False)
                assert result.returncode == 2, f"{name} {flag(parameter)}={text}: {result.stdout}"
                assert f"{flag(parameter)} {text}: wanted " in result.stderr and result.stderr.count("\n") == 1
                for number in (parameter["range"] or {}).values():
                    assert str(int(number) if number == int(number) else number) in result.stderr
                tried += 1
    assert not (tmp_path / "out.tif").exists()
    assert tried > 60


def test_people_read_a_table(tamis):
    text = tamis("operations").stdout
    assert re.search(r"^median +the median", text, re.M) and re.search(r"^  percentile +number; 0 is", text, re.M)
    assert max(map(len, text.splitlines())) <= 100
