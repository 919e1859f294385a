"""No output replaces what is read, no name of a file breaks a plot, nothing half-written stays."""

import os
import random
import re
import resource
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy
import pytest

import crash
from conftest import program

FORMATS = ["raw", "raw.gz", "tif", "npy", "h5", "nrrd", "mha", "nii", "png", "pgm"]
DRAW = ["--threshold", "110", "-q"]


@pytest.fixture
def page(volume, balls):
    return volume("page.tif", balls[12])


@pytest.fixture
def ball_file(volume, balls):
    return volume("balls.tif", balls)


# What is read is not written over.


@pytest.fixture
def detached(tmp_path, balls):
    """Headers with their samples in another file."""
    z, y, x = balls.shape
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(balls.tobytes())
    (tmp_path / "a.nhdr").write_text(f"NRRD0004\ntype: uint8\ndimension: 3\nsizes: {x} {y} {z}\nencoding: raw\n"
                                     "data file: a.bin\n")
    (tmp_path / "b.mhd").write_text(f"ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = {x} {y} {z}\n"
                                    "ElementType = MET_UCHAR\nElementDataFile = b.bin\n")
    return tmp_path


@pytest.mark.parametrize("header, data", [("a.nhdr", "a.bin"), ("b.mhd", "b.bin")])
def test_the_samples_of_a_detached_header_are_protected(refused, detached, header, data):
    before = (detached / data).read_bytes()
    (detached / "out.raw").symlink_to(data)
    for command in (["convert", header, "out.raw"], ["open", header, "out.raw"],
                    ["threshold", header, "x.tif", "--value", "99", "--json", data],
                    ["granulometry", header, *DRAW, "--csv", data], ["info", header, "--json", data]):
        refused(*command, words=("would overwrite", data))
    assert (detached / data).read_bytes() == before


def test_what_an_hdf5_file_refers_to_is_protected(refused, tmp_path, balls):
    with h5py.File(tmp_path / "far.h5", "w") as far:
        far["grey"] = balls
    (tmp_path / "samples.bin").write_bytes(balls.tobytes())
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["linked"] = h5py.ExternalLink("far.h5", "/grey")
        file.create_dataset("outside", shape=balls.shape, dtype="u1", external=[("samples.bin", 0, balls.size)])
        parts = h5py.VirtualLayout(balls.shape, "u1")
        parts[:] = h5py.VirtualSource("far.h5", "grey", balls.shape)
        file.create_virtual_dataset("virtual", parts)
    (tmp_path / "out.raw").symlink_to("samples.bin")
    refused("convert", "in.h5:/linked", "far.h5", words=("would overwrite", "far.h5, which is read"))
    refused("convert", "in.h5:/virtual", "far.h5", words=("would overwrite", "far.h5, which is read"))
    refused("convert", "in.h5:/outside", "out.raw", words=("would overwrite", "samples.bin, which is read"))


def test_the_mask_of_an_element_is_protected(refused, ball_file, tmp_path):
    subprocess.run([program(), "element", "disk:3", "mask.png", "-q"], cwd=tmp_path, check=True)
    for command in (["open", ball_file, "mask.png", "--element", "file:mask.png"],
                    ["erode", ball_file, "out.tif", "--element", "square:3+file:mask.png@3,3", "--json", "mask.png"],
                    ["element", "file:mask.png", "mask.png"]):
        refused(*command, words=("would overwrite mask.png",))


def test_regions_markers_and_slices_are_protected(tamis, refused, ball_file, balls, volume, tmp_path):
    volume("mask.tif", (balls > 0).astype(numpy.uint8))
    refused("threshold", ball_file, "mask.tif", "--value", "9", "--roi", "mask.tif", words=("would overwrite",))
    refused("granulometry", ball_file, *DRAW, "--roi", "mask.tif", "--map", "mask.tif", words=("would overwrite",))
    refused("reconstruct", "mask.tif", ball_file, "mask.tif", words=("would overwrite",))
    # A slice of the folder lies elsewhere.
    (tmp_path / "slices").mkdir()
    (tmp_path / "far").mkdir()
    for z in range(2):
        volume(f"far/{z}.tif", balls[z])
        (tmp_path / "slices" / f"{z}.tif").symlink_to(f"../far/{z}.tif")
    refused("convert", "slices", "far/1.tif", words=("would overwrite slices/1.tif",))


