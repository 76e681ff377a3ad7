"""Where the panels lead to, and what a copied link and a saved file keep of them."""

import csv
import re
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.data.inputs import drawing

from ..cards import find_card, find_cards, format_percent, read_cards, wait_for_answers
from ..conftest import NewPage, Serve, listen, wait_until_ready
from ..models import HISTOGRAM, INK, LINE, ON_CARDS, ONE_OR_EIGHT, TEN_DIGITS, WITH_POSITIONS
from ..pads import draw_stroke, find_pad, open_pad, wait_for
from .opened import EIGHT, describe_pinned, open_cards, prepare_picture


@pytest.mark.slow
def test_an_unsure_panel_still_leads_to_its_models_page(page: Page, address: str) -> None:
    open_cards(page, f"{address}")
    draw_stroke(page, (40, 40), (240, 60), (50, 100), (240, 150), (40, 190), (250, 230), (100, 30), (200, 250))
    assert not wait_for_answers(page)[TEN_DIGITS]["sure"]
    expect(find_card(page, TEN_DIGITS).locator(".arrow")).to_be_visible()
    words = parse_qs(urlsplit(find_card(page, TEN_DIGITS).get_by_role("link").get_attribute("href") or "").query)
    np.testing.assert_array_equal(drawing.read(drawing.named(words["drawing"][0])), prepare_picture(page))
    expect(find_card(page, LINE).locator(".arrow")).to_be_hidden()  # it has no page


@pytest.mark.slow
def test_a_card_leads_to_its_models_page_with_this_very_picture(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *EIGHT)
    wait_for_answers(page)
    seen = prepare_picture(page)
    link = find_card(page, TEN_DIGITS).get_by_role("link")
    words = parse_qs(urlsplit(link.get_attribute("href") or "").query)
    assert (words["v"], words["model"]) == (["2"], [TEN_DIGITS])
    assert words["head"] == [str(read_cards(page)[TEN_DIGITS]["head"] + 1)]
    np.testing.assert_array_equal(drawing.read(drawing.named(words["drawing"][0])), seen)
    for name in (LINE, HISTOGRAM, INK):
        assert find_card(page, name).locator("a[href]").count() == 0
    link.click()
    page.wait_for_url("**/pixel_attention?**")
    wait_until_ready(page)
    expect(page.get_by_role("radio", name="Your drawing")).to_be_checked()
    viewer = page.locator("[data-component=pixel_viewer]")
    viewer.and_(page.locator("[data-drawn]")).wait_for()
    shown_there = viewer.evaluate("(root) => root.read().origin?.image ?? ''")
    assert shown_there in ("", drawing.place(drawing.named(words["drawing"][0])))
    expect(viewer).to_have_attribute("data-shown", re.compile(rf"^{re.escape(TEN_DIGITS)} "))


@pytest.mark.slow
def test_a_copied_link_keeps_models_heads_and_what_is_pinned(
    new_page: NewPage, page: Page, address: str, serve: Serve
) -> None:
    open_cards(page, address)
    draw_stroke(page, *EIGHT)
    then = wait_for_answers(page)
    find_cards(page).get_by_role("button", name="Pin").click()
    draw_stroke(page, (40, 40), (60, 60))
    find_card(page, TEN_DIGITS).get_by_role("button", name="Next head").click()
    now = wait_for_answers(page)
    link = find_pad(page).evaluate("(root) => root.readLink()")
    other = new_page()
    open_pad(other, link)
    there = wait_for_answers(other)
    assert [*there] == [*ON_CARDS]
    assert there[TEN_DIGITS]["head"] == now[TEN_DIGITS]["head"]
    for name in ON_CARDS:
        assert there[name]["seen"] == now[name]["seen"]
    expect(find_card(other, LINE).locator(".was")).to_have_text(describe_pinned(then[LINE], there[LINE]))
    words = parse_qs(urlsplit(link).query)
    assert words["v"] == ["2"]
    assert words["heads"] == [f"{TEN_DIGITS}:{now[TEN_DIGITS]['head'] + 1}"]


