"""The plugin in the real ImageJ, with a display of its own: what macros do is what the program does, bit for bit."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tifffile

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TAMIS_BUILD", ROOT / "build"))
PLUGIN = BUILD / "imagej" / "tamis_.jar"
JARS = [Path("/usr/share/java") / name for name in ("ij.jar", "jna.jar")]

MISSING = [str(path) for path in (PLUGIN, *JARS) if not path.exists()]
MISSING += [program for program in ("java", "javac", "Xvfb") if shutil.which(program) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not there: {', '.join(MISSING)} (make imagej, xvfb)")

RANDOM = np.random.default_rng(3)
GREY = RANDOM.integers(0, 255, (40, 50), np.uint8)
VOLUME = RANDOM.integers(0, 255, (8, 24, 26), np.uint8)


@pytest.fixture(scope="module")
def display():
    """A screen that nobody sees."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    yield dict(os.environ, DISPLAY=f":{number}")
    server.terminate()
    server.wait()


@pytest.fixture(scope="module")
def java(display, tmp_path_factory):
    """java(class path, arguments...) runs an ImageJ with the plugin."""
    home = tmp_path_factory.mktemp("imagej")
    (home / "plugins").mkdir()
    shutil.copy(PLUGIN, home / "plugins")

    def run(*words, path=(), options=()):
        classes = os.pathsep.join(map(str, [*JARS, *path]))
        done = subprocess.run(
            ["java", "-cp", classes, f"-Dplugins.dir={home}", f"-Duser.home={home}", *options, *map(str, words)],
            env=display,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def macro(java, tmp_path):
    """macro(text) runs it in batch mode; @ is its folder."""

    def run(text, options=()):
        (tmp_path / "macro.ijm").write_text(text.replace("@", f"{tmp_path}/"))
        return java("ij.ImageJ", "-batch", tmp_path / "macro.ijm", options=options)

    return run


RECORDED = (
    'run("tamis open...", "element=disk:2 border=neutral lines=invariant iterations=1 nan=refuse connectivity=full");'
)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_the_line_that_the_recorder_writes_gives_the_bits_of_the_program(tamis, macro, tmp_path, dtype):
    tifffile.imwrite(tmp_path / "a.tif", GREY.astype(dtype) * 3, imagej=True)
    macro(f'open("@a.tif"); {RECORDED} saveAs("Tiff", "@b.tif");')
    tamis("open", "a.tif", "c.npy", "--element", "disk:2")
    made = tifffile.imread(tmp_path / "b.tif")
    assert made.dtype == dtype and (made == np.load(tmp_path / "c.npy")).all()


def test_signed_samples_are_signed(macro, tmp_path):
    image = (GREY.astype(np.int16) - 100) * 50
    image.tofile(tmp_path / "a.raw")
    told = macro(
        'run("Raw...", "open=@a.raw image=[16-bit Signed] width=50 height=40 little-endian");'
        'run("tamis convert...", "as=f32"); saveAs("Tiff", "@b.tif");'
        'print(getValue("Min"), getValue("Max"));'
    )
    assert (tifffile.imread(tmp_path / "b.tif") == image).all(), told


@pytest.mark.parametrize("slices, wanted", [("volume", "cube:3"), ("each", "square:3"), ("current", None)])
def test_a_stack_is_a_volume_or_each_slice_or_one(tamis, macro, tmp_path, slices, wanted):
    tifffile.imwrite(tmp_path / "a.tif", VOLUME, imagej=True, metadata={"axes": "ZYX"})
    np.save(tmp_path / "a.npy", VOLUME)
    element = wanted or "square:3"
    macro(
        f'open("@a.tif"); setSlice(4); run("tamis median...", "slices={slices} element={element}"); '
        'saveAs("Tiff", "@b.tif");'
    )
    tamis("median", "a.npy", "c.npy", "--element", element)
    made, program = tifffile.imread(tmp_path / "b.tif"), np.load(tmp_path / "c.npy")
    if wanted:
        assert (made == program).all()
    else:
        assert (made[3] == program[3]).all() and (np.delete(made, 3, 0) == np.delete(VOLUME, 3, 0)).all()


def test_a_channel_and_a_frame_of_a_hyperstack_are_chosen(tamis, macro, tmp_path):
    stack = RANDOM.integers(0, 255, (2, 5, 3, 20, 22), np.uint8)  # t, z, c, y, x
    tifffile.imwrite(tmp_path / "a.tif", stack, imagej=True, metadata={"axes": "TZCYX"})
    np.save(tmp_path / "a.npy", stack[1, :, 2])
    macro(
        'open("@a.tif"); run("tamis erode...", "channel=3 frame=2 slices=volume element=ball:1"); '
        'saveAs("Tiff", "@b.tif");'
    )
    tamis("erode", "a.npy", "c.npy", "--element", "ball:1")
    made = tifffile.imread(tmp_path / "b.tif")
    assert (made[1, :, 2] == np.load(tmp_path / "c.npy")).all()
    made[1, :, 2] = stack[1, :, 2]
    assert (made == stack).all()


def test_only_what_lies_in_a_selection_changes(tamis, macro, tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", GREY, imagej=True)
    macro(
        'open("@a.tif"); makeRectangle(10, 5, 20, 12); run("tamis median...", "size=5"); run("Select None"); '
        'saveAs("Tiff", "@b.tif");'
    )
    tamis("median", "a.tif", "c.npy", "--size", "5")
    wanted = GREY.copy()
    wanted[5:17, 10:30] = np.load(tmp_path / "c.npy")[5:17, 10:30]
    assert (tifffile.imread(tmp_path / "b.tif") == wanted).all()


def test_a_granulometry_is_the_table_and_the_map_of_the_program(tamis, macro, tmp_path):
    tifffile.imwrite(
        tmp_path / "a.tif",
        VOLUME,
        imagej=True,
        resolution=(0.5, 0.5),
        metadata={"axes": "ZYX", "spacing": 2, "unit": "um"},
    )
    macro(
        'open("@a.tif"); run("tamis granulometry...", "slices=volume threshold=otsu element=ball map=diameter"); '
        'saveAs("Tiff", "@b.tif"); saveAs("Results", "@b.csv");'
    )
    tamis(
        "granulometry",
        "a.tif",
        "--threshold",
        "otsu",
        "--element",
        "ball",
        "--csv",
        "c.csv",
        "--map-diameter",
        "c.npy",
    )
    lines = [line.split(",", 1)[1] for line in (tmp_path / "b.csv").read_text().splitlines()]  # rows have numbers
    made = np.genfromtxt(lines, delimiter=",", names=True)
    wanted = np.genfromtxt(tmp_path / "c.csv", delimiter=",", names=True)
    for column in wanted.dtype.names:
        assert np.allclose(made[column], wanted[column], atol=1e-6), column
    assert (tifffile.imread(tmp_path / "b.tif") == np.load(tmp_path / "c.npy")).all()


def test_every_command_of_the_menu_runs_in_batch_mode(macro, tmp_path):
    config = subprocess.run(
        ["unzip", "-p", PLUGIN, "plugins.config"], capture_output=True, text=True, check=True
    ).stdout
    commands = re.findall(r'"(tamis [^"]+)"', config)
    assert len(commands) > 20
    options = {"threshold": "method=otsu", "convert": "as=u8", "granulometry": "threshold=otsu map=size",
               "size map": "threshold=otsu", "thickness": "threshold=otsu element=disk", "distance": "threshold=otsu",
               "porosimetry": "threshold=otsu inlet=y-", "resample": "voxel=2um"}  # fmt: skip
    tifffile.imwrite(tmp_path / "a.tif", GREY, imagej=True, resolution=(1, 1), metadata={"unit": "um"})
    lines = []
    for command in commands:  # no text at all would open the dialog
        name = command.removeprefix("tamis ").removesuffix("...")
        given = "marker=a.tif mask=a.tif" if name == "reconstruct" else options.get(name, "defaults")
        lines.append(f'open("@a.tif"); run("{command}", "{given}"); print("done {name}", nImages); close("*");')
    told = macro("\n".join(lines))
    assert re.findall(r"done (.*?) \d+", told) == [
        word.removeprefix("tamis ").removesuffix("...") for word in commands
    ]


@pytest.fixture(scope="module")
def probe(java, tmp_path_factory):
    classes = tmp_path_factory.mktemp("probe")
    subprocess.run(["javac", "-cp", JARS[0], "-d", classes, Path(__file__).parent / "Probe.java"], check=True)

    def run(*words, options=()):
        return java("Probe", *words, path=[classes], options=options).splitlines()

    return run


@pytest.mark.parametrize("command, options, words", [
    ("median", "percentile=200", "percentile=200: wanted a number from 0 to 100"),
    ("open", "element=disc:2", "element=disc:2: "),
    ("granulometry", "element=cross", "more than two values"),
    ("erode", "element=ball:2 slices=volume", "ball"),
])  # fmt: skip
def test_a_refusal_is_a_dialog_in_the_words_of_the_library(probe, tmp_path, command, options, words):
    tifffile.imwrite(tmp_path / "a.tif", GREY, imagej=True)
    title, text = probe(tmp_path / "a.tif", f"tamis {command}...", options)[:2]
    assert title == f"tamis {command}" and words in text


def test_a_picture_in_colours_is_refused_with_the_cure(probe, tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((20, 30, 3), np.uint8), photometric="rgb")
    assert "wanted 8, 16 or 32 bits" in probe(tmp_path / "a.tif", "tamis median...", "size=3")[1]


@pytest.mark.parametrize("body, words", [("int tamis_abi(void) { return 9; }", "has version 9 of its interface"),
                                         ("int other(void) { return 9; }", "has version 0 of its interface")])  # fmt: skip
def test_a_library_of_another_version_is_one_line(probe, tmp_path, body, words):
    (tmp_path / "other.c").write_text(body)
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "other.c", "-o", tmp_path / "libother.so"], check=True)
    tifffile.imwrite(tmp_path / "a.tif", GREY, imagej=True)
    lines = probe(
        tmp_path / "a.tif", "tamis median...", "size=3", options=[f"-Dtamis.library={tmp_path}/libother.so"]
    )
    assert words in lines[1] and "install both from one version" in lines[1]


def test_a_hundred_calls_leave_no_memory_behind(macro, tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", RANDOM.integers(0, 255, (1000, 1000), np.uint8), imagej=True)
    told = macro(
        """
        function resident() {
          return parseInt(replace(exec("sh", "-c", "grep VmRSS /proc/$PPID/status"), "[^0-9]", ""));
        }
        setBatchMode(true); open("@a.tif");
        for (n = 0; n < 120; n++) run("tamis median...", "size=3");
        before = resident();
        for (n = 0; n < 100; n++) run("tamis median...", "size=3");
        after = resident(); print("grown", after - before);""",
        ["-Xmx128m", "-Xms128m", "-XX:+AlwaysPreTouch"],
    )
    assert int(re.search(r"grown (-?\d+)", told)[1]) < 60_000  # kilobytes; images lost would be 100,000
