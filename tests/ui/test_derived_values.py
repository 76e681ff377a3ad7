"""The derived values that can be asked for."""

import subprocess
import sys
from dataclasses import replace

import pytest

from attnviz.errors import UnknownName
from attnviz.ui import derived_values
from attnviz.ui.live.derived import Derived, NoParameters
from attnviz.ui.mechanisms import MECHANISMS, pixel_attention


def test_each_is_found_by_its_name() -> None:
    for name, row in derived_values.known().items():
        assert derived_values.find(name) == row
        assert row.name == name
    with pytest.raises(UnknownName, match="no derived value 'mean_rov'. Did you mean 'mean_row'"):
        derived_values.find("mean_rov")


def test_a_mechanism_that_is_added_brings_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = Derived("stages", NoParameters, lambda context: {})
    row = replace(pixel_attention.MECHANISM, name="other", derived=lambda: (stages,))
    monkeypatch.setitem(MECHANISMS, "other", row)
    assert derived_values.find("stages") is stages


def test_what_several_mechanisms_use_belongs_to_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived_values, "MECHANISMS", {})
    assert set(derived_values.known()) == {row.name for row in derived_values.OF_ANY_NET}


def test_reading_a_request_costs_no_torch() -> None:
    code = (
        "from attnviz.ui import derived_values; from attnviz.ui.live import request; import sys; "
        "assert derived_values.known(); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
