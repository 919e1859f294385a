"""HDF5 files that lie: chunks that inflate to another length, other people's files, sources that are missing."""

import os
import time
import zlib

import h5py
import numpy
import pytest

SHAPE = (12, 20, 30)


@pytest.fixture
def samples():
    return numpy.random.default_rng(5).integers(0, 60000, SHAPE).astype(numpy.uint16)


@pytest.fixture
def as_array(tamis, tmp_path):
    """What the program makes of a file."""

    def run(name, *options):
        tamis("convert", name, "out.npy", "--quiet", *options)
        array = numpy.load(tmp_path / "out.npy")
        (tmp_path / "out.npy").unlink()
        return array

    return run


@pytest.mark.parametrize("options", [
    {}, {"chunks": (5, 7, 11)}, {"chunks": (1, 20, 30), "compression": "gzip"},
    {"chunks": (5, 7, 11), "compression": "gzip", "shuffle": True, "fletcher32": True},
    {"chunks": (5, 7, 11), "fletcher32": True}, {"chunks": (12, 20, 30), "compression": "gzip", "shuffle": True},
    {"chunks": (40, 64, 64), "maxshape": (None, None, None), "compression": "gzip"},
    {"chunks": (5, 7, 11), "scaleoffset": 0}])
@pytest.mark.parametrize("dtype", ["u1", "<u2", ">u2", "<i2", ">i4", "<f4", ">f8", "<f2", "<i8", "bool"])
@pytest.mark.sampled(3)
def test_every_storage_of_every_type_reads_as_h5py_reads_it(as_array, tmp_path, samples, options, dtype):
    if "scaleoffset" in options and not numpy.issubdtype(numpy.dtype(dtype), numpy.integer):
        pytest.skip("scale-offset is lossless for integers only")
    array = (samples % 200).astype(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", data=array, **options)
    got = as_array("a.h5")
    assert got.shape == array.shape
    assert (got == array.astype(got.dtype)).all()
    assert got.dtype == (numpy.float32 if dtype == "<f2" else numpy.dtype(dtype).newbyteorder("="))


def test_chunks_that_were_never_written_are_the_fill_value(as_array, tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("data", SHAPE, ">i2", chunks=(5, 7, 11), compression="gzip", fillvalue=-7)
        dataset[6:9, 8:13, 12:21] = 5
    with h5py.File(tmp_path / "a.h5") as file:
        assert (as_array("a.h5") == file["data"][()]).all()


def test_a_file_with_something_in_front_of_it(as_array, tmp_path, samples):
    with h5py.File(tmp_path / "a.h5", "w", userblock_size=1024) as file:
        file.create_dataset("data", data=samples, chunks=(5, 7, 11), compression="gzip")
    assert (as_array("a.h5") == samples).all()


def with_chunk(path, samples, stored, **options):
    """A file of one chunk, whose stored bytes are `stored`."""
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("data", samples.shape, samples.dtype, chunks=samples.shape, compression="gzip",
                                      **options)
        dataset.id.write_direct_chunk((0,) * samples.ndim, stored)


@pytest.mark.parametrize("length", [0, 1, 100, 14399, 14401, 20000])
@pytest.mark.parametrize("dtype", ["<u2", ">u2", "<f2"])
def test_a_chunk_that_inflates_to_another_length_is_refused(refused, tmp_path, samples, length, dtype):
    with_chunk(tmp_path / "short.h5", samples.astype(dtype), zlib.compress(b"\5" * length))
    refused("convert", "short.h5", "out.npy", words=["short.h5", "corrupt HDF5", "inflate"])


def test_chunks_of_rubbish_are_refused(refused, tmp_path, samples):
    for stored in (b"rubbish", zlib.compress(samples.tobytes())[:-9]):
        with_chunk(tmp_path / "a.h5", samples, stored)
        refused("convert", "a.h5", "out.npy", words=["a.h5", "corrupt HDF5"])


def test_a_wrong_checksum_is_refused(refused, tmp_path, samples):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", data=samples, chunks=SHAPE, fletcher32=True)
        offset = file["data"].id.get_chunk_info(0).byte_offset
    content = bytearray((tmp_path / "a.h5").read_bytes())
    content[offset + 1000] ^= 1
    (tmp_path / "a.h5").write_bytes(content)
    refused("convert", "a.h5", "out.npy", words=["a.h5", "checksum"])


def test_a_virtual_dataset_of_a_chunk_that_inflates_short_is_refused(refused, tmp_path, samples):
    with_chunk(tmp_path / "source.h5", samples, zlib.compress(b"\5" * 100))
    layout = h5py.VirtualLayout(SHAPE, "<u2")
    layout[:] = h5py.VirtualSource("source.h5", "data", SHAPE)
    with h5py.File(tmp_path / "all.h5", "w") as file:
        file.create_virtual_dataset("data", layout)
    refused("convert", "all.h5", "out.npy", words=["all.h5", "inflate"])


@pytest.fixture
def secret(tmp_path):
    """A file that is none of the input's business, outside of its folder."""
    path = tmp_path / "private" / "secret.raw"
    path.parent.mkdir()
    path.write_bytes(b"secret! " * 2000)
    return path


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def external(path, name):
    with h5py.File(path, "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_external(os.fsencode(name), 0, 2000)
        space = h5py.h5s.create_simple((1, 40, 50))
        h5py.h5d.create(file.id, b"data", h5py.h5t.NATIVE_UINT8, space, properties)


@pytest.mark.parametrize("name", ["absolute", "../private/secret.raw", "link.raw"])
def test_samples_in_files_outside_the_folder_need_follow(refused, as_array, folder, secret, name):
    (folder / "link.raw").symlink_to(secret)
    external(folder / "a.h5", secret if name == "absolute" else name)
    refused("convert", "folder/a.h5", "out.npy", words=["a.h5", "link.raw" if name == "link.raw" else "secret.raw", "--follow"])
    assert as_array("folder/a.h5", "--follow").tobytes() == secret.read_bytes()[:2000]


def test_samples_in_files_beside_are_read_wherever_tamis_is_started(as_array, folder):
    (folder / "samples.raw").write_bytes(bytes(range(200)) * 10)
    external(folder / "a.h5", "samples.raw")
    assert as_array("folder/a.h5").tobytes() == bytes(range(200)) * 10


def test_files_of_samples_that_are_missing_or_short_are_refused(refused, folder):
    external(folder / "a.h5", "samples.raw")
    refused("convert", "folder/a.h5", "out.npy", words=["a.h5", "samples.raw", "missing"])
    (folder / "samples.raw").write_bytes(bytes(1999))
    refused("convert", "folder/a.h5", "out.npy", words=["a.h5", "samples.raw", "1999", "2000"])


@pytest.mark.parametrize("option", [[], ["a.h5:/data"]])
def test_links_to_files_outside_the_folder_need_follow(refused, tamis, as_array, tmp_path, folder, samples, option):
    (tmp_path / "private").mkdir()
    with h5py.File(tmp_path / "private" / "other.h5", "w") as file:
        file["data"] = samples
    with h5py.File(folder / "a.h5", "w") as file:
        file["data"] = h5py.ExternalLink("../private/other.h5", "/data")
    refused("convert", "folder/a.h5:/data", "out.npy", words=["a.h5", "other.h5", "--follow"])
    assert (as_array("folder/a.h5:/data", "--follow") == samples).all()


def test_links_to_files_beside_are_followed(as_array, folder, samples):
    with h5py.File(folder / "other.h5", "w") as file:
        file.create_dataset("data", data=samples, chunks=(5, 7, 11), compression="gzip")
    with h5py.File(folder / "a.h5", "w") as file:
        file["data"] = h5py.ExternalLink("other.h5", "/data")
    assert (as_array("folder/a.h5:/data") == samples).all()


def virtual(path, sources):
    layout = h5py.VirtualLayout(SHAPE, "<u2")
    for i, name in enumerate(sources):
        layout[i] = h5py.VirtualSource(name, "data", SHAPE[1:])
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("data", layout, fillvalue=0)


def test_virtual_datasets_are_read_where_all_sources_are_there(refused, as_array, folder, samples):
    names = [f"part_{i}.h5" for i in range(SHAPE[0])]
    for name, part in zip(names, samples, strict=True):
        with h5py.File(folder / name, "w") as file:
            file["data"] = part
    virtual(folder / "all.h5", names)
    assert (as_array("folder/all.h5") == samples).all()
    (folder / "part_7.h5").unlink()
    refused("convert", "folder/all.h5", "out.npy", words=["all.h5", "part_7.h5", "missing"])


def test_virtual_sources_outside_the_folder_need_follow(refused, as_array, tmp_path, folder, samples):
    names = [f"../part_{i}.h5" for i in range(SHAPE[0])]
    for name, part in zip(names, samples, strict=True):
        with h5py.File(folder / name, "w") as file:
            file["data"] = part
    virtual(folder / "all.h5", names)
    refused("convert", "folder/all.h5", "out.npy", words=["all.h5", "part_0.h5", "--follow"])
    assert (as_array("folder/all.h5", "--follow") == samples).all()


def test_a_dataset_that_is_its_own_source_ends(tamis, folder):
    virtual(folder / "all.h5", ["all.h5"] * SHAPE[0])
    result = tamis("convert", "folder/all.h5", "out.npy", check=False, timeout=60)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("edge", [1000, 1500])
def test_a_sparse_dataset_of_tiny_chunks_takes_no_more_than_its_image(tamis, tmp_path, edge):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("data", (edge, edge), "u1", chunks=(1, 1), compression="gzip")
        data[500, 700] = 9
    tamis("convert", "a.h5", "out.npy", "--quiet", timeout=60)
    array = numpy.load(tmp_path / "out.npy")
    assert array.sum() == 9 and array[500, 700] == 9


def test_filters_are_not_loaded_from_where_the_environment_says(refused, tmp_path, samples):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk(SHAPE)
        properties.set_filter(32001, h5py.h5z.FLAG_OPTIONAL)
        h5py.h5d.create(file.id, b"data", h5py.h5t.NATIVE_UINT16, h5py.h5s.create_simple(SHAPE), properties)
    environment = dict(os.environ, HDF5_PLUGIN_PATH=str(tmp_path))
    refused("convert", "a.h5", "out.npy", words=["a.h5", "32001", "gzip"], env=environment)


def test_every_byte_of_a_small_file_may_be_wrong(tamis, tmp_path):
    """A sample of all of them: right or refused in one line, and always at once."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", data=numpy.arange(60, dtype="u2").reshape(3, 4, 5), chunks=(2, 4, 4),
                            compression="gzip", shuffle=True)
    whole = (tmp_path / "a.h5").read_bytes()
    random = numpy.random.default_rng(11)
    for at in random.choice(len(whole), 60, replace=False):
        damaged = bytearray(whole)
        damaged[at] = random.choice([0, 1, 0x7F, 0x80, 0xFF, damaged[at] ^ 4])
        (tmp_path / "damaged.h5").write_bytes(damaged)
        result = tamis("convert", "damaged.h5", "out.npy", "--quiet", check=False, timeout=30)
        assert result.returncode in (0, 2), (at, result)
        assert result.stderr.count("\n") == (1 if result.returncode else 0), (at, result)


@pytest.fixture
def write_tree():
    """A dataset of 12 chunks under a version 1 B-tree of one node, and where that node lies."""

    def write(path, samples, userblock=0):
        with h5py.File(path, "w", libver=("earliest", "v110"), userblock_size=userblock) as file:
            file.create_dataset("data", data=samples, chunks=(6, 10, 10))
        content = bytearray(path.read_bytes())
        at = content.index(b"TREE\1")
        assert content[at + 6] == 12
        return content, at

    return write


@pytest.mark.parametrize("userblock", [0, 512])  # MATLAB writes 512 bytes in front
@pytest.mark.parametrize("count", [11, 5, 1, 0, 13])
def test_a_count_of_chunks_that_is_wrong_is_refused(refused, as_array, write_tree, tmp_path, samples, count, userblock):
    content, at = write_tree(tmp_path / "a.h5", samples, userblock)
    assert (as_array("a.h5") == samples).all()
    content[at + 6] = count
    (tmp_path / "a.h5").write_bytes(content)
    refused("convert", "a.h5", "out.npy", words=["a.h5", "corrupt HDF5", "index"])


def test_nodes_are_not_taken_for_chunks(refused, as_array, tmp_path, samples):
    """A root that says it is a leaf has nodes below, which lie far enough apart for small chunks."""
    with h5py.File(tmp_path / "a.h5", "w", libver=("earliest", "v110")) as file:
        file.create_dataset("data", data=samples, chunks=(3, 4, 5))
    assert (as_array("a.h5") == samples).all()
    content = bytearray((tmp_path / "a.h5").read_bytes())
    at = content.index(b"TREE\1\1")
    content[at + 5] = 0
    (tmp_path / "a.h5").write_bytes(content)
    refused("convert", "a.h5", "out.npy", words=["a.h5", "corrupt HDF5", "a node in the place of a chunk"])


def test_a_dataset_that_began_with_all_chunks_has_them(refused, as_array, tmp_path, samples):
    """Without the last chunk the tree is sound; only this kind of dataset says that it must be there."""
    with h5py.File(tmp_path / "a.h5", "w", libver=("earliest", "v110")) as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((6, 10, 10))
        properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        space = h5py.h5s.create_simple(SHAPE)
        h5py.Dataset(h5py.h5d.create(file.id, b"data", h5py.h5t.STD_U16LE, space, properties))[...] = samples
    assert (as_array("a.h5") == samples).all()
    content = bytearray((tmp_path / "a.h5").read_bytes())
    at = content.index(b"TREE\1")
    content[at + 6] = 11
    last_key = at + 24 + 11 * (8 + 4 * 8 + 8)
    content[last_key:last_key + 4] = bytes(4)
    (tmp_path / "a.h5").write_bytes(content)
    refused("convert", "a.h5", "out.npy", words=["a.h5", "corrupt HDF5", "index"])


@pytest.mark.parametrize("name", ["source.h5", "source_%b.h5"])
def test_the_index_of_a_virtual_source_is_looked_at(refused, as_array, write_tree, tmp_path, samples, name):
    content, at = write_tree(tmp_path / name.replace("%b", "0"), samples)
    with h5py.File(tmp_path / "all.h5", "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        space = h5py.h5s.create_simple(SHAPE, (h5py.h5s.UNLIMITED, *SHAPE[1:]))
        part = h5py.h5s.create_simple(SHAPE)
        count = h5py.h5s.UNLIMITED if "%b" in name else 1
        space.select_hyperslab((0, 0, 0), (count, 1, 1), SHAPE, SHAPE)
        properties.set_virtual(space, name.encode(), b"data", part)
        space.select_all()
        h5py.h5d.create(file.id, b"data", h5py.h5t.STD_U16LE, space, properties)
    assert (as_array("all.h5") == samples).all()
    content[at + 6] = 11
    (tmp_path / name.replace("%b", "0")).write_bytes(content)
    refused("convert", "all.h5", "out.npy", words=["all.h5", "corrupt HDF5", "index"])


def test_the_index_behind_a_link_is_looked_at(refused, as_array, write_tree, tmp_path, samples):
    content, at = write_tree(tmp_path / "other.h5", samples)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = h5py.ExternalLink("other.h5", "/data")
    assert (as_array("a.h5:/data") == samples).all()
    content[at + 6] = 11
    (tmp_path / "other.h5").write_bytes(content)
    refused("convert", "a.h5:/data", "out.npy", words=["a.h5", "corrupt HDF5", "index"])


def nested(path, depth, libver):
    with h5py.File(path, "w", libver=libver) as file:
        group = file
        for _ in range(depth):
            group = group.create_group("g")
        group["data"] = numpy.arange(24, dtype="u1").reshape(2, 3, 4)


@pytest.mark.parametrize("libver", [("earliest", "v110"), ("v110", "v110")])
def test_groups_in_groups_take_no_time(refused, as_array, tmp_path, libver):
    nested(tmp_path / "a.h5", 100, libver)
    assert as_array("a.h5").sum() == 276
    nested(tmp_path / "a.h5", 2000, libver)
    start = time.monotonic()
    refused("info", "a.h5", words=["a.h5", "100 deep", ":DATASET"])
    assert as_array("a.h5:" + "/g" * 2000 + "/data").sum() == 276
    assert time.monotonic() - start < 4
