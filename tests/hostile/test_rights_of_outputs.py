"""Owner, rights and attributes of a file that an output replaces: kept where they are safe, and said where not."""

import os
import shutil
import stat
import struct
import subprocess
from pathlib import Path

import numpy
import pytest

import tamis as package

STRANGER = 65534  # nobody
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
ACCESS_LIST = "system.posix_acl_access"
# Each kind of output, and what makes it.
OUTPUTS = {
    "out.raw": ["convert", "in.npy", "out.raw"],
    "out.tif": ["convert", "in.npy", "out.tif"],
    "out.h5": ["convert", "in.npy", "out.h5"],
    "out.png": ["convert", "in.npy", "out.png"],
    "out.zarr": ["convert", "in.npy", "out.zarr"],
    "out.csv": ["granulometry", "in.npy", "--threshold", "100", "--csv", "out.csv"],
    "out.json": ["granulometry", "in.npy", "--threshold", "100", "--json", "out.json"],
    "out.xlsx": ["granulometry", "in.npy", "--threshold", "100", "--csv", "out.xlsx"],
    "out.svg": ["granulometry", "in.npy", "--threshold", "100", "--plot", "out.svg"],
}


@pytest.fixture
def old(tmp_path):
    """old("out.raw", 0o640) stands there before: of that mode, and of a stranger if asked."""
    numpy.save(tmp_path / "in.npy", numpy.random.default_rng(5).integers(0, 255, (20, 30), numpy.uint8))

    def make(name, mode, owner=None):
        path = tmp_path / name
        if path.suffix == ".zarr":
            path.mkdir()
            (path / ".zgroup").write_text("{}")
        else:
            path.write_text("old")
        if owner is not None:
            os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    return make


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@AS_ROOT
@pytest.mark.parametrize("name", OUTPUTS)
def test_no_output_has_the_set_id_or_sticky_bits_of_a_strangers_file(tamis, old, name):
    path = old(name, 0o7777 if name == "out.zarr" else 0o6777, STRANGER)
    told = tamis(*OUTPUTS[name])
    assert mode_of(path) & 0o7000 == 0
    assert mode_of(path) & ~0o755 == 0, "a stranger's mode is no reason to open what we write"
    assert (path.stat().st_uid, path.stat().st_gid) == (STRANGER, STRANGER), "the owner is kept where we may"
    assert told.stderr.startswith(f"note: {name}: not kept of the old file: its mode"), told.stderr
    inside = path / "0" if name == "out.zarr" else path
    assert inside.stat().st_uid == STRANGER


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_mode_of_an_own_file_is_kept_without_these_bits(tamis, old, name):
    for mode, wanted in ((0o600, 0o600), (0o664, 0o664), (0o4750, 0o750)):
        path = old(name, mode)
        told = tamis(*OUTPUTS[name])
        assert mode_of(path) == wanted, oct(mode_of(path))
        assert ("not kept of the old file: its mode (4750, now 750)" in told.stderr) == (mode == 0o4750), told.stderr
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@AS_ROOT
def test_who_may_not_give_files_away_says_that_the_owner_is_another(tamis_program, old, tmp_path):
    path = old("out.raw", 0o666, owner=0)
    # Where others can reach it: the checkout may lie in a folder of root's own.
    shutil.copytree(Path(tamis_program).resolve().parents[1], tmp_path / "prefix", symlinks=True)
    for folder in (tmp_path, *list(tmp_path.parents)[:3]):
        folder.chmod(folder.stat().st_mode | 0o005)
    tmp_path.chmod(0o777)

    def become_nobody():
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)

    try:
        told = subprocess.run([tmp_path / "prefix" / "bin" / "tamis", *OUTPUTS["out.raw"]], cwd=tmp_path,
                              preexec_fn=become_nobody, text=True, capture_output=True)
    except PermissionError:  # the root of a system in a folder of root's own
        pytest.skip("nobody but root can reach any folder here")
    assert told.returncode == 0, told.stderr
    assert path.stat().st_uid == STRANGER and mode_of(path) & 0o7000 == 0
    line = "note: out.raw: not kept of the old file: its owner (0), its group (0)"
    assert told.stderr.count("\n") == 1 and told.stderr.startswith(line), told.stderr


def access_list(user, rights):
    """rw for the owner, `rights` for one user, r for the group, nothing for others."""
    entries = [(1, 6, 0xFFFFFFFF), (2, rights, user), (4, 4, 0xFFFFFFFF), (16, rights | 4, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


@pytest.mark.parametrize("name", ["out.raw", "out.zarr"])
def test_access_lists_and_attributes_of_users_are_kept(tamis, old, name):
    path = old(name, 0o640)
    try:
        os.setxattr(path, "user.sample", b"bone 7")
        os.setxattr(path, ACCESS_LIST, access_list(1234, 6))
    except OSError:
        pytest.skip("no attributes on this file system")
    before = os.getxattr(path, ACCESS_LIST)
    told = tamis(*OUTPUTS[name])
    assert os.getxattr(path, "user.sample") == b"bone 7" and os.getxattr(path, ACCESS_LIST) == before
    assert told.stderr == ""


def test_a_folder_that_hands_down_its_group_does_so(tamis, old, tmp_path):
    old("other.raw", 0o600)
    tmp_path.chmod(0o2755)
    for name in ("new.raw", "new.zarr"):
        tamis("convert", "in.npy", name)
    assert mode_of(tmp_path / "new.raw") & 0o7000 == 0
    assert mode_of(tmp_path / "new.zarr") & 0o2000, "as every program's folders there"


@AS_ROOT
@pytest.mark.parametrize("name", ["out.tif", "out.zarr"])
def test_python_keeps_no_set_id_bits(old, name):
    path = old(name, 0o6777, STRANGER)
    package.write(path, numpy.zeros((4, 5, 6), numpy.uint8))
    assert mode_of(path) & 0o7000 == 0 and mode_of(path) & ~0o755 == 0
    assert {each.stat().st_uid for each in [path, *path.rglob("*")]} == {STRANGER}


@AS_ROOT
def test_a_ledger_never_goes_into_a_file_that_stands_there(tamis, old, tmp_path):
    """The ledger is a new file: one of its name may be another name of something else."""
    numpy.save(tmp_path / "volume.npy", numpy.random.default_rng(5).integers(0, 255, (60, 90, 100), numpy.uint8))
    precious = old("precious", 0o644)
    os.link(precious, tmp_path / "out.raw.tamis-ledger.new")
    tamis("median", "volume.npy", "out.raw", "--size", "3", "--memory", "2M")
    assert precious.read_text() == "old"
