"""The panels and the live channel: what they ask, and what they show when an answer is late, lost or wrong."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.ui.draw import panels
from attnviz.views.payload import unpack

from ..cards import ROOT, assert_equals_library, find_card, find_cards, link_checkpoints, read_cards, wait_for_answers
from ..conftest import NewPage, Serve
from ..held import Held
from ..models import INK, ON_CARDS, TEN_DIGITS
from ..pads import draw_stroke, find_pad, open_pad, read_raster
from ..test_live import watch
from .opened import EIGHT, ONE, THREE, open_cards, prepare_picture


@pytest.mark.slow
def test_two_browsers_drawing_at_once_never_see_each_other(new_page: NewPage, address: str) -> None:
    pages = [open_cards(new_page(), address), open_cards(new_page(), address)]
    # Another pen: with the same one the first touch of both is the same picture, wherever it lies.
    find_pad(pages[1]).get_by_role("slider", name="Width").fill("32")
    for page in pages:
        page.evaluate(
            f"""() => {{
              const root = ({ROOT})();
              window.seen = [];
              new MutationObserver(() => {{
                for (const {{ seen, map }} of root.readCards().cards) window.seen.push([`${{seen}}`, `${{map ?? ""}}`]);
              }}).observe(root, {{ attributeFilter: ["data-answered"] }});
            }}"""
        )
    parts: list[list[list[tuple[float, float]]]] = [
        [ONE, [(90, 60), (140, 40)], [(100, 240), (190, 240)]],
        [EIGHT, [(60, 60), (90, 60)], [(200, 220), (230, 230)]],
    ]
    pictures: list[list[np.ndarray]] = [[panels.first_task().sample()], [panels.first_task().sample()]]
    for strokes in zip(*parts, strict=True):
        for which, points in enumerate(strokes):
            draw_stroke(pages[which], *points)
        for which, page in enumerate(pages):
            for found in wait_for_answers(page).values():
                assert_equals_library(found, prepare_picture(page))
            pictures[which].append(prepare_picture(page))
    everything = [page.evaluate("seen") for page in pages]
    theirs = [{picture for picture, _ in seen} for seen in everything]
    assert not theirs[0] & theirs[1]
    assert all(len(seen) > 3 for seen in theirs)
    maps = [{found for _, found in seen if found} for seen in everything]
    assert not maps[0] & maps[1]
    for which, finals in enumerate(pictures):
        assert {",".join(map(str, one.flatten())) for one in finals[1:]} <= theirs[which]


def test_stale_answers_never_replace_newer_ones_and_the_old_stays_meanwhile(new_page: NewPage, address: str) -> None:
    page = new_page()
    held = Held()
    held.route(page)
    open_cards(page, address)
    draw_stroke(page, *ONE)
    before = wait_for_answers(page)
    page.evaluate(
        f"""() => {{
          const root = ({ROOT})();
          window.turns = [];
          new MutationObserver(() => window.turns.push(Number(root.dataset.answered)))
            .observe(root, {{ attributeFilter: ["data-answered"] }});
        }}"""
    )
    held.holding = True
    draw_stroke(page, *EIGHT)
    expect(find_card(page, TEN_DIGITS)).to_have_class(re.compile("waiting"))  # pale, but there
    np.testing.assert_array_equal(read_cards(page)[TEN_DIGITS]["seen"], before[TEN_DIGITS]["seen"])
    draw_stroke(page, *THREE)
    np.testing.assert_array_equal(read_cards(page)[TEN_DIGITS]["seen"], before[TEN_DIGITS]["seen"])
    held.release()
    for found in wait_for_answers(page).values():
        assert_equals_library(found, prepare_picture(page))
    expect(find_card(page, TEN_DIGITS)).not_to_have_class(re.compile("waiting"))
    turns = page.evaluate("turns")
    assert turns == sorted(turns)
    assert turns[-1] == page.evaluate(f"() => ({ROOT})().readCards().turn")


@pytest.mark.slow
def test_a_lost_connection_is_said_once_and_mends_itself(new_page: NewPage, address: str) -> None:
    page = new_page()
    held = Held()
    held.route(page)
    open_cards(page, address)
    held.sockets[-1].close()
    expect(find_cards(page).get_by_text("The live connection is lost")).to_have_count(1)
    expect(find_cards(page).get_by_text("The live connection is lost")).to_be_visible()
    draw_stroke(page, *EIGHT)
    for found in wait_for_answers(page).values():
        assert_equals_library(found, prepare_picture(page))
    expect(find_cards(page).get_by_text("The live connection is lost")).to_be_hidden()


@pytest.mark.slow
def test_a_model_that_cannot_answer_says_so_and_the_others_go_on(page: Page, serve: Serve, tmp_path: Path) -> None:
    link_checkpoints(tmp_path, (TEN_DIGITS, INK))
    whole = (tmp_path / INK).resolve()
    (tmp_path / INK).unlink()
    (tmp_path / INK).mkdir()
    (tmp_path / INK / "card.json").write_bytes((whole / "card.json").read_bytes())
    (tmp_path / INK / "weights.safetensors").write_bytes(b"cut")
    open_pad(page, serve(env={"ATTNVIZ_CHECKPOINTS": str(tmp_path)}) + "/draw")
    draw_stroke(page, *EIGHT)
    found = wait_for_answers(page)
    assert_equals_library(found[TEN_DIGITS], prepare_picture(page))
    expect(find_card(page, INK)).to_contain_text("is not a complete safetensors file")
    assert found[INK]["answer"] is None


def test_what_goes_over_the_wire_is_the_canvas_and_one_ask_a_card(new_page: NewPage, address: str) -> None:
    page = new_page()
    sent: list[Any] = []
    page.on("websocket", lambda socket: watch(socket, sent))
    open_cards(page, address)
    sent.clear()
    draw_stroke(page, *EIGHT)
    wait_for_answers(page)
    headers = [unpack(frame) for frame in sent]
    assert len(headers) >= 2
    for header, arrays in headers:
        assert header["prepare"] == {"centred": True}
        assert [ask["checkpoint"] for ask in header["asks"]] == list(ON_CARDS)
        assert arrays["pictures"].shape == (280, 280, 1)
    np.testing.assert_array_equal(headers[-1][1]["pictures"][..., 0], read_raster(page))
    assert not any("weights" in str(ask) and "mean" not in str(ask) for header, _ in headers for ask in header["asks"])
