"""Where the program computes: what it lists, what it says it ran on, and the GPU against the CPU."""

import json
import re

import numpy
import pytest
import tifffile


@pytest.fixture
def devices(tamis):
    return json.loads(tamis("devices", "--quiet", "--json", "/dev/stdout").stdout)


def test_devices_are_listed_for_people_and_programs(tamis, devices):
    lines = tamis("devices").stdout.splitlines()
    assert re.fullmatch(r"cpu +CPU, \d+ threads?, \S+", lines[0])
    assert lines[0].endswith(devices["cpu"])
    assert lines[-1].startswith("built for ")
    assert lines[-1].endswith(devices["cuda"] or "without CUDA")
    assert len(lines) == 2 + max(len(devices["gpus"]), 1)
    for gpu, line in zip(devices["gpus"], lines[1:-1]):
        assert line.startswith(f"{gpu['device']} ") and gpu["name"] in line
        assert line.endswith("usable" if gpu["usable"] else gpu["problem"])


def test_there_is_a_usable_gpu_or_a_reason_why_not(devices):
    assert any(gpu["usable"] for gpu in devices["gpus"]) == (devices["why_no_gpu"] is None)


def test_cuda_without_a_gpu_says_why(tamis, devices):
    if devices["why_no_gpu"] is None:
        pytest.skip("there is a GPU")
    result = tamis("granulometry", "missing.tif", "--device", "cuda", check=False)
    assert result.returncode == 2
    assert result.stderr.startswith(f"tamis granulometry: device cuda: {devices['why_no_gpu']}")


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_a_small_image_runs_on_the_cpu_and_the_outputs_say_so(tamis, tmp_path, volume, balls, devices, device):
    source = volume("balls.tif", balls)
    said = tamis("granulometry", source, "--threshold", "110", "--device", device, "--json", "out.json").stdout
    told = json.loads((tmp_path / "out.json").read_text())
    assert f"ran on            {devices['cpu']}\n" in said
    assert (told["device"], told["machine"], told["parameters"]["device"]) == ("cpu", devices["cpu"], device)
    said = tamis("threshold", source, "out.tif", "--value", "110", "--device", device, "--json", "out.json").stdout
    told = json.loads((tmp_path / "out.json").read_text())
    assert f"ran on {devices['cpu']}\n" in said
    assert (told["device"], told["machine"]) == ("cpu", devices["cpu"])


def test_a_limit_of_device_memory_is_kept_with_the_parameters(tamis, tmp_path, volume, balls):
    tamis("granulometry", volume("balls.tif", balls), "--threshold", "110", "--device-memory", "64M", "--json",
          "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["parameters"]["device_memory"] == 64 << 20


@pytest.mark.gpu
def test_a_gpu_that_is_used_is_named(tamis, tmp_path, volume, balls, devices):
    source = volume("balls.tif", balls)
    name = devices["gpus"][0]["name"]
    said = tamis("granulometry", source, "--threshold", "110", "--device", "cuda", "--json", "out.json").stdout
    told = json.loads((tmp_path / "out.json").read_text())
    assert f"ran on            {name} (GPU 0)\n" in said
    assert (told["device"], told["machine"]) == ("cuda:0", f"{name} (GPU 0)")
    tamis("threshold", source, "out.tif", "--value", "110", "--device", "cuda:0", "--json", "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["device"] == "cuda:0"


def machine_of(tamis, tmp_path, *call):
    said = tamis(*call, "--json", "out.json").stdout
    machine = json.loads((tmp_path / "out.json").read_text())["machine"]
    assert machine in said or call[0] == "deskew"  # which says it where it writes a page
    return machine


def lines_at_3_degrees():
    y, x = numpy.mgrid[:300, :400]
    return numpy.where((y + numpy.tan(numpy.deg2rad(3)) * x) % 40 < 2, 0, 255).astype(numpy.uint8)


@pytest.mark.parametrize("call", [["orientation", "lines.tif", "--length", "21"],
                                  ["deskew", "lines.tif", "--method", "closing"],
                                  ["deskew", "lines.tif", "--method", "projection"]])
@pytest.mark.parametrize("device", ["cpu", "auto", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_lines_say_what_looked_for_them(tamis, tmp_path, volume, devices, call, device):
    volume("lines.tif", lines_at_3_degrees())
    cpu = device != "cuda" or "projection" in call  # sums along lines are made by the CPU
    name = devices["cpu"] if cpu else f"{devices['gpus'][0]['name']} (GPU 0)"
    assert machine_of(tamis, tmp_path, *call, "--device", device) == name


@pytest.mark.gpu
@pytest.mark.parametrize("flags", [[], ["--phase", "dark", "--border", "neutral"], ["--element", "cube"],
                                   ["--element", "square"], ["--roi", "cylinder"],
                                   ["--device-memory", "27M"]])
def test_the_gpu_gives_what_the_cpu_gives(tamis, tmp_path, volume, flags):
    random = numpy.random.default_rng(5)
    depth = 220 if "--device-memory" in flags else 70  # all 220 need 30 MiB: two slabs
    grey = random.normal(100, 20, (depth, 65, 97)).astype(numpy.float32)
    for _ in range(4):
        grey = sum(numpy.roll(grey, shift, axis) for axis in range(3) for shift in (-1, 0, 1)) / 9
    source = volume("noise.tif", grey)
    memory = [] if "--device-memory" in flags else ["--device-memory", "1G"]
    for device in ("cpu", "cuda"):
        tamis("granulometry", source, "--threshold", "otsu", *flags, *memory, "--device", device, "--csv",
              f"{device}.csv", "--map", f"{device}.tif")
    assert (tmp_path / "cuda.csv").read_text() == (tmp_path / "cpu.csv").read_text()
    numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "cuda.tif"), tifffile.imread(tmp_path / "cpu.tif"))


@pytest.mark.gpu
@pytest.mark.parametrize("edge", [62, 63, 64, 65, 127, 128, 129, 130, 254, 255, 256, 257])
def test_what_never_erodes_has_the_number_of_rows_on_the_gpu_too(tamis, tmp_path, volume, edge):
    both = numpy.full((2, edge, edge), 255, numpy.uint8)
    both[1, -1, -1] = 0
    source = volume("slices.tif", both)
    maps = []
    for device in ("cpu", "cuda"):
        tamis("granulometry", source, "--element", "square", "--border", "neutral", "--device", device, "--map",
              f"{device}.tif", "--json", "out.json")
        maps.append(tifffile.imread(tmp_path / f"{device}.tif"))
        assert (maps[-1][0] == len(json.loads((tmp_path / "out.json").read_text())["size"])).all()
    assert maps[0].dtype == maps[1].dtype == (numpy.uint8 if edge <= 255 else numpy.uint16)
    numpy.testing.assert_array_equal(maps[1], maps[0])


@pytest.mark.gpu
def test_the_gpu_finds_the_thresholds_of_the_cpu(tamis, tmp_path, volume, balls):
    source = volume("balls.tif", balls)
    for method in ("otsu", "li", "kapur", "minimum", "triangle", "isodata", "mean"):
        found = []
        for device in ("cpu", "cuda"):
            tamis("threshold", source, f"{device}.tif", "--method", method, "--device", device, "--json", "out.json")
            found.append(json.loads((tmp_path / "out.json").read_text())["threshold"])
        assert found[0] == found[1]
        numpy.testing.assert_array_equal(tifffile.imread(tmp_path / "cuda.tif"), tifffile.imread(tmp_path / "cpu.tif"))
