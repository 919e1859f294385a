"""The program and the library for Spack; the source is a folder: spack dev-build, or `spack develop --path`."""

from spack.package import CMakePackage, depends_on, license, variant, version


class Tamis(CMakePackage):
    """Mathematical morphology and rank filters, exact and fast."""

    license("Apache-2.0")

    version("0.1.0")

    variant("mpi", default=False, description="The program tamis-mpi")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    for library in ("tbb", "highway", "fmt", "libtiff", "hdf5", "libpng", "jpeg", "zlib-api", "bzip2", "libdeflate",
                    "zstd", "c-blosc"):
        depends_on(library)
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("mpi", when="+mpi")

    generator = "ninja"

    def cmake_args(self):
        return [
            self.define("TAMIS_TESTS", False),
            self.define("TAMIS_BENCHMARKS", False),
            self.define("TAMIS_CUDA", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", self.spec.satisfies("~mpi")),
            self.define("TAMIS_GDCM", False),  # compressed DICOM; Spack has no GDCM
        ]
