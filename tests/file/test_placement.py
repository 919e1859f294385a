"""Where an image lies: read, kept through filters and crops, and written as nibabel and SimpleITK understand it."""

import json

import nibabel
import numpy
import pydicom
import pytest
import SimpleITK
import tamis as package
import zarr

VOLUME = (numpy.random.default_rng(3).random((6, 7, 8)) * 200).astype("u1")
EDGES = (0.5, 0.75, 2.0)  # x first
ORIGIN = (-12.5, 30.25, -7.0)


def turn(a, b, c):
    """A turn about each axis, x first."""
    matrix = numpy.eye(3)
    for axis, angle in enumerate(numpy.radians((a, b, c))):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        step = numpy.eye(3)
        step[[i, j, i, j], [i, j, j, i]] = numpy.cos(angle), numpy.cos(angle), -numpy.sin(angle), numpy.sin(angle)
        matrix = step @ matrix
    return matrix


TURNS = {"straight": numpy.eye(3), "flipped": numpy.diag([-1.0, -1.0, 1.0]), "turned": turn(10, 20, 30), "far": turn(100, -160, 170),
         "mirrored": turn(10, 20, 30) @ numpy.diag([1.0, 1.0, -1.0]), "changed": numpy.eye(3)[[2, 0, 1]]}  # fmt: skip


def affine_of(matrix):
    return numpy.block([[matrix * EDGES, numpy.reshape(ORIGIN, (3, 1))], [numpy.zeros((1, 3)), 1]])


def itk_image(matrix):
    image = SimpleITK.GetImageFromArray(VOLUME)
    image.SetSpacing(EDGES), image.SetOrigin(ORIGIN), image.SetDirection(matrix.ravel())
    return image


def itk_affine(path):
    """In NIfTI's world."""
    image = SimpleITK.ReadImage(str(path))
    matrix = numpy.reshape(image.GetDirection(), (3, 3)) * image.GetSpacing()
    return numpy.diag([-1, -1, 1, 1]) @ numpy.block([[matrix, numpy.reshape(image.GetOrigin(), (3, 1))], [numpy.zeros((1, 3)), 1]])


@pytest.mark.parametrize("turned", TURNS)
@pytest.mark.parametrize("name", ["a.nii", "a.nrrd", "a.mha"])
def test_what_itk_writes_lies_there(name, turned, tmp_path):
    SimpleITK.WriteImage(itk_image(TURNS[turned]), str(tmp_path / name))
    image = package.read(tmp_path / name)
    assert image.placement.world == "scanner"
    assert image.placement.origin == pytest.approx(ORIGIN, abs=1e-4)
    numpy.testing.assert_allclose(numpy.transpose(image.placement.axes), TURNS[turned], atol=1e-5)
    numpy.testing.assert_allclose(image.affine, itk_affine(tmp_path / name), atol=1e-4)


@pytest.mark.parametrize("turned", TURNS)
@pytest.mark.parametrize("forms", [(1, 1), (0, 2), (3, 0), (2, 4)])
@pytest.mark.parametrize("kind", [nibabel.Nifti1Image, nibabel.Nifti2Image])
def test_nifti_says_it_in_two_ways(kind, forms, turned, tmp_path):
    affine = affine_of(TURNS[turned])
    file = kind(VOLUME.T, affine)
    file.set_qform(affine, forms[0]), file.set_sform(affine, forms[1])
    nibabel.save(file, tmp_path / "a.nii")
    image = package.read(tmp_path / "a.nii")
    worlds = ("own", "scanner", "aligned", "talairach", "mni")
    assert image.placement.world == worlds[forms[1] or forms[0]]
    numpy.testing.assert_allclose(image.affine, nibabel.load(tmp_path / "a.nii").affine, atol=1e-4)
    package.write(tmp_path / "b.nii", image)
    back = nibabel.load(tmp_path / "b.nii")
    assert int(back.header["sform_code"]) == int(back.header["qform_code"]) == (forms[1] or forms[0])
    for found in (back.affine, back.get_qform(), back.get_sform(), itk_affine(tmp_path / "b.nii")):
        numpy.testing.assert_allclose(found, affine, atol=1e-4)


def test_a_sheared_matrix_is_kept(tmp_path):
    affine = affine_of(numpy.array([[1, 0.1, 0], [0, 1, 0.2], [0, 0, 1]]))
    file = nibabel.Nifti1Image(VOLUME.T, affine)
    file.set_qform(None, 0)
    nibabel.save(file, tmp_path / "a.nii")
    image = package.read(tmp_path / "a.nii")
    numpy.testing.assert_allclose(image.affine, affine, atol=1e-5)
    package.write(tmp_path / "b.nii", image)
    back = nibabel.load(tmp_path / "b.nii")
    numpy.testing.assert_allclose(back.affine, affine, atol=1e-5)
    assert int(back.header["qform_code"]) == 0


