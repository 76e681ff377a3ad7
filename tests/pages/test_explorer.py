"""The explorer alone: every address of every trained model is drawn as maps, with its meaning."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from attnviz import cards
from attnviz.roles import ROLES
from attnviz.ui.payload import unpack

ROOT = Path(__file__).parents[2]


def run(**words: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "pages" / "00_explorer.py"), default_timeout=60)
    for key, word in words.items():
        test.query_params[key] = word
    return test.run()


@pytest.mark.parametrize("tap", ["query", "key", "value", "scores", "weights", "mixed", "output"])
def test_a_tap_is_drawn_on_its_grid_by_its_role(tap: str) -> None:
    test = run(address=f"attention.{tap}", data="strokes")
    assert not test.exception
    header, arrays = unpack(test.get("bidi_component")[0].proto.bytes)
    assert header["role"] == ROLES[tap].colouring
    assert arrays["maps"].shape == (1, 28, 28)
    assert header["origin"]["address"] == f"attention.{tap}"


def test_all_addresses_are_listed_with_axes_and_shape() -> None:
    said = "\n".join(markdown.value for markdown in run().markdown)
    assert "| `attention.weights` | batch head query key | 1 x 1 x 784 x 784 |" in said


@pytest.mark.parametrize("name", cards.names())
def test_every_model_can_be_explored_or_says_why_not(name: str) -> None:
    test = run(model=name)
    assert not test.exception
    assert test.get("bidi_component") or "no taps" in test.info[0].value


def test_an_unknown_address_gives_the_closest_and_the_first() -> None:
    test = run(address="attention.wieghts")
    assert "Did you mean 'attention.weights'" in test.warning[0].value.replace("\\", "")
    assert test.selectbox(key="address").value == "attention.query"
