"""The home page, run alone."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from attnviz import cards, data
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import cache
from attnviz.ui.shared.url_state import VERSION

HOME = Path(__file__).parents[2] / "pages" / "home.py"


def digits(at: AppTest, mechanism: str = "pixel_attention") -> list[str]:
    """Return where the ten digits of a mechanism lead."""
    (part,) = (block for block in blocks(at.main) if getattr(block.proto, "id", "").endswith(f"-home_{mechanism}"))
    return [text.value for text in part.markdown if text.value.startswith("[![a drawn")]


def blocks(block: Block) -> Iterator[Block]:
    """Yield the containers inside one, at any depth."""
    for child in block.children.values():
        if isinstance(child, Block):
            yield child
            yield from blocks(child)


def numbers(links: list[str]) -> list[int]:
    """Return which pictures links lead to."""
    return [int(link.split("number=")[1].rstrip(")").partition("&")[0]) for link in links]


def home(**parameters: str) -> AppTest:
    """Return the page after its first run."""
    at = AppTest.from_file(HOME, default_timeout=60)
    at.query_params.update(parameters)
    at.run()
    assert not at.exception
    return at


@pytest.mark.parametrize("mechanism", ["pixel_attention", "recurrent_attention"])
def test_it_shows_one_of_each_digit_each_with_a_link_to_its_picture(mechanism: str) -> None:
    labels = data.load("strokes", "test", count=256).labels
    links = digits(home(), mechanism)
    found = [re.search(r"\) (\d)\]\((\w+)\?model=(\w+)\.", link) for link in links]
    assert [one.groups() for one in found] == [(digit, mechanism, mechanism) for digit in "0123456789"]
    assert [labels[number] for number in numbers(links)] == list(range(10))


def test_no_mechanism_shows_the_digits_of_another() -> None:
    at = home()
    assert not {*numbers(digits(at))} & {*numbers(digits(at, "recurrent_attention"))}


def test_ten_others_are_ten_others_and_after_the_last_come_the_first() -> None:
    at = home()
    first = digits(at)
    next(button for button in at.button if button.label == "Draw ten others").click().run()
    assert at.query_params["hand"] == "1"
    assert not set(first) & set(digits(at))
    assert not {*numbers(digits(at))} & {*numbers(digits(at, "recurrent_attention"))}
    last = np.bincount(data.load("strokes", "test", count=256).labels).min() - 1
    at = home(hand=str(last))
    next(button for button in at.button if button.label == "Draw ten others").click().run()
    assert digits(at) == first
    assert not at.query_params


@pytest.mark.parametrize("word", ["256", "-1", "x", "1.5", "²", "[a](b)", "9" * 5000])
def test_nonsense_in_the_url_is_said_and_the_first_ten_are_drawn(word: str) -> None:
    at = home(hand=word)
    assert len(at.warning) == 1
    assert digits(at) == digits(home())


def test_it_begins_with_a_live_viewer_then_a_way_to_draw_then_the_mechanisms() -> None:
    at = home()
    kinds = [one.proto.component_name.rpartition(".")[2] for one in at.get("bidi_component")]
    assert kinds[0] == "pixel_viewer"
    assert [header.value for header in at.header][: len(MECHANISMS)] == [row.title for row in MECHANISMS.values()]
    said = [text.value for text in at.markdown]
    first = next(place for place, text in enumerate(said) if text.startswith("[**Draw a digit**"))
    assert all(first < said.index(row.question) for row in MECHANISMS.values())


# What the words of each link promise: what the picture shows, and the words of the URL with which they are kept.
PROMISED = {
    "The loop of an 8: what does it look at?": ("strokes", "8", {"query"}),
    "A 1: which pixels receive the most attention?": ("strokes", "1", {"direction=received"}),
    "Does it know where a pixel is? Shuffle them": ("strokes", "8", {"experiment=shuffle"}),
    "An 8 in six glimpses: where does it look?": ("strokes", "8", {"model=recurrent_attention.digits"}),
    "A boot in two layers: what remains of a pixel?": ("fashion_mnist", "ankle boot", {"pixel"}),
}


def test_every_link_shows_what_its_words_say() -> None:
    links = dict(
        re.findall(r"^\[([^\]]+)\]\(([^)]+)\)$", "\n".join(one.value for one in home().markdown), re.MULTILINE)
    )
    tries = {words: row for row in MECHANISMS.values() for words, _ in row.tries}
    assert set(tries) == set(PROMISED) <= set(links)
    for said, (source, shown, kept) in PROMISED.items():
        words = dict(parse_qsl(urlsplit(links[said]).query))
        assert words["v"] == VERSION
        assert words["data"] == source
        image, label = cache.picture(source, int(words["number"]))
        assert label == shown
        for word in kept:
            name, _, value = word.partition("=")
            assert words[name] == value or not value
            if not value:  # a pixel, which is to lie on what is shown and not beside it
                row, column = (int(part) - 1 for part in words[name].split(","))
                assert image[row, column].max() > 64
        if not any(name.split(".")[0] in tries[said].models for name in cards.names()):
            continue  # the page has no model to show: it says so, see tests/pages
        page = AppTest.from_file(HOME.parent / tries[said].page, default_timeout=60)
        page.query_params.update(words)
        page.run()
        assert not page.exception
        assert [one.value for one in (*page.warning, *page.error)] == []


def test_it_loads_no_torch() -> None:
    code = f"""
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file({str(HOME)!r}, default_timeout=60).run()
assert not at.exception and at.title, at.exception
assert not {{"torch", "torchvision"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