@pytest.mark.parametrize("turned", TURNS)
@pytest.mark.parametrize("target", ["b.nii", "b.nrrd", "b.mha"])
@pytest.mark.sampled(2)
def test_masks_of_the_program_lie_on_their_scan(target, turned, tmp_path, tamis):
    SimpleITK.WriteImage(itk_image(TURNS[turned]), str(tmp_path / "a.nrrd"))
    wanted = itk_affine(tmp_path / "a.nrrd")
    for command in (["threshold", "--method", "otsu"], ["median", "--size", "3"], ["convert", "--as", "u16"], ["open", "--element", "cube:3"]):
        tamis(command[0], "a.nrrd", target, "--quiet", *command[1:])
        numpy.testing.assert_allclose(itk_affine(tmp_path / target), wanted, atol=1e-4)
    tamis("convert", "a.nrrd", target, "--crop", "2:7,1:5,3:6", "--quiet")
    moved = wanted.copy()
    moved[:3, 3] = (wanted @ (2, 1, 3, 1))[:3]
    numpy.testing.assert_allclose(itk_affine(tmp_path / target), moved, atol=1e-4)
    tamis("convert", "a.nrrd", target, "--resample", "1x1.5x1mm", "--quiet")
    larger = wanted.copy()
    larger[:3, :3] = wanted[:3, :3] * (2, 2, 0.5)
    larger[:3, 3] = (wanted @ (0.5, 0.5, -0.25, 1))[:3]
    numpy.testing.assert_allclose(itk_affine(tmp_path / target), larger, atol=1e-4)


def test_info_says_it(tamis, tmp_path):
    SimpleITK.WriteImage(itk_image(TURNS["turned"]), str(tmp_path / "a.mha"))
    said = tamis("info", "a.mha").stdout
    assert "first voxel at -12.5, 30.25, -7 mm (x, y, z), scanner" in said and "x runs along" in said
    told = json.loads(tamis("info", "a.mha", "--quiet", "--json", "/dev/stdout").stdout)["placement"]
    assert told["origin"] == list(ORIGIN) and told["world"] == "scanner"
    numpy.testing.assert_allclose(numpy.transpose(told["axes"]), TURNS["turned"], atol=1e-6)


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_translations_of_ome_zarr(version, tmp_path, tamis):
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=2 if version == "0.4" else 3)
    group.create_array("0", data=VOLUME)
    axes = [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "zyx"]
    steps = [{"type": "scale", "scale": [2.0, 1.0, 0.5]}, {"type": "translation", "translation": [10.0, 20.0, 30.0]}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": steps}],
             "coordinateTransformations": [{"type": "scale", "scale": [2.0, 2.0, 2.0]}, {"type": "translation", "translation": [0.0, 0.0, 1.0]}]}  # fmt: skip
    group.attrs.update({"multiscales": [{"version": "0.4", **image}]} if version == "0.4" else {"ome": {"version": "0.5", "multiscales": [image]}})
    read = package.read(tmp_path / "a.zarr")
    assert read.spacing == (4.0, 2.0, 1.0)
    assert read.placement == package.Placement((61.0, 40.0, 20.0))
    tamis("convert", "a.zarr", "b.zarr", "--crop", "1:8,2:7,0:6", "--quiet", "--ome-zarr", version)
    assert package.read(tmp_path / "b.zarr").placement.origin == (62.0, 44.0, 20.0)
    package.write(tmp_path / "c.nrrd", read)
    assert SimpleITK.ReadImage(str(tmp_path / "c.nrrd")).GetOrigin() == pytest.approx((0.061, 0.04, 0.02))


def test_a_series_of_dicom_lies_where_its_slices_do(tmp_path):
    data = pydicom.dcmread(pydicom.data.get_testdata_file("CT_small.dcm"))
    matrix = turn(5, 10, 15)
    data.ImageOrientationPatient = [*matrix[:, 0], *matrix[:, 1]]
    for i in (2, 0, 1):
        data.ImagePositionPatient = list(numpy.asarray(ORIGIN) + 1.25 * i * matrix[:, 2])
        data.SOPInstanceUID = f"1.2.3.{i}"
        data.save_as(tmp_path / f"slice{i}.dcm")
    image = package.read(tmp_path)
    reader = SimpleITK.ImageSeriesReader()
    reader.SetFileNames([str(tmp_path / f"slice{i}.dcm") for i in range(3)])
    SimpleITK.WriteImage(reader.Execute(), str(tmp_path / "itk.nrrd"))
    numpy.testing.assert_allclose(image.affine, itk_affine(tmp_path / "itk.nrrd"), atol=1e-3)
    package.write(tmp_path / "b.nii", image)
    numpy.testing.assert_allclose(nibabel.load(tmp_path / "b.nii").affine, image.affine, atol=1e-3)


