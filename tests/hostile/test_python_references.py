"""What a file refers to: only what lies in its folder or below is opened, and what is missing is no zero."""

import json
import os
import pickle

import numpy
import pytest
import tamis

h5py = pytest.importorskip("h5py")
tifffile = pytest.importorskip("tifffile")

SHAPE = (4, 9, 11)
GREY = (numpy.random.default_rng(1).random(SHAPE) * 200).astype(numpy.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of a stranger's, and files of the user's beside it. The working directory is a third one."""
    for name in ("stranger/below", "user", "here"):
        (tmp_path / name).mkdir(parents=True)
    for place in ("stranger/below", "user"):
        GREY.tofile(tmp_path / place / "samples.bin")
        with h5py.File(tmp_path / place / "other.h5", "w") as file:
            file["d"] = GREY
    (tmp_path / "stranger" / "way").symlink_to(tmp_path / "user")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "stranger"


def places(folder):
    """(what a file says, where it leads)"""
    yield "below/{}", "here"
    yield f"{folder}/below/{{}}", "here"
    yield "../user/{}", "outside"
    yield f"{folder.parent}/user/{{}}", "outside"
    yield "way/{}", "outside"
    yield "below/no_{}", "missing"


def external_link(file, reference):
    file["d"] = h5py.ExternalLink(reference.format("other.h5"), "/d")


def link_to_a_link(file, reference):
    external_link(file, reference)
    file["group/soft"] = h5py.SoftLink("/d")
    file.move("d", "group/e")
    file["d"] = h5py.SoftLink("group/e")


def external_samples(file, reference):
    file.create_dataset("d", SHAPE, "u1", external=[(reference.format("samples.bin"), 0, GREY.nbytes)])


def virtual_dataset(file, reference):
    layout = h5py.VirtualLayout(SHAPE, "u1")
    layout[...] = h5py.VirtualSource(reference.format("other.h5"), "d", SHAPE)
    file.create_virtual_dataset("d", layout)


def virtual_slices(file, reference):
    layout = h5py.VirtualLayout(SHAPE, "u1")
    for z in range(SHAPE[0]):
        layout[z] = h5py.VirtualSource(reference.format("other.h5"), "d", SHAPE)[z]
    file.create_virtual_dataset("d", layout)


def virtual_blocks(file, reference):
    """A source for each block, 'below/other.h5' and so on, with the number where %b stands."""
    layout = h5py.VirtualLayout((0, *SHAPE[1:]), "u1", maxshape=(None, *SHAPE[1:]))
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    blocks = h5py.h5s.create_simple((0, *SHAPE[1:]), (h5py.h5s.UNLIMITED, *SHAPE[1:]))
    blocks.select_hyperslab((0, 0, 0), (h5py.h5s.UNLIMITED, 1, 1), (SHAPE[0], 1, 1), SHAPE)
    source = h5py.h5s.create_simple(SHAPE)
    created.set_virtual(blocks, reference.format("other.h5").replace("other", "%bother").encode(), b"d", source)
    del layout
    whole = h5py.h5s.create_simple((0, *SHAPE[1:]), (h5py.h5s.UNLIMITED, *SHAPE[1:]))
    h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_UINT8, whole, created)


@pytest.mark.parametrize("make", [external_link, link_to_a_link, external_samples, virtual_dataset, virtual_slices,
                                  virtual_blocks])
def test_hdf5_refers_to_its_folder_and_below(folder, make):
    for place in ("below", "../user"):
        os.symlink("other.h5", folder / place / "0other.h5")
    for reference, where in places(folder):
        with h5py.File(folder / "a.h5", "w") as file:
            make(file, reference)
        name = f"{folder}/a.h5:/d"
        for lazy in (False, True):
            if where == "here":
                numpy.testing.assert_array_equal(tamis.read(name, lazy=lazy)[...], GREY)
                continue
            words = "outside its folder; wanted follow=True" if where == "outside" else "which is not there"
            with pytest.raises(tamis.InputError, match=words) as caught:
                tamis.read(name, lazy=lazy)
            assert "\n" not in str(caught.value)
            if where == "outside":
                numpy.testing.assert_array_equal(tamis.read(name, lazy=lazy, follow=True)[...], GREY)
            else:
                with pytest.raises(tamis.InputError, match="which is not there"):
                    tamis.read(name, lazy=lazy, follow=True)


def test_a_virtual_dataset_is_not_the_way_out(folder):
    """Its source is in the folder; what that refers to is not."""
    outside = folder.parent / "user"
    with h5py.File(folder / "below" / "link.h5", "w") as file:
        external_link(file, f"{outside}/{{}}")
    with h5py.File(folder / "below" / "samples.h5", "w") as file:
        external_samples(file, f"{outside}/{{}}")
    for source in ("link.h5", "samples.h5"):
        with h5py.File(folder / "a.h5", "w") as file:
            layout = h5py.VirtualLayout(SHAPE, "u1")
            layout[...] = h5py.VirtualSource(f"below/{source}", "d", SHAPE)
            file.create_virtual_dataset("d", layout)
        with pytest.raises(tamis.InputError, match="outside its folder|lie in other files"):
            tamis.read(folder / "a.h5")


@pytest.mark.parametrize(("make", "words"), [
    (lambda file: file.create_dataset("d", SHAPE, "u1", external=[("below/samples.bin", 1, GREY.nbytes)]),
     "396 bytes; wanted 397"),
    (lambda file: file.__setitem__("d", h5py.SoftLink("/d")), "circle"),
    (lambda file: file.__setitem__("d", h5py.ExternalLink("a.h5", "/d")), "circle"),
    (lambda file: virtual_dataset(file, "a.h5"), "circle"),
    (lambda file: file.__setitem__("d", h5py.ExternalLink("below/other.h5", "/none")), "no dataset"),
])
def test_what_is_too_short_or_turns_in_a_circle_is_refused(folder, make, words):
    with h5py.File(folder / "a.h5", "w") as file:
        make(file)
    (folder / "other.h5").symlink_to("a.h5")
    with pytest.raises(tamis.InputError, match=words):
        tamis.read(f"{folder}/a.h5:/d")


def test_a_source_that_is_smaller_than_the_virtual_dataset_says_is_refused(folder):
    with h5py.File(folder / "a.h5", "w") as file:
        layout = h5py.VirtualLayout((8, *SHAPE[1:]), "u1")
        layout[...] = h5py.VirtualSource("below/other.h5", "d", (8, *SHAPE[1:]))
        file.create_virtual_dataset("d", layout)
    with pytest.raises(tamis.InputError, match=r"which has shape \(4, 9, 11\)"):
        tamis.read(folder / "a.h5")


def spread_over(names):
    """The description of an OME-TIFF with one page in each file."""
    planes = "".join(
        f'<TiffData FirstZ="{z}" IFD="0" PlaneCount="1"><UUID FileName="{name}">urn:uuid:{z}</UUID></TiffData>'
        for z, name in enumerate(names)
    )
    return (f'<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:0">'
            f'<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint8" SizeX="{SHAPE[2]}" '
            f'SizeY="{SHAPE[1]}" SizeZ="{len(names)}" SizeC="1" SizeT="1"><Channel ID="Channel:0:0" '
            f'SamplesPerPixel="1"/>{planes}</Pixels></Image></OME>').encode()


def test_an_ome_tiff_refers_to_its_folder_and_below(folder):
    for place in ("below", "../user"):
        tifffile.imwrite(folder / place / "b.tif", GREY[1], metadata=None)
    for reference, where in places(folder):
        name = reference.format("b.tif")
        tifffile.imwrite(folder / "a.ome.tif", GREY[0], description=spread_over(["a.ome.tif", name]), metadata=None)
        if where == "here":
            numpy.testing.assert_array_equal(tamis.read(folder / "a.ome.tif"), GREY[:2])
            continue
        words = "outside its folder" if where == "outside" else "which is not there"
        with pytest.raises(tamis.InputError, match=words):
            tamis.read(folder / "a.ome.tif")
        if where == "outside":
            numpy.testing.assert_array_equal(tamis.read(folder / "a.ome.tif", follow=True), GREY[:2])


def test_chunks_that_are_programs_are_not_run(folder):
    zarr = pytest.importorskip("zarr")
    class Program:
        def __reduce__(self):
            return (os.mkdir, ("it_ran",))

    tamis.write(folder / "a.zarr", GREY)
    for left in (folder / "a.zarr").iterdir():
        if left.is_file():
            left.unlink()
    described = {"zarr_format": 2, "shape": [4, 9, 11], "chunks": [4, 9, 11], "dtype": "|u1", "fill_value": 0,
                 "order": "C", "compressor": {"id": "pickle", "protocol": 5}, "filters": None}
    (folder / "a.zarr" / ".zarray").write_text(json.dumps(described))
    (folder / "a.zarr" / "0.0.0").write_bytes(pickle.dumps(Program()))
    for lazy in (False, True):
        with pytest.raises(tamis.InputError, match="pickle"):
            tamis.read(folder / "a.zarr", lazy=lazy)
    assert not os.path.exists("it_ran")


def test_a_picture_is_of_the_kind_that_its_name_says(folder):
    """Pillow would have a program of its own run for an EPS file, whatever its name."""
    for name in ("a.png", "a.jpg", "a.pgm", "a.bmp", "a.gif"):
        (folder / name).write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EOF\n")
        with pytest.raises(tamis.InputError, match="by its first bytes"):
            tamis.read(folder / name)