# Links, names, streams.


@pytest.mark.parametrize("ending", FORMATS)
def test_a_dangling_link_stays_and_its_target_is_written(tamis, page, tmp_path, ending):
    (tmp_path / "data").mkdir()
    (tmp_path / f"link.{ending}").symlink_to(f"data/real.{ending}")
    tamis("convert", page, f"link.{ending}")
    assert (tmp_path / f"link.{ending}").is_symlink()
    assert (tmp_path / "data" / f"real.{ending}").stat().st_size > 0


@pytest.mark.parametrize("ending", FORMATS)
def test_names_are_as_long_as_the_file_system_has_them(tamis, refused, page, tmp_path, ending):
    name = "n" * (254 - len(ending)) + "." + ending
    tamis("convert", page, name)
    assert {path.name for path in tmp_path.iterdir()} == {page, name}
    line = refused("convert", page, "n" + name, words=("File name too long", ending))
    assert "standard output" not in line


def test_a_raw_name_that_lies_is_refused_however_long_it_is(refused, page):
    refused("convert", page, "1x1x1_u8" + 200 * "n" + ".raw", words=("the name says 1x1x1",))
    refused("convert", page, 200 * "n" + "_1x1x1_u8.raw", words=("the name says 1x1x1",))


def test_what_a_shell_appends_to_is_appended_to(tamis_program, ball_file, tmp_path):
    (tmp_path / "out.csv").write_text("before\n")
    subprocess.run(["sh", "-c", '"$0" granulometry balls.tif --threshold 110 -q --csv /dev/stdout >>out.csv',
                    tamis_program], cwd=tmp_path, check=True)
    assert (tmp_path / "out.csv").read_text().startswith("before\nsize,width [voxels],")


def test_a_second_name_that_cannot_be_taken_leaves_the_first_file(tamis, ball_file, tmp_path):
    (tmp_path / "out.csv").write_text("old")
    shim = crash.build_shim(tmp_path)
    for at in range(10_000):
        (tmp_path / "log").unlink(missing_ok=True)
        result = tamis("granulometry", ball_file, *DRAW, "--csv", "out.csv", "--json", "out.json", check=False,
                       env=dict(os.environ, LD_PRELOAD=str(shim), FAULT_AT=str(at), FAULT_KIND="28", FAULT_LOG="log"))
        if not (tmp_path / "log").exists():
            pytest.fail("no second file was renamed")
        if (tmp_path / "log").read_text() == "renameat" and "out.json" in result.stderr:
            break
        (tmp_path / "out.csv").write_text("old")
        (tmp_path / "out.json").unlink(missing_ok=True)
    assert result.returncode == 2 and "could not write out.json: No space left on device" in result.stderr
    assert (tmp_path / "out.csv").read_text() == "old"
    assert not (tmp_path / "out.json").exists()


# gnuplot.

