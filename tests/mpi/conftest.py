"""Fixtures of the tests of tamis-mpi."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# More processes than cores, and root in a container.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


@pytest.fixture
def program(tamis_program):
    """program(3, "median", "foam.tif", ...) is the command line of three processes."""
    mpi_program = Path(tamis_program).parent / "tamis-mpi"
    if shutil.which("mpirun") is None or not mpi_program.exists():
        pytest.skip("no MPI")
    return lambda ranks, *arguments: ["mpirun", "-n", str(ranks), str(mpi_program), *map(str, arguments)]


@pytest.fixture
def environment():
    return ENVIRONMENT


@pytest.fixture
def processes(program, tmp_path):
    """processes(3, "median", "foam.tif", ...) runs three processes."""

    def run(ranks, *arguments, check=True):
        result = subprocess.run(program(ranks, *arguments), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True,
                                timeout=120)
        if check:
            assert result.returncode == 0, result.stderr
        return result

    return run


@pytest.fixture
def foam(tamis):
    tamis("phantom", "foam", "foam.tif", "--size", "90x80x70", "--max-radius", "11", "-q")
    return "foam.tif"
