"""A pad in colour, for models of colours."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz import data, subjects
from attnviz.subjects.drawings import Drawing

from ..cards import find_card, find_cards, link_checkpoints, wait_for_answers
from ..conftest import Serve
from ..models import TEN_DIGITS
from ..pads import draw_stroke, find_pad, open_pad

COLOUR = "element_wise.cifar-repaired"


@pytest.fixture
def address(serve: Serve, tmp_path: Path) -> str:
    return serve(env={"ATTNVIZ_CHECKPOINTS": str(link_checkpoints(tmp_path, (TEN_DIGITS, COLOUR)))}) + "/draw"


def test_what_is_drawn_in_colour_is_what_the_model_and_its_page_see(page: Page, address: str) -> None:
    open_pad(page, address)
    wait_for_answers(page)
    page.get_by_text("CIFAR-10", exact=True).click()
    expect(page.get_by_text("airplane, automobile, bird")).to_be_visible()
    expect(find_card(page, COLOUR)).to_be_visible()
    find_pad(page).get_by_role("button", name="Start from a picture: cat").click()
    expect(find_cards(page).locator(".begin")).to_contain_text("classes of CIFAR-10")
    shown = data.shown("cifar10")
    cat = int(shown.numbers[shown.labels == 3][0])
    picture = data.pick("cifar10", shown.split, [shown.place(cat) or 0]).images[0]
    seen = np.array(wait_for_answers(page)[COLOUR]["seen"], np.uint8).reshape(32, 32, 3)
    np.testing.assert_array_equal(seen, picture)
    find_pad(page).get_by_label("Colour").fill("#e02010")
    draw_stroke(page, (40, 60), (240, 60))
    seen = np.array(wait_for_answers(page)[COLOUR]["seen"], np.uint8).reshape(32, 32, 3)
    np.testing.assert_array_equal(seen[6, 16], [0xE0, 0x20, 0x10])
    np.testing.assert_array_equal(seen[12:], picture[12:])
    link = find_card(page, COLOUR).get_by_role("link").get_attribute("href") or ""
    (word,) = parse_qs(urlsplit(link).query)["drawing"]
    np.testing.assert_array_equal(Drawing(word).taken_by(subjects.net(COLOUR)), seen)
    page.reload()
    again = wait_for_answers(page)[COLOUR]["seen"]
    np.testing.assert_array_equal(np.array(again, np.uint8).reshape(32, 32, 3), seen)
