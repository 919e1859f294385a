"""A process that may open only a few files ends in words and leaves nothing; so it does where an open fails otherwise."""

import resource

import numpy
import pytest


@pytest.mark.parametrize("name", ["out.h5", "out.zarr", "out.tif", "out.raw", "out.npy"])
def test_with_few_descriptors_it_ends_and_leaves_nothing(tamis, tmp_path, name):
    numpy.save(tmp_path / "in.npy", numpy.random.default_rng(5).integers(0, 255, (4, 60, 70), numpy.uint8))
    ends = set()
    for most in range(3, 20):
        told = tamis("convert", "-q", "in.npy", name, check=False, timeout=10,
                     preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
        assert told.returncode in (0, 2, 127), (most, told)  # 127: the loader found no library
        left = [path.name for path in tmp_path.iterdir() if path.name not in ("in.npy", name)]
        assert not left, (most, left)
        if told.returncode == 2:
            assert told.stderr.count("\n") == 1 and "Too many open files" in told.stderr, (most, told.stderr)
        ends.add(told.returncode)
    assert ends >= {0, 2}
