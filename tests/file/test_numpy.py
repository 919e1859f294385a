"""NumPy's files in either order of axes and of bytes, through the program and Python."""

import numpy
import pytest
import tamis as python

TYPES = ["|b1", "|u1", "|i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f4", ">f4", "<f8", ">f8"]


@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 1, 7), (131, 33, 34), (5, 1, 70), (40, 33), (1, 9), (9, 1)])
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.sampled(3)
def test_fortran_order_is_the_same_image(tamis, tmp_path, type_, shape):
    samples = numpy.random.default_rng(3).integers(0, 2 if type_ == "|b1" else 120, shape).astype(type_)
    numpy.save(tmp_path / "fortran.npy", numpy.asfortranarray(samples))
    assert b"'fortran_order': " in (tmp_path / "fortran.npy").read_bytes()
    tamis("convert", "fortran.npy", "out.npy", "--quiet")
    found = numpy.load(tmp_path / "out.npy")
    assert found.dtype == samples.dtype.newbyteorder("=")
    numpy.testing.assert_array_equal(found, samples)
    numpy.testing.assert_array_equal(python.read(tmp_path / "fortran.npy"), samples)


def test_slices_of_fortran_order_are_read_in_parts(tamis, tmp_path):
    samples = numpy.random.default_rng(4).integers(0, 60000, (300, 70, 80)).astype("u2")
    numpy.save(tmp_path / "fortran.npy", numpy.asfortranarray(samples))
    tamis("open", "fortran.npy", "out.npy", "--element", "cube:3", "--memory", "5M", "--quiet")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npy"), python.open(samples, "cube:3"))


def test_a_short_file_in_fortran_order_is_refused(refused, tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.asfortranarray(numpy.zeros((3, 4, 5), "u2")))
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(whole[:-1])
    refused("info", "a.npy", words=["got 119 bytes of samples, wanted 120 (5x4x3 u16)"])
