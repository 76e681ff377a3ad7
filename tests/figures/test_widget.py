"""The viewer of notebooks that computes layers when they are chosen, attnviz/figures/widget.py."""

import re
import subprocess
import sys

import pytest

import attnviz
from attnviz.errors import BadInput
from attnviz.figures.modules import FRONTEND
from attnviz.figures.widget import Viewer
from tests.figures import seen as some

PATHS = [f"encoder.layers.{number}.self_attn" for number in range(3)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp()))


def viewer(**more: object) -> Viewer:
    return Viewer(some.model(layers=3), some.batch(some.photo()), over=some.photo(), query=(1, 2), **more)


def page(layer: int, *edits: object) -> str:
    watched = attnviz.watch(some.model(layers=3), edits=[*edits])(some.batch(some.photo()))
    return attnviz.figure(watched, layers=[PATHS[layer]], over=some.photo(), query=(1, 2)).html()


def test_it_shows_the_figure_of_the_layer_that_is_chosen() -> None:
    shown = viewer()
    assert (shown.layers, shown.heads, shown.layer) == (PATHS, [2, 2, 2], 2)
    assert shown.page == page(2)
    shown.layer = 0
    assert shown.page == page(0) != page(2)
    assert shown.said == ""


def test_a_head_that_is_switched_off_changes_the_layers_behind_it() -> None:
    shown = viewer()
    shown.off = [[0, 1]]
    assert shown.page == page(2, attnviz.edits.off(f"{PATHS[0]}.mixed", head=1)) != page(2)
    shown.off = []
    assert shown.page == page(2)


def test_what_is_not_there_is_a_sentence_and_the_next_choice_is_shown() -> None:
    shown = viewer()
    for wrong in ({"layer": 3}, {"off": [[0, 2]]}):
        before = {name: getattr(shown, name) for name in wrong}
        shown.set_trait(*next(iter(wrong.items())))
        assert shown.page == "" and "no layer 3" in shown.said or "no head 2 in layer 0" in shown.said
        shown.set_trait(*next(iter(before.items())))
        assert shown.page == page(2)
    with pytest.raises(BadInput, match="There are 3 layers, from 0, and no layer 7"):
        viewer(layer=7)


def test_it_is_a_widget_of_one_module_that_imports_nothing() -> None:
    bundle = viewer()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle[0]
    module = (FRONTEND / "figure" / "widget.js").read_text()
    assert not re.search(r"^import |\bimport\(", module, re.MULTILINE)


def test_without_the_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['anywidget'] = None; import attnviz.figures.widget"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        'ModuleNotFoundError: The viewer with a kernel needs anywidget: pip install "attnviz[notebook]"'
    )
