"""Shuffling on the pixel page: what it draws and what it says, of models with positions and without."""

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.ui.mechanisms.pixel_attention.experiments.shuffle import answers
from attnviz.views.payload import unpack

from .opened import opened

PAGE = Path(__file__).parents[5] / "pages" / "10_pixel_attention.py"


pytestmark = pytest.mark.usefixtures("here")


def run(name: str, **words: str) -> AppTest:
    return opened({"model": f"pixel_attention.{name}", "experiment": "shuffle", **words})


def maps(test: AppTest, title: str) -> tuple[dict, np.ndarray]:
    for one in test.get("bidi_component"):
        header, arrays = unpack(one.proto.bytes)
        if header.get("title", "").startswith(title):
            return header, arrays["maps"]
    raise AssertionError(f"no maps are called {title}")


def prose(test: AppTest) -> str:
    return "\n".join(markdown.value for markdown in test.markdown)


@pytest.mark.parametrize("head", ["1", "3", "mean"])
@pytest.mark.parametrize("query", ["", "12,13"])
def test_without_positions_the_maps_shuffle_along(head: str, query: str) -> None:
    words = {"query": query} if query else {}
    test = run("without", head=head, **words)
    assert not test.exception
    name = "Mean of all heads" if head == "mean" else f"Head {head}"
    header, (before, after, back) = maps(
        test, f"{name}, {'where row 12, column 13 takes from' if query else 'received'}"
    )
    assert header["origin"]["order"] == 1
    np.testing.assert_allclose(back, before, rtol=0, atol=1e-15)
    assert np.abs(after - before).max() > 1e-4
    np.testing.assert_allclose(np.sort(after, None), np.sort(before, None), rtol=1e-9)
    assert "**No, its attention does not**: the maps are shuffled like the pixels." in prose(test)


def test_with_positions_they_do_not() -> None:
    test = run("with")
    assert not test.exception
    _, (before, _, back) = maps(test, "Head 1, received from all")
    assert np.abs(back - before).max() > 1e-3
    assert "**Yes**: the maps are not shuffled like the pixels." in prose(test)
    assert "Each token has a position code" in prose(test)


def test_boxes_of_pixels_are_shuffled_where_a_token_is_one() -> None:
    _, (before, after) = maps(run("with"), "The picture")
    boxes = [
        sorted(one.reshape(14, 2, 14, 2).transpose(0, 2, 1, 3).reshape(196, 4).tolist()) for one in (before, after)
    ]
    assert boxes[0] == boxes[1]
    assert (before != after).any()


def test_order_0_is_the_picture_as_it_is_and_each_shuffle_is_another() -> None:
    test = run("without", shuffle="0")
    _, (before, after) = maps(test, "The picture")
    np.testing.assert_array_equal(before, after)
    assert "Nothing is shuffled" in prose(test)
    press(test, "Shuffle again")
    assert "".join(test.query_params["shuffle"]) == "1"
    first = maps(test, "The picture")[1][1]
    press(test, "Shuffle again")
    assert "".join(test.query_params["shuffle"]) == "2"
    assert (first != maps(test, "The picture")[1][1]).any()
    press(test, "Original order")
    assert "".join(test.query_params["shuffle"]) == "0"


def press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def test_a_head_chosen_here_is_the_viewers() -> None:
    test = run("without")
    test.selectbox(key="head").select("2").run()
    assert "".join(test.query_params["head"]) == "2"
    assert maps(test, "Head 2")
    test.selectbox(key="head").select("1").run()
    assert "head" not in test.query_params


@pytest.mark.parametrize(("word", "value"), [("shuffle", "-1"), ("shuffle", "x"), ("head", "9")])
def test_nonsense_gives_a_sentence_and_the_default(word: str, value: str) -> None:
    test = run("without", **{word: value})
    assert not test.exception
    assert any(value in re.sub(r"\\", "", warning.value) for warning in test.warning)
    assert maps(test, "Head 1, received from all")[0]["origin"]["order"] == 1


def test_one_token_cannot_be_shuffled_and_that_is_said() -> None:
    test = run("one-token")
    assert not test.exception
    assert "nothing to shuffle" in test.info[-1].value


def test_answers_are_listed_or_the_likeliest_of_many() -> None:
    two = answers(("8", "1"), np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert two.splitlines()[2:] == ["| 8 | 25.0 % | 50.0 % |", "| 1 | 75.0 % | 50.0 % |"]
    ten = np.full((2, 10), 0.01)
    ten[0, 7], ten[1, 2] = 0.91, 0.91
    lines = answers(tuple("0123456789"), ten).splitlines()[2:]
    assert lines[1:3] == ["| 1 | 1.0 % | 1.0 % |", "| 2 | 1.0 % | 91.0 % |"]
    assert [line.split()[1] for line in lines] == ["0", "1", "2", "7", "others"]
    assert lines[-1] == "| others | 6.0 % | 6.0 % |"
