"""A pad in colour, for models of colours."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import Page, expect

from attnviz import data, subjects
from attnviz.subjects.drawings import Drawing

from ..cards import find_card, find_cards, wait_for_answers
from ..models import IN_COLOUR
from ..pads import draw_stroke, find_pad, open_pad


def test_what_is_drawn_in_colour_is_what_the_model_and_its_page_see(page: Page, address: str) -> None:
    open_pad(page, address)
    wait_for_answers(page)
    page.get_by_text("CIFAR-10", exact=True).click()
    expect(page.get_by_text("airplane, automobile, bird")).to_be_visible()
    expect(find_card(page, IN_COLOUR)).to_be_visible()
    find_pad(page).get_by_role("button", name="Start from a picture: cat").click()
    expect(find_cards(page).locator(".begin")).to_contain_text("classes of CIFAR-10")
    shown = data.shown("cifar10")
    cat = int(shown.numbers[shown.labels == 3][0])
    picture = data.pick("cifar10", shown.split, [shown.place(cat) or 0]).images[0]
    seen = np.array(wait_for_answers(page)[IN_COLOUR]["seen"], np.uint8).reshape(32, 32, 3)
    np.testing.assert_array_equal(seen, picture)
    find_pad(page).get_by_label("Colour").fill("#e02010")
    draw_stroke(page, (40, 60), (240, 60))
    seen = np.array(wait_for_answers(page)[IN_COLOUR]["seen"], np.uint8).reshape(32, 32, 3)
    np.testing.assert_array_equal(seen[6, 16], [0xE0, 0x20, 0x10])
    np.testing.assert_array_equal(seen[12:], picture[12:])
    link = find_card(page, IN_COLOUR).get_by_role("link").get_attribute("href") or ""
    (word,) = parse_qs(urlsplit(link).query)["drawing"]
    np.testing.assert_array_equal(Drawing(word).taken_by(subjects.net(IN_COLOUR)), seen)
    page.reload()
    again = wait_for_answers(page)[IN_COLOUR]["seen"]
    np.testing.assert_array_equal(np.array(again, np.uint8).reshape(32, 32, 3), seen)
