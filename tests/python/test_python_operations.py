"""tamis.operations(): the descriptions of which other programs make their dialogs."""

import inspect
import json
import subprocess

import pytest
import tamis


def test_it_is_what_the_program_prints(tamis_program):
    done = subprocess.run([tamis_program, "operations", "--json"], capture_output=True, check=True)
    printed = json.loads(done.stdout)
    printed.pop("reading"), printed.pop("writing")
    assert tamis.operations() == printed


def test_each_call_gives_a_new_one():
    tamis.operations()["operations"].clear()
    assert tamis.operations()["operations"]


@pytest.mark.parametrize("operation", [of for of in tamis.operations()["operations"] if of["takes"]], ids=lambda of: of["name"])
def test_each_is_a_function_that_begins_with_its_images(operation):
    taken = list(inspect.signature(getattr(tamis, operation["name"])).parameters)
    assert taken[: len(operation["takes"])] == [image["name"] for image in operation["takes"]]


def test_it_takes_nothing():
    with pytest.raises(TypeError, match=r"all: operations\(\) has no such argument"):
        tamis.operations(all=True)
