"""The table of mechanisms: what it names is there, and what is there it names."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from attnviz import cards
from attnviz.models import MODELS
from attnviz.recipes import PAPERS
from attnviz.subjects import net
from attnviz.ui import mechanisms
from attnviz.ui.components.component import FRONTEND, SHARED, module_of
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.mechanism import Mechanism

ROOT = Path(__file__).parents[3]
ROWS = pytest.mark.parametrize("row", MECHANISMS.values(), ids=MECHANISMS)


def test_importing_the_table_costs_neither_torch_nor_streamlit() -> None:
    code = (
        "import attnviz.ui.mechanisms, sys; "
        "assert not {'torch', 'torchvision', 'streamlit', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_components_that_pyproject_declares_are_those_of_the_table() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["streamlit"]["component"]["components"]
    named = [*SHARED, *(name for row in MECHANISMS.values() for name in row.components)]
    assert sorted(entry["name"] for entry in declared) == sorted(named)
    assert {entry["asset_dir"] for entry in declared} == {"ui/frontend"}
    files = [FRONTEND / f"{module_of(name, FRONTEND)}.{kind}" for name in named for kind in ("js", "css")]
    assert [file for file in files if not file.is_file()] == []


def test_no_model_stands_in_two_rows_and_all_that_do_are_there() -> None:
    order = mechanisms.order()
    assert len(set(order)) == len(order)
    assert set(order) <= set(MODELS)
    for model in order:
        row = mechanisms.of_model(model)
        assert row is not None
        assert model in row.models + row.controls
    assert mechanisms.of_model("later") is None


@ROWS
def test_what_a_row_names_is_there(row: Mechanism) -> None:
    assert MECHANISMS[row.name] is row
    assert (ROOT / "pages" / row.page).is_file()
    assert row.question.endswith("?")
    assert set(row.panels) <= set(cards.names())
    assert set(row.papers) <= set(PAPERS)
    assert set(row.preload) <= {*row.components, *SHARED}
    for name in row.imports:
        import_module(name)


@ROWS
def test_the_models_of_a_row_have_panels(row: Mechanism) -> None:
    for one in map(net, cards.names()):
        if one.architecture in row.models + row.controls:
            assert row.panel(one).title
