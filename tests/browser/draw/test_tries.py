"""The tries of the draw page show what their words say, to the model that opens there and knows all ten digits."""

import pytest
from playwright.sync_api import Page

from ..cards import wait_for_answers
from ..conftest import Serve, wait_until_ready
from ..models import TEN_DIGITS
from ..pads import open_pad, wait_for

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it


def read_answers(page: Page, address: str, words: str) -> list[str]:
    """Click a try, and return the answers of the model of ten digits, the likeliest first."""
    open_pad(page, f"{address}/draw?models={TEN_DIGITS}")
    wait_for_answers(page)
    page.get_by_role("button", name=words, exact=True).click()
    wait_for(page, empty=False)
    wait_until_ready(page)
    chances = wait_for_answers(page)[TEN_DIGITS]["probabilities"]
    return sorted(map(str, range(10)), key=lambda digit: -chances[int(digit)])


def test_a_4_or_a_9_is_hard_to_tell_apart(page: Page, serve: Serve) -> None:
    assert set(read_answers(page, serve(), "a 4, or a 9?")[:2]) == {"4", "9"}
    assert max(wait_for_answers(page)[TEN_DIGITS]["probabilities"]) < 0.8


@pytest.mark.parametrize(("words", "centred"), [("a small 3, as it is", False), ("the same, centred", True)])
def test_a_small_3_is_recognised_only_once_it_is_centred(page: Page, serve: Serve, words: str, centred: bool) -> None:
    assert (read_answers(page, serve(), words)[0] == "3") == centred
    wait_for(page, centred=centred)