def test_slices_of_an_array_lie_where_they_were(tmp_path):
    SimpleITK.WriteImage(itk_image(TURNS["turned"]), str(tmp_path / "a.mha"))
    scan = package.read(tmp_path / "a.mha")

    def at(part, index, z, y, x):
        """A sample of a part lies where the sample of the scan does."""
        step = part.affine if part.ndim == 3 else None
        numpy.testing.assert_allclose(step @ (*index[::-1], 1), scan.affine @ (x, y, z, 1), atol=1e-6)

    at(scan[2:, 1:5, 3:], (1, 2, 3), 3, 3, 6)
    at(scan[::-1, ::2, ::-3], (1, 2, 1), 4, 4, 4)
    at(scan.T, (4, 3, 2), 2, 3, 4)
    at(scan.transpose(1, 2, 0), (3, 4, 2), 2, 3, 4)
    at(package.open_file(tmp_path / "a.mha")[3:, 1:], (1, 2, 3), 4, 3, 3)
    at(package.open_file(tmp_path / "a.mha")[5:1:-2, ::2], (1, 2, 3), 3, 4, 3)
    assert scan[3].placement.origin == pytest.approx(scan[3:].placement.origin) and scan[3].affine is None
    for lost in (scan[:, 2], scan.reshape(6, 56), scan[[0, 1]], scan[None]):
        assert getattr(lost, "placement", None) is None
    for kept in (package.median(scan), package.threshold(scan, 100), package.distance(scan, 100), scan + 1, scan.copy()):
        assert kept.placement == scan.placement
    file = package.open_file(tmp_path / "a.mha")
    assert package.median(file).placement == scan.placement
    larger = package.resample(scan, (4, 1.5, 1))
    assert larger.affine @ (0, 0, 0, 1) == pytest.approx(scan.affine @ (0.5, 0.5, 0.5, 1))


def test_a_spacing_that_is_told_leaves_the_place(tmp_path, tamis):
    SimpleITK.WriteImage(itk_image(TURNS["turned"]), str(tmp_path / "a.mha"))
    tamis("convert", "a.mha", "b.mha", "--spacing", "1000x2000x3000um", "--quiet")
    image = SimpleITK.ReadImage(str(tmp_path / "b.mha"))
    assert image.GetSpacing() == pytest.approx((1, 2, 3)) and image.GetOrigin() == pytest.approx(ORIGIN)


@pytest.mark.parametrize("name", ["a.npy", "a.tif", "a.h5"])
def test_formats_without_room_for_it_have_none(name, tmp_path):
    SimpleITK.WriteImage(itk_image(TURNS["turned"]), str(tmp_path / "a.mha"))
    package.write(tmp_path / name, package.read(tmp_path / "a.mha"))
    assert package.read(tmp_path / name).placement is None


def placed():
    """A scan that lies askew in the room."""
    image = package.CalibratedArray(numpy.random.default_rng(2).integers(0, 255, (6, 7, 8), "uint8"), (3, 2, 1), "mm")
    image._placement = package.Placement((10.0, -20.0, 30.0), ((0.6, 0.8, 0.0), (-0.8, 0.6, 0.0), (0.0, 0.0, 1.0)), "scanner")
    return image


def test_a_spacing_of_its_own_keeps_the_place_and_not_the_steps():
    image, part = placed(), numpy.s_[1:5, 2:7, 3:8]
    made = package.thickness(image, "otsu", spacing=1, unit="um", crop=part)
    assert (made.spacing, made.unit) == ((1, 1, 1), "um")
    numpy.testing.assert_allclose(made.affine[:, 3], image[part].affine[:, 3], rtol=0, atol=1e-12)
    numpy.testing.assert_allclose(numpy.linalg.norm(made.affine[:3, :3], axis=0), 1e-3)


@pytest.mark.parametrize("call", [
    lambda image, **options: package.threshold(image, "otsu", **options),
    lambda image, **options: package.distance(image, "otsu", **options),
    lambda image, **options: package.size_map(image, "otsu", **options),
    lambda image, **options: package.size_map(image, "otsu", element="ball", **options),
    lambda image, **options: package.thickness(image, "otsu", **options),
    lambda image, **options: package.porosimetry(image, "otsu", map="radius", **options).map,
])  # fmt: skip
def test_a_crop_keyword_moves_the_origin(call):
    image = placed()
    part = numpy.s_[1:5, 2:7, 3:8]
    for crop in (part, "3:8,2:7,1:5"):
        made = call(image, crop=crop)
        numpy.testing.assert_allclose(made.affine, image[part].affine, rtol=0, atol=1e-12)
        assert made.placement.world == "scanner"
    assert call(image).placement == image.placement
