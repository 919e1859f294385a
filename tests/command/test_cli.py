"""The commands of the installed program, as a user calls them."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import numpy
import pytest
import tifffile

COMMANDS = ["granulometry", "threshold", "info", "convert", "phantom", "devices", "doctor", "deskew"]


def test_version_is_printed(tamis):
    assert re.fullmatch(r"tamis \d+\.\d+\.\d+\n", tamis("--version").stdout)


def test_help_lists_every_command(tamis):
    text = tamis("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", text, re.M)


@pytest.mark.parametrize("command", [["granulometry"], ["threshold"], ["info"], ["convert"], ["devices"], ["deskew"],
                                     ["phantom", "foam"], ["phantom", "octahedra"]])
def test_every_command_has_help_with_examples(tamis, command):
    text = tamis(*command, "--help").stdout
    assert text.startswith(f"tamis {' '.join(command)}: ")
    assert "\nExamples\n  tamis " in text


def test_without_a_command_the_help_is_an_error(tamis):
    result = tamis(check=False)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "\nSizes of pores and grains\n  granulometry " in result.stderr


def test_the_help_groups_all_commands_by_what_people_want(tamis):
    before_options, _, _ = tamis("--help").stdout.partition("\nOptions\n")
    groups = re.findall(r"^\w[\w ]*\n(?:  .*\n)+", before_options, re.M)
    assert [group.partition("\n")[0] for group in groups] == [
        "Sizes of pores and grains", "Images and their files", "Filters by the shape of things",
        "Noise and backgrounds", "Lines and pages", "This machine and this program"]
    listed = re.findall(r"^  ([a-z-]+)", "".join(groups), re.M)
    described = re.findall(r"^\.SS tamis ([a-z]\S*)$", tamis("man").stdout.replace("\\-", "-"), re.M)
    assert listed == described


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_page_describes_every_command_and_option(tamis, command):
    page = tamis("man").stdout
    assert f".SS tamis {command}" in page
    for option in re.findall(r"^  (--[a-z-]+)", tamis(command, "--help").stdout, re.M):
        assert option.replace("-", "\\-") in page


def test_the_shell_completes_commands_and_the_words_of_options(tamis, tmp_path):
    script = tmp_path / "completion"
    script.write_text(tamis("completion", "bash").stdout)

    def completions(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        code = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _tamis; echo ${{COMPREPLY[*]}}"
        return subprocess.run(["bash", "-c", code], capture_output=True, text=True, cwd=tmp_path).stdout.split()

    assert completions("tamis", "gran") == ["granulometry"]
    shapes = ["ball", "cross", "cube", "disk", "octagon", "square"]
    assert sorted(completions("tamis", "granulometry", "--element", "")) == shapes
    assert completions("tamis", "granulometry", "--threshold", "o") == ["otsu"]
    assert "--max-radius" in completions("tamis", "phantom", "foam", "--m")
    assert completions("tamis", "info", "comp") == ["completion"]


def test_what_is_missing_is_named(tamis):
    for command in (["granulometry"], ["info"], ["threshold", "in.tif"], ["phantom", "foam"]):
        result = tamis(*command, check=False)
        assert result.returncode == 2 and result.stderr.count("\n") == 1
        assert "is missing" in result.stderr and "--help" in result.stderr


def test_threshold_says_the_value_and_writes_black_and_white(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    result = tamis("threshold", source, "out.tif", "--method", "otsu", "--json", "out.json")
    value = int(re.match(r"threshold (\d+) \(otsu\)\n", result.stdout).group(1))
    out = tifffile.imread(tmp_path / "out.tif")
    assert numpy.array_equal(out, numpy.where(balls > value, 255, 0))
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["threshold"] == value and told["volume"] == (out > 0).sum()


def test_threshold_takes_values_bands_and_the_dark_phase(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    for name, flags, wanted in (
        ("value.tif", ["--value", "100"], balls > 100),
        ("band.tif", ["--band", "55:62.5"], (balls > 55) & (balls <= 62.5)),
        ("dark.tif", ["--value", "100", "--phase", "dark"], balls <= 100),
    ):
        tamis("threshold", source, name, *flags)
        assert numpy.array_equal(tifffile.imread(tmp_path / name) > 0, wanted), name


def test_negative_numbers_are_values_and_not_options(tamis, volume, tmp_path):
    array = numpy.arange(-60, 60, dtype=numpy.int16).reshape(4, 5, 6)
    source = volume("i16.tif", array)
    tamis("threshold", source, "out.tif", "--value", "-30")
    assert numpy.array_equal(tifffile.imread(tmp_path / "out.tif") > 0, array > -30)
    tamis("threshold", source, "out.tif", "--band", "-40:-30")
    assert numpy.array_equal(tifffile.imread(tmp_path / "out.tif") > 0, (array > -40) & (array <= -30))


def test_info_tells_shape_type_spacing_range_and_histogram(tamis, volume, balls, tmp_path):
    source = volume("balls.tif", balls)
    result = tamis("info", source, "--spacing", "1x1x2um", "--json", "info.json")
    for words in ("37x30x24", "u8", "1 x 1 x 2 µm", f"{balls.min()} to {balls.max()}", "#"):
        assert words in result.stdout
    told = json.loads((tmp_path / "info.json").read_text())
    assert told["shape"] == "37x30x24"
    assert told["spacing"] == {"x": 1.0, "y": 1.0, "z": 2.0, "unit": "um"}
    assert sum(told["histogram"]["counts"]) == balls.size
    assert told["mean"] == pytest.approx(balls.mean())


def test_info_tells_what_is_no_number_and_the_range_without_it(tamis, tmp_path):
    image = numpy.arange(70, dtype=numpy.float32).reshape(7, 10)
    image[2, 3], image[4, 4], image[6, 9] = numpy.inf, numpy.nan, -numpy.inf
    for name, array, place in (("image", image, "x 3, y 2"), ("volume", image[None].astype(float), "x 3, y 2, z 0")):
        numpy.save(tmp_path / f"{name}.npy", array)
        told = tamis("info", f"{name}.npy", "--json", "info.json")
        assert f"1 NaN, 2 infinite of 70 samples; the first at {place}\n" in told.stdout
        assert "0 to 68, mean" in told.stdout and "#" in told.stdout
        json_told = json.loads((tmp_path / "info.json").read_text())
        assert json_told["non_finite"] == {"nan": 1, "infinite": 2, "first": place}
        assert sum(json_told["histogram"]["counts"]) == 67
        assert json_told["mean"] == pytest.approx(image[numpy.isfinite(image)].mean())


def test_info_of_nothing_but_nan_has_no_range(tamis, tmp_path):
    numpy.save(tmp_path / "nan.npy", numpy.full((3, 4), numpy.nan, numpy.float32))
    told = tamis("info", "nan.npy", "--json", "info.json")
    assert "12 NaN, 0 infinite of 12 samples" in told.stdout and "range" not in told.stdout
    assert "histogram" not in json.loads((tmp_path / "info.json").read_text())


def test_info_of_colour_names_the_channels(tamis, volume):
    source = volume("colour.tif", numpy.zeros((5, 6, 3), numpy.uint8), photometric="rgb")
    result = tamis("info", source)
    assert "channels    3" in result.stdout and "--channel" in result.stdout
    assert "histogram" not in tamis("info", source, "--channel", "0").stdout


def test_convert_keeps_values_or_maps_a_window(tamis, volume, balls, tmp_path):
    wide = balls.astype(numpy.uint16) * 200
    source = volume("wide.tif", wide)
    tamis("convert", source, "same.npy")
    assert numpy.array_equal(numpy.load(tmp_path / "same.npy"), wide)
    tamis("convert", source, "clamped.tif", "--as", "u8")
    assert numpy.array_equal(tifffile.imread(tmp_path / "clamped.tif"), wide.clip(0, 255))
    tamis("convert", source, "window.tif", "--as", "u8", "--window", "10000:20000")
    wanted = numpy.floor((wide.astype(float).clip(10000, 20000) - 10000) / 10000 * 255 + 0.5)
    assert numpy.array_equal(tifffile.imread(tmp_path / "window.tif"), wanted)


@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
def test_fractions_do_not_become_zeros_and_ones_unless_they_are_asked_for(tamis, refused, tmp_path, dtype):
    image = numpy.linspace(0, 1, 36, dtype=dtype).reshape(4, 9)
    numpy.save(tmp_path / "in.npy", image)
    for type_name in ("u8", "u16", "i16"):
        refused("convert", "in.npy", "out.npy", "--as", type_name,
                words=["in.npy: --as", "would become 0 or 1", "wanted --window 0:1", "or tamis threshold"])
    tamis("convert", "in.npy", "out.npy", "--as", "u8", "--window", "0:1")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), numpy.floor(image * 255 + 0.5))
    tamis("convert", "in.npy", "out.npy", "--as", "f32")
    for other in (numpy.rint(image), image * 2, image - 1):
        numpy.save(tmp_path / "in.npy", other)
        tamis("convert", "in.npy", "out.npy", "--as", "i16")


def test_convert_crops_x_first(tamis, volume, balls, tmp_path):
    tamis("convert", volume("balls.tif", balls), "part.npy", "--crop", "1:5,2:9,3:11")
    assert numpy.array_equal(numpy.load(tmp_path / "part.npy"), balls[3:11, 2:9, 1:5])
    tamis("convert", "balls.tif", "tall.npy", "--crop", "1:5,2:9")
    assert numpy.array_equal(numpy.load(tmp_path / "tall.npy"), balls[:, 2:9, 1:5])


def test_phantoms_are_the_same_every_time(tamis, tmp_path):
    for name in ("a_60x50x40_u8.raw", "b_60x50x40_u8.raw"):
        tamis("phantom", "foam", name, "--size", "60x50x40", "--max-radius", "12", "--seed", "3")
    first = (tmp_path / "a_60x50x40_u8.raw").read_bytes()
    assert first == (tmp_path / "b_60x50x40_u8.raw").read_bytes()
    assert len(first) == 60 * 50 * 40
    assert set(first) == {0, 255}


def test_octahedra_give_the_spectrum_that_they_promise(tamis, tmp_path):
    tamis("phantom", "octahedra", "known.tif", "--size", "70x60x50", "--max-radius", "6", "--json", "known.json")
    tamis("granulometry", "known.tif", "--json", "found.json")
    known = json.loads((tmp_path / "known.json").read_text())["spectrum"]
    found = json.loads((tmp_path / "found.json").read_text())["spectrum"]
    assert found[: len(known)] == known and sum(found) == sum(known)


def test_a_pipe_gets_no_progress(tamis):
    result = tamis("phantom", "foam", "foam.raw", "--size", "300", "--max-radius", "20")
    assert result.stderr == ""


def long_run(tamis_program, tmp_path, **options):
    """Some seconds of work: large balls on one thread."""
    subprocess.run([tamis_program, "phantom", "foam", "big_300x300x300_u8.raw", "--size", "300", "-q"], cwd=tmp_path,
                   check=True)
    return subprocess.Popen([tamis_program, "granulometry", "big_300x300x300_u8.raw", "--element", "ball", "--border",
                             "neutral", "--simd", "portable", "--threads", "1", "--csv", "out.csv", "--map", "map.tif"], cwd=tmp_path,
                            **options)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_run_within_a_second_and_leaves_nothing(tamis_program, tmp_path, stop):
    process = long_run(tamis_program, tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.7)
    assert process.poll() is None, "the run was too short to be interrupted"
    start = time.monotonic()
    process.send_signal(stop)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - start < 1
    assert process.returncode == 130
    assert out == "" and err == "tamis granulometry: interrupted\n"
    assert [path.name for path in tmp_path.iterdir()] == ["big_300x300x300_u8.raw"]


def test_a_terminal_sees_progress_after_a_second(tamis_program, tmp_path):
    ours, theirs = pty.openpty()
    process = long_run(tamis_program, tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    start = time.monotonic()
    first = None
    try:
        while first is None and time.monotonic() - start < 20:
            if select.select([ours], [], [], 0.05)[0]:
                first = time.monotonic() - start
                assert "\r" in os.read(ours, 4096).decode()
        assert first is not None and first > 0.9
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.parametrize("arguments, meant", [
    (["granulomtry", "a.npy"], "granulometry"),
    (["granulometry", "a.npy", "--treshold", "otsu"], "--threshold"),
    (["granulometry", "a.npy", "--treshold=otsu"], "--threshold"),
    (["granulometry", "a.npy", "--threshold", "ostu"], None),
    (["threshold", "a.npy", "b.npy", "--method", "ostu"], "otsu"),
    (["granulometry", "a.npy", "--element", "crss"], "cross"),
    (["erode", "a.npy", "b.npy", "--element", "bal:3"], "ball"),
    (["erode", "a.npy", "b.npy", "--element", "reflct(disk:3)"], "reflect"),
    (["median", "a.npy", "b.npy", "--size", "3", "--border", "refelct"], "reflect"),
])
def test_the_nearest_word_is_suggested(tamis, tmp_path, arguments, meant):
    numpy.save(tmp_path / "a.npy", numpy.zeros((4, 4), numpy.uint8))
    result = tamis(*arguments, check=False)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    if meant:
        assert f"did you mean {meant}?" in result.stderr


def test_what_resembles_nothing_gets_no_suggestion(tamis):
    for arguments in (["starfish"], ["info", "--starfish"], ["granulometry", "x", "--element", "starfish"]):
        result = tamis(*arguments, check=False)
        assert result.returncode == 2
        assert "did you mean" not in result.stderr


def test_the_spacing_that_is_printed_can_be_given(tamis, tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.zeros((3, 4, 4), numpy.uint8))
    for given in ("2.5um", "1 x 2 x 3 mm"):
        printed = re.search(r"voxel size +(.+)", tamis("info", "a.npy", "--spacing", given).stdout).group(1)
        again = tamis("info", "a.npy", "--spacing", printed).stdout
        assert re.search(r"voxel size +(.+)", again).group(1) == printed
