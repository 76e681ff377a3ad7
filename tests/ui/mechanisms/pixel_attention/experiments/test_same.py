"""Same intensity, same row on the pixel page: what lights up and what is said."""

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import data
from attnviz.views.payload import unpack

from .opened import opened

PAGE = Path(__file__).parents[5] / "pages" / "10_pixel_attention.py"


pytestmark = pytest.mark.usefixtures("here")


def run(name: str, number: int, **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{name}", "experiment": "shuffle", "number": str(number), **words})


def maps(test: AppTest, title: str) -> np.ndarray:
    for one in test.get("bidi_component"):
        header, arrays = unpack(one.proto.bytes)
        if re.match(title, header.get("title", "")):
            return arrays["maps"][0]
    raise AssertionError(f"no map is called {title}")


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


@pytest.mark.parametrize("query", [(0, 0), (13, 13)])
def test_without_positions_those_of_one_intensity_light_up_and_have_one_row(eight: int, query: tuple) -> None:
    picture = data.load("strokes", "test", count=256).images[eight, ..., 0]
    test = run("without", eight, query=f"{query[0] + 1},{query[1] + 1}")
    lit, apart = maps(test, "Ink .*, like row"), maps(test, "How much")
    np.testing.assert_array_equal(lit == 1, picture == picture[query])
    assert set(np.unique(lit)) == {0, 1}
    assert apart[lit == 1].max() < 1e-14
    assert apart[lit == 0].min() > 1e-9
    assert maps(test, "Head 1: its row").sum() == pytest.approx(1)
    count = len(np.unique(picture))
    assert f"**{count} different intensities, {count} different rows**" in prose(test)
    if (lit == 1).sum() > 1:
        assert f"**{int(lit.sum())} pixels** have the ink" in prose(test)


def test_with_positions_the_statement_fails_and_it_is_said_by_how_much(eight: int) -> None:
    test = run("with", eight, query="1,1")
    lit, apart = maps(test, "Ink 0, like row 1"), maps(test, "How much")
    largest = apart[lit == 1].max()
    assert largest > 1e-3
    text = prose(test)
    number = re.search(
        r"between their rows of weights, over 3 heads and 196 keys, is \*\*([\d.]+)\*\*, ([\d.]+) ×", text
    )
    assert float(number[1]) == pytest.approx(largest, rel=1e-3)
    assert float(number[2]) == pytest.approx(largest * 196, rel=1e-2)
    assert "196 different rows**. The same ink at another position attends differently." in text
    assert "Why not:" in text


def test_where_nothing_is_locked_the_middle_of_the_ink_is_an_example(eight: int) -> None:
    test = run("without", eight)
    place = re.search(r"uses (row (\d+), column (\d+))\.", test.info[-1].value)
    picture = data.load("strokes", "test", count=256).images[eight, ..., 0]
    value = picture[int(place[2]) - 1, int(place[3]) - 1]
    assert value > 0
    assert (picture == value).sum() > 1
    assert maps(test, f"Ink .*, like {place[1]}").sum() == (picture == value).sum()


@pytest.mark.parametrize("query", ["99,1", "x", "0,3"])
def test_nonsense_is_as_if_nothing_were_locked(eight: int, query: str) -> None:
    assert "This example uses" in run("without", eight, query=query).info[-1].value


def test_one_token_has_no_rows_to_compare(eight: int) -> None:
    assert "the whole picture as one token" in run("one-token", eight).info[-1].value