PIECES = ["'", '"', "`touch pwned`", "\\", "\\n", "@", "{", "}", "&", "#", "&#1;", "&lt;", "<", "]]>", ">", "$x", "%s",
          "%", "~", ";", "|", "!", "é", "日", "\n", "\t", "\x01", "a", " ", "--", "-->", "$(touch pwned)", "1", "9",
          "#1", "\\101", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"]


def plain(text):
    """As a reader sees it."""
    return re.sub(r"\s+", " ", re.sub("[?\ufffd\u200b\x00-\x1f\x7f]", "", text))


def test_control_characters_of_a_name_do_not_reach_the_terminal(refused):
    line = refused("info", "a\x1b[31m\x07\tb.tif")
    assert "a?[31m??b.tif" in line


@pytest.mark.parametrize("seed", range(12))
def test_any_name_of_a_file_stands_in_a_well_formed_plot(tamis_program, ball_file, tmp_path, seed):
    choice = random.Random(seed)
    parts = [choice.choice(PIECES) for _ in range(choice.randint(2, 10))]
    name = b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)[:50] + b".tif"
    folder = os.fsencode(tmp_path)
    os.rename(folder + b"/balls.tif", folder + b"/" + name)
    command = [tamis_program, "granulometry", b"./" + name, *DRAW, "--csv", "o.csv", "--plot", "o.svg", "--picture",
               "o.png"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert result.returncode == 0, result.stderr
    told = [plain("".join(part.itertext())) for part in ElementTree.parse(tmp_path / "o.svg").iter()
            if part.tag.endswith("text")]
    assert plain(name.decode(errors="replace")).strip() in [text.strip() for text in told]
    assert set(os.listdir(folder)) == {name, b"o.csv", b"o.svg", b"o.png"}


@pytest.mark.parametrize("command", [
    ["orientation", "--length", "7", "--rose", "o.svg", "--plot", "p.svg"],
    ["deskew", "--plot", "o.svg"],
])
def test_names_with_quotes_are_drawn_by_every_command(tamis, volume, balls, tmp_path, command):
    name = volume("it's `a` \"quote\" {b} @c \\.tif", balls[12])
    result = tamis(command[0], name, *command[1:], "-q", "--csv", "o.csv", check=False)
    assert result.returncode in (0, 3), result.stderr  # 3: a page without an angle
    for drawn in tmp_path.glob("*.svg"):
        ElementTree.parse(drawn)
    assert (tmp_path / "o.csv").stat().st_size > 0


def test_settings_of_the_user_do_not_reach_gnuplot(tamis, ball_file, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gnuplot").write_text("system('touch pwned')\nset terminal dumb\n")
    tamis("granulometry", ball_file, *DRAW, "--plot", "plain.svg")
    tamis("granulometry", ball_file, *DRAW, "--plot", "o.svg",
          env=dict(os.environ, HOME=str(tmp_path / "home"), GNUTERM="dumb", GNUPLOT_LIB=str(tmp_path / "home"),
                   GNUPLOT_FONTPATH="/nowhere", GNUPLOT_DRIVER_DIR="/nowhere", LC_ALL="C"))
    assert not (tmp_path / "pwned").exists()
    assert (tmp_path / "o.svg").read_bytes() == (tmp_path / "plain.svg").read_bytes()


def fake_gnuplot(folder, script):
    """A folder for PATH with a gnuplot of ours."""
    folder.mkdir()
    (folder / "gnuplot").write_text("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n" + script)
    (folder / "gnuplot").chmod(0o755)
    return dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize("script", ["echo '<svg>'", "printf '\\211PNG'", "echo '<svg></svg>'; exit 3", "kill -9 $$",
                                    "exit 0"])
def test_a_picture_that_is_not_whole_is_an_error(refused, ball_file, tmp_path, script):
    environment = fake_gnuplot(tmp_path / "path", script)
    refused("granulometry", ball_file, *DRAW, "--csv", "o.csv", "--plot", "o.svg", env=environment,
            words=("gnuplot failed",))


def test_a_picture_of_half_of_what_was_to_be_drawn_is_an_error(refused, ball_file, tmp_path):
    environment = fake_gnuplot(tmp_path / "path", "exec 0<&-; sleep 0.1; echo '<svg></svg>'")
    refused("granulometry", ball_file, *DRAW, "--csv", "o.csv", "--picture", "o.png", env=environment,
            words=("gnuplot failed", "did not read all"))


@pytest.mark.parametrize("option, name", [("--plot", "o.svg"), ("--picture", "o.png"), ("--map", "o.tif"),
                                          ("--csv", "o.xlsx")])
@pytest.mark.parametrize("bytes_", [0, 500, 4096])
def test_a_file_size_limit_leaves_no_half_of_a_picture(refused, ball_file, option, name, bytes_):
    refused("granulometry", ball_file, *DRAW, option, name, words=(name, "File too large"),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_)))


# Ends before the end.


def start(program, folder, *command, **options):
    return subprocess.Popen([program, *command], cwd=folder, stderr=subprocess.PIPE, text=True, **options)