def test_the_url_a_copied_link_and_a_reload_agree(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *EIGHT)
    then = wait_for_answers(page)
    find_cards(page).get_by_role("button", name="Pin").click()
    draw_stroke(page, (40, 40), (60, 60))
    find_card(page, TEN_DIGITS).get_by_role("button", name="Next head").click()
    find_cards(page).get_by_text("change since pinned", exact=True).click()
    now = wait_for_answers(page)
    page.wait_for_url("**change=yes*")
    wait_until_ready(page)
    copied = parse_qs(urlsplit(find_pad(page).evaluate("(root) => root.readLink()")).query)
    assert {**parse_qs(urlsplit(page.url).query), "v": copied["v"]} == copied
    assert {"strokes", "models", "heads", "change", "pin"} <= set(copied)
    page.reload()
    again = wait_for_answers(page)
    assert again[TEN_DIGITS]["head"] == now[TEN_DIGITS]["head"]
    assert again[TEN_DIGITS]["seen"] == now[TEN_DIGITS]["seen"]
    np.testing.assert_array_equal(again[LINE]["painted"], now[LINE]["painted"], "still the change since pinned")
    expect(find_card(page, LINE).locator(".was")).to_have_text(describe_pinned(then[LINE], again[LINE]))
    find_pad(page).get_by_role("button", name="Undo", exact=True).click()
    wait_for(page, strokes=1)
    assert wait_for_answers(page)[TEN_DIGITS]["seen"] == then[TEN_DIGITS]["seen"]


@pytest.mark.slow
def test_the_panels_can_be_saved(page: Page, address: str) -> None:
    open_cards(page, address)
    draw_stroke(page, *EIGHT)
    found = wait_for_answers(page)
    saved = {}
    for kind in ("PNG", "SVG", "CSV"):
        button = (
            find_cards(page).get_by_role("group", name="Save the panels").get_by_role("button").filter(has_text=kind)
        )
        heard = listen(button)
        with page.expect_download() as waiting:
            button.click()
        saved[kind] = waiting.value.path().read_bytes()
        heard("saved")
    assert saved["PNG"].startswith(b"\x89PNG")
    assert TEN_DIGITS.encode() in saved["PNG"]
    drawn = ElementTree.fromstring(saved["SVG"])
    assert len(drawn.findall("{*}image")) == len(ON_CARDS)
    words = [one.text or "" for one in drawn.findall(".//{*}text")]
    assert "models that know all 10 digits" in words[0]
    assert {"\u2264 1/16", "1 \u00d7 an even share", "\u2265 16 \u00d7"} <= set(words)
    for name, one in found.items():
        assert find_card(page, name).get_by_role("heading").inner_text() in words
        unsure = "" if one["sure"] else ", unsure"
        limit = ", knows only 1 and 8" if name in (WITH_POSITIONS, ONE_OR_EIGHT) else ""
        assert f"{one['answer']}, {format_percent(max(one['probabilities']))}{unsure}{limit}" in words
    lines = [line for line in saved["CSV"].decode().splitlines(keepends=True) if line[0] != "#"]
    rows = list(csv.DictReader(lines))
    (link,) = re.findall(r"^# page: (.*)$", saved["CSV"].decode(), re.MULTILINE)
    assert link.strip() == find_pad(page).evaluate("(root) => root.readLink()")
    assert f"models={'%2C'.join(ON_CARDS)}" in link
    for name, one in found.items():
        values = [float(row["value"]) for row in rows if row["model"] == name and row["what"] == "probability"]
        np.testing.assert_array_equal(values, one["probabilities"])
        shown_map = [float(row["value"]) for row in rows if row["model"] == name and row["what"] == "map"]
        np.testing.assert_array_equal(shown_map, one["map"] or [])
