"""The home page, run alone."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards
from attnviz.subjects import own
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.pixel_attention import first_look
from attnviz.ui.shared import url_state
from attnviz.ui.shared.url_state import VERSION
from attnviz.views.attention import FIELDS

from .reading import headers

HOME = Path(__file__).parents[2] / "pages" / "home.py"


def home(**parameters: str) -> AppTest:
    """Return the page after its first run."""
    at = AppTest.from_file(HOME, default_timeout=120)
    at.query_params.update(parameters)
    at.run()
    assert not at.exception
    return at


def test_it_begins_with_a_live_viewer_then_a_way_to_draw_then_the_mechanisms() -> None:
    at = home()
    kinds = [one.proto.component_name.rpartition(".")[2] for one in at.get("bidi_component")]
    assert kinds[0] == "pixel_viewer"
    said = [text.value for text in at.markdown]
    first = next(place for place, text in enumerate(said) if text.startswith("[**Draw a digit**"))
    places = [place for place, text in enumerate(said) for row in MECHANISMS.values() if f"{row.question}](" in text]
    assert len(places) == len(MECHANISMS)
    assert all(first < place for place in places)


@pytest.mark.parametrize("variable", [own.MODEL, own.TIMM])
def test_a_model_of_the_visitors_own_comes_first(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    def leads(at: AppTest) -> bool:
        return any(text.value.startswith("[**Your model**") and "](explorer" in text.value for text in at.markdown)

    assert not leads(home())
    monkeypatch.setenv(variable, "anything")
    assert leads(home())


def test_the_url_says_what_is_locked() -> None:
    (viewer,) = headers(home(query="7,8", key="3,4", head="2"), "rows")
    asked = viewer["state"]["view"]["value"]
    assert (asked["query"], asked["key"], asked["head"]) == ([6, 7], [2, 3], 1)


def test_what_is_locked_goes_into_the_url(monkeypatch: pytest.MonkeyPatch) -> None:
    view = {**FIELDS.defaults, "query": [6, 7], "head": 1}
    monkeypatch.setattr(first_look, "settled_view", {first_look.VIEWER: view}.get)
    written: dict[str, str | None] = {}
    monkeypatch.setattr(url_state, "set_value", written.update)
    first_look._keep()
    assert {name: word for name, word in written.items() if word} == {"v": VERSION, "query": "7,8", "head": "2"}


def test_each_picture_leads_to_the_view_it_shows() -> None:
    said = "\n".join(text.value for text in home().markdown)
    found = {
        (title, link.partition("?")[0]): link
        for title, link in re.findall(r"\*\*([^*]+)\*\*[^*\]]*\]\((\w+\?.+?)\)", said)
    }
    assert set(found) == {(row.title, row.url) for row in MECHANISMS.values()}
    for row in MECHANISMS.values():
        assert row.home
        assert f"![{row.home.words}](data:image/png;base64," in said
        words = dict(parse_qsl(urlsplit(found[row.title, row.url]).query))
        assert words == {**{name: str(word) for name, word in row.home.view.items()}, "v": VERSION}
        if row.home.view["model"] not in cards.names():
            continue  # its page says that the model is not trained
        page = AppTest.from_file(HOME.parent / row.page, default_timeout=120)
        page.query_params.update(words)
        page.run()
        assert not page.exception
        assert [one.value for one in (*page.warning, *page.error)] == []


def test_it_loads_no_torch_and_reads_no_card() -> None:
    code = f"""
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file({str(HOME)!r}, default_timeout=120).run()
assert not at.exception and at.title, at.exception
assert not {{"torch", "torchvision", "attnviz.cards", "attnviz.data"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