def hidden(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def sparse(folder, name, bytes_):
    (folder / name).touch()
    os.truncate(folder / name, bytes_)
    return name


def big_outputs(folder, ending):
    """A large input and its conversion: one slice where the format holds no more."""
    if ending in ("png", "pgm"):
        return sparse(folder, "big_20000x20000_u8.raw", 20000**2), f"out.{ending}"
    return sparse(folder, "big_2000x2000x500_u8.raw", 2000**2 * 500), f"out.{ending}"


@pytest.mark.parametrize("ending", FORMATS)
def test_ctrl_c_is_heard_within_a_second_while_a_file_is_written(tamis_program, tmp_path, ending):
    source, out = big_outputs(tmp_path, ending)
    process = start(tamis_program, tmp_path, "convert", source, out, "-q")
    wait_for(lambda: process.poll() is not None or any((tmp_path / name).stat().st_size > 0 for name in hidden(tmp_path)
                                                       if (tmp_path / name).exists()))
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    began = time.monotonic()
    process.wait(timeout=20)
    assert time.monotonic() - began < 1
    if process.returncode != 0:  # it was not so fast that there was nothing to interrupt
        assert process.returncode == 130
        assert [path.name for path in tmp_path.iterdir()] == [source]


def test_ctrl_c_is_heard_while_gnuplot_works_and_ends_it(tamis_program, ball_file, tmp_path):
    environment = fake_gnuplot(tmp_path / "path", "echo $$ >started; exec sleep 100\n")
    process = start(tamis_program, tmp_path, "granulometry", ball_file, *DRAW, "--csv", "o.csv", "--plot", "o.svg",
                    env=environment)
    wait_for(lambda: (tmp_path / "started").exists() and (tmp_path / "started").read_text().endswith("\n"))
    child = int((tmp_path / "started").read_text())
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait(timeout=20) == 130
    assert time.monotonic() - began < 1
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert {path.name for path in tmp_path.iterdir()} == {ball_file, "path", "started"}


def test_a_killed_run_leaves_what_the_next_one_removes(tamis, tamis_program, tmp_path):
    source, out = big_outputs(tmp_path, "png")
    killed = [start(tamis_program, tmp_path, "convert", source, out, "-q") for _ in range(3)]
    wait_for(lambda: len(hidden(tmp_path)) == 3)
    for process in killed[:2]:
        process.kill()
        process.wait()
    assert len(hidden(tmp_path)) == 3
    (tmp_path / "one.pgm").write_bytes(b"P5\n1 1\n255\n\0")
    tamis("convert", "one.pgm", out)  # the third is at work yet
    assert len(hidden(tmp_path)) == 1
    killed[2].send_signal(signal.SIGINT)
    assert killed[2].wait(timeout=20) == 130
    assert {path.name for path in tmp_path.iterdir()} == {source, "one.pgm", out}


@pytest.mark.whole
@pytest.mark.parametrize("call", ["fsync", "renameat"])
def test_a_second_ctrl_c_ends_what_hangs_and_leaves_no_hidden_file(tamis_program, ball_file, tmp_path, call):
    """The disk does not answer: a call never returns."""
    shim = crash.build_shim(tmp_path.parent)
    log = tmp_path.parent / "log"
    for at in range(10_000):
        log.unlink(missing_ok=True)
        process = start(tamis_program, tmp_path, "granulometry", ball_file, *DRAW, "--csv", "o.csv", "--json", "o.json",
                        env=dict(os.environ, LD_PRELOAD=str(shim), FAULT_AT=str(at), FAULT_KIND="hang",
                                 FAULT_LOG=str(log)))
        wait_for(lambda: log.exists() and log.stat().st_size > 0)
        if log.read_text() == call:
            break
        process.kill()
        process.wait()
        for name in hidden(tmp_path):
            (tmp_path / name).unlink()
    assert hidden(tmp_path)
    process.send_signal(signal.SIGINT)
    time.sleep(2.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=2) == 130
    if call == "fsync":  # a folder that does not answer keeps its names
        assert [path.name for path in tmp_path.iterdir()] == [ball_file]


def test_an_input_that_is_shortened_while_it_is_read_is_one_line(tamis_program, tmp_path):
    source = sparse(tmp_path, "big_1000x1000x300_u8.raw", 1000**2 * 300)
    (tmp_path / "out.raw.gz").write_text("old")
    process = start(tamis_program, tmp_path, "convert", source, "out.raw.gz", "-q")
    wait_for(lambda: bool(hidden(tmp_path)))
    os.truncate(tmp_path / source, 0)
    err = process.communicate(timeout=20)[1]
    assert process.returncode == 2 and err == "tamis: an input was shortened by another program while it was read\n"
    assert (tmp_path / "out.raw.gz").read_text() == "old" and not hidden(tmp_path)
