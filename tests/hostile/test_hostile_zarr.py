"""Stores of Zarr made to harm: descriptions that are long, and much that is claimed and not there."""

import json
import signal
import subprocess
import sys
import time

import pytest

ARRAY = {"zarr_format": 2, "shape": [2, 3, 4], "chunks": [2, 3, 4], "dtype": "|u1", "compressor": None,
         "fill_value": 0, "order": "C", "filters": None}


def end_and_peak(folder, *command):
    """The exit code of a command, and the most bytes that it or a process of its had; pytest's own would count too."""
    measure = (
        "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stdout=-3, stderr=-3).returncode; "
        "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)"
    )
    told = subprocess.run([sys.executable, "-c", measure, *command], cwd=folder, capture_output=True, text=True, check=True)
    return map(int, told.stdout.split())


def put(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)


def array_with(member):
    return json.dumps(ARRAY)[:-1] + "," + member + "}"


@pytest.mark.parametrize("element", ["{}", '{"a":[0,1]}', "0"])
def test_a_long_description_is_read_at_once_and_in_little_memory(tamis_program, tmp_path, element):
    text = array_with('"x":[' + ",".join([element] * (15_000_000 // (len(element) + 1))) + "]")
    put(tmp_path / "a.zarr", ".zarray", text)
    begin = time.monotonic()
    code, peak = end_and_peak(tmp_path, tamis_program, "info", "a.zarr", "--quiet")
    assert code == 0
    assert time.monotonic() - begin < 3  # it was hours
    assert peak < 8 * len(text)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_is_heard_while_a_long_description_is_read(tamis_program, tmp_path, stop):
    put(tmp_path / "a.zarr", ".zarray", array_with('"x":[' + ",".join(["{}"] * 5_000_000) + "]"))
    process = subprocess.Popen([tamis_program, "info", "a.zarr", "--quiet"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    time.sleep(0.05)
    process.send_signal(stop)
    process.communicate(timeout=1)


def test_a_description_that_says_more_than_any_is_refused(refused, tmp_path):
    for member in ('"axes":[' + ",".join(["{}"] * 4_000_000) + "]", '"x":' + "[" * 5_000_000):
        put(tmp_path / "a.zarr", ".zarray", array_with(member))
        refused("info", "a.zarr", words=[".zarray", "wanted the description of an image"], timeout=3)


def test_what_is_claimed_and_not_there_is_refused_at_once(refused, tmp_path):
    """Fill values, of which a small description could claim any number: chunks and shards without anything in them."""
    large = {**ARRAY, "shape": [1 << 14] * 3, "chunks": [1 << 10] * 3}
    put(tmp_path / "a.zarr", ".zarray", json.dumps(large))
    for name in ("0.0.0", "0.0.1", "0.0.2", "0.0.3", "0.0.4"):
        put(tmp_path / "a.zarr", name, "")
    bytes_codec = [{"name": "bytes"}]
    index = [{"name": "bytes", "configuration": {"endian": "little"}}]
    shards = {"chunk_shape": [1 << 10] * 3, "codecs": bytes_codec, "index_codecs": index}
    grid = {"name": "regular", "configuration": {"chunk_shape": [1 << 14] * 3}}
    described = {"zarr_format": 3, "node_type": "array", "shape": [1 << 14] * 3, "data_type": "uint8", "chunk_grid": grid,
                 "chunk_key_encoding": {"name": "v2"}, "fill_value": 0, "attributes": {},
                 "codecs": [{"name": "sharding_indexed", "configuration": shards}]}
    put(tmp_path / "b.zarr", "zarr.json", json.dumps(described))
    (tmp_path / "b.zarr" / "0.0.0").write_bytes(b"\xff" * (16 << 12))
    for name in ("a.zarr", "b.zarr"):
        refused("info", name, words=[name, "4096 chunks that are hardly there", "one in 1000"], timeout=3)
