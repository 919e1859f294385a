"""The tables of docs/scale.md are those that its script makes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "scripts"))
import scale  # noqa: E402


def test_the_page_has_the_tables_that_the_script_makes():
    text = scale.PAGE.read_text()
    assert scale.page(text) == text, "docs/scripts/scale.py --write makes them anew"


def test_a_slab_with_its_halo_is_never_more_than_the_volume():
    for edge in (256, 4096, 16384):
        for gpus in scale.COUNTS:
            cost = scale.cost(scale.Volume(edge), gpus, scale.Rates())
            assert 0 <= cost["twice"] <= gpus - 1 + 1e-9
            assert cost["halo bytes"] <= edge**3 / 8


def test_one_gpu_takes_what_was_measured():
    cost = scale.cost(scale.Volume(2048), 1, scale.Rates())
    assert abs(cost["computing"] - 0.0945) < 1e-9 and cost["twice"] == 0
