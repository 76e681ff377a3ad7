"""The home page, run alone."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import data

HOME = Path(__file__).parents[2] / "pages" / "home.py"


def digits(at: AppTest) -> list[str]:
    """Return where the ten digits lead."""
    return [text.value for text in at.markdown if "number=" in text.value]


def home(**parameters: str) -> AppTest:
    """Return the page after its first run."""
    at = AppTest.from_file(HOME)
    at.query_params.update(parameters)
    at.run()
    assert not at.exception
    return at


def test_it_shows_one_of_each_digit_each_with_a_link_to_its_picture() -> None:
    labels = data.load("strokes", "test", count=256).labels
    links = digits(home())
    assert [re.search(r"\) (\d)\]\(", link)[1] for link in links] == list("0123456789")  # type: ignore[index]
    for digit, link in enumerate(links):
        assert labels[int(link.split("number=")[1].rstrip(")"))] == digit


def test_ten_others_are_ten_others_and_after_the_last_come_the_first() -> None:
    at = home()
    first = digits(at)
    at.button[0].click().run()
    assert at.query_params["hand"] == "1"
    assert not set(first) & set(digits(at))
    last = np.bincount(data.load("strokes", "test", count=256).labels).min() - 1
    at = home(hand=str(last))
    at.button[0].click().run()
    assert digits(at) == first
    assert not at.query_params


@pytest.mark.parametrize("word", ["256", "-1", "x", "1.5", "²", "[a](b)", "9" * 5000])
def test_nonsense_in_the_address_is_said_and_the_first_ten_are_drawn(word: str) -> None:
    at = home(hand=word)
    assert len(at.warning) == 1
    assert digits(at) == digits(home())


def test_it_says_what_to_try_first() -> None:
    assert "Try first" in [header.value for header in home().header]


def test_it_loads_no_torch() -> None:
    code = f"""
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file({str(HOME)!r}, default_timeout=30).run()
assert not at.exception and at.title, at.exception
assert not {{"torch", "torchvision"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
